//! `explain`: what a code, a name or a line means.

use super::{Common, Format, print};
use crate::error::Error;
use crate::explain::explain;
use crate::i18n::word;
use clap::Args;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// `xid 79`, `0x26:0x56:1474`, `cuda 804`, `exit -9`, `sm_120`, `driver 550.90`, a cause id, or a line of a log.
    #[arg(required = true, num_args = 1.., allow_hyphen_values = true, value_name = "THING")]
    thing: Vec<String>,
    #[arg(long, default_value = "text")]
    format: Format,
    #[command(flatten)]
    common: Common,
}

impl ExplainArgs {
    pub fn run(self) -> Result<ExitCode, Error> {
        let patterns = self.common.patterns()?;
        let lang = self.common.lang();
        let found = explain(&patterns, &self.thing.join(" "));
        let text = match self.format {
            Format::Json => serde_json::to_string_pretty(&found).map_err(|_| Error::Internal)? + "\n",
            _ if found.is_empty() => format!("{}\n", word(lang, "explain-nothing")),
            _ => found.iter().map(|e| e.text(&patterns, lang)).collect(),
        };
        print(&text)?;
        Ok(if found.is_empty() { ExitCode::from(1) } else { ExitCode::SUCCESS })
    }
}
