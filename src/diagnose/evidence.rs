//! Hits and judged conditions, as pieces of evidence per cause.

use super::episodes::Episodes;
use crate::diagnose::analysis::{Effect, Strength};
use crate::facts::{Facts, Subject, Value};
use crate::intake::{Paste, Stamp};
use crate::pattern::Patterns;
use crate::pattern::compile::Owner;
use crate::pattern::evaluate::{Context, Tri};
use crate::pattern::file::CauseKind;
use crate::pattern::matcher::{Hits, pci_in};
use crate::segment::{Log, ScopeId};
use std::collections::{BTreeMap, BTreeSet};

/// Where a piece comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// Index into the matcher's signatures.
    Signature(u32),
    /// Index into the cause's conditions.
    Condition(usize),
    /// A share of a symptom: index into the set's causes.
    Symptom(usize),
}

/// One piece of evidence for or against a cause: all hits of one signature together, one
/// condition, or the share of one symptom.
#[derive(Clone, Debug)]
pub struct Piece {
    pub origin: Origin,
    pub effect: Effect,
    pub strength: Strength,
    /// Without sign; what it adds to the score is decided by its group.
    pub weight: f64,
    pub group: String,
    /// 1-based line numbers, the earliest first, at most [`MAX_LINES`].
    pub lines: Vec<u32>,
    pub count: u32,
    pub scope: ScopeId,
    pub gpus: BTreeSet<u16>,
    /// The rank of the earliest line.
    pub rank: Option<u32>,
    /// All ranks whose lines say it.
    pub ranks: BTreeSet<u32>,
    pub subject: Subject,
    pub time: Option<Stamp>,
    /// Index of the segment of the first hit; conditions have none.
    pub segment: Option<u32>,
    pub captures: Vec<(String, String)>,
    /// Only earlier boots or days say it.
    pub old: bool,
}

/// Lines shown per piece.
const MAX_LINES: usize = 20;

/// Facts that a condition lacked, by cause.
pub type Missing = BTreeMap<usize, Vec<String>>;

/// The weight of a strength (design, "Diagnosis"; fitted once on the open corpus, then frozen).
pub fn weight(strength: Strength) -> f64 {
    match strength {
        Strength::Proves => 6.0,
        Strength::Strong => 3.0,
        Strength::Supports => 1.5,
        Strength::Hints => 0.5,
    }
}

/// Named groups with `__` become facts; they are given before any condition is judged.
pub fn facts_of_captures(log: &Log, paste: &Paste, hits: &Hits, patterns: &Patterns, facts: &mut Facts) {
    for hit in &hits.hits {
        let record = &log.records[hit.record as usize];
        for (name, text) in hit.captures.iter().filter(|(name, _)| name.contains("__")) {
            let name = name.replace("__", ".");
            let Some(entry) = patterns.register().get(&name) else { continue };
            let Some(value) = value_of(text, entry.type_) else { continue };
            let line = paste.lines.get(log.records[hit.record as usize].line_at(hit.at)).map_or(0, |l| l.number);
            facts.give(log.segment_of(record).scope, Subject::None, &name, value, &[line]);
        }
    }
}

fn value_of(text: &str, type_: crate::facts::FactType) -> Option<Value> {
    use crate::facts::FactType as T;
    Some(match type_ {
        T::Version => Value::Version(text.to_owned()),
        T::Int | T::Bytes | T::Celsius => Value::Int(text.parse().ok()?),
        T::Watts => Value::Float(text.parse().ok()?),
        T::Bool => Value::Bool(text.parse().ok()?),
        T::Set | T::List => Value::Set(text.split([',', ' ']).filter(|part| !part.is_empty()).map(str::to_owned).collect()),
        T::Pci => Value::Text(crate::facts::normal_pci(text)),
        T::Word | T::Text | T::Time => Value::Text(text.to_owned()),
    })
}

/// All pieces of signatures and conditions, by cause.
pub fn collect(
    paste: &Paste,
    log: &Log,
    hits: &Hits,
    patterns: &Patterns,
    facts: &mut Facts,
    episodes: &Episodes,
) -> (BTreeMap<usize, Vec<Piece>>, Missing) {
    let mut pieces = from_hits(paste, log, hits, patterns, facts, episodes);
    let context = Context { facts, scopes: &log.scopes, register: patterns.register() };
    let mut missing = Missing::new();
    for (at, cause) in patterns.causes().iter().enumerate() {
        for index in 0..cause.conditions.len() {
            // Counter-evidence is only asked for where there is something to counter.
            if cause.conditions[index].effect == Effect::Against && !pieces.contains_key(&at) {
                continue;
            }
            judge(at, index, patterns, &context, episodes, log, &mut pieces, &mut missing);
        }
    }
    (pieces, missing)
}

