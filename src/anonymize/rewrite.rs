//! The two passes: find all hits, then write every line anew.

use super::context::Context;
use super::dictionary::{self, Dictionary, Words};
use super::kind::{Kind, Learn};
use super::scan::{self, Hit};
use super::view::View;
use super::{Rules, words};
use aho_corasick::AhoCorasick;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Lines longer than this are looked at in windows.
const WINDOW: usize = 8 << 10;
/// How often lines are gone over again.
const MAX_ROUNDS: usize = 6;
/// How far two windows overlap when there is no good place to cut.
const OVERLAP: usize = 512;

/// What a team hides beyond the built-in rules.
#[derive(Clone, Default)]
pub(super) struct Extra {
    words: Option<AhoCorasick>,
    expressions: Vec<regex::Regex>,
}

impl Extra {
    pub fn new(rules: &Rules) -> Extra {
        let wanted: Vec<&str> = rules.hide.iter().map(|word| word.trim()).filter(|word| !word.is_empty()).collect();
        let search = AhoCorasick::builder().ascii_case_insensitive(true).build(&wanted).ok();
        Extra { words: search.filter(|_| !wanted.is_empty()), expressions: rules.hide_regex.clone() }
    }

    fn find(&self, text: &str, out: &mut Vec<Hit>) {
        let mut add = |range: Range<usize>| {
            if !range.is_empty() {
                out.push(Hit { start: range.start, end: range.end, kind: Kind::Hidden });
            }
        };
        if let Some(search) = &self.words {
            search.find_iter(text).for_each(|found| add(found.range()));
        }
        for expression in &self.expressions {
            expression.find_iter(text).for_each(|found| add(found.range()));
        }
    }
}

/// A hit with its place in the raw line and its decoded value.
#[derive(Clone, Debug)]
struct Located {
    line: u32,
    start: usize,
    end: usize,
    kind: Kind,
    value: Box<str>,
}

/// All hits of a list of texts, in order of lines.
#[derive(Default)]
pub(super) struct Hits {
    located: Vec<Located>,
    /// Names that are known from elsewhere (a prefix that intake read).
    names: Vec<(Kind, String)>,
}

impl Hits {
    pub fn has(&self, line: usize) -> bool {
        !self.of_line(line).is_empty()
    }

    fn of_line(&self, line: usize) -> &[Located] {
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        let start = self.located.partition_point(|hit| hit.line < line);
        let end = self.located.partition_point(|hit| hit.line <= line);
        self.located.get(start..end).unwrap_or(&[])
    }

    /// Adds a name that is learnt without a place.
    pub fn add_name(&mut self, kind: Kind, name: &str) {
        if self.names.last().is_none_or(|last| last.0 != kind || last.1 != name) {
            self.names.push((kind, name.to_owned()));
        }
    }

    /// Gives every value its number, in order of appearance, names under their best kind.
    pub fn number(&self, dictionary: &mut Dictionary) {
        let mut best: HashMap<String, Kind> = HashMap::new();
        let found = self.located.iter().map(|hit| (hit.kind, &*hit.value));
        let named = self.names.iter().map(|(kind, name)| (*kind, name.as_str()));
        // A log says the same names in every line: each is looked at once.
        let mut seen: HashSet<(Kind, &str)> = HashSet::new();
        let all: Vec<(Kind, &str)> = found.chain(named).filter(|pair| seen.insert(*pair)).collect();
        for (kind, value) in all.iter().copied().filter(|(kind, _)| kind.learn() == Learn::Name) {
            let entry = best.entry(value.to_lowercase()).or_insert(kind);
            *entry = kind.min(*entry);
        }
        for (kind, value) in all {
            let named = kind.learn() == Learn::Name;
            let kind = if named { best.get(&value.to_lowercase()).copied().unwrap_or(kind) } else { kind };
            dictionary.placeholder(kind, value);
        }
    }
}

