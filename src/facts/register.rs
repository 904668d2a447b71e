//! The register of facts: `patterns/facts.toml`.

use serde::Deserialize;
use std::collections::BTreeMap;

/// The declared facts by name. `package.*` covers every `package.NAME`.
#[derive(Clone, Debug, Default)]
pub struct Register {
    entries: BTreeMap<String, Entry>,
}

/// One declared fact.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    #[serde(rename = "type")]
    pub type_: FactType,
    /// Which kind of subject it is about; none for the scope as a whole.
    #[serde(default)]
    pub subject: Class,
    /// May stand in a suggested command.
    #[serde(default)]
    pub safe: bool,
    /// The read-only command whose output gives it; empty where no single one does.
    pub obtain: String,
    #[serde(default)]
    pub note: String,
    /// The words it may hold.
    #[serde(default)]
    pub values: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FactType {
    Version,
    Int,
    Bytes,
    Celsius,
    Watts,
    Pci,
    Word,
    Text,
    Set,
    List,
    Bool,
    Time,
}

/// What a fact is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    #[default]
    None,
    Gpu,
    Rank,
    Env,
    Process,
}

impl Register {
    /// Reads the register's TOML.
    pub fn parse(text: &str) -> Result<Register, toml::de::Error> {
        Ok(Register { entries: toml::from_str(text)? })
    }

    /// The declaration of `name`; `package.anything` finds `package.*`.
    pub fn get(&self, name: &str) -> Option<&Entry> {
        self.entries.get(name).or_else(|| name.starts_with("package.").then(|| self.entries.get("package.*")).flatten())
    }

    /// All declared names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }
}
