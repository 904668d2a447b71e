//! Evidence to ranked findings: collect, weigh, order, fold; then layers, questions and notes.

pub mod analysis;
mod episodes;
mod evidence;
mod fingerprint;
mod fixes;
mod layers;
mod questions;
mod rank;
mod score;
mod sentence;
mod view;

use crate::facts::Facts;
use crate::intake::{Limit, Paste, Source};
use crate::pattern::Patterns;
use crate::pattern::compile::Owner;
use crate::pattern::file::CauseKind;
use crate::pattern::matcher::Hits;
use crate::segment::{Kind, Log, Scope, ScopeId};
use analysis::{Condition, Layer};
use episodes::Episodes;
use questions::Asked;
use rank::Finding;
use std::collections::{BTreeMap, BTreeSet};

/// The language-neutral result: ids and references into the paste, no sentences.
/// [`Diagnosis::view`] makes sentences of it.
#[derive(Debug, Default)]
pub struct Diagnosis {
    fingerprint: String,
    findings: Vec<Finding>,
    /// States: worth a note, no fault by themselves.
    states: Vec<Finding>,
    /// Symptoms that were recognised, whatever became of their weight.
    symptoms: BTreeSet<usize>,
    history: Vec<Old>,
    layers: Vec<(Layer, Condition, Vec<u32>)>,
    questions: Vec<Asked>,
    noise: Vec<Harmless>,
    /// The likeliest error lines where nothing was found: line number and text.
    unexplained: Vec<(u32, String)>,
    facts: Facts,
    scopes: Vec<Scope>,
    segments: Vec<(Kind, ScopeId, u32, u32)>,
    sources: Vec<Source>,
    limits: Vec<Limit>,
    /// Lines that are quoted in sentences.
    quotes: BTreeMap<u32, String>,
}

/// A finding of an earlier episode.
#[derive(Debug)]
struct Old {
    cause: usize,
    lines: Vec<u32>,
    time: Option<crate::intake::Stamp>,
}

/// A harmless line that was recognised: index into the set's noise, and where it stands.
#[derive(Debug)]
struct Harmless {
    noise: usize,
    lines: Vec<u32>,
}

/// Lines named per harmless message, and error lines named where nothing was found.
const MAX_NOISE_LINES: usize = 5;
const MAX_UNEXPLAINED: usize = 5;

impl Diagnosis {
    /// `v1:` and a hash; like pastes share it.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// Id of the first finding.
    pub fn first<'p>(&self, patterns: &'p Patterns) -> Option<&'p str> {
        self.findings.first().map(|f| patterns.causes()[f.cause].id())
    }

    /// Ids of everything that was recognised: findings, what they explain, states, symptoms.
    pub fn mentioned(&self, patterns: &Patterns) -> BTreeSet<String> {
        let id = |cause: usize| patterns.causes()[cause].id().to_owned();
        let mut ids: BTreeSet<String> = self.symptoms.iter().map(|symptom| id(*symptom)).collect();
        for finding in self.findings.iter().chain(&self.states) {
            ids.insert(id(finding.cause));
            ids.extend(finding.consequences.iter().map(|c| id(c.cause)));
        }
        ids
    }

    /// Ids of what is claimed: findings and what they explain.
    pub fn claimed(&self, patterns: &Patterns) -> BTreeSet<String> {
        let folded = self.findings.iter().flat_map(|f| f.consequences.iter().map(|c| c.cause));
        let causes = self.findings.iter().map(|f| f.cause).chain(folded);
        causes.map(|cause| patterns.causes()[cause].id().to_owned()).collect()
    }

    /// The facts that were read.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }
}

