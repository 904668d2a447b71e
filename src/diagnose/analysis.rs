//! The analysis as it is shown, stored and published: `faultbook.analysis.v1`.
//!
//! Everything here is text for people or ids for programs; it is made from a
//! [`super::Diagnosis`] in one language by a renderer that redacts every text from the paste.

use crate::segment::Kind;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The name of this shape.
pub const SCHEMA: &str = "faultbook.analysis.v1";

/// The answer to one paste.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Analysis {
    /// Always `faultbook.analysis.v1`.
    pub schema: String,
    /// Hash of the pattern set that gave this answer.
    pub patterns: String,
    /// Whose hands the first finding needs.
    pub verdict: Verdict,
    /// `v1:` and a hash; like reports share it.
    pub fingerprint: String,
    pub sources: Vec<Source>,
    /// Root causes and unexplained symptoms, best first.
    pub findings: Vec<Finding>,
    pub layers: Vec<LayerState>,
    pub facts: Vec<FactView>,
    pub segments: Vec<SegmentView>,
    /// At most three, the best first.
    pub questions: Vec<Question>,
    /// Loud and harmless lines.
    pub noise: Vec<Noise>,
    /// States worth a word that are no fault by themselves.
    pub notes: Vec<Note>,
    /// Findings of earlier boots or days.
    pub history: Vec<Earlier>,
    /// Caps that applied.
    pub limits: Vec<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Source {
    pub name: String,
    pub first: u32,
    pub last: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    Code,
    Environment,
    Machine,
    Card,
    Network,
    #[default]
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Layer {
    Hardware,
    Driver,
    Access,
    Runtime,
    Framework,
    Application,
    Distributed,
    Host,
}

impl Layer {
    pub const ALL: [Layer; 8] = [
        Layer::Hardware,
        Layer::Driver,
        Layer::Access,
        Layer::Runtime,
        Layer::Framework,
        Layer::Application,
        Layer::Distributed,
        Layer::Host,
    ];

    /// The name: also the folder of its patterns.
    pub fn name(self) -> &'static str {
        match self {
            Layer::Hardware => "hardware",
            Layer::Driver => "driver",
            Layer::Access => "access",
            Layer::Runtime => "runtime",
            Layer::Framework => "framework",
            Layer::Application => "application",
            Layer::Distributed => "distributed",
            Layer::Host => "host",
        }
    }

    pub fn from_name(name: &str) -> Option<Layer> {
        Layer::ALL.into_iter().find(|layer| layer.name() == name)
    }
}

/// How sure a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    Possible,
    Likely,
    Certain,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum FindingKind {
    Cause,
    Symptom,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Finding {
    /// Id of the cause (or symptom).
    pub cause: String,
    pub kind: FindingKind,
    /// 1-based.
    pub rank: u32,
    pub confidence: Confidence,
    pub score: f64,
    pub layer: Layer,
    pub verdict: Verdict,
    pub subject: Option<SubjectView>,
    /// `host`, `container`, `container-2` …
    pub scope: String,
    pub title: String,
    pub summary: String,
    /// What leads from these very lines to the cause.
    pub why: String,
    pub evidence: Vec<Evidence>,
    /// In the order to try them.
    pub fixes: Vec<Fix>,
    pub consequences: Vec<Consequence>,
}

/// The card, rank, environment or process that a finding is about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SubjectView {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpu: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub env: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub process: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    For,
    Against,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Strength {
    Hints,
    Supports,
    Strong,
    Proves,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Evidence {
    /// Id of the signature, condition or symptom.
    pub signature: String,
    /// 1-based line numbers of the stored text.
    pub lines: Vec<u32>,
    pub effect: Effect,
    pub strength: Strength,
    /// What it adds to (or takes from) the score.
    pub weight: f64,
    /// How often it was seen.
    pub count: u32,
    /// The condition in the condition language, where it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum FixKind {
    Bypass,
    Check,
    Cure,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Risk {
    ReadOnly,
    Reversible,
    Disruptive,
    Destructive,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Needs {
    User,
    Root,
    Hands,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Takes {
    Seconds,
    Minutes,
    Reboot,
    Downtime,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Where {
    Host,
    Container,
    Image,
    PodSpec,
    Windows,
    Code,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Fix {
    pub kind: FixKind,
    pub text: String,
    /// A command to copy; only safe facts stand in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The commands to run first, because the step needs values that the paste does not give.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub first: Vec<String>,
    #[serde(rename = "where")]
    pub where_: Where,
    /// Distributions it holds for; empty: all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub os: Vec<String>,
    pub needs: Needs,
    pub takes: Takes,
    pub risk: Risk,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verify: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expect: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undo: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Consequence {
    pub cause: String,
    pub title: String,
    pub lines: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Condition {
    Ok,
    Faulty,
    Unknown,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct LayerState {
    pub layer: Layer,
    pub state: Condition,
    pub lines: Vec<u32>,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct FactView {
    pub scope: String,
    pub subject: Option<SubjectView>,
    pub name: String,
    /// Boolean, number, text or list, by the fact's type.
    #[schema(value_type = serde_json::Value)]
    pub value: serde_json::Value,
    pub lines: Vec<u32>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub derived: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct SegmentView {
    pub kind: Kind,
    pub scope: String,
    pub first: u32,
    pub last: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Question {
    pub run: String,
    pub why: String,
    pub look_for: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Noise {
    pub lines: Vec<u32>,
    pub why: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Note {
    /// Id of the state, where it has a page.
    pub cause: String,
    pub title: String,
    pub text: String,
    pub lines: Vec<u32>,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Earlier {
    pub cause: String,
    pub title: String,
    pub lines: Vec<u32>,
    /// When, as the log says it.
    pub when: String,
}
