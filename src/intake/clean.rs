//! Terminal traces out of a line: colours, overwritten progress states, control characters.

use std::borrow::Cow;

const ESC: char = '\u{1b}';
/// How an escape byte looks after syslog, `cat -v` or a JSON dump had it.
const ESCAPE_WORDS: &[&str] = &["^[", "#033", "\\x1b", "\\x1B", "\\033", "\\u001b", "\\u001B", "\\e", "␛", "\u{fffd}"];

/// The line as a terminal would show it in the end, without trailing blanks.
pub fn clean(line: &str) -> Cow<'_, str> {
    let line = line.trim_end_matches('\r');
    if !has_control(line) {
        return match memchr::memchr(b'[', line.as_bytes()).filter(|_| has_remnant(line)) {
            None => Cow::Borrowed(line.trim_end()),
            Some(_) => Cow::Owned(drop_remnants(line).trim_end().to_owned()),
        };
    }
    let shown = without_controls(last_state(line));
    match drop_remnants(&shown) {
        Cow::Borrowed(_) => Cow::Owned(shown.trim_end().to_owned()),
        Cow::Owned(text) => Cow::Owned(text.trim_end().to_owned()),
    }
}

/// True where anything but printable text and tabs stands. One pass without branches:
/// nearly every line of a log goes through here and no further.
fn has_control(line: &str) -> bool {
    let control = |b: u8| (b < 0x20) & (b != b'\t') | (b == 0x7f);
    let ascii = line.bytes().fold(false, |found, b| found | control(b));
    ascii || (!line.is_ascii() && line.chars().any(is_dropped))
}

fn is_dropped(c: char) -> bool {
    (c.is_control() && c != '\t') || matches!(c, '\u{feff}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}')
}

/// A progress bar writes over itself: the text after the last carriage return counts,
/// and where that is empty, the one before.
fn last_state(line: &str) -> &str {
    line.rsplit('\r').find(|state| !is_blank(state)).unwrap_or("")
}

fn is_blank(state: &str) -> bool {
    without_controls(state).trim().is_empty()
}

/// Drops escape sequences whole, lets backspaces take the character before them, drops the rest.
fn without_controls(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        at += c.len_utf8();
        match c {
            ESC => at += escape_length(text.as_bytes().get(at..).unwrap_or_default()),
            '\u{9b}' => at += csi_length(text.as_bytes().get(at..).unwrap_or_default()),
            '\u{8}' => {
                out.pop();
            }
            c if is_dropped(c) => {}
            c => out.push(c),
        }
        // A sequence of foreign bytes could end inside a character.
        while at < text.len() && !text.is_char_boundary(at) {
            at += 1;
        }
    }
    out
}

/// Bytes of the escape sequence after its escape byte.
fn escape_length(after: &[u8]) -> usize {
    match after.first() {
        Some(b'[') => 1 + csi_length(after.get(1..).unwrap_or_default()),
        Some(b']' | b'P' | b'X' | b'^' | b'_') => 1 + string_length(after.get(1..).unwrap_or_default()),
        Some(b'(' | b')' | b'#' | b'%') => after.len().min(2),
        Some(0x20..=0x7e) => 1,
        _ => 0,
    }
}

/// Parameters and the final byte of a control sequence.
fn csi_length(after: &[u8]) -> usize {
    let parameters = after.iter().take_while(|b| matches!(b, 0x20..=0x3f)).count();
    parameters + usize::from(after.get(parameters).is_some_and(|b| matches!(b, 0x40..=0x7e)))
}

/// A title or link up to its end mark; without one, nothing is swallowed.
fn string_length(after: &[u8]) -> usize {
    let bell = memchr::memchr2(7, 0x1b, after);
    match bell {
        Some(at) if after.get(at) == Some(&7) => at + 1,
        Some(at) if after.get(at + 1) == Some(&b'\\') => at + 2,
        _ => 0,
    }
}

