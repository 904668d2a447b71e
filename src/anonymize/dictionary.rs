//! Which placeholder stands for which value in one paste.

use super::kind::{Kind, Learn};
use super::words;
use aho_corasick::{AhoCorasick, MatchKind};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

/// Names learnt beyond this number are still replaced where they were found, but not looked for
/// elsewhere: a paste made of names must not make the search large.
const MAX_LEARNT: usize = 50_000;
/// Shorter secrets are not looked for elsewhere: they would hit ordinary text.
const MIN_EXACT: usize = 6;
/// Characters between the brackets of a placeholder.
const MAX_PLACEHOLDER: usize = 40;

/// The placeholders that stand in a text, as `(range, kind, number)`: `<host-1>`. Read by hand, as
/// every line of a log is asked several times.
pub(super) fn placeholders(text: &str) -> Vec<(Range<usize>, Kind, u32)> {
    let bytes = text.as_bytes();
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(start) = memchr::memchr(b'<', bytes.get(at..).unwrap_or(&[])).map(|skip| at + skip) {
        at = start + 1;
        if let Some((length, kind, number)) = text.get(at..).and_then(placeholder_behind) {
            all.push((start..at + length, kind, number));
            at += length;
        }
    }
    all
}

/// `host-1>` and its length.
fn placeholder_behind(text: &str) -> Option<(usize, Kind, u32)> {
    let length = text.bytes().take(MAX_PLACEHOLDER).take_while(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'-').count();
    let inner = text.get(..length)?;
    let (word, number) = inner.rsplit_once('-')?;
    if text.as_bytes().get(length) != Some(&b'>') || number.len() > 9 || !number.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some((length + 1, Kind::from_placeholder(word)?, number.parse().ok()?))
}

/// Where placeholders stand in a text.
pub(super) fn places(text: &str) -> Vec<Range<usize>> {
    placeholders(text).into_iter().map(|(range, ..)| range).collect()
}

/// Values and their placeholders. Numbers start at 1 per kind; those that stand in the paste
/// already are left free.
#[derive(Clone, Debug, Default)]
pub(super) struct Dictionary {
    numbers: HashMap<String, (Kind, u32)>,
    next: BTreeMap<Kind, u32>,
    reserved: HashSet<(Kind, u32)>,
    counts: BTreeMap<&'static str, usize>,
    /// The value asked for last of each kind, and its placeholder: logs repeat themselves.
    last: BTreeMap<Kind, (String, String)>,
}

impl Dictionary {
    /// Leaves the numbers of a text's own placeholders free. What was replaced before the text
    /// came (a preview, `faultbook anonymize`) counts as replaced.
    pub fn reserve(&mut self, text: &str) {
        for (_, kind, number) in placeholders(text) {
            if self.reserved.insert((kind, number)) {
                *self.counts.entry(kind.key()).or_insert(0) += 1;
            }
        }
    }

    /// The placeholder of a value, a new one for a new value.
    pub fn placeholder(&mut self, kind: Kind, value: &str) -> String {
        if let Some((_, known)) = self.last.get(&kind).filter(|last| last.0 == value) {
            return known.clone();
        }
        let (own, number) = self.look_up(kind, value).unwrap_or_else(|| self.add(kind, value));
        let placeholder = format!("<{}-{number}>", own.placeholder());
        self.last.insert(kind, (value.to_owned(), placeholder.clone()));
        placeholder
    }

    fn look_up(&self, kind: Kind, value: &str) -> Option<(Kind, u32)> {
        let key = key(kind, value);
        let first = || short_name(kind, &key).and_then(|short| self.numbers.get(short));
        self.numbers.get(&key).or_else(first).copied()
    }

    fn add(&mut self, kind: Kind, value: &str) -> (Kind, u32) {
        let next = self.next.entry(kind).or_insert(1);
        while self.reserved.contains(&(kind, *next)) {
            *next = next.saturating_add(1);
        }
        let number = *next;
        *next = next.saturating_add(1);
        *self.counts.entry(kind.key()).or_insert(0) += 1;
        let key = key(kind, value);
        if let Some(short) = short_name(kind, &key) {
            self.numbers.entry(short.to_owned()).or_insert((kind, number));
        }
        self.numbers.insert(key, (kind, number));
        (kind, number)
    }