/// Weighs the evidence of a paste. A pure function.
pub fn diagnose(paste: &Paste, log: &Log, mut facts: Facts, patterns: &Patterns) -> Diagnosis {
    let mutes = |noise: usize| patterns.noise().get(noise).is_some_and(|n| n.mute);
    let hits = patterns.matcher().find(paste, log, &mutes);
    evidence::facts_of_captures(log, paste, &hits, patterns, &mut facts);
    let episodes = Episodes::new(paste, log, &hits, patterns);
    let (mut pieces, missing) = evidence::collect(paste, log, &hits, patterns, &mut facts, &episodes);
    let has_history = pieces.values().flatten().any(|piece| piece.old);
    if has_history && rank::findings(patterns, &pieces, &facts).is_empty() {
        // History is told apart only from something current; without that it is what there is.
        pieces.values_mut().flatten().for_each(|piece| piece.old = false);
    }
    evidence::share_symptoms(patterns, &mut pieces);
    let (findings, states) = rank::rank(patterns, rank::findings(patterns, &pieces, &facts));
    let context = crate::pattern::evaluate::Context { facts: &facts, scopes: &log.scopes, register: patterns.register() };
    let layers = layers::layers(patterns, &context, &findings);
    let questions = questions::ask(patterns, &context, &findings, &pieces, &missing, log);
    Diagnosis {
        fingerprint: fingerprint::fingerprint(log),
        history: history(patterns, &findings, &pieces),
        symptoms: questions::symptoms_seen(patterns, &pieces),
        layers,
        questions,
        noise: noise(paste, log, &hits, patterns),
        unexplained: if findings.is_empty() { unexplained(paste, log, &hits) } else { Vec::new() },
        quotes: quotes(paste, findings.iter().chain(&states)),
        segments: segments(paste, log),
        scopes: log.scopes.clone(),
        sources: paste.sources.clone(),
        limits: limits(paste, &hits),
        findings,
        states,
        facts,
    }
}

/// Causes that only earlier episodes speak for.
fn history(patterns: &Patterns, findings: &[Finding], pieces: &BTreeMap<usize, Vec<evidence::Piece>>) -> Vec<Old> {
    let mut history = Vec::new();
    for (cause, pieces) in pieces {
        let old: Vec<evidence::Piece> = pieces.iter().filter(|p| p.old).cloned().collect();
        let file = &patterns.causes()[*cause];
        let shown = findings.iter().any(|f| f.cause == *cause);
        let scored = score::score(&old, file.kind, file.file.prior).confidence.is_some();
        if shown || !scored || file.kind == CauseKind::State {
            continue;
        }
        let lines: BTreeSet<u32> = old.iter().flat_map(|p| p.lines.iter().copied()).collect();
        history.push(Old { cause: *cause, lines: lines.into_iter().collect(), time: old.iter().find_map(|p| p.time) });
    }
    history
}

fn noise(paste: &Paste, log: &Log, hits: &Hits, patterns: &Patterns) -> Vec<Harmless> {
    let mut by_entry: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
    for hit in &hits.hits {
        let Owner::Noise(noise) = patterns.matcher().signatures()[hit.signature as usize].owner else { continue };
        let record = &log.records[hit.record as usize];
        let Some(line) = paste.lines.get(record.line_at(hit.at)) else { continue };
        let lines = by_entry.entry(noise).or_default();
        if lines.len() < MAX_NOISE_LINES && !lines.contains(&line.number) {
            lines.push(line.number);
        }
    }
    let mut noise: Vec<Harmless> = by_entry.into_iter().map(|(noise, lines)| Harmless { noise, lines }).collect();
    noise.sort_by_key(|n| n.lines.first().copied());
    noise
}

/// The error lines that nothing explains, noise left out.
fn unexplained(paste: &Paste, log: &Log, hits: &Hits) -> Vec<(u32, String)> {
    let noisy: BTreeSet<u32> = hits.hits.iter().map(|hit| hit.record).collect();
    let known = |record: &crate::segment::Record| {
        let at = log.records.partition_point(|r| r.text.start < record.text.start) as u32;
        noisy.contains(&at)
    };
    let lines = fingerprint::failing_records(log).filter(|r| !known(r)).take(MAX_UNEXPLAINED);
    lines.filter_map(|r| paste.lines.get(r.first_line())).map(|l| (l.number, l.message().trim().to_owned())).collect()
}

fn quotes<'f>(paste: &Paste, findings: impl Iterator<Item = &'f Finding>) -> BTreeMap<u32, String> {
    let lines = findings.flat_map(|f| &f.pieces).flat_map(|p| p.lines.first().copied());
    let quoted = lines.filter_map(|number| {
        let line = paste.lines.get(paste.index_of(number)?)?;
        Some((number, line.message().trim().to_owned()))
    });
    quoted.collect()
}

fn segments(paste: &Paste, log: &Log) -> Vec<(Kind, ScopeId, u32, u32)> {
    let number = |at: usize| paste.lines.get(at).map_or(0, |line| line.number);
    let shown = log.segments.iter().filter(|s| !s.lines.is_empty());
    shown.map(|s| (s.kind, s.scope, number(s.lines.start), number(s.lines.end - 1))).collect()
}

fn limits(paste: &Paste, hits: &Hits) -> Vec<Limit> {
    let mut limits = paste.limits.clone();
    if hits.dropped > 0 {
        limits.push(Limit { what: "limit-hits", count: hits.dropped });
    }
    limits
}