fn has_remnant(line: &str) -> bool {
    memchr::memchr_iter(b'[', line.as_bytes()).any(|at| remnant_length(line.as_bytes(), at).is_some())
}

/// Drops colour codes whose escape byte was lost on the way: `[1;34m`, `#033[0m`, `^[[31m`.
fn drop_remnants(line: &str) -> Cow<'_, str> {
    let bytes = line.as_bytes();
    let mut out = String::new();
    let (mut kept, mut after_code) = (0, usize::MAX);
    for at in memchr::memchr_iter(b'[', bytes) {
        // `[K` (erase the line) stands beside a colour code in what compilers print.
        let erase = after_code == at && bytes.get(at + 1) == Some(&b'K');
        let Some(length) = remnant_length(bytes, at).or(erase.then_some(2)) else { continue };
        let before = line.get(kept..at).unwrap_or("");
        let word = ESCAPE_WORDS.iter().find_map(|word| before.strip_suffix(word));
        out.push_str(word.unwrap_or(before));
        kept = at + length;
        after_code = kept;
    }
    if kept == 0 {
        return Cow::Borrowed(line);
    }
    out.push_str(line.get(kept..).unwrap_or(""));
    Cow::Owned(out)
}

/// Length of a bare colour code at `at`. `rate(x[5m])` and `[10m, 20m]` are none.
fn remnant_length(bytes: &[u8], at: usize) -> Option<usize> {
    let code = bytes.get(at + 1..)?;
    let digits = code.iter().take(20).take_while(|b| matches!(b, b'0'..=b'9' | b';')).count();
    if digits == 0 || code.get(digits) != Some(&b'm') || matches!(code.get(digits + 1), Some(b']' | b',')) {
        return None;
    }
    let extended = code.starts_with(b"38;") || code.starts_with(b"48;");
    let number = |part: &[u8]| part.iter().try_fold(0u32, |n, b| Some(n * 10 + u32::from(b.checked_sub(b'0')?)).filter(|n| *n < 256));
    let is_colour = |n: u32| matches!(n, 0..=9 | 21..=49 | 90..=97 | 100..=107) || extended;
    let all = code.get(..digits)?.split(|b| *b == b';').all(|part| part.is_empty() || number(part).is_some_and(is_colour));
    all.then_some(digits + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_codes_are_dropped() {
        for (given, want) in [
            ("\u{1b}[1;31merror\u{1b}[0m here  ", "error here"),
            ("\u{1b}]0;user@host: ~\u{7}user@host:~$ ls", "user@host:~$ ls"),
            ("\u{1b}]0;never ended", "0;never ended"),
            ("[36m(raylet)[0m text", "(raylet) text"),
            ("#033[32mPASSED#033[0m [ 14%]", "PASSED [ 14%]"),
            ("[01m[Kfile.c:3[0m[K", "file.c:3"),
            ("\u{1b}(Bplain\u{1b}[K", "plain"),
            ("[38;5;208morange[0m", "orange"),
            ("abx\u{8}c\u{7}\td", "abc\td"),
            ("rate(x[5m]) [10m, 20m] [  7%] x[0]", "rate(x[5m]) [10m, 20m] [  7%] x[0]"),
            ("\u{feff}NVRM:\u{200b} Xid", "NVRM: Xid"),
        ] {
            assert_eq!(clean(given), want, "{given:?}");
        }
    }

    #[test]
    fn only_the_last_progress_state_counts() {
        for (given, want) in [
            (" 10%\r 20%\r 30%\r", " 30%"),
            (" 10%\r 99%Traceback (most recent call last):", " 99%Traceback (most recent call last):"),
            ("text\r\r", "text"),
            ("a\rb\r   \r\u{1b}[K", "b"),
            ("\r\r", ""),
        ] {
            assert_eq!(clean(given), want, "{given:?}");
        }
    }

    #[test]
    fn a_plain_line_is_not_copied() {
        assert!(matches!(clean("plain [text] with\ttabs  "), Cow::Borrowed("plain [text] with\ttabs")));
    }
}