/// The first pass.
pub(super) fn find(texts: &[&str], extra: &Extra) -> Hits {
    let mut hits = Hits::default();
    let mut context = Context::default();
    let mut found = Vec::new();
    for (line, text) in (0u32..).zip(texts) {
        let taken = dictionary::places(text);
        let single = text.len() <= WINDOW;
        for window in windows(text) {
            let Some(part) = text.get(window.clone()) else { continue };
            let view = View::of(part);
            found.clear();
            let notes = scan::scan(&view.text, &mut found);
            extra.find(&view.text, &mut found);
            if single {
                context.read(&view.text, notes, &mut found);
            }
            for hit in found.drain(..) {
                let Some(value) = view.text.get(hit.start..hit.end).filter(|value| !value.is_empty()) else { continue };
                let raw = view.raw(hit.start..hit.end);
                let (start, end) = (window.start + raw.start, window.start + raw.end);
                if crossed(&taken, start, end).iter().any(|place| place.start <= start && end <= place.end) {
                    continue;
                }
                hits.located.push(Located { line, start, end, kind: hit.kind, value: value.into() });
            }
        }
    }
    hits
}

/// The parts in which a line is looked at: whole, or windows cut at blanks or commas.
fn windows(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut next_start = Some(0);
    std::iter::from_fn(move || {
        let start = next_start.take()?;
        if text.len() - start <= WINDOW {
            return Some(start..text.len());
        }
        let limit = floor(text, start + WINDOW);
        let half = floor(text, start + WINDOW / 2);
        let tail = text.get(half..limit).unwrap_or("");
        let cut = [&[' ', '\t'][..], &[',', ';', '"', '\'']].iter().find_map(|marks| tail.rfind(*marks)).map(|at| half + at + 1);
        let (end, next) = cut.map_or((limit, floor(text, limit - OVERLAP)), |cut| (cut, cut));
        next_start = Some(next);
        Some(start..end)
    })
}

/// The next boundary of characters at or below an offset.
fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Goes over the lines again whose replaced parts touched a word: without it, a boundary stands
/// where none was, and a detector may see more than before. What is found is replaced everywhere.
pub(super) fn settle(
    before: &[&str],
    mut lines: Vec<String>,
    extra: &Extra,
    words: &mut Words,
    dictionary: &mut Dictionary,
) -> Vec<String> {
    let mut old: Vec<String> = Vec::new();
    let mut quiet = Quiet::default();
    for round in 0..MAX_ROUNDS {
        let touched = |at: usize| match round {
            0 => before.get(at).copied().unwrap_or(""),
            _ => old.get(at).map_or("", String::as_str),
        };
        let dirty = |at: usize, line: &str| touched(at) != line && dictionary::places(line).iter().any(|place| touches_word(line, place));
        // The others are looked at as empty lines: numbers of lines stay what they are.
        let worth = |at: usize, line: &str| dirty(at, line) && !quiet.knows(line);
        let texts: Vec<&str> = lines.iter().enumerate().map(|(at, line)| if worth(at, line) { line.as_str() } else { "" }).collect();
        if texts.iter().all(|text| text.is_empty()) {
            break;
        }
        let hits = find_again(&texts, extra, &mut quiet);
        if hits.located.is_empty() {
            break;
        }
        hits.number(dictionary);
        *words = dictionary.words();
        let all: Vec<&str> = lines.iter().map(String::as_str).collect();
        let next = replace(&all, &hits, words, dictionary);
        old = std::mem::replace(&mut lines, next);
    }
    lines
}

/// Shapes of rewritten lines in which nothing more was found. A log repeats its lines with other
/// numbers; each was looked at in the first pass already, so one line of a shape is enough to see
/// what its new boundaries do.
#[derive(Default)]
struct Quiet(HashSet<u64>);

impl Quiet {
    fn knows(&self, line: &str) -> bool {
        !self.0.is_empty() && self.0.contains(&shape(line))
    }
}

