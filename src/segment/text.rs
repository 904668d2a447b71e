//! The text that patterns see: single blanks, ASCII punctuation.

/// Bytes of one line that enter a record; the rest is not matched.
pub const MAX_LINE: usize = 64 * 1024;

/// Appends `message` to `out`, trimmed, runs of blanks made one, punctuation made ASCII.
pub fn push_normal(message: &str, out: &mut String) {
    let mut blank = false;
    let mut started = false;
    for c in capped(message.trim()).chars() {
        let c = plain(c);
        if c == ' ' {
            blank = started;
            continue;
        }
        if blank {
            out.push(' ');
            blank = false;
        }
        started = true;
        out.push(c);
    }
}

fn capped(text: &str) -> &str {
    let mut end = text.len().min(MAX_LINE);
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
            ("RuntimeError：CUDA error（device）“x”，‘y’！", "RuntimeError:CUDA error(device)\"x\",'y'!"),
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
        push_normal(&"驱".repeat(MAX_LINE), &mut out);
        assert!(out.len() <= MAX_LINE && out.len() > MAX_LINE - 4);
    }
}
