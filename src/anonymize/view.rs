//! A line as a detector should see it: terminal codes dropped and percent-encoding undone,
//! with a map back to the bytes that are really there.

use std::borrow::Cow;
use std::ops::Range;

/// The decoded text of a line.
pub(super) struct View<'a> {
    pub text: Cow<'a, str>,
    /// For each byte of `text`, where its source starts and ends; `None` when nothing changed.
    map: Option<Vec<(u32, u32)>>,
}

impl<'a> View<'a> {
    /// Decodes a line. Lines above 4 GiB are looked at as they are.
    pub fn of(raw: &'a str) -> View<'a> {
        let plain = || View { text: Cow::Borrowed(raw), map: None };
        let bytes = raw.as_bytes();
        let marked = memchr::memchr2(b'%', 0x1b, bytes).is_some();
        if !marked || u32::try_from(raw.len()).is_err() {
            return plain();
        }
        let once: Vec<(u8, u32, u32)> = bytes.iter().zip(0u32..).map(|(b, at)| (*b, at, at + 1)).collect();
        let clean = terminal(once);
        // Twice: an address inside a query is encoded twice.
        [0xff, 0x7f].iter().find_map(|top| decoded(percent(percent(clean.clone(), *top), *top))).unwrap_or_else(plain)
    }

    /// Where a range of the decoded text stands in the raw line.
    pub fn raw(&self, range: Range<usize>) -> Range<usize> {
        let Some(map) = &self.map else { return range };
        let start = map.get(range.start).map_or(0, |piece| piece.0 as usize);
        let end = range.end.checked_sub(1).and_then(|last| map.get(last)).map_or(start, |piece| piece.1 as usize);
        start..end.max(start)
    }
}

/// The pieces as a view, where they are text.
fn decoded<'a>(pieces: Vec<(u8, u32, u32)>) -> Option<View<'a>> {
    let (text, map): (Vec<u8>, Vec<(u32, u32)>) = pieces.into_iter().map(|(b, from, to)| (b, (from, to))).unzip();
    String::from_utf8(text).ok().map(|text| View { text: Cow::Owned(text), map: Some(map) })
}

/// Drops `ESC [ … letter`.
fn terminal(input: Vec<(u8, u32, u32)>) -> Vec<(u8, u32, u32)> {
    if input.iter().all(|piece| piece.0 != 0x1b) {
        return input;
    }
    let mut out = Vec::with_capacity(input.len());
    let mut rest = input.as_slice();
    while let Some((piece, tail)) = rest.split_first() {
        rest = match tail {
            [(b'[', ..), code @ ..] if piece.0 == 0x1b => {
                let length = code.iter().take(32).position(|p| p.0.is_ascii_alphabetic());
                length.and_then(|n| code.get(n + 1..)).unwrap_or(tail)
            }
            _ => {
                out.push(*piece);
                tail
            }
        };
    }
    out
}

/// Decodes `%41` up to the byte `top`. Control characters stay encoded: a line must not gain a break.
fn percent(input: Vec<(u8, u32, u32)>, top: u8) -> Vec<(u8, u32, u32)> {
    if input.iter().all(|piece| piece.0 != b'%') {
        return input;
    }
    let mut out = Vec::with_capacity(input.len());
    let mut rest = input.as_slice();
    while let Some((piece, tail)) = rest.split_first() {
        let byte = match tail {
            [(high, ..), (low, ..), ..] if piece.0 == b'%' => hex(*high).zip(hex(*low)).map(|(h, l)| h * 16 + l),
            _ => None,
        };
        match (byte, tail) {
            (Some(byte), [_, (_, _, end), after @ ..]) if byte >= 0x20 && byte != 0x7f && byte <= top => {
                out.push((byte, piece.1, *end));
                rest = after;
            }
            _ => {
                out.push(*piece);
                rest = tail;
            }
        }
    }
    out
}

fn hex(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_and_maps_back() {
        let view = View::of("a%2Fhome%2Fkim%2Fx");
        assert_eq!(view.text, "a/home/kim/x");
        assert_eq!(view.raw(7..10), 11..14);
        assert_eq!(view.raw(1..7), 1..11);
        assert_eq!(View::of("%252Fhome").text, "/home");
    }

    #[test]
    fn drops_terminal_codes() {
        let raw = "\u{1b}[1mhf_Rny\u{1b}[0mLAq";
        let view = View::of(raw);
        assert_eq!(view.text, "hf_RnyLAq");
        assert_eq!(view.raw(0..9), 4..raw.len());
    }

    #[test]
    fn leaves_what_is_no_code() {
        for raw in ["100%", "50% of", "%zz", "%0A", "%ff", "\u{1b}x"] {
            assert_eq!(View::of(raw).text, raw);
        }
    }
}
