//! Runs the detectors over one line: a cheap look at the bytes says which may have something.

use super::kind::Kind;
use super::rules::{self, Find, Rule};
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use regex::Regex;
use std::sync::{LazyLock, OnceLock};

/// What the bytes of a line hold, beyond the literals of the gates.
pub(super) mod feature {
    /// Three times digit, dot, digit in one word: an address or a version of four parts.
    pub const QUAD: u32 = 1;
    /// `::`, or five colons in one word.
    pub const COLONS: u32 = 1 << 1;
    /// Three dashes within one word.
    pub const DASHES: u32 = 1 << 2;
    pub const AT: u32 = 1 << 3;
    /// Anything beyond ASCII.
    pub const WIDE: u32 = 1 << 4;
    /// Two slashes, or a backslash.
    pub const PATH: u32 = 1 << 5;
    /// Seven digits in a row.
    pub const DIGITS: u32 = 1 << 6;
    /// A date stands at the beginning.
    pub const STAMP: u32 = 1 << 7;
    /// Two digits or more, a blank or a dash, four digits or more: a number in groups.
    pub const GROUPS: u32 = 1 << 8;
    /// A run of twenty letters, digits and `+/_-` with a digit in it.
    pub const LONG: u32 = 1 << 9;
    /// A word with a letter, a colon, a digit.
    pub const PORT: u32 = 1 << 10;
    /// The line begins with `[` and a letter.
    pub const BRACKET: u32 = 1 << 11;
}

/// A detector's result in the text it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    pub start: usize,
    pub end: usize,
    pub kind: Kind,
}

type Mask = [u64; 4];

struct Compiled {
    rule: &'static Rule,
    regex: OnceLock<Option<Expression>>,
}

/// An expression, and for each of its groups the name and the kind that it stands for.
struct Expression {
    regex: Regex,
    groups: Vec<(usize, String, Kind)>,
}

impl Expression {
    fn new(text: &str) -> Option<Expression> {
        let regex = Regex::new(text).ok()?;
        let named = regex.capture_names().enumerate();
        let groups =
            named.filter_map(|(index, name)| name.and_then(|name| Some((index, name.to_owned(), Kind::from_group(name)?)))).collect();
        Some(Expression { regex, groups })
    }
}

struct Engine {
    rules: Vec<Compiled>,
    gates: Option<AhoCorasick>,
    /// For each gate literal, the rules it opens.
    opens: Vec<Mask>,
    /// The rules that open by a feature.
    by_feature: Vec<(u32, usize)>,
}

static ENGINE: LazyLock<Engine> = LazyLock::new(Engine::new);

impl Engine {
    fn new() -> Engine {
        let rules: Vec<Compiled> = rules::all().map(|rule| Compiled { rule, regex: OnceLock::new() }).collect();
        let mut literals: Vec<&'static str> = Vec::new();
        let mut opens: Vec<Mask> = Vec::new();
        let mut by_feature = Vec::new();
        for (at, compiled) in rules.iter().enumerate() {
            for literal in compiled.rule.gate {
                let place = literals.iter().position(|known| known == literal).unwrap_or_else(|| {
                    literals.push(literal);
                    opens.push(Mask::default());
                    literals.len() - 1
                });
                if let Some(mask) = opens.get_mut(place) {
                    set(mask, at);
                }
            }
            if compiled.rule.feature != 0 {
                by_feature.push((compiled.rule.feature, at));
            }
        }
        let gates = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::Standard)
            .kind(Some(AhoCorasickKind::DFA))
            .build(&literals)
            .ok();
        Engine { rules, gates, opens, by_feature }
    }

    fn candidates(&self, text: &str) -> Mask {
        let mut mask = Mask::default();
        if let Some(gates) = &self.gates {
            for found in gates.find_overlapping_iter(text) {
                if let Some(opened) = self.opens.get(found.pattern().as_usize()) {
                    mask.iter_mut().zip(opened).for_each(|(word, more)| *word |= more);
                }
            }
        }
        let features = features(text);
        for (wanted, at) in &self.by_feature {
            if wanted & features != 0 {
                set(&mut mask, *at);
            }
        }
        mask
    }
}

fn set(mask: &mut Mask, at: usize) {
    if let Some(word) = mask.get_mut(at / 64) {
        *word |= 1 << (at % 64);
    }
}

/// The numbers in a mask, in order.
fn members(mask: &Mask) -> impl Iterator<Item = usize> {
    mask.iter().enumerate().flat_map(|(place, word)| {
        let mut rest = *word;
        std::iter::from_fn(move || {
            let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(place * 64 + bit)
        })
    })
}

