//! A diagnosis in one language: the published [`Analysis`].

use super::analysis::*;
use super::evidence::{Origin, Piece};
use super::questions::{Asked, command};
use super::rank::Finding as Found;
use super::{Diagnosis, fixes, sentence};
use crate::facts::{FactType, Subject, Value};
use crate::i18n::{Lang, word};
use crate::intake::Stamp;
use crate::pattern::Patterns;
use crate::pattern::evaluate::Context;
use crate::pattern::file::CauseKind;
use crate::segment::ScopeId;
use std::collections::BTreeSet;

impl Diagnosis {
    /// Renders the answer in `lang`. Every text that came from the paste goes through `redact`.
    pub fn view(&self, patterns: &Patterns, lang: Lang, redact: &dyn Fn(&str) -> String) -> Analysis {
        let view = View { diagnosis: self, patterns, lang, redact };
        Analysis {
            schema: SCHEMA.to_owned(),
            patterns: patterns.hash().to_owned(),
            verdict: self.findings.first().map_or(Verdict::None, |f| patterns.causes()[f.cause].file.verdict),
            fingerprint: self.fingerprint.clone(),
            sources: self.sources.iter().map(|s| Source { name: redact(&s.name), first: s.first, last: s.last }).collect(),
            findings: self.findings.iter().enumerate().map(|(at, f)| view.finding(at, f)).collect(),
            layers: self
                .layers
                .iter()
                .map(|(layer, state, lines)| LayerState { layer: *layer, state: *state, lines: lines.clone() })
                .collect(),
            facts: view.facts(),
            segments: self
                .segments
                .iter()
                .map(|(kind, scope, first, last)| SegmentView { kind: *kind, scope: view.scope(*scope), first: *first, last: *last })
                .collect(),
            questions: self.questions.iter().map(|asked| view.question(asked)).collect(),
            noise: self
                .noise
                .iter()
                .filter_map(|n| Some(Noise { lines: n.lines.clone(), why: patterns.noise().get(n.noise)?.why.get(lang).to_owned() }))
                .collect(),
            notes: view.notes(),
            history: self.history.iter().map(|old| view.earlier(old)).collect(),
            limits: self.limits.iter().map(|limit| word(lang, limit.what).replace("{count}", &limit.count.to_string())).collect(),
        }
    }
}

struct View<'a> {
    diagnosis: &'a Diagnosis,
    patterns: &'a Patterns,
    lang: Lang,
    redact: &'a dyn Fn(&str) -> String,
}

