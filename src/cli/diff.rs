//! `diff A B`: two pastes side by side.

use super::{Common, Format, parts, print};
use crate::compare::{compare, text};
use crate::diagnose::analysis::Analysis;
use crate::error::Error;
use crate::intake::{self, Limits};
use crate::pattern::Patterns;
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Debug, Args)]
pub struct DiffArgs {
    /// The earlier paste: a file or folder.
    before: PathBuf,
    /// The later one.
    after: PathBuf,
    #[arg(long, default_value = "text")]
    format: Format,
    #[command(flatten)]
    common: Common,
}

impl DiffArgs {
    /// 0 where they agree, 1 where something differs, as `diff` does.
    pub fn run(self) -> Result<ExitCode, Error> {
        let patterns = self.common.patterns()?;
        let lang = self.common.lang();
        let before = self.analysis(&self.before, &patterns)?;
        let after = self.analysis(&self.after, &patterns)?;
        let differences = compare(&before, &after, lang);
        let shown = match self.format {
            Format::Json => serde_json::to_string_pretty(&differences).map_err(|_| Error::Internal)? + "\n",
            _ => text(&before, &after, &differences, lang),
        };
        print(&shown)?;
        Ok(ExitCode::from(u8::from(!differences.is_empty())))
    }

    fn analysis(&self, path: &Path, patterns: &Patterns) -> Result<Analysis, Error> {
        let paste = intake::read(parts(&[path.to_path_buf()])?, &Limits { max_decoded: u64::MAX })?;
        Ok(crate::analyze(&paste, patterns).diagnosis.view(patterns, self.common.lang(), &str::to_owned))
    }
}
