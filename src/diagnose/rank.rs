//! Findings in order, consequences under what explains them.

use super::analysis::{Confidence, Effect, Strength};
use super::evidence::{Origin, Piece};
use super::score::{self, Score};
use crate::facts::{Facts, Subject, Value};
use crate::intake::Stamp;
use crate::pattern::Patterns;
use crate::pattern::file::CauseKind;
use crate::segment::ScopeId;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// One cause with what speaks for and against it.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Index into the set's causes.
    pub cause: usize,
    pub confidence: Confidence,
    pub score: f64,
    pub scope: ScopeId,
    pub subject: Subject,
    pub gpus: BTreeSet<u16>,
    pub pieces: Vec<Piece>,
    /// What each piece added to the score.
    pub weights: Vec<f64>,
    /// Earliest line that speaks for it.
    pub first_line: u32,
    pub consequences: Vec<Follows>,
}

/// What merely follows from a finding.
#[derive(Clone, Debug)]
pub struct Follows {
    pub cause: usize,
    pub lines: Vec<u32>,
}

/// Scores every cause and keeps those that are at least possible. States and symptoms that only
/// lend their weight are not among them; see [`symptoms_seen`].
pub fn findings(patterns: &Patterns, pieces: &BTreeMap<usize, Vec<Piece>>, facts: &Facts) -> Vec<Finding> {
    let failed_first = first_failed(facts);
    let mut findings = Vec::new();
    for (cause, pieces) in pieces {
        let file = &patterns.causes()[*cause];
        let current: Vec<Piece> = pieces.iter().filter(|p| !p.old).cloned().collect();
        let Score { score, confidence, weights } = score::score(&current, file.kind, file.file.prior);
        if let Some(confidence) = confidence {
            let rank = failed_first.filter(|rank| speaks_of(&current, *rank) || only_echoes(patterns, *cause, &current));
            findings.push(finding(*cause, confidence, score, current, weights, rank));
        }
    }
    findings
}

/// The rank that failed first, where the facts tell.
fn first_failed(facts: &Facts) -> Option<u32> {
    facts.all("job.first_failed_rank").find_map(|fact| match fact.value {
        Value::Int(rank) => u32::try_from(rank).ok(),
        _ => None,
    })
}

/// True where a line of this rank is among the evidence.
fn speaks_of(pieces: &[Piece], rank: u32) -> bool {
    pieces.iter().any(|p| p.effect == Effect::For && p.ranks.contains(&rank))
}

/// True where ranks are named by symptoms alone: the ranks that complain are not the one at fault.
fn only_echoes(patterns: &Patterns, cause: usize, pieces: &[Piece]) -> bool {
    let symptom = patterns.causes()[cause].kind == CauseKind::Symptom;
    let mut named = pieces.iter().filter(|p| p.effect == Effect::For && p.rank.is_some()).peekable();
    named.peek().is_some() && named.all(|p| symptom || matches!(p.origin, Origin::Symptom(_)))
}

fn finding(cause: usize, confidence: Confidence, score: f64, pieces: Vec<Piece>, weights: Vec<f64>, failed_first: Option<u32>) -> Finding {
    let for_it = || pieces.iter().filter(|p| p.effect == Effect::For);
    let leading = for_it().max_by(|a, b| a.weight.total_cmp(&b.weight).then(first(b).cmp(&first(a))));
    let gpus: BTreeSet<u16> = for_it().flat_map(|p| p.gpus.iter().copied()).collect();
    let rank = failed_first.or_else(|| for_it().min_by_key(|p| first(p)).and_then(|p| p.rank));
    let subject = match (gpus.len(), rank, leading.map(|p| p.subject)) {
        (1, _, _) => gpus.first().map_or(Subject::None, |gpu| Subject::Gpu(*gpu)),
        (_, Some(rank), _) => Subject::Rank(rank),
        (0, None, Some(subject)) => subject,
        _ => Subject::None,
    };
    Finding {
        cause,
        confidence,
        score,
        scope: leading.map_or(0, |p| p.scope),
        subject,
        gpus,
        first_line: for_it().map(first).min().unwrap_or(u32::MAX),
        pieces,
        weights,
        consequences: Vec::new(),
    }
}

fn first(piece: &Piece) -> u32 {
    piece.lines.first().copied().unwrap_or(u32::MAX)
}

