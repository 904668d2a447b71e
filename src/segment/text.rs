//! The text that patterns see: single blanks, ASCII punctuation.

use crate::intake::MAX_MATCHED_LINE;

/// Appends `message` to `out`, trimmed, runs of blanks made one, punctuation made ASCII.
pub fn push_normal(message: &str, out: &mut String) {
    let message = capped(message.trim());
    if message.is_ascii() {
        if !has_runs(message) {
            out.push_str(message);
            return;
        }
        let mut words = message.split([' ', '\t']).filter(|word| !word.is_empty());
        out.push_str(words.next().unwrap_or(""));
        for word in words {
            out.push(' ');
            out.push_str(word);
        }
        return;
    }
    let mut blank = false;
    let mut before = None;
    let mut chars = message.chars().peekable();
    while let Some(raw) = chars.next() {
        let c = plain(raw);
        if c == ' ' {
            blank = before.is_some();
            continue;
        }
        if blank {
            out.push(' ');
        }
        out.push(c);
        blank = swallows_blank(before, raw, chars.peek().copied());
        before = Some(raw);
    }
}

/// True where blanks stand in a row, or a tab. One pass without branches: most lines have none.
fn has_runs(text: &str) -> bool {
    let bytes = text.as_bytes();
    let pairs = bytes.iter().zip(bytes.iter().skip(1));
    pairs.fold(false, |found, (a, b)| found | (*b == b'\t') | ((*a == b' ') & (*b == b' ')))
}

/// Input methods put `：` and `，` where `: ` and `, ` stood, but not within a time, a number or
/// the bounds of a version (`>=0.14,<0.19`).
fn swallows_blank(before: Option<char>, c: char, next: Option<char>) -> bool {
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let wide = matches!(c, '：' | '，' | '；');
    let bounds = digit(before) && matches!(next, Some('<' | '>' | '=' | '!' | '~'));
    wide && !(digit(before) && digit(next)) && !bounds && next.is_some_and(|n| n == '（' || (n.is_ascii() && !n.is_ascii_whitespace()))
}

/// The text with ASCII punctuation and the same blanks; `None` where it has that already.
pub fn plain_text(text: &str) -> Option<String> {
    if text.is_ascii() || !text.chars().any(|c| plain(c) != c) {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut before = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        out.push(if c == '\t' { c } else { plain(c) });
        if swallows_blank(before, c, chars.peek().copied()) {
            out.push(' ');
        }
        before = Some(c);
    }
    Some(out)
}

fn capped(text: &str) -> &str {
    let mut end = text.len().min(MAX_MATCHED_LINE);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or("")
}

/// What blog engines and input methods make of a character, undone.
fn plain(c: char) -> char {
    match c {
        ' ' | '\t' => ' ',
        c if c.is_ascii() => c,
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0).unwrap_or(c),
        '“' | '”' | '„' | '″' => '"',
        '‘' | '’' | '‚' | '′' => '\'',
        '。' => '.',
        '、' => ',',
        '【' | '〔' => '[',
        '】' | '〕' => ']',
        '–' | '—' | '−' | '‐' | '‑' => '-',
        c if c.is_whitespace() => ' ',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_and_punctuation_are_made_plain() {
        for (given, want) in [
            ("  a \t b\u{a0}\u{3000}c  ", "a b c"),
            ("RuntimeError：CUDA error（device）“x”，‘y’！", "RuntimeError: CUDA error(device)\"x\",'y'!"),
            ("驱动 版本", "驱动 版本"),
        ] {
            let mut out = String::new();
            push_normal(given, &mut out);
            assert_eq!(out, want);
        }
    }

    #[test]
    fn a_line_is_capped_on_a_boundary() {
        let mut out = String::new();
        push_normal(&"驱".repeat(MAX_MATCHED_LINE), &mut out);
        assert!(out.len() <= MAX_MATCHED_LINE && out.len() > MAX_MATCHED_LINE - 4);
    }
}
