//! Faultbook reads what an engineer pastes when a GPU job fails and answers with ranked causes,
//! the evidence line by line, and fixes from soft to hard. Offline, without a language model:
//! the same bytes and the same patterns give the same answer.
//!
//! The map of the house, in the order of the flow:
//!
//! ```text
//! bytes ─ intake ─▶ lines ─ segment ─▶ segments, records ─ facts ─▶ facts ┐
//!                               └────── pattern::matcher ─▶ hits ─────────┴─ diagnose ─▶ Diagnosis
//! Diagnosis + lines ─ anonymize ─▶ Report ─ store ─▶ render, web (page · text · JSON)
//! ```

pub mod anonymize;
pub mod cli;
pub mod compare;
pub mod config;
pub mod diagnose;
pub mod error;
pub mod eval;
pub mod explain;
pub mod facts;
pub mod i18n;
pub mod intake;
pub mod pattern;
pub mod render;
pub mod report;
pub mod segment;
pub mod store;
pub mod web;

use diagnose::Diagnosis;
pub use error::Error;
use intake::Paste;
use pattern::Patterns;
use segment::Log;

/// A paste with everything that was found in it.
#[derive(Debug)]
pub struct Analyzed {
    pub log: Log,
    pub diagnosis: Diagnosis,
}

/// Analyses a paste. A pure function of its lines and the pattern set.
pub fn analyze(paste: &Paste, patterns: &Patterns) -> Analyzed {
    let plain = segment::plain(paste);
    let log = segment::cut(plain.paste());
    let facts = facts::read(plain.paste(), &log, patterns.tables());
    let log = plain.restore(log);
    let diagnosis = diagnose::diagnose(paste, &log, facts, patterns);
    Analyzed { log, diagnosis }
}
