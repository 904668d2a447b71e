//! Pattern files: types, loading and lint, the condition language, the matcher.

pub mod compile;
pub mod condition;
pub mod evaluate;
pub mod fault;
pub mod file;
pub mod gate;
mod lint;
pub mod load;
pub mod matcher;
pub mod placeholder;
pub mod scaffold;
pub mod tables;

use crate::diagnose::analysis::Layer;
use crate::facts::Register;
use compile::Condition;
use condition::Expr;
use file::NoiseFile;
pub use file::{CauseFile, CauseKind};
use matcher::Matcher;
use std::collections::{BTreeMap, BTreeSet};
pub use tables::Tables;

/// A loaded, checked and compiled pattern set.
#[derive(Debug, Default)]
pub struct Patterns {
    hash: String,
    causes: Vec<Cause>,
    by_id: BTreeMap<String, usize>,
    noise: Vec<NoiseFile>,
    layers: Vec<(Layer, Expr)>,
    matcher: Matcher,
    register: Register,
    tables: Tables,
}

/// One cause or symptom with its place.
#[derive(Debug)]
pub struct Cause {
    pub layer: Layer,
    pub kind: CauseKind,
    pub file: CauseFile,
    /// The TOML as written, for `patterns show` and the cause's page.
    pub source: String,
    /// Conditions for and against it, compiled.
    pub conditions: Vec<Condition>,
    /// `when` of each fix, compiled; `None` where it has none.
    pub fix_when: Vec<Option<Expr>>,
    /// Everything that follows from it, directly or through others.
    pub explains: BTreeSet<String>,
}

impl Cause {
    pub fn id(&self) -> &str {
        self.file.id.get_ref()
    }
}

impl Patterns {
    /// Hash of all files of the set, 12 hex digits.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// All causes and symptoms, by layer and id.
    pub fn causes(&self) -> &[Cause] {
        &self.causes
    }

    /// The cause or symptom with this id, or that had it formerly.
    pub fn cause(&self, id: &str) -> Option<&Cause> {
        self.by_id.get(id).map(|at| &self.causes[*at])
    }

    /// The position of a cause in [`Patterns::causes`].
    pub fn position(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    pub fn noise(&self) -> &[NoiseFile] {
        &self.noise
    }

    /// What shows that a layer is fine.
    pub fn layers(&self) -> &[(Layer, Expr)] {
        &self.layers
    }

    pub fn matcher(&self) -> &Matcher {
        &self.matcher
    }

    pub fn register(&self) -> &Register {
        &self.register
    }

    pub fn tables(&self) -> &Tables {
        &self.tables
    }
}