    /// How many different values there are of each kind.
    pub fn counts(&self) -> &BTreeMap<&'static str, usize> {
        &self.counts
    }

    /// What is to be looked for everywhere.
    pub fn words(&self) -> Words {
        let mut patterns: Vec<(String, Kind)> = Vec::new();
        let mut known: Vec<_> = self.numbers.iter().map(|(value, (kind, number))| (*number, *kind, value)).collect();
        known.sort();
        for (_, kind, value) in known.into_iter().take(MAX_LEARNT) {
            let wanted = match kind.learn() {
                Learn::Never => false,
                Learn::Exact => value.len() >= MIN_EXACT && !words::is_common(value),
                Learn::Name => words::may_be_learnt(value),
            };
            if wanted {
                patterns.extend(spellings(kind, value).into_iter().map(|spelling| (spelling, kind)));
            }
        }
        Words::new(patterns)
    }
}

/// Under what a value is kept: names in small letters.
fn key(kind: Kind, value: &str) -> String {
    if kind.folds_case() { value.to_lowercase() } else { value.to_owned() }
}

/// `gpu01` of `gpu01.corp.example`: the same machine.
fn short_name(kind: Kind, key: &str) -> Option<&str> {
    let (short, _) = key.split_once('.').filter(|_| kind == Kind::Host)?;
    (words::may_be_learnt(short) && (short.len() >= 4 || short.bytes().any(|b| b.is_ascii_digit()))).then_some(short)
}

/// The ways a value is written: packages with either dash, names beyond ASCII in either case.
fn spellings(kind: Kind, value: &str) -> Vec<String> {
    let mut all = vec![value.to_owned()];
    if matches!(kind, Kind::Package | Kind::Project | Kind::Path | Kind::Namespace) {
        all.push(value.replace('-', "_"));
        all.push(value.replace('_', "-"));
    }
    if !value.is_ascii() {
        all.push(value.to_uppercase());
        let mut letters = value.chars();
        if let Some(first) = letters.next() {
            all.push(first.to_uppercase().chain(letters).collect());
        }
    }
    all.sort();
    all.dedup();
    all
}

/// The learnt words as one search.
#[derive(Clone, Debug, Default)]
pub(super) struct Words {
    search: Option<AhoCorasick>,
    kinds: Vec<Kind>,
}

impl Words {
    fn new(patterns: Vec<(String, Kind)>) -> Words {
        if patterns.is_empty() {
            return Words::default();
        }
        let search = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::Standard)
            .build(patterns.iter().map(|(word, _)| word.as_bytes()))
            .ok();
        Words { search, kinds: patterns.into_iter().map(|(_, kind)| kind).collect() }
    }

    /// Where learnt words stand in a text, as whole words.
    pub fn find(&self, text: &str, mut report: impl FnMut(Range<usize>, Kind)) {
        let Some(search) = &self.search else { return };
        for found in search.find_overlapping_iter(text) {
            let Some(kind) = self.kinds.get(found.pattern().as_usize()) else { continue };
            if is_whole(text, found.range()) {
                report(found.range(), *kind);
            }
        }
    }
}

/// No letter or digit of ASCII touches the ends (a Chinese sentence has no blanks).
fn is_whole(text: &str, range: Range<usize>) -> bool {
    let bytes = text.as_bytes();
    let word = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_alphanumeric);
    let starts_plain = bytes.get(range.start).is_some_and(u8::is_ascii_alphanumeric);
    let ends_plain = range.end.checked_sub(1).and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_alphanumeric);
    let open = starts_plain && word(range.start.checked_sub(1));
    let closed = ends_plain && word(Some(range.end));
    // `\n` and `\t` written out (a string literal in a log) are no part of the word.
    let escaped = open && range.start >= 2 && bytes.get(range.start - 2) == Some(&b'\\');
    (!open || escaped) && !closed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_consistent_and_leave_reserved_ones_free() {
        let mut dictionary = Dictionary::default();
        dictionary.reserve("see <host-1> and <host-3>, <unknown-1>");
        assert_eq!(dictionary.placeholder(Kind::Host, "gpu01"), "<host-2>");
        assert_eq!(dictionary.placeholder(Kind::Host, "gpu02"), "<host-4>");
        assert_eq!(dictionary.placeholder(Kind::Host, "GPU01"), "<host-2>");
        assert_eq!(dictionary.counts().get("host-name"), Some(&4));
    }

    #[test]
    fn a_short_host_name_is_the_same_machine() {
        let mut dictionary = Dictionary::default();
        let long = dictionary.placeholder(Kind::Host, "render07.corp.example");
        assert_eq!(dictionary.placeholder(Kind::Host, "render07"), long);
    }

    #[test]
    fn words_are_found_whole_in_any_case() {
        let mut dictionary = Dictionary::default();
        dictionary.placeholder(Kind::User, "jbarlow");
        dictionary.placeholder(Kind::User, "max");
        let words = dictionary.words();
        let mut found = Vec::new();
        words.find("jbarlow2 JBarlow_x max ajbarlow", |range, _| found.push(range));
        assert_eq!(found, vec![9..16]);
    }
}