/// Puts findings in order and folds consequences under their causes. States come back apart.
pub fn rank(patterns: &Patterns, mut findings: Vec<Finding>) -> (Vec<Finding>, Vec<Finding>) {
    let kind = |f: &Finding| patterns.causes()[f.cause].kind;
    let answered: Vec<bool> = (0..findings.len()).map(|at| is_answered(patterns, &findings, at)).collect();
    let mut answered = answered.into_iter();
    findings.retain(|_| !answered.next().unwrap_or(false));
    findings.sort_by(|a, b| order(patterns, a).partial_cmp(&order(patterns, b)).unwrap_or(std::cmp::Ordering::Equal));
    let explainer: Vec<Option<usize>> = (0..findings.len()).map(|at| explained_by(patterns, &findings, at)).collect();
    let root = |mut at: usize| {
        // Chains end: an explainer is never explained by what it explains (no cycles in the set).
        let mut steps = 0;
        while let Some(up) = explainer[at] {
            at = up;
            steps += 1;
            if steps > explainer.len() {
                break;
            }
        }
        at
    };
    let roots: Vec<usize> = (0..findings.len()).map(root).collect();
    let mut consequences: BTreeMap<usize, Vec<Follows>> = BTreeMap::new();
    for (at, finding) in findings.iter().enumerate().filter(|(at, _)| explainer[*at].is_some()) {
        consequences.entry(roots[at]).or_default().push(Follows { cause: finding.cause, lines: own_lines(finding) });
    }
    let (mut standing, mut states) = (Vec::new(), Vec::new());
    for (at, mut finding) in findings.into_iter().enumerate() {
        if kind(&finding) == CauseKind::State {
            states.push(finding);
        } else if explainer[at].is_none() && (kind(&finding) == CauseKind::Cause || patterns.causes()[finding.cause].file.stands) {
            finding.consequences = consequences.remove(&at).unwrap_or_default();
            standing.push(finding);
        }
    }
    (standing, states)
}

type Order<'p> = (Reverse<Confidence>, Reverse<i64>, u32, &'p str);

fn order<'p>(patterns: &'p Patterns, f: &Finding) -> Order<'p> {
    (Reverse(f.confidence), Reverse((f.score * 1_000.0) as i64), f.first_line, patterns.causes()[f.cause].id())
}

/// The best finding that explains finding `at`.
fn explained_by(patterns: &Patterns, findings: &[Finding], at: usize) -> Option<usize> {
    let it = &findings[at];
    let id = patterns.causes()[it.cause].id();
    (0..findings.len()).find(|other| {
        let cause = &patterns.causes()[findings[*other].cause];
        *other != at
            && cause.kind == CauseKind::Cause
            && (cause.explains.contains(id) || is_candidate(patterns, it.cause, cause.id()) && has_own(&findings[*other]))
            && sure_enough(&findings[*other], it)
            && same_subject(&findings[*other], it)
            && not_later(&findings[*other], it)
    })
}

/// True for a candidate that lives by the shares of symptoms alone, where another finding with
/// evidence of its own accounts for all of them.
fn is_answered(patterns: &Patterns, findings: &[Finding], at: usize) -> bool {
    let it = &findings[at];
    let shared: Option<Vec<usize>> = it
        .pieces
        .iter()
        .filter(|p| p.effect == Effect::For)
        .map(|p| match p.origin {
            Origin::Symptom(symptom) => Some(symptom),
            _ => None,
        })
        .collect();
    let Some(symptoms) = shared else { return false };
    let accounts = |f: &Finding, symptom: usize| {
        let cause = &patterns.causes()[f.cause];
        cause.kind == CauseKind::Cause
            && f.confidence >= Confidence::Likely
            && has_own(f)
            && same_subject(f, it)
            && (cause.explains.contains(patterns.causes()[symptom].id()) || is_candidate(patterns, symptom, cause.id()))
    };
    symptoms.iter().all(|symptom| findings.iter().any(|f| f.cause != it.cause && accounts(f, *symptom)))
}

/// A cause that a symptom names as a candidate explains it, once it has evidence of its own.
fn is_candidate(patterns: &Patterns, symptom: usize, id: &str) -> bool {
    let file = &patterns.causes()[symptom];
    file.kind == CauseKind::Symptom && file.file.candidate.iter().any(|c| c.cause.get_ref() == id)
}

fn has_own(finding: &Finding) -> bool {
    finding.pieces.iter().any(|p| p.effect == Effect::For && !matches!(p.origin, Origin::Symptom(_)) && p.strength >= Strength::Supports)
}

fn sure_enough(explaining: &Finding, explained: &Finding) -> bool {
    explaining.confidence >= explained.confidence
}

fn same_subject(a: &Finding, b: &Finding) -> bool {
    a.gpus.is_empty() || b.gpus.is_empty() || !a.gpus.is_disjoint(&b.gpus)
}

/// The explaining event may not come after the explained one; judged only within one segment,
/// because sections are pasted in any order and clocks differ.
fn not_later(explaining: &Finding, explained: &Finding) -> bool {
    let start = |f: &Finding| {
        f.pieces
            .iter()
            .filter(|p| p.effect == Effect::For)
            .filter_map(|p| Some((p.segment?, seconds(p.time?))))
            .min_by(|a, b| a.1.total_cmp(&b.1))
    };
    match (start(explaining), start(explained)) {
        (Some((segment, cause)), Some((other, effect))) if segment == other => cause <= effect + 1.0,
        _ => true,
    }
}

fn seconds(time: Stamp) -> f64 {
    match time {
        Stamp::Uptime(seconds) | Stamp::Wall(seconds) => seconds,
    }
}

fn own_lines(finding: &Finding) -> Vec<u32> {
    let lines = finding.pieces.iter().filter(|p| p.effect == Effect::For).flat_map(|p| p.lines.iter().copied());
    lines.collect::<BTreeSet<u32>>().into_iter().take(20).collect()
}