/// A number for a line's text, all digits taken as one.
fn shape(line: &str) -> u64 {
    line.bytes().fold(0xcbf2_9ce4_8422_2325, |sum, byte| {
        let byte = if byte.is_ascii_digit() { b'0' } else { byte };
        (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// [`find`] over lines of which many have one shape.
fn find_again(texts: &[&str], extra: &Extra, quiet: &mut Quiet) -> Hits {
    let mut seen: HashSet<u64> = HashSet::new();
    let shapes: Vec<u64> = texts.iter().map(|text| if text.is_empty() { 0 } else { shape(text) }).collect();
    let firsts: Vec<&str> = texts.iter().zip(&shapes).map(|(text, shape)| if seen.insert(*shape) { *text } else { "" }).collect();
    let first = find(&firsts, extra);
    let loud: HashSet<u64> = first.located.iter().filter_map(|hit| shapes.get(hit.line as usize).copied()).collect();
    quiet.0.extend(shapes.iter().filter(|shape| !loud.contains(shape)));
    if loud.is_empty() {
        return first;
    }
    let again: Vec<&str> = texts.iter().zip(&shapes).map(|(text, shape)| if loud.contains(shape) { *text } else { "" }).collect();
    find(&again, extra)
}

/// Something other than a blank stands right before or behind.
fn touches_word(line: &str, place: &Range<usize>) -> bool {
    let joint = |c: char| !c.is_whitespace();
    let before = line.get(..place.start).and_then(|text| text.chars().next_back());
    let behind = line.get(place.end..).and_then(|text| text.chars().next());
    before.is_some_and(joint) || behind.is_some_and(joint)
}

/// The second pass: every line with its hits and all learnt words replaced.
pub(super) fn replace(texts: &[&str], hits: &Hits, words: &Words, dictionary: &mut Dictionary) -> Vec<String> {
    let mut rest = hits.located.as_slice();
    let mut out = Vec::with_capacity(texts.len());
    for (line, text) in (0u32..).zip(texts) {
        let count = rest.iter().take_while(|hit| hit.line == line).count();
        let (own, others) = rest.split_at(count);
        rest = others;
        out.push(write(text, own, words, dictionary));
    }
    out
}

fn write(text: &str, own: &[Located], words: &Words, dictionary: &mut Dictionary) -> String {
    let mut spans: Vec<Located> = own.to_vec();
    learnt(text, words, &mut spans);
    if spans.is_empty() {
        return text.to_owned();
    }
    let spans = merge(text, spans, &dictionary::places(text));
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for span in spans {
        out.push_str(text.get(at..span.start).unwrap_or(""));
        out.push_str(&dictionary.placeholder(span.kind, &span.value));
        at = span.end;
    }
    out.push_str(text.get(at..).unwrap_or(""));
    out
}

fn learnt(text: &str, words: &Words, spans: &mut Vec<Located>) {
    for window in windows(text) {
        let view = View::of(text.get(window.clone()).unwrap_or(""));
        words.find(&view.text, |range, kind| {
            let raw = view.raw(range.clone());
            let value = view.text.get(range).unwrap_or("").into();
            spans.push(Located { line: 0, start: window.start + raw.start, end: window.start + raw.end, kind, value });
        });
    }
}

/// Those of some ordered, disjoint ranges that a span has a part of.
fn crossed(ranges: &[Range<usize>], start: usize, end: usize) -> &[Range<usize>] {
    let first = ranges.partition_point(|range| range.end <= start);
    let last = ranges.partition_point(|range| range.start < end);
    ranges.get(first..last).unwrap_or(&[])
}

/// Makes spans disjoint: the outer one wins, crossing ones become one; what already is a
/// placeholder is left alone.
fn merge(text: &str, mut spans: Vec<Located>, taken: &[Range<usize>]) -> Vec<Located> {
    for span in &mut spans {
        for place in crossed(taken, span.start, span.end) {
            if span.start > place.start || span.end < place.end {
                // Either inside it, or across its edge: then it is taken in whole.
                let inside = span.start >= place.start && span.end <= place.end;
                (span.start, span.end) = if inside { (0, 0) } else { (span.start.min(place.start), span.end.max(place.end)) };
            } else if span.start == place.start && span.end == place.end {
                (span.start, span.end) = (0, 0);
            }
        }
    }
    spans.retain(|span| span.start < span.end);
    spans.sort_by(|a, b| (a.start, b.end, a.kind).cmp(&(b.start, a.end, b.kind)));
    let mut out: Vec<Located> = Vec::with_capacity(spans.len());
    for span in spans {
        match out.last_mut() {
            Some(last) if span.start < last.end => {
                if span.end > last.end {
                    last.end = span.end;
                    last.value = text.get(last.start..last.end).unwrap_or("").into();
                }
            }
            _ => out.push(span),
        }
    }
    out
}

impl Words {
    /// True when a text holds a learnt word.
    pub fn any(&self, text: &str) -> bool {
        let mut spans = Vec::new();
        learnt(text, self, &mut spans);
        !spans.is_empty()
    }
}

/// True where a name is worth learning from a place that may hold anything.
pub(super) fn is_name(name: &str) -> bool {
    !name.contains(['<', '>']) && !words::is_system(name) && !words::is_common(name)
}
