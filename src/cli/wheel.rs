//! `wheel`: the install line that works with this driver, chip and Python.

use super::{Common, print};
use crate::error::Error;
use crate::render::wheel::{Wanted, advise};
use clap::Args;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub struct WheelArgs {
    /// Version of the NVIDIA driver: `470`, `535.183.01`.
    #[arg(long)]
    driver: Option<String>,
    /// Name or capability of a card: `RTX 3090`, `8.6`, `sm_86`; several times for several.
    #[arg(long)]
    gpu: Vec<String>,
    /// Version of Python: `3.10`.
    #[arg(long)]
    python: Option<String>,
    #[command(flatten)]
    common: Common,
}

impl WheelArgs {
    /// 0 with the commands, 1 where nothing fits.
    pub fn run(self) -> Result<ExitCode, Error> {
        let patterns = self.common.patterns()?;
        let wanted = Wanted { driver: self.driver, gpus: self.gpu, python: self.python };
        let unknown = |gpu| Error::BadSetting { name: "--gpu".to_owned(), reason: format!("no card of that name is known: {gpu}") };
        let advice = advise(patterns.tables(), &wanted, self.common.lang()).map_err(unknown)?;
        let commands = advice.commands.iter().map(|command| format!("{command}\n"));
        let reasons = advice.reasons.iter().map(|reason| format!("  {reason}\n"));
        print(&commands.chain(reasons).collect::<String>())?;
        Ok(ExitCode::from(u8::from(advice.commands.is_empty())))
    }
}
