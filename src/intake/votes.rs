//! Prefixes that only many lines together can show: `web-1  | ` and srun's `3: `.

use super::prefix::Found;
use std::collections::HashMap;

/// Longest name of a compose service.
const MAX_NAME: usize = 64;
/// Lines that a name without a number must stand before.
const MIN_LINES: u32 = 3;
/// Lines with a label, at least, and the share of all (in per cent), for `3: ` to be one.
const MIN_LABELS: u32 = 5;
const LABEL_SHARE: u32 = 60;

/// What the lines of one part agree on.
#[derive(Debug, Default)]
pub struct Votes {
    /// Lines by compose name.
    names: HashMap<String, u32>,
    labels: u32,
    lines: u32,
}

impl Votes {
    /// Looks at one line.
    pub fn count(&mut self, line: &str) {
        if line.is_empty() {
            return;
        }
        self.lines += 1;
        let line = line.strip_prefix("> ").unwrap_or(line);
        if label_of(line).is_some() {
            self.labels += 1;
        } else if let Some((name, _)) = compose_name(line) {
            match self.names.get_mut(name) {
                Some(count) => *count += 1,
                None => {
                    self.names.insert(name.to_owned(), 1);
                }
            }
        }
    }

    /// `web-1  | `: the bytes of the prefix.
    pub fn compose(&self, rest: &str, found: &mut Found) -> Option<usize> {
        if self.names.is_empty() {
            return None;
        }
        let (name, length) = compose_name(rest)?;
        let numbered = name.rsplit_once(['-', '_']).is_some_and(|(_, n)| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
        if !numbered && self.names.get(name).is_none_or(|count| *count < MIN_LINES) {
            return None;
        }
        found.stream(name);
        Some(length)
    }

    /// `3: ` where most lines have such a label (srun -l): the bytes of the prefix, or 0.
    pub fn label(&self, rest: &str, found: &mut Found) -> usize {
        if self.labels < MIN_LABELS || self.labels * 100 < self.lines * LABEL_SHARE || found.prefix.rank.is_some() {
            return 0;
        }
        let Some((rank, length)) = label_of(rest) else { return 0 };
        found.rank(Some(rank));
        length
    }
}

/// `web-1  | `: the name, and the bytes with the bar and one blank.
fn compose_name(line: &str) -> Option<(&str, usize)> {
    let bytes = line.as_bytes();
    if !bytes.first()?.is_ascii_alphanumeric() && *bytes.first()? != b'<' {
        return None;
    }
    let head = bytes.get(..bytes.len().min(MAX_NAME + 16))?;
    let bar = memchr::memchr(b'|', head)?;
    let name = line.get(..bar)?.trim_end_matches(' ');
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'<' | b'>');
    let is_name = name.len() < bar && name.len() <= MAX_NAME && name.bytes().all(plain) && name.bytes().any(|b| b.is_ascii_alphabetic());
    match bytes.get(bar + 1) {
        None if is_name => Some((name, bar + 1)),
        Some(b' ') if is_name => Some((name, bar + 2)),
        _ => None,
    }
}

/// `3: `, right-aligned: the number, and the bytes.
fn label_of(line: &str) -> Option<(u32, usize)> {
    let bytes = line.as_bytes();
    let blanks = bytes.iter().take(3).take_while(|b| **b == b' ').count();
    let digits = bytes.iter().skip(blanks).take(5).take_while(|b| b.is_ascii_digit()).count();
    let end = blanks + digits;
    if !(1..=4).contains(&digits) || bytes.get(end) != Some(&b':') {
        return None;
    }
    let rank = line.get(blanks..end)?.parse().ok()?;
    match bytes.get(end + 1) {
        None => Some((rank, end + 1)),
        Some(b' ') => Some((rank, end + 2)),
        Some(_) => None,
    }
}
