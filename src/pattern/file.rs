//! The types of the pattern files, as written. See CONTRIBUTING.md for the form.

use crate::diagnose::analysis::{FixKind, Needs, Risk, Strength, Takes, Verdict, Where};
use crate::i18n::Text;
use serde::Deserialize;
use toml::Spanned;

/// `patterns/<layer>/<id>.toml` and `patterns/symptoms/<id>.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CauseFile {
    pub id: Spanned<String>,
    pub sources: Spanned<Vec<String>>,
    pub title: Spanned<Text>,
    pub summary: Spanned<Text>,
    pub verdict: Verdict,
    #[serde(default)]
    pub kind: CauseKind,
    #[serde(default)]
    pub prior: Prior,
    /// Old ids that lead here.
    #[serde(default)]
    pub formerly: Vec<String>,
    /// Symptoms only: the layer (a cause has its folder's).
    #[serde(default)]
    pub layer: Option<Spanned<String>>,
    /// Symptoms only: it may be a finding of its own where nothing explains it.
    #[serde(default)]
    pub stands: bool,
    /// Symptoms only: the causes that its weight goes to.
    #[serde(default)]
    pub candidate: Vec<Candidate>,
    #[serde(default)]
    pub signature: Vec<SignatureFile>,
    #[serde(default)]
    pub condition: Vec<ConditionFile>,
    #[serde(default)]
    pub against: Vec<AgainstFile>,
    #[serde(default)]
    pub explains: Vec<Spanned<String>>,
    #[serde(default)]
    pub fix: Vec<FixFile>,
    #[serde(default)]
    pub question: Vec<QuestionFile>,
    #[serde(default)]
    pub example: Vec<ExampleFile>,
}

/// What a file describes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CauseKind {
    /// A root cause.
    #[default]
    Cause,
    /// Worth a note, never a finding alone.
    State,
    /// A message that several causes share (its file stands in `patterns/symptoms`).
    Symptom,
}

/// How common a cause is, before any evidence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Prior {
    #[default]
    Common,
    Uncommon,
    Rare,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Candidate {
    pub cause: Spanned<String>,
    /// Part of the symptom's weight, 0 to 1.
    pub share: f64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignatureFile {
    pub id: Spanned<String>,
    pub literal: Spanned<Vec<String>>,
    #[serde(default)]
    pub regex: Option<Spanned<String>>,
    #[serde(default, rename = "in")]
    pub in_: Option<Spanned<Vec<String>>>,
    pub strength: Strength,
    #[serde(default)]
    pub group: Option<String>,
    #[serde(default)]
    pub near: Vec<NearFile>,
    #[serde(default)]
    pub why: Option<Spanned<Text>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NearFile {
    pub text: Spanned<String>,
    pub within: u32,
    #[serde(default)]
    pub unit: Unit,
    #[serde(default)]
    pub side: Side,
    #[serde(default = "yes")]
    pub want: bool,
    #[serde(default)]
    pub same: Vec<Same>,
}

fn yes() -> bool {
    true
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    #[default]
    Lines,
    Seconds,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    Before,
    After,
    #[default]
    Either,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Same {
    Gpu,
    Rank,
    Host,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConditionFile {
    #[serde(default)]
    pub id: Option<String>,
    pub when: Spanned<String>,
    pub strength: Strength,
    #[serde(default)]
    pub group: Option<String>,
    #[serde(default)]
    pub why: Option<Spanned<Text>>,
}

/// Either a condition (`when`) or a signature (`literal` …).
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgainstFile {
    #[serde(default)]
    pub id: Option<Spanned<String>>,
    #[serde(default)]
    pub when: Option<Spanned<String>>,
    #[serde(default)]
    pub literal: Option<Spanned<Vec<String>>>,
    #[serde(default)]
    pub regex: Option<Spanned<String>>,
    #[serde(default, rename = "in")]
    pub in_: Option<Spanned<Vec<String>>>,
    pub strength: Strength,
    #[serde(default)]
    pub group: Option<String>,
    #[serde(default)]
    pub near: Vec<NearFile>,
    #[serde(default)]
    pub why: Option<Spanned<Text>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FixFile {
    pub kind: FixKind,
    pub text: Spanned<Text>,
    #[serde(default)]
    pub run: Option<Spanned<String>>,
    #[serde(rename = "where")]
    pub where_: Where,
    #[serde(default)]
    pub os: Vec<String>,
    #[serde(default)]
    pub when: Option<Spanned<String>>,
    pub needs: Needs,
    pub takes: Takes,
    pub risk: Spanned<Risk>,
    #[serde(default)]
    pub verify: Option<Spanned<String>>,
    #[serde(default)]
    pub expect: Option<Spanned<Text>>,
    #[serde(default)]
    pub undo: Option<Spanned<Text>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuestionFile {
    pub run: String,
    pub why: Text,
    pub look_for: Text,
    #[serde(default)]
    pub asks: Vec<Spanned<String>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExampleFile {
    pub name: Spanned<String>,
    pub text: String,
    pub want: Want,
}

/// What an example must give.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Want {
    /// True: this cause is among the findings; false: it is not.
    This(bool),
    /// Another cause is the first finding.
    Other(String),
}

/// `patterns/noise.toml`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoiseSet {
    #[serde(default)]
    pub noise: Vec<NoiseFile>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoiseFile {
    pub id: Spanned<String>,
    pub literal: Spanned<Vec<String>>,
    #[serde(default)]
    pub regex: Option<Spanned<String>>,
    #[serde(default, rename = "in")]
    pub in_: Option<Spanned<Vec<String>>>,
    pub why: Text,
    /// Signatures are not looked for in such a record.
    #[serde(default)]
    pub mute: bool,
}

/// `patterns/layers.toml`: what shows that a layer is fine.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LayerSet {
    #[serde(default)]
    pub ok: Vec<LayerOk>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LayerOk {
    pub layer: Spanned<String>,
    pub when: Spanned<String>,
}
