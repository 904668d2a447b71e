//! Comparing versions as vendors write them.

use pep440_rs::Version;
use std::cmp::Ordering;
use std::str::FromStr;

/// Compares two versions: Python's (`2.4.1+cu124`), drivers' (`550.90.07`), Debian's
/// (`535.183.01-0ubuntu0.22.04.1`) and kernels' (`6.8.0-51-generic`).
///
/// A local part (`+cu124`) counts only where both sides have one, so that `2.4.1+cu124` equals
/// `2.4.1`; trailing zeros do not count. `None` where a side does not start with a number.
pub fn compare_versions(a: &str, b: &str) -> Option<Ordering> {
    let (a, b) = (clean(a)?, clean(b)?);
    let packaged = a.contains('-') || b.contains('-');
    if !packaged && let (Ok(left), Ok(right)) = (Version::from_str(a), Version::from_str(b)) {
        let both_local = !left.local().is_empty() && !right.local().is_empty();
        let (left, right) = if both_local { (left, right) } else { (left.without_local(), right.without_local()) };
        return Some(left.cmp(&right));
    }
    Some(by_numbers(a, b))
}

/// The version without `v`, epoch and blanks; `None` where no digit follows.
fn clean(version: &str) -> Option<&str> {
    let version = version.trim().trim_start_matches(['v', 'V']);
    let version = version.split_once(':').map_or(version, |(_, rest)| rest);
    version.starts_with(|c: char| c.is_ascii_digit()).then_some(version)
}

/// Numbers from left to right. A side that has no further number is equal where the rest of the
/// other is zeros or a packaging suffix (`-0ubuntu…`), else smaller.
fn by_numbers(a: &str, b: &str) -> Ordering {
    let (a_main, a_rest) = a.split_once(['-', '+', '~']).unwrap_or((a, ""));
    let (b_main, b_rest) = b.split_once(['-', '+', '~']).unwrap_or((b, ""));
    let main = compare_fields(a_main, b_main);
    if main != Ordering::Equal || a_rest.is_empty() || b_rest.is_empty() {
        return main;
    }
    compare_fields(a_rest, b_rest)
}

fn compare_fields(a: &str, b: &str) -> Ordering {
    let numbers = |text: &str| -> Vec<u64> {
        text.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty()).map(|part| part.parse().unwrap_or(u64::MAX)).collect()
    };
    let (mut a, mut b) = (numbers(a), numbers(b));
    let longest = a.len().max(b.len());
    a.resize(longest, 0);
    b.resize(longest, 0);
    a.cmp(&b)
}

/// The first `fields` numbers of a version: `major("12.4.127", 2)` is `12.4`.
pub fn head(version: &str, fields: usize) -> String {
    let plain = version.split(['+', '-']).next().unwrap_or(version);
    plain.split('.').take(fields).collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests {
    use super::*;
    use Ordering::{Equal, Greater, Less};

    #[test]
    fn versions_compare_as_their_vendors_mean() {
        for (a, b, want) in [
            ("550.90.07", "550.90.7", Equal),
            ("550.107.02", "550.120", Less),
            ("535.183.01", "525.60.13", Greater),
            ("12.4", "12.10", Less),
            ("12.0", "12", Equal),
            ("2.4.1+cu124", "2.4", Greater),
            ("2.4.1+cu124", "2.4.1", Equal),
            ("2.4.1+cu124", "2.4.1+cu121", Greater),
            ("2.7.0.dev20250226+cu128", "2.7.0", Less),
            ("535.183.01-0ubuntu0.22.04.1", "535.183.01", Equal),
            ("535.183.01-0ubuntu0.22.04.1", "535.183.02", Less),
            ("535.183.01-0ubuntu0.22.04.1", "535.183.01-0ubuntu0.22.04.2", Less),
            ("6.8.0-51-generic", "6.8.0-49-generic", Greater),
            ("6.8.0-51-generic", "6.11.0-17-generic", Less),
            ("5.15.153.1-microsoft-standard-WSL2", "5.10", Greater),
            ("1:550.90.07-1", "550.90.07", Equal),
        ] {
            assert_eq!(compare_versions(a, b), Some(want), "{a} and {b}");
            assert_eq!(compare_versions(b, a), Some(want.reverse()), "{b} and {a}");
        }
        assert_eq!(compare_versions("N/A", "1"), None);
        assert_eq!(compare_versions("", "1"), None);
    }

    #[test]
    fn the_head_of_a_version_leaves_out_build_marks() {
        assert_eq!(head("2.4.1+cu124", 2), "2.4");
        assert_eq!(head("12.4.127", 2), "12.4");
        assert_eq!(head("550", 2), "550");
    }
}