/// Finds what is secret in a text (a line, or a window of a long one).
/// Returns what the reader of neighbouring lines should look at (see `context::note`).
pub(super) fn scan(text: &str, out: &mut Vec<Hit>) -> u8 {
    let mask = ENGINE.candidates(text);
    let mut notes = 0;
    if mask == Mask::default() {
        return notes;
    }
    for at in members(&mask) {
        let Some(compiled) = ENGINE.rules.get(at) else { continue };
        match compiled.rule.find {
            Find::Code(find) => find(text, out),
            Find::Note(note) => notes |= note,
            Find::Regex(expression, accept) => {
                let regex = compiled.regex.get_or_init(|| Expression::new(expression));
                if let Some(regex) = regex.as_ref().filter(|expression| expression.regex.is_match(text)) {
                    apply(regex, accept, text, out);
                }
            }
        }
    }
    notes
}

/// Every named group that takes part is a candidate of the kind its name says. The search goes
/// on behind the last value, so that one delimiter may end one value and begin the next; behind
/// the beginning of a value that was refused, as that may be the word before another one.
fn apply(expression: &Expression, accept: rules::Accept, text: &str, out: &mut Vec<Hit>) {
    let regex = &expression.regex;
    let mut groups = regex.capture_locations();
    let mut at = 0;
    while at <= text.len() {
        let Some(whole) = regex.captures_read_at(&mut groups, text, at) else { break };
        let mut next = whole.end();
        for (index, name, kind) in &expression.groups {
            let Some((start, end)) = groups.get(*index) else { continue };
            let Some(value) = text.get(start..end) else { continue };
            let (from, to) = trim(value, start, *kind, name);
            let found = rules::Found { text, start: from, end: to, kind: *kind };
            let accepted = accept(&found);
            if let Some(kind) = accepted {
                out.push(Hit { start: from, end: to, kind });
            }
            next = next.min(if accepted.is_some() { end } else { start });
        }
        at = if next > at { next } else { step(text, at) };
    }
}

/// Names do not end in punctuation; secrets may. What no quotes hold (the third form of a value)
/// ends where a comma begins the next `name=`.
fn trim(value: &str, start: usize, kind: Kind, name: &str) -> (usize, usize) {
    if matches!(kind, Kind::Password | Kind::Token | Kind::Pem) {
        let next = |at: &usize| {
            let rest = value.get(at + 1..).unwrap_or("");
            let length = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-')).count();
            length > 1 && rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && rest.as_bytes().get(length) == Some(&b'=')
        };
        let cut = if name.ends_with('3') { value.match_indices(',').map(|(at, _)| at).find(next) } else { None };
        return (start, start + cut.unwrap_or(value.len()));
    }
    (start, start + value.trim_end_matches(['.', ',', ';', ':', '-', '\'', '"']).len())
}

/// The next boundary of characters.
pub(super) fn step(text: &str, at: usize) -> usize {
    let mut next = at + 1;
    while next < text.len() && !text.is_char_boundary(next) {
        next += 1;
    }
    next
}

const DIGIT: u8 = 1;
const ALPHA: u8 = 2;
const JOIN: u8 = 4;

static CLASS: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [0u8; 256];
    let mut at = 0;
    while at < 256 {
        let byte = at as u8;
        table[at] = if byte.is_ascii_digit() {
            DIGIT
        } else if byte.is_ascii_alphabetic() {
            ALPHA
        } else if matches!(byte, b'+' | b'/' | b'_' | b'-') {
            JOIN
        } else {
            0
        };
        at += 1;
    }
    table
}

/// Counts over one pass of the bytes.
#[derive(Default)]
struct Counts {
    /// Of the present word.
    dots: u32,
    colons: u32,
    /// Of the line.
    slashes: u32,
    /// Of the present run of letters, digits and joints.
    run: u32,
    run_digits: u32,
    run_letters: u32,
    run_dashes: u32,
    /// Digits in a row, and the row before a single blank or dash.
    digits: u32,
    digits_before: u32,
}

/// One pass over the bytes.
fn features(text: &str) -> u32 {
    use feature::*;
    let bytes = text.as_bytes();
    let mut found = if stamped(bytes) { STAMP } else { 0 };
    found |= if matches!(bytes, [b'[', b'A'..=b'Z' | b'a'..=b'z', ..]) { BRACKET } else { 0 };
    let mut counts = Counts::default();
    let (mut before, mut last) = (0u8, 0u8);
    for byte in bytes {
        found |= match CLASS[*byte as usize] {
            0 => counts.other(*byte, last),
            class => counts.word(class, *byte, before, last),
        };
        before = last;
        last = *byte;
    }
    found | if counts.slashes >= 2 { PATH } else { 0 }
}

