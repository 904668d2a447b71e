//! `analyze` and `anonymize`.

use super::{Common, Format, long, parts, print};
use crate::anonymize::{Anonymized, Rules, anonymize};
use crate::error::Error;
use crate::i18n::word;
use crate::intake::{self, Limits, Part, Paste};
use crate::pattern::Patterns;
use crate::render::{self, Extras};
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
        let mut found = false;
        if self.each {
            for part in parts(&self.files)? {
                found |= self.one(read(vec![part])?, &patterns)?;
            }
        } else {
            let paste = match long::open(&self.files)? {
                Some(log) => log.read(&patterns)?,
                None => read(parts(&self.files)?)?,
            };
            found = self.one(paste, &patterns)?;
        }
        Ok(if found { ExitCode::SUCCESS } else { ExitCode::from(1) })
    }

    fn one(&self, paste: Paste, patterns: &Patterns) -> Result<bool, Error> {
        let analyzed = crate::analyze(&paste, patterns);
        let anonymized = self.anonymize.then(|| anonymize(&paste, &analyzed.log, &Rules::default()));
        let redact = |text: &str| anonymized.as_ref().map_or_else(|| text.to_owned(), |a| a.redact(text));
        let lang = self.common.lang();
        let analysis = analyzed.diagnosis.view(patterns, lang, &redact);
        let found = !analysis.findings.is_empty();
        let shown = || by_number(&paste, anonymized.as_ref().map(Anonymized::lines));
        let text = match self.format {
            _ if self.each => serde_json::to_string(&analysis).map_err(|_| Error::Internal)? + "\n",
            Format::Json => serde_json::to_string_pretty(&analysis).map_err(|_| Error::Internal)? + "\n",
            Format::Text => render::full::full(&analysis, &shown(), lang, &Extras::default(), false),
            Format::Ticket => {
                render::ticket::ticket(&analysis, &shown(), lang).unwrap_or_else(|| format!("{}\n", word(lang, "ticket.none")))
            }
            Format::Markdown => render::markdown::markdown(&analysis, &shown(), lang, &Extras::default()),
        };
        print(&text)?;
        Ok(found)
    }
}

/// The lines by number: renderings look line 12 up at place 11, and a condensed log has gaps.
fn by_number(paste: &Paste, anonymized: Option<&[String]>) -> Vec<String> {
    let mut lines = Vec::with_capacity(paste.lines.len());
    for (at, line) in paste.lines.iter().enumerate() {
        lines.resize((line.number as usize).saturating_sub(1), String::new());
        lines.push(anonymized.and_then(|lines| lines.get(at)).unwrap_or(&line.text).clone());
    }
    lines
}

/// Reads parts; the user's own machine has no limit but its memory.
fn read(parts: Vec<Part>) -> Result<Paste, Error> {
    intake::read(parts, &Limits { max_decoded: u64::MAX })
}

#[derive(Debug, Args)]
pub struct AnonymizeArgs {
    /// A file; `-` or nothing for standard input.
    file: Option<PathBuf>,
    /// Words to hide beyond the built-in rules, separated by commas.
    #[arg(long, value_delimiter = ',')]
    hide: Vec<String>,
}

impl AnonymizeArgs {
    pub fn run(self) -> Result<ExitCode, Error> {
        let files: Vec<PathBuf> = self.file.into_iter().collect();
        let paste = read(parts(&files)?)?;
        let log = segment::split(&paste);
        let rules = Rules { hide: self.hide, ..Rules::default() };
        let anonymized = anonymize(&paste, &log, &rules);
        let mut text = anonymized.lines().join("\n");
        text.push('\n');
        print(&text)?;
        Ok(ExitCode::SUCCESS)
    }
}
