//! Scores the analysis on cases with known answers: `faultbook eval DIR`.
//!
//! A case is a folder with `input.log` and `case.toml`. top-1: the first finding is the case's
//! cause or one of `also_ok`; top-3: one of the first three is; misled: the first finding is in
//! `must_not`; false claim: a case whose cause is `none` has a finding.

use crate::error::Error;
use crate::i18n::Lang;
use crate::intake::{self, Limits, Part};
use crate::pattern::Patterns;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// `case.toml`.
#[derive(Clone, Debug, Deserialize)]
pub struct Case {
    pub title: String,
    /// Id of the cause, or `none`.
    pub cause: String,
    #[serde(default)]
    pub also_ok: Vec<String>,
    #[serde(default)]
    pub acceptable_top3: Vec<String>,
    #[serde(default)]
    pub must_not: Vec<String>,
    #[serde(default)]
    pub needs_combination: bool,
    /// Texts that may not survive anonymising.
    #[serde(default)]
    pub secrets: Vec<String>,
}

/// A case with its place.
#[derive(Clone, Debug)]
pub struct Located {
    pub folder: PathBuf,
    pub case: Case,
}

/// The outcome of one case.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub folder: PathBuf,
    pub case: Case,
    /// Ids of the findings, best first.
    pub found: Vec<String>,
}

impl Outcome {
    pub fn is_negative(&self) -> bool {
        self.case.cause == "none"
    }

    fn right(&self, id: &str) -> bool {
        id == self.case.cause || self.case.also_ok.iter().any(|ok| ok == id)
    }

    pub fn top1(&self) -> bool {
        self.found.first().is_some_and(|id| self.right(id))
    }

    pub fn top3(&self) -> bool {
        self.found.iter().take(3).any(|id| self.right(id))
    }

    pub fn misled(&self) -> bool {
        self.found.first().is_some_and(|id| self.case.must_not.contains(id))
    }

    pub fn false_claim(&self) -> bool {
        self.is_negative() && !self.found.is_empty()
    }
}

/// The figures over all cases.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Figures {
    pub positives: usize,
    pub negatives: usize,
    pub top1: usize,
    pub top3: usize,
    /// Among all cases.
    pub misled: usize,
    pub false_claims: usize,
    pub combination: usize,
    pub combination_top1: usize,
}

impl Figures {
    pub fn of(outcomes: &[Outcome]) -> Figures {
        let mut figures = Figures::default();
        for outcome in outcomes {
            figures.misled += outcome.misled() as usize;
            if outcome.is_negative() {
                figures.negatives += 1;
                figures.false_claims += outcome.false_claim() as usize;
                continue;
            }
            figures.positives += 1;
            figures.top1 += outcome.top1() as usize;
            figures.top3 += outcome.top3() as usize;
            if outcome.case.needs_combination {
                figures.combination += 1;
                figures.combination_top1 += outcome.top1() as usize;
            }
        }
        figures
    }

    /// `count` as part of `of`; 1 where there is nothing to be counted.
    pub fn share(count: usize, of: usize) -> f64 {
        if of == 0 { 1.0 } else { count as f64 / of as f64 }
    }
}

/// All cases below `root`, by path.
///
/// # Errors
/// [`Error::Unreadable`] for a folder or file that cannot be read, or a `case.toml` that is none.
pub fn cases(root: &Path) -> Result<Vec<Located>, Error> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).map_err(|e| unreadable(&folder, &e.kind().to_string()))?;
        let paths: Vec<PathBuf> = entries.filter_map(|entry| entry.ok().map(|e| e.path())).collect();
        folders.extend(paths.iter().filter(|path| path.is_dir()).cloned());
        if let Some(file) = paths.iter().find(|path| path.file_name().is_some_and(|name| name == "case.toml")) {
            let text = std::fs::read_to_string(file).map_err(|e| unreadable(file, &e.kind().to_string()))?;
            let case = toml::from_str(&text).map_err(|e| unreadable(file, e.message()))?;
            found.push(Located { folder, case });
        }
    }
    found.sort_by(|a, b| a.folder.cmp(&b.folder));
    Ok(found)
}

fn unreadable(path: &Path, reason: &str) -> Error {
    Error::Unreadable { path: path.display().to_string(), reason: reason.to_owned() }
}

/// Analyses one case.
///
/// # Errors
/// As [`cases`], and those of intake.
pub fn run(located: &Located, patterns: &Patterns) -> Result<Outcome, Error> {
    let file = located.folder.join("input.log");
    let bytes = std::fs::read(&file).map_err(|e| unreadable(&file, &e.kind().to_string()))?;
    let paste = intake::read(vec![Part { name: "input.log".to_owned(), bytes }], &Limits::default())?;
    let view = crate::analyze(&paste, patterns).diagnosis.view(patterns, Lang::En, &str::to_owned);
    let found = view.findings.into_iter().map(|finding| finding.cause).collect();
    Ok(Outcome { folder: located.folder.clone(), case: located.case.clone(), found })
}