impl Counts {
    /// A letter, a digit or a joint.
    #[inline]
    fn word(&mut self, class: u8, byte: u8, before: u8, last: u8) -> u32 {
        use feature::*;
        let mut found = 0;
        self.run += 1;
        if class == DIGIT {
            self.digits += 1;
            self.run_digits += 1;
            if last == b'.' && CLASS[before as usize] == DIGIT {
                self.dots += 1;
                found |= if self.dots >= 3 { QUAD } else { 0 };
            }
            found |= if last == b':' && CLASS[before as usize] & (ALPHA | DIGIT) != 0 && self.run_letters > 0 { PORT } else { 0 };
            found |= if self.digits >= 7 { DIGITS } else { 0 };
            found |= if self.digits >= 4 && self.digits_before >= 2 { GROUPS } else { 0 };
        } else if class == ALPHA {
            (self.digits, self.digits_before) = (0, 0);
            self.run_letters += 1;
        } else {
            self.slashes += u32::from(byte == b'/');
            self.run_dashes += u32::from(byte == b'-');
            self.digits_before = if byte == b'-' { self.digits } else { 0 };
            self.digits = 0;
            found |= if self.run_dashes >= 3 { DASHES } else { 0 };
        }
        found | if self.run >= 20 && self.run_digits > 0 { LONG } else { 0 }
    }

    #[inline]
    fn other(&mut self, byte: u8, last: u8) -> u32 {
        use feature::*;
        (self.run, self.run_digits, self.run_dashes) = (0, 0, 0);
        // The letters of a word are still wanted behind its colon (for a port).
        self.run_letters = if byte == b':' { self.run_letters } else { 0 };
        self.digits_before = if matches!(byte, b' ' | b')') { self.digits } else { 0 };
        self.digits = 0;
        match byte {
            b':' => {
                self.colons += 1;
                if last == b':' || self.colons >= 5 { COLONS } else { 0 }
            }
            b'.' => 0,
            _ if byte < 0x80 && byte != b'@' && byte != b'\\' => {
                (self.dots, self.colons) = (0, 0);
                0
            }
            b'@' => AT,
            b'\\' => PATH,
            0x80.. => WIDE,
            _ => 0,
        }
    }
}

/// `Nov 12`, `2026-11-12T`, `<30>`, `Wed 2026-`: within the first bytes of the line.
fn stamped(bytes: &[u8]) -> bool {
    let head = bytes.get(..24).unwrap_or(bytes);
    head.windows(5).any(|w| match w {
        [a, b, c, b' ', d] => {
            a.is_ascii_uppercase() && b.is_ascii_lowercase() && c.is_ascii_lowercase() && (d.is_ascii_digit() || *d == b' ')
        }
        [a, _, _, d, b'-'] => a.is_ascii_digit() && d.is_ascii_digit(),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_expression_compiles_and_names_kinds() {
        for compiled in &ENGINE.rules {
            let rule = compiled.rule;
            assert!(!rule.gate.is_empty() || rule.feature != 0, "{}: no gate", rule.name);
            if let Find::Regex(expression, _) = rule.find {
                let regex = Regex::new(expression).unwrap_or_else(|e| panic!("{}: {e}", rule.name));
                let names: Vec<&str> = regex.capture_names().flatten().collect();
                assert!(!names.is_empty(), "{}: captures nothing", rule.name);
                assert!(names.iter().all(|n| Kind::from_group(n).is_some()), "{}: {names:?}", rule.name);
            }
        }
        assert!(ENGINE.rules.len() <= 256);
    }

    /// What a line costs is what it opens.
    #[test]
    fn ordinary_lines_open_few_detectors() {
        for line in [
            "Nov 12 03:12:44 dgx-a17 systemd[1]: session-12.scope: Deactivated successfully, consumed 12 ms of processor time",
            "dgx-a17:20001:21001 [3] NCCL INFO Channel 02/0 : 3[3] -> 4[4] via P2P/CUMEM/read",
            "2026-11-24 10:00:01,118 INFO trainer: epoch 1 step 3/90000 loss=2.4 lr=1.5e-05 cuda mem 41.2 GiB dataloader worker ok",
            "  File \"/opt/conda/lib/python3.10/site-packages/torch/nn/modules/module.py\", line 12, in _call_impl",
        ] {
            let opened: Vec<&str> = members(&ENGINE.candidates(line)).filter_map(|at| ENGINE.rules.get(at)).map(|c| c.rule.name).collect();
            assert!(opened.len() <= 5, "{opened:?}: {line}");
        }
    }

    #[test]
    fn features_are_seen() {
        use feature::*;
        assert_ne!(features("at 10.0.0.1:80") & QUAD, 0);
        assert_eq!(features("torch 2.1.0") & QUAD, 0);
        assert_ne!(features("fe80::1") & COLONS, 0);
        for phone in ["call 139 1234 5678", "138-1234-5678", "(415) 555-0132", "020 7946 0958"] {
            assert_ne!(features(phone) & GROUPS, 0, "{phone}");
        }
        assert_eq!(features("2026-11-12 03:12:44,118") & (GROUPS | DIGITS | PORT), 0);
        assert_ne!(features("gpu-3:29500") & PORT, 0);
        assert_ne!(features("a-b-c-d") & DASHES, 0);
        assert_ne!(features("Nov 12 03:12:44 x") & STAMP, 0);
        assert_ne!(features("中") & WIDE, 0);
        assert_eq!(features("loss 0.1 step 3"), 0);
    }
}
