//! Host names in the prefixes of syslog, journald and NCCL. They stand in every line of a long
//! log, so they are read by hand: an expression takes twenty times as long.

use super::hosts;
use super::kind::Kind;
use super::rules::Found;
use super::scan::Hit;

/// `Nov 12 03:12:44 HOST kernel:` and `2026-11-12T03:12:44+01:00 HOST unit[1]:`.
pub(super) fn syslog(text: &str, out: &mut Vec<Hit>) {
    let start = text.len() - text.trim_start_matches([' ', '\t', '>', '|']).len();
    let Some(rest) = text.get(start..) else { return };
    let mut words = Words { text: rest, at: 0 };
    let blank_date = skip_blank_date(&mut words);
    if !blank_date && !skip_stamp(&mut words) {
        return;
    }
    let Some((from, host)) = words.next() else { return };
    let Some((_, unit)) = words.next() else { return };
    // `HOST unit[pid]:`; a line of a container runtime goes on with a stream and a flag.
    let named = unit
        .strip_suffix(':')
        .or_else(|| unit.split_once(':').map(|(unit, _)| unit))
        .filter(|unit| unit.starts_with(|c: char| c.is_ascii_alphabetic() || c == '('));
    // Without the letter `T` the date is any logger's: the process number must follow.
    let named = named.filter(|unit| !blank_date || unit.ends_with(']'));
    let shaped = host.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'));
    if named.is_some() && shaped {
        push(text, start + from, host, out);
    }
}

/// `2026-11-12 03:12:44` at the beginning; nothing is read where it does not stand.
fn skip_blank_date(words: &mut Words) -> bool {
    let date = |word: &str| {
        word.len() == 10 && word.bytes().enumerate().all(|(at, b)| if at == 4 || at == 7 { b == b'-' } else { b.is_ascii_digit() })
    };
    let mut ahead = Words { text: words.text, at: words.at };
    let dated = ahead.next().is_some_and(|(_, word)| date(word));
    let timed = ahead.next().is_some_and(|(_, word)| matches!(word.as_bytes(), [_, _, b':', _, _, b':', ..]));
    if dated && timed {
        words.at = ahead.at;
    }
    dated && timed
}

/// Reads a date and time; false when there is none.
fn skip_stamp(words: &mut Words) -> bool {
    let Some((_, first)) = words.next() else { return false };
    let first = match first.find('>') {
        Some(end) if first.starts_with('<') => first.get(end + 1..).unwrap_or(""),
        _ => first,
    };
    // RFC 5424 writes its version behind the priority.
    let first = if first == "1" { words.next().map_or("", |word| word.1) } else { first };
    let bytes = first.as_bytes();
    if matches!(bytes, [a, _, _, d, b'-', ..] if a.is_ascii_digit() && d.is_ascii_digit()) {
        return first.contains('T') && first.contains(':');
    }
    if bytes.len() < 3 || bytes.len() > 5 || !first.chars().all(char::is_alphabetic) {
        return false;
    }
    let Some((_, second)) = words.next() else { return false };
    let dated = second.len() == 10 && second.as_bytes().get(4) == Some(&b'-');
    let day = second.len() <= 2 && second.bytes().all(|b| b.is_ascii_digit());
    if !(dated || day) {
        return false;
    }
    let Some((_, third)) = words.next() else { return false };
    let year = third.len() == 4 && third.bytes().all(|b| b.is_ascii_digit());
    let time = if year { words.next().map_or("", |word| word.1) } else { third };
    let timed = matches!(time.as_bytes(), [_, _, b':', _, _, b':', ..]);
    if dated && timed {
        // A zone follows: `UTC`.
        words.next();
    }
    timed
}

