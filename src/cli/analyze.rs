//! `analyze` and `anonymize`.

use super::{Common, Format, parts, print};
use crate::anonymize::{Rules, anonymize};
use crate::error::Error;
use crate::intake::{self, Limits, Part};
use crate::pattern::Patterns;
use crate::segment;
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub struct AnalyzeArgs {
    /// Files, or one folder; `-` for standard input.
    files: Vec<PathBuf>,
    #[arg(long, default_value = "text")]
    format: Format,
    /// One analysis per file, as JSON lines.
    #[arg(long)]
    each: bool,
    /// Show the anonymised text instead of the raw lines.
    #[arg(long)]
    anonymize: bool,
    #[command(flatten)]
    common: Common,
}

impl AnalyzeArgs {
    pub fn run(self) -> Result<ExitCode, Error> {
        let patterns = self.common.patterns()?;
        let parts = parts(&self.files)?;
        let mut found = false;
        if self.each {
            for part in parts {
                found |= self.one(vec![part], &patterns)?;
            }
        } else {
            found = self.one(parts, &patterns)?;
        }
        Ok(if found { ExitCode::SUCCESS } else { ExitCode::from(1) })
    }

    fn one(&self, parts: Vec<Part>, patterns: &Patterns) -> Result<bool, Error> {
        let limits = Limits { max_decoded: u64::MAX };
        let paste = intake::read(parts, &limits)?;
        let analyzed = crate::analyze(&paste, patterns);
        let anonymized = self.anonymize.then(|| anonymize(&paste, &analyzed.log, &Rules::default()));
        let redact = |text: &str| anonymized.as_ref().map_or_else(|| text.to_owned(), |a| a.redact(text));
        let lang = self.common.lang();
        let analysis = analyzed.diagnosis.view(patterns, lang, &redact);
        let found = !analysis.findings.is_empty();
        let text = match self.format {
            _ if self.each => serde_json::to_string(&analysis).map_err(|_| Error::Internal)? + "\n",
            Format::Json => serde_json::to_string_pretty(&analysis).map_err(|_| Error::Internal)? + "\n",
            Format::Text | Format::Markdown => serde_json::to_string_pretty(&analysis).map_err(|_| Error::Internal)? + "\n",
        };
        print(&text)?;
        Ok(found)
    }
}

#[derive(Debug, Args)]
pub struct AnonymizeArgs {
    /// A file; `-` or nothing for standard input.
    file: Option<PathBuf>,
}

impl AnonymizeArgs {
    pub fn run(self) -> Result<ExitCode, Error> {
        let files: Vec<PathBuf> = self.file.into_iter().collect();
        let paste = intake::read(parts(&files)?, &Limits { max_decoded: u64::MAX })?;
        let log = segment::split(&paste);
        let anonymized = anonymize(&paste, &log, &Rules::default());
        let mut text = anonymized.lines().join("\n");
        text.push('\n');
        print(&text)?;
        Ok(ExitCode::SUCCESS)
    }
}
