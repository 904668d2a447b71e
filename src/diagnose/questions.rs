//! Which output, not yet pasted, would decide.

use super::analysis::{Confidence, Effect};
use super::evidence::{Missing, Piece};
use super::rank::Finding;
use crate::facts::Value;
use crate::pattern::Patterns;
use crate::pattern::evaluate::Context;
use crate::pattern::file::CauseKind;
use crate::segment::{Kind, Log};
use std::collections::{BTreeMap, BTreeSet};

/// A question to ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Question `index` of a cause's or symptom's file.
    Of { cause: usize, index: usize },
    /// The command that obtains a fact which a leading cause needs.
    Fact { name: String, cause: usize },
    /// Nothing was found: a listing worth pasting, by its key in the interface words.
    Next { run: &'static str, key: &'static str },
}

const MAX_QUESTIONS: usize = 3;

/// At most three questions, the best first: those of unexplained symptoms, those of the leading
/// findings (or, without any, of what was only hinted at), then facts that a leading finding's conditions lacked.
pub fn ask(
    patterns: &Patterns,
    context: &Context,
    findings: &[Finding],
    pieces: &BTreeMap<usize, Vec<Piece>>,
    missing: &Missing,
    log: &Log,
) -> Vec<Asked> {
    let settled = findings.first().is_some_and(|f| f.confidence == Confidence::Certain);
    if settled {
        return Vec::new();
    }
    let mut asked = Vec::new();
    let unexplained = unexplained_symptoms(patterns, findings, pieces);
    let hinted = if findings.is_empty() { hinted(patterns, pieces) } else { Vec::new() };
    for cause in unexplained.into_iter().chain(findings.iter().take(3).map(|f| f.cause)).chain(hinted) {
        asked.extend(of_file(patterns, context, cause));
    }
    for finding in findings.iter().take(2) {
        asked.extend(of_facts(patterns, finding.cause, missing));
    }
    let fails = || super::fingerprint::failing_records(log).next().is_some() || no_gpu_for_torch(context);
    if findings.is_empty() && fails() {
        asked.extend(next_listings(log));
    }
    distinct(patterns, asked)
}

/// `torch.cuda.is_available()` said False: a failure without a failing line.
fn no_gpu_for_torch(context: &Context) -> bool {
    context.facts.all("torch.cuda_available").last().is_some_and(|fact| fact.value == Value::Bool(false))
}

/// Causes that something speaks for, too weakly for a finding, and states: the heaviest first.
fn hinted(patterns: &Patterns, pieces: &BTreeMap<usize, Vec<Piece>>) -> Vec<usize> {
    let weight = |pieces: &[Piece]| pieces.iter().filter(|p| p.effect == Effect::For && !p.old).map(|p| p.weight).fold(0.0, f64::max);
    let causes = pieces.iter().filter(|(cause, _)| patterns.causes()[**cause].kind != CauseKind::Symptom);
    let mut hinted: Vec<(usize, f64)> =
        causes.map(|(cause, pieces)| (*cause, weight(pieces))).filter(|(_, weight)| *weight > 0.0).collect();
    hinted.sort_by(|a, b| b.1.total_cmp(&a.1));
    hinted.into_iter().take(MAX_QUESTIONS).map(|(cause, _)| cause).collect()
}

/// Symptoms that were recognised and that no finding with evidence of its own explains.
fn unexplained_symptoms(patterns: &Patterns, findings: &[Finding], pieces: &BTreeMap<usize, Vec<Piece>>) -> Vec<usize> {
    let explained: BTreeSet<usize> = findings.iter().flat_map(|f| f.consequences.iter().map(|c| c.cause)).collect();
    symptoms_seen(patterns, pieces).into_iter().filter(|cause| !explained.contains(cause)).collect()
}

/// Symptoms that were recognised in the episode at hand.
pub fn symptoms_seen(patterns: &Patterns, pieces: &BTreeMap<usize, Vec<Piece>>) -> BTreeSet<usize> {
    let seen = pieces.iter().filter(|(cause, pieces)| {
        patterns.causes()[**cause].kind == CauseKind::Symptom && pieces.iter().any(|p| p.effect == Effect::For && !p.old)
    });
    seen.map(|(cause, _)| *cause).collect()
}

fn of_file(patterns: &Patterns, context: &Context, cause: usize) -> Vec<Asked> {
    let questions = &patterns.causes()[cause].file.question;
    let open = questions
        .iter()
        .enumerate()
        .filter(|(_, q)| q.asks.is_empty() || q.asks.iter().any(|name| context.facts.all(name.get_ref()).next().is_none()));
    open.map(|(index, _)| Asked::Of { cause, index }).collect()
}

fn of_facts(patterns: &Patterns, cause: usize, missing: &Missing) -> Vec<Asked> {
    let names: BTreeSet<&String> = missing.get(&cause).into_iter().flatten().collect();
    let obtainable = names.into_iter().filter(|name| patterns.register().get(name).is_some_and(|e| !e.obtain.is_empty()));
    obtainable.map(|name| Asked::Fact { name: name.clone(), cause }).collect()
}

/// What to paste next where nothing was found: listings that are not there yet.
fn next_listings(log: &Log) -> Vec<Asked> {
    let has = |kinds: &[Kind]| log.segments.iter().any(|s| kinds.contains(&s.kind));
    let listings: [(&[Kind], &'static str, &'static str); 3] = [
        (&[Kind::NvidiaSmi, Kind::NvidiaSmiQ], "nvidia-smi", "next-smi"),
        (&[Kind::Dmesg, Kind::Journal], "sudo dmesg -T | grep -iE 'nvrm|xid|oom|aer' | tail -50", "next-dmesg"),
        (&[Kind::TorchEnv, Kind::PipList], "python -m torch.utils.collect_env", "next-env"),
    ];
    let absent = listings.into_iter().filter(|(kinds, _, _)| !has(kinds));
    absent.map(|(_, run, key)| Asked::Next { run, key }).collect()
}

/// The command that a question asks to run.
pub fn command<'p>(patterns: &'p Patterns, asked: &'p Asked) -> &'p str {
    match asked {
        Asked::Of { cause, index } => patterns.causes()[*cause].file.question.get(*index).map_or("", |q| &q.run),
        Asked::Fact { name, .. } => patterns.register().get(name).map_or("", |entry| &entry.obtain),
        Asked::Next { run, .. } => run,
    }
}

fn distinct(patterns: &Patterns, asked: Vec<Asked>) -> Vec<Asked> {
    let mut commands = BTreeSet::new();
    let new = asked.into_iter().filter(|q| commands.insert(command(patterns, q).to_owned()));
    new.take(MAX_QUESTIONS).collect()
}
