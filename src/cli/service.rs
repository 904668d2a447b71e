//! `serve`, and what helps to run it: `default-config`, `collect`, `completions`.

use super::{Cli, print};
use crate::config::{Config, SettingFlags, default_config, markdown_table};
use crate::error::Error;
use crate::i18n::Lang;
use crate::pattern::Patterns;
use clap::{Args, CommandFactory};
use std::process::ExitCode;

#[derive(Debug, Args)]
pub struct ServeArgs {
    #[command(flatten)]
    settings: SettingFlags,
}

impl ServeArgs {
    pub fn run(self) -> Result<ExitCode, Error> {
        let config = Config::load(&self.settings.0)?;
        let patterns = match &config.patterns {
            Some(folder) => Patterns::with_overlay(folder)?,
            None => Patterns::builtin()?,
        };
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|_| Error::Internal)?;
        runtime.block_on(crate::web::serve::serve(config, patterns))?;
        Ok(ExitCode::SUCCESS)
    }
}

#[derive(Debug, Args)]
pub struct DefaultConfigArgs {
    /// As the README's table, in this language.
    #[arg(long, value_name = "LANG")]
    markdown: Option<Lang>,
}

impl DefaultConfigArgs {
    pub fn run(self) -> Result<ExitCode, Error> {
        print(&self.markdown.map_or_else(default_config, markdown_table))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Prints the script that collects what an analysis needs, read-only and without sudo.
pub fn collect() -> Result<ExitCode, Error> {
    print(include_str!("../../static/collect.sh"))?;
    Ok(ExitCode::SUCCESS)
}

#[derive(Debug, Args)]
pub struct CompletionsArgs {
    shell: clap_complete::Shell,
}

impl CompletionsArgs {
    pub fn run(self) -> Result<ExitCode, Error> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "faultbook", &mut script);
        print(&String::from_utf8_lossy(&script))?;
        Ok(ExitCode::SUCCESS)
    }
}
