//! Replaces what is personal or secret, keeps what diagnosis needs.
//!
//! Two passes: names are learnt over the whole paste first (a user name in a home folder, a host
//! name in a syslog prefix), then every line is rewritten with typed, numbered placeholders.
//! The number of lines never changes.
//!
//! Detectors stand in one file per kind of secret; `scan` runs them behind a cheap gate,
//! `context` adds what only neighbouring lines tell, `dictionary` numbers the values.

mod accounts;
mod addresses;
mod assignments;
mod chinese;
mod clouds;
mod company;
mod context;
mod dictionary;
mod doc;
mod domains;
mod host_options;
mod hosts;
mod ids;
mod kind;
mod machines;
mod names;
mod paths;
mod people;
mod pinyin;
mod prefixes;
mod rewrite;
mod rules;
mod scan;
mod secrets;
mod tables;
mod tokens;
mod urls;
mod view;
mod words;

use crate::intake::Paste;
use crate::segment::Log;
use dictionary::{Dictionary, Words};
pub use doc::{RuleDoc, Text, rules};
pub use kind::Kind;
use rewrite::Extra;
use serde::Serialize;
use std::collections::BTreeMap;

/// What a team wants hidden beyond the built-in rules.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// Words to hide wherever they stand, in any case (project names, domains).
    pub hide: Vec<String>,
    /// Regular expressions to hide.
    pub hide_regex: Vec<regex::Regex>,
}

/// Anonymised lines with the dictionary that made them. Only [`anonymize`] makes one, and a
/// report can only be built from one: that is how raw text is kept out of the store.
#[derive(Clone)]
pub struct Anonymized {
    lines: Vec<String>,
    sources: Vec<String>,
    dictionary: Dictionary,
    words: Words,
    extra: Extra,
}

/// How often each kind of secret was replaced: `{"host-name": 3}`.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Counts(pub BTreeMap<String, usize>);

impl std::fmt::Debug for Anonymized {
    /// Shows the anonymised side only: the dictionary holds raw values.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Anonymized")
            .field("lines", &self.lines)
            .field("sources", &self.sources)
            .field("counts", self.dictionary.counts())
            .finish_non_exhaustive()
    }
}

impl Anonymized {
    /// The lines, as many as the paste has.
    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    /// The names of the sources, anonymised, in the order of `Paste::sources`.
    pub fn sources(&self) -> &[String] {
        &self.sources
    }

    /// How many different values of each kind were replaced.
    pub fn counts(&self) -> &BTreeMap<&'static str, usize> {
        self.dictionary.counts()
    }

    /// Anonymises a short text that came from the same paste (a captured value, a file name)
    /// with the same placeholders. A value the paste does not have gets the next free number.
    pub fn redact(&self, text: &str) -> String {
        let texts: Vec<&str> = text.split('\n').collect();
        let hits = rewrite::find(&texts, &self.extra);
        let words = &self.words;
        let quiet = |line: usize| !hits.has(line) && !words.any(texts.get(line).copied().unwrap_or(""));
        if (0..texts.len()).all(quiet) {
            return text.to_owned();
        }
        let mut dictionary = self.dictionary.clone();
        dictionary.reserve(text);
        let out = rewrite::replace(&texts, &hits, words, &mut dictionary);
        rewrite::settle(&texts, out, &self.extra, &mut words.clone(), &mut dictionary).join("\n")
    }
}

/// Anonymises a paste.
pub fn anonymize(paste: &Paste, log: &Log, rules: &Rules) -> Anonymized {
    let mut texts: Vec<&str> = paste.lines.iter().map(|line| line.text.as_str()).collect();
    let lines = texts.len();
    texts.extend(paste.sources.iter().map(|source| source.name.as_str()));
    let extra = Extra::new(rules);
    let mut hits = rewrite::find(&texts, &extra);
    context::from_prefixes(paste, &mut hits);
    context::from_segments(paste, log, &mut hits);
    let mut dictionary = Dictionary::default();
    texts.iter().for_each(|text| dictionary.reserve(text));
    hits.number(&mut dictionary);
    let mut words = dictionary.words();
    let out = rewrite::replace(&texts, &hits, &words, &mut dictionary);
    let mut out = rewrite::settle(&texts, out, &extra, &mut words, &mut dictionary);
    let sources = out.split_off(lines);
    Anonymized { lines: out, sources, dictionary, words, extra }
}

/// Anonymises a text that stands alone and is added to a stored report later (a note, a title):
/// the placeholders that stand in it keep their numbers, new ones get numbers of their own.
pub fn redact_alone(text: &str, rules: &Rules) -> String {
    let texts: Vec<&str> = text.split('\n').collect();
    let extra = Extra::new(rules);
    let hits = rewrite::find(&texts, &extra);
    let mut dictionary = Dictionary::default();
    dictionary.reserve(text);
    hits.number(&mut dictionary);
    let mut words = dictionary.words();
    let out = rewrite::replace(&texts, &hits, &words, &mut dictionary);
    rewrite::settle(&texts, out, &extra, &mut words, &mut dictionary).join("\n")
}

/// Where placeholders stand in an anonymised line, in order.
pub fn marks(line: &str) -> Vec<std::ops::Range<usize>> {
    dictionary::places(line)
}

#[cfg(test)]
mod tests;
