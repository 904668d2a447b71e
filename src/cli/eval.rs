//! `eval`: the figures of the analysis on cases with known answers.

use super::{Common, print};
use crate::error::Error;
use crate::eval::{Figures, Outcome, cases, run};
use clap::Args;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub struct EvalArgs {
    /// Folder of cases; each is a folder with input.log and case.toml.
    folder: PathBuf,
    /// Fail below this share of first findings that are right.
    #[arg(long)]
    min_top1: Option<f64>,
    #[arg(long)]
    min_top3: Option<f64>,
    /// Fail above this share of cases led astray.
    #[arg(long)]
    max_misled: Option<f64>,
    /// Fail above this number of findings on healthy logs.
    #[arg(long)]
    max_false: Option<usize>,
    #[command(flatten)]
    common: Common,
}

impl EvalArgs {
    pub fn run(self) -> Result<ExitCode, Error> {
        let patterns = self.common.draft()?;
        let mut outcomes = Vec::new();
        for located in cases(&self.folder)? {
            outcomes.push(run(&located, &patterns)?);
        }
        let figures = Figures::of(&outcomes);
        let mut text: String = outcomes.iter().filter_map(|o| self.miss(o)).collect();
        text.push_str(&summary(&figures));
        print(&text)?;
        Ok(if self.holds(&figures) { ExitCode::SUCCESS } else { ExitCode::from(1) })
    }

    fn miss(&self, outcome: &Outcome) -> Option<String> {
        let why = if outcome.false_claim() {
            "false claim"
        } else if outcome.misled() {
            "misled"
        } else if !outcome.is_negative() && !outcome.top3() {
            "miss"
        } else if !outcome.is_negative() && !outcome.top1() {
            "not first"
        } else {
            return None;
        };
        let name = outcome.folder.strip_prefix(&self.folder).unwrap_or(&outcome.folder);
        let found = if outcome.found.is_empty() {
            "nothing".to_owned()
        } else {
            outcome.found.iter().take(3).cloned().collect::<Vec<_>>().join(", ")
        };
        Some(format!("{why:<12} {}: wanted {}, found {found}\n", name.display(), outcome.case.cause))
    }

    fn holds(&self, figures: &Figures) -> bool {
        let at_least = |wanted: Option<f64>, share: f64| wanted.is_none_or(|w| share >= w);
        at_least(self.min_top1, Figures::share(figures.top1, figures.positives))
            && at_least(self.min_top3, Figures::share(figures.top3, figures.positives))
            && self.max_misled.is_none_or(|m| Figures::share(figures.misled, figures.positives + figures.negatives) <= m)
            && self.max_false.is_none_or(|m| figures.false_claims <= m)
    }
}

fn summary(f: &Figures) -> String {
    let mut text = String::new();
    let mut line = |name: &str, count: usize, of: usize| {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{name:<13} {:.3}  ({count} of {of})", Figures::share(count, of));
    };
    line("top-1", f.top1, f.positives);
    line("top-3", f.top3, f.positives);
    line("combination", f.combination_top1, f.combination);
    line("misled", f.misled, f.positives + f.negatives);
    let _ = writeln!(text, "false claims  {} (on {} healthy logs)", f.false_claims, f.negatives);
    text
}