/// `HOST:pid:tid [dev]`, wherever it stands.
pub(super) fn nccl(text: &str, out: &mut Vec<Hit>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(colon) = memchr::memchr(b':', bytes.get(at..).unwrap_or(&[])).map(|skip| at + skip) {
        at = colon + 1;
        let Some(behind) = numbers(bytes.get(at..).unwrap_or(&[])) else { continue };
        let name = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-');
        let length = bytes.get(..colon).map_or(0, |before| before.iter().rev().take_while(name).count());
        let host = text.get(colon - length..colon).unwrap_or("");
        if length > 1 && host.starts_with(|c: char| c.is_ascii_alphanumeric()) {
            push(text, colon - length, host, out);
        }
        at += behind;
    }
}

/// The length of `pid:tid [`.
fn numbers(bytes: &[u8]) -> Option<usize> {
    let digits = |from: usize| bytes.get(from..).map_or(0, |rest| rest.iter().take_while(|b| b.is_ascii_digit()).count());
    let pid = digits(0);
    let tid = digits(pid + 1);
    let end = pid + 1 + tid;
    (pid > 0 && tid > 0 && bytes.get(pid) == Some(&b':') && bytes.get(end) == Some(&b' ') && bytes.get(end + 1) == Some(&b'['))
        .then_some(end)
}

fn push(text: &str, start: usize, host: &str, out: &mut Vec<Hit>) {
    let found = Found { text, start, end: start + host.len(), kind: Kind::Host };
    if let Some(kind) = hosts::certain(&found) {
        out.push(Hit { start, end: found.end, kind });
    }
}

/// Words of a line with their places.
struct Words<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Iterator for Words<'a> {
    type Item = (usize, &'a str);

    fn next(&mut self) -> Option<(usize, &'a str)> {
        let rest = self.text.get(self.at..)?;
        let start = self.at + rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let word = self.text.get(start..)?.split([' ', '\t']).next().filter(|word| !word.is_empty())?;
        self.at = start + word.len();
        Some((start, word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(find: fn(&str, &mut Vec<Hit>), text: &str) -> Vec<&str> {
        let mut hits = Vec::new();
        find(text, &mut hits);
        hits.iter().map(|hit| &text[hit.start..hit.end]).collect()
    }

    #[test]
    fn hosts_of_syslog_are_found() {
        for line in [
            "Nov 12 03:12:44 dgx-a17 kernel: NVRM",
            "Nov  2 2026 03:12:44 dgx-a17 systemd[1]: x",
            "mars 03 09:14:08 dgx-a17 kernel: NVRM",
            "2026-11-12T03:12:44.118211+01:00 dgx-a17 kernel: x",
            "<30>Nov 12 03:12:44 dgx-a17 dockerd[12]: x",
            "<30>1 2026-11-12T03:12:44Z dgx-a17 app: x",
            "Thu 2026-11-12 03:12:44 UTC dgx-a17 kernel: x",
            "> Nov 12 03:12:44 dgx-a17 (sd-exec)[1]: x",
            "2026-11-12 03:12:44 dgx-a17 sshd[1189]: x",
        ] {
            assert_eq!(found(syslog, line), ["dgx-a17"], "{line}");
        }
        for line in [
            "Nov 12 03:12:44 kernel: NVRM: x",
            "2026-11-12T03:12:44 INFO foo: x",
            "Nov 12 03:12:44",
            "2024-08-07 13:33:58 - INFO - x: y",
            "2026-11-12T03:12:44Z stdout F x:",
        ] {
            assert_eq!(found(syslog, line), Vec::<&str>::new(), "{line}");
        }
    }

    #[test]
    fn hosts_of_nccl_are_found() {
        assert_eq!(found(nccl, "[2026-04-22 21:34:18] a-0:202016:202016 [0] NCCL INFO x"), ["a-0"]);
        assert_eq!(found(nccl, "[1,0]<stdout>:gpu.x:1:2 [0] NCCL"), ["gpu.x"]);
        assert_eq!(found(nccl, "12:13:14 [0] NCCL a:1 b:2:3"), Vec::<&str>::new());
    }
}
