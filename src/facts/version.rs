//! Versions of drivers, CUDA, kernels and packages.

use pep440_rs::Version;
use std::cmp::Ordering;
use std::str::FromStr;

/// Compares two versions; `None` where one of them is none.
///
/// Leading zeros (`535.183.01`), four parts (`12.4.5.8`) and local tags (`2.4.1+cu124`) are
/// understood. A local tag counts only where both have one; a packaging tail
/// (`535.183.01-0ubuntu0.22.04.1`) does not count.
pub fn compare_versions(a: &str, b: &str) -> Option<Ordering> {
    let (a, a_local) = split_local(a);
    let (b, b_local) = split_local(b);
    let order = parse(a)?.cmp(&parse(b)?);
    match (a_local, b_local) {
        (Some(a), Some(b)) => Some(order.then_with(|| a.cmp(b))),
        _ => Some(order),
    }
}

fn split_local(version: &str) -> (&str, Option<&str>) {
    match version.trim().split_once('+') {
        Some((version, local)) => (version, Some(local)),
        None => (version.trim(), None),
    }
}

fn parse(version: &str) -> Option<Version> {
    if let Ok(parsed) = Version::from_str(version) {
        return Some(parsed);
    }
    let end = version.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(version.len());
    Version::from_str(version[..end].trim_end_matches('.')).ok()
}
