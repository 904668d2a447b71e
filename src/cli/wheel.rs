//! `wheel`: the install line that works with this driver, chip and Python.

use super::{Common, print};
use crate::error::Error;
use crate::facts::chips;
use crate::facts::wheel::{Pin, Wheel, WhyNot, best};
use crate::i18n::{Lang, word};
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
    pub fn run(self) -> Result<ExitCode, Error> {
        let patterns = self.common.patterns()?;
        let lang = self.common.lang();
        let mut capabilities = Vec::new();
        for gpu in &self.gpu {
            let capability = capability(&patterns, gpu)
                .ok_or_else(|| Error::BadSetting { name: "--gpu".to_owned(), reason: format!("no card of that name is known: {gpu}") })?;
            capabilities.push(capability);
        }
        let names: Vec<&str> = capabilities.iter().map(String::as_str).collect();
        match best(patterns.tables(), self.driver.as_deref(), &names, self.python.as_deref()) {
            Ok(wheel) => {
                print(&fits(&wheel, lang))?;
                Ok(ExitCode::SUCCESS)
            }
            Err(why) => {
                print(&nothing_fits(&why, lang))?;
                Ok(ExitCode::from(1))
            }
        }
    }
}

fn capability(patterns: &crate::pattern::Patterns, gpu: &str) -> Option<String> {
    let number = gpu.trim().strip_prefix("sm_").map(chips::dotted).unwrap_or_else(|| gpu.trim().to_owned());
    if number.split_once('.').is_some_and(|(a, b)| a.parse::<u8>().is_ok() && b.parse::<u8>().is_ok()) {
        return Some(number);
    }
    chips::capability(patterns.tables(), gpu).map(str::to_owned)
}

fn fits(wheel: &Wheel, lang: Lang) -> String {
    let mut text = format!("{}\n{}\n", wheel.command(), uv(wheel));
    let needs = word(lang, "wheel-needs").replace("{cuda}", &wheel.cuda).replace("{driver}", wheel.driver_min);
    text.push_str(&format!("  {needs}\n"));
    for pin in &wheel.pins {
        text.push_str(&format!("  {}\n", reason(pin, lang)));
    }
    text
}

/// The same set for uv.
fn uv(wheel: &Wheel) -> String {
    wheel.command().replacen("pip install", "uv pip install", 1)
}

fn nothing_fits(why: &WhyNot, lang: Lang) -> String {
    let mut text = format!("{}\n", word(lang, "wheel-none"));
    match why {
        WhyNot::DriverTooOldForChip { arch, need } => {
            text.push_str(&format!("  {}\n", word(lang, "wheel-driver-too-old").replace("{arch}", arch).replace("{need}", need)))
        }
        WhyNot::DriverDroppedChip { arch, last } => {
            text.push_str(&format!("  {}\n", word(lang, "wheel-driver-dropped").replace("{arch}", arch).replace("{last}", last)))
        }
        WhyNot::NoWheel { pins } => pins.iter().for_each(|pin| text.push_str(&format!("  {}\n", reason(pin, lang)))),
    }
    text
}

fn reason(pin: &Pin, lang: Lang) -> String {
    match pin {
        Pin::Driver { need } => word(lang, "pin-driver").replace("{need}", need),
        Pin::Arch { arch } => word(lang, "pin-arch").replace("{arch}", arch),
        Pin::Python { version } => word(lang, "pin-python").replace("{version}", version),
        Pin::Unknown => word(lang, "pin-unknown").to_owned(),
    }
}
