//! A report as rows, before it is known which database takes them.

use super::ids;
use super::words::index_words;
use super::{Receipt, damaged};
use crate::diagnose::analysis::Analysis;
use crate::error::Error;
use crate::facts::Register;
use crate::i18n::Lang;
use crate::report::Report;
use serde::Serialize;

/// What stands in the table `report`.
pub(super) struct Head {
    pub id: String,
    pub token_hash: String,
    /// Seconds since 1970, as is `expires`.
    pub created: i64,
    pub expires: Option<i64>,
    pub fingerprint: String,
    /// Joined by newlines.
    pub lines: String,
    /// JSON.
    pub anonymized: String,
}

/// One analysis in both languages, as JSON.
pub(super) struct AnalysisRow {
    pub patterns: String,
    pub made: i64,
    pub en: String,
    pub zh: String,
}

pub(super) struct FindingRow {
    pub rank: i64,
    pub cause: String,
    pub kind: String,
    pub layer: String,
    pub confidence: String,
}

pub(super) struct FactRow {
    pub scope: String,
    pub name: String,
    pub value: String,
}

/// All rows of one report.
pub(super) struct Rows {
    pub head: Head,
    /// The newest last; findings, facts and words are those of the newest.
    pub analyses: Vec<AnalysisRow>,
    pub findings: Vec<FindingRow>,
    pub facts: Vec<FactRow>,
    /// Separated by blanks.
    pub words: String,
}

impl Rows {
    /// The rows of a report that has just been made.
    pub(super) fn of_report(report: &Report, receipt: &Receipt, register: &Register) -> Result<Rows, Error> {
        let (en, zh) = (report.analysis(Lang::En), report.analysis(Lang::Zh));
        let head = Head {
            id: receipt.id.clone(),
            token_hash: ids::hash(&receipt.delete_token),
            created: receipt.created,
            expires: receipt.expires,
            fingerprint: en.fingerprint.clone(),
            lines: report.lines().join("\n"),
            anonymized: json(report.anonymized())?,
        };
        let row = AnalysisRow { patterns: en.patterns.clone(), made: receipt.created, en: json(en)?, zh: json(zh)? };
        Ok(Rows::assemble(head, vec![row], en, zh, register))
    }

    /// The rows of a stored report, for another store. Findings, facts and words follow from the
    /// newest analysis, as when it was made.
    pub(super) fn of_stored(head: Head, analyses: Vec<AnalysisRow>, register: &Register) -> Result<Rows, Error> {
        let newest = analyses.last().ok_or_else(damaged)?;
        let read = |text: &str| serde_json::from_str::<Analysis>(text).map_err(|_| damaged());
        let (en, zh) = (read(&newest.en)?, read(&newest.zh)?);
        Ok(Rows::assemble(head, analyses, &en, &zh, register))
    }

    fn assemble(head: Head, analyses: Vec<AnalysisRow>, en: &Analysis, zh: &Analysis, register: &Register) -> Rows {
        let words = search_text(&head.lines, en, zh);
        Rows { head, analyses, findings: findings(en), facts: facts(en, register), words }
    }
}

fn findings(analysis: &Analysis) -> Vec<FindingRow> {
    let row = |(at, finding): (usize, &crate::diagnose::analysis::Finding)| FindingRow {
        rank: at as i64 + 1,
        cause: finding.cause.clone(),
        kind: name(&finding.kind),
        layer: finding.layer.name().to_owned(),
        confidence: name(&finding.confidence),
    };
    analysis.findings.iter().enumerate().map(row).collect()
}

fn facts(analysis: &Analysis, register: &Register) -> Vec<FactRow> {
    let safe = |name: &str| register.get(name).is_some_and(|entry| entry.safe);
    let kept = analysis.facts.iter().filter(|fact| !fact.derived && safe(&fact.name));
    let row = |fact: &crate::diagnose::analysis::FactView| FactRow {
        scope: fact.scope.clone(),
        name: fact.name.clone(),
        value: match &fact.value {
            serde_json::Value::String(text) => text.clone(),
            other => other.to_string(),
        },
    };
    kept.map(row).collect()
}

/// The words that a report is found by: its findings' titles in both languages, then its lines.
fn search_text(lines: &str, en: &Analysis, zh: &Analysis) -> String {
    let findings = en.findings.iter().chain(&zh.findings);
    let titles = findings.flat_map(|finding| [finding.cause.as_str(), finding.title.as_str()]);
    index_words(titles.chain(lines.split('\n')))
}

/// The serialised name of an enum value.
fn name(value: &impl Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default()
}

fn json(value: &impl Serialize) -> Result<String, Error> {
    serde_json::to_string(value).map_err(|_| Error::Internal)
}