impl View<'_> {
    fn context(&self) -> Context<'_> {
        Context { facts: &self.diagnosis.facts, scopes: &self.diagnosis.scopes, register: self.patterns.register() }
    }

    fn scope(&self, id: ScopeId) -> String {
        self.diagnosis.scopes.get(id as usize).map_or_else(|| "host".to_owned(), |s| s.label())
    }

    fn title(&self, cause: usize) -> String {
        self.patterns.causes()[cause].file.title.get_ref().get(self.lang).to_owned()
    }

    fn id(&self, cause: usize) -> String {
        self.patterns.causes()[cause].id().to_owned()
    }

    fn finding(&self, at: usize, found: &Found) -> Finding {
        let cause = &self.patterns.causes()[found.cause];
        let context = self.context();
        Finding {
            cause: cause.id().to_owned(),
            kind: if cause.kind == CauseKind::Symptom { FindingKind::Symptom } else { FindingKind::Cause },
            rank: at as u32 + 1,
            confidence: found.confidence,
            score: (found.score * 100.0).round() / 100.0,
            layer: cause.layer,
            verdict: cause.file.verdict,
            subject: self.subject(found.subject),
            scope: self.scope(found.scope),
            title: self.title(found.cause),
            summary: cause.file.summary.get_ref().get(self.lang).to_owned(),
            why: sentence::why(self.patterns, &context, found, &self.diagnosis.quotes, self.lang, self.redact),
            evidence: found.pieces.iter().zip(&found.weights).map(|(piece, weight)| self.evidence(found, piece, *weight)).collect(),
            fixes: fixes::fixes(self.patterns, &context, found, self.lang),
            consequences: found
                .consequences
                .iter()
                .map(|c| Consequence { cause: self.id(c.cause), title: self.title(c.cause), lines: c.lines.clone() })
                .collect(),
        }
    }

    fn evidence(&self, found: &Found, piece: &Piece, weight: f64) -> Evidence {
        let (signature, when) = match piece.origin {
            Origin::Signature(at) => (self.patterns.matcher().signatures()[at as usize].id.clone(), None),
            Origin::Condition(at) => {
                let condition = &self.patterns.causes()[found.cause].conditions[at];
                (condition.id.clone(), Some(condition.when.clone()))
            }
            Origin::Symptom(at) => (self.id(at), None),
        };
        Evidence { signature, lines: piece.lines.clone(), effect: piece.effect, strength: piece.strength, weight, count: piece.count, when }
    }

    fn subject(&self, subject: Subject) -> Option<SubjectView> {
        let view = match subject {
            Subject::None => return None,
            Subject::Gpu(at) => {
                let gpu = self.diagnosis.facts.gpus.get(at as usize)?;
                let name = gpu.pci.clone().or_else(|| gpu.uuid.as_ref().map(|uuid| (self.redact)(uuid)));
                SubjectView { gpu: name, index: gpu.index, ..SubjectView::default() }
            }
            Subject::Rank(rank) => SubjectView { rank: Some(rank), ..SubjectView::default() },
            Subject::Env(env) => SubjectView { env: Some(env), ..SubjectView::default() },
            Subject::Process(process) => SubjectView { process: Some(process), ..SubjectView::default() },
        };
        Some(view)
    }

    /// Every fact once: of several values of one name and subject the last.
    fn facts(&self) -> Vec<FactView> {
        let facts = &self.diagnosis.facts.facts;
        let mut seen = BTreeSet::new();
        let last: Vec<_> = facts.iter().rev().filter(|f| seen.insert((f.scope, f.subject, f.name.as_str()))).collect();
        last.into_iter()
            .rev()
            .map(|fact| FactView {
                scope: self.scope(fact.scope),
                subject: self.subject(fact.subject),
                name: fact.name.clone(),
                value: self.value(&fact.name, &fact.value),
                lines: fact.lines.iter().copied().take(8).collect(),
                derived: fact.derived,
            })
            .collect()
    }

    fn value(&self, name: &str, value: &Value) -> serde_json::Value {
        let redact = self.redact;
        // A version is digits by its parser; redacting it could only do harm (12.4.5.8 is no address).
        let version = self.patterns.register().get(name).is_some_and(|entry| entry.type_ == FactType::Version);
        match value {
            Value::Bool(b) => (*b).into(),
            Value::Int(n) => (*n).into(),
            Value::Float(n) => (*n).into(),
            Value::Version(text) if version && text.chars().all(|c| c.is_ascii_alphanumeric() || ".+-_".contains(c)) => text.clone().into(),
            Value::Version(text) | Value::Text(text) => redact(text).into(),
            Value::Set(items) => items.iter().map(|item| redact(item)).collect::<Vec<_>>().into(),
        }
    }

    fn question(&self, asked: &Asked) -> Question {
        let run = command(self.patterns, asked).to_owned();
        match asked {
            Asked::Of { cause, index } => {
                let question = self.patterns.causes()[*cause].file.question.get(*index);
                let text = |pick: fn(&crate::pattern::file::QuestionFile) -> &crate::i18n::Text| {
                    question.map_or_else(String::new, |q| pick(q).get(self.lang).to_owned())
                };
                Question { run, why: text(|q| &q.why), look_for: text(|q| &q.look_for) }
            }
            Asked::Fact { name, cause } => Question {
                run,
                why: word(self.lang, "ask-fact-why").replace("{cause}", &self.title(*cause)),
                look_for: word(self.lang, "ask-fact-look").replace("{fact}", name),
            },
            Asked::Next { key, .. } => {
                Question { run, why: word(self.lang, "ask-next-why").to_owned(), look_for: word(self.lang, key).to_owned() }
            }
        }
    }

    fn notes(&self) -> Vec<Note> {
        let states = self.diagnosis.states.iter().map(|state| Note {
            cause: self.id(state.cause),
            title: self.title(state.cause),
            text: self.patterns.causes()[state.cause].file.summary.get_ref().get(self.lang).to_owned(),
            lines: state.pieces.iter().flat_map(|p| p.lines.iter().copied()).take(8).collect(),
        });
        let unexplained = self.diagnosis.unexplained.iter().map(|(line, text)| Note {
            cause: String::new(),
            title: word(self.lang, "note-unexplained").to_owned(),
            text: (self.redact)(text),
            lines: vec![*line],
        });
        states.chain(unexplained).collect()
    }

    fn earlier(&self, old: &super::Old) -> Earlier {
        let when = match old.time {
            Some(Stamp::Wall(seconds)) => {
                jiff::Timestamp::from_second(seconds as i64).map_or_else(|_| String::new(), |t| t.strftime("%Y-%m-%d %H:%M:%S").to_string())
            }
            Some(Stamp::Uptime(seconds)) => word(self.lang, "uptime").replace("{seconds}", &format!("{seconds:.0}")),
            None => String::new(),
        };
        Earlier {
            cause: self.id(old.cause),
            title: self.title(old.cause),
            lines: old.lines.clone(),
            when: when.trim_start_matches("1970-").to_owned(),
        }
    }
}