fn from_hits(
    paste: &Paste,
    log: &Log,
    hits: &Hits,
    patterns: &Patterns,
    facts: &mut Facts,
    episodes: &Episodes,
) -> BTreeMap<usize, Vec<Piece>> {
    let mut by_signature: BTreeMap<(usize, u32, bool), Piece> = BTreeMap::new();
    for hit in hits.hits.iter().filter(|hit| !hits.muted.contains(&hit.record)) {
        let signature = &patterns.matcher().signatures()[hit.signature as usize];
        let Owner::Cause(cause) = signature.owner else { continue };
        let record = &log.records[hit.record as usize];
        let old = episodes.is_old(hit.record);
        let line = paste.lines.get(record.line_at(hit.at)).map_or(0, |l| l.number);
        let gpu = pci_in(log.text_of(record)).map(|pci| facts.gpu(Some(&pci), None, None));
        let piece = by_signature.entry((cause, hit.signature, old)).or_insert_with(|| Piece {
            origin: Origin::Signature(hit.signature),
            effect: signature.effect,
            strength: signature.strength,
            weight: weight(signature.strength),
            group: signature.group.clone().unwrap_or_else(|| format!("record-{}", hit.record)),
            lines: Vec::new(),
            count: 0,
            scope: log.segment_of(record).scope,
            gpus: BTreeSet::new(),
            rank: record.rank,
            ranks: BTreeSet::new(),
            subject: Subject::None,
            time: record.time,
            segment: Some(record.segment),
            captures: hit.captures.clone(),
            old,
        });
        piece.count += 1;
        if piece.lines.len() < MAX_LINES && !piece.lines.contains(&line) {
            piece.lines.push(line);
        }
        piece.ranks.extend(record.rank);
        if let Some(Subject::Gpu(gpu)) = gpu {
            piece.gpus.insert(gpu);
        }
    }
    let mut pieces: BTreeMap<usize, Vec<Piece>> = BTreeMap::new();
    for ((cause, _, _), piece) in by_signature {
        pieces.entry(cause).or_default().push(piece);
    }
    pieces
}

#[allow(clippy::too_many_arguments)]
fn judge(
    at: usize,
    index: usize,
    patterns: &Patterns,
    context: &Context,
    episodes: &Episodes,
    log: &Log,
    pieces: &mut BTreeMap<usize, Vec<Piece>>,
    missing: &mut Missing,
) {
    let condition = &patterns.causes()[at].conditions[index];
    let mut found: Option<Piece> = None;
    for scope in 0..log.scopes.len() as ScopeId {
        for outcome in context.judge(&condition.expr, scope) {
            match outcome.truth {
                Tri::False => {}
                Tri::Unknown => missing.entry(at).or_default().extend(outcome.missing),
                Tri::True => {
                    let piece = found.get_or_insert_with(|| Piece {
                        origin: Origin::Condition(index),
                        effect: condition.effect,
                        strength: condition.strength,
                        weight: weight(condition.strength),
                        group: condition.group.clone().unwrap_or_else(|| condition.id.clone()),
                        lines: outcome.lines.iter().copied().take(MAX_LINES).collect(),
                        count: 0,
                        scope,
                        gpus: BTreeSet::new(),
                        rank: None,
                        ranks: BTreeSet::new(),
                        subject: outcome.subject,
                        time: None,
                        segment: None,
                        captures: Vec::new(),
                        old: episodes.all_old(&outcome.lines),
                    });
                    piece.count += 1;
                    match outcome.subject {
                        Subject::Gpu(gpu) => {
                            piece.gpus.insert(gpu);
                        }
                        Subject::Rank(rank) => piece.rank = piece.rank.or(Some(rank)),
                        _ => {}
                    }
                }
            }
        }
    }
    if let Some(piece) = found {
        pieces.entry(at).or_default().push(piece);
    }
}

/// Shares of recognised symptoms, added to their candidates.
pub fn share_symptoms(patterns: &Patterns, pieces: &mut BTreeMap<usize, Vec<Piece>>) {
    let mut shares = Vec::new();
    for (at, own) in pieces.iter() {
        let cause = &patterns.causes()[*at];
        if cause.kind != CauseKind::Symptom {
            continue;
        }
        let strongest = own.iter().filter(|p| p.effect == Effect::For && !p.old).max_by(|a, b| a.weight.total_cmp(&b.weight));
        let Some(strongest) = strongest else { continue };
        for candidate in &cause.file.candidate {
            let Some(to) = patterns.position(candidate.cause.get_ref()) else { continue };
            let mut piece = strongest.clone();
            piece.origin = Origin::Symptom(*at);
            piece.weight = strongest.weight * candidate.share.clamp(0.0, 1.0);
            piece.group = format!("symptom-{}", cause.id());
            piece.captures = Vec::new();
            shares.push((to, piece));
        }
    }
    for (to, piece) in shares {
        pieces.entry(to).or_default().push(piece);
    }
}
