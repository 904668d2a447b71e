//! A report: the anonymised paste with its analysis, ready to be stored.

use crate::anonymize::Anonymized;
use crate::diagnose::{Diagnosis, analysis::Analysis};
use crate::i18n::Lang;
use crate::pattern::Patterns;
use std::collections::BTreeMap;

/// What is stored of a paste. It can only be made from [`Anonymized`] lines, and every sentence
/// in it is rendered through the same anonymiser: no raw text can be inside.
#[derive(Clone, Debug)]
pub struct Report {
    lines: Vec<String>,
    analyses: [Analysis; 2],
    anonymized: BTreeMap<String, usize>,
}

impl Report {
    /// Builds a report in both languages.
    pub fn new(anonymized: &Anonymized, diagnosis: &Diagnosis, patterns: &Patterns) -> Report {
        let redact = |text: &str| anonymized.redact(text);
        let counts = anonymized.counts().iter().map(|(kind, n)| ((*kind).to_owned(), *n));
        Report {
            lines: anonymized.lines().to_vec(),
            analyses: [Lang::En, Lang::Zh].map(|lang| diagnosis.view(patterns, lang, &redact)),
            anonymized: counts.collect(),
        }
    }

    /// The anonymised lines.
    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    /// The analysis in a language.
    pub fn analysis(&self, lang: Lang) -> &Analysis {
        &self.analyses[matches!(lang, Lang::Zh) as usize]
    }

    /// How many values of each kind were replaced.
    pub fn anonymized(&self) -> &BTreeMap<String, usize> {
        &self.anonymized
    }
}
