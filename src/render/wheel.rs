//! The install line that works, in words: on the command line and on its page.

use crate::facts::chips;
use crate::facts::wheel::{Pin, Wheel, WhyNot, best};
use crate::i18n::{Lang, word};
use crate::pattern::Tables;

/// What is asked: driver, cards and Python; what is empty is not checked.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    pub driver: Option<String>,
    /// Names or capabilities: `RTX 3090`, `8.6`, `sm_86`.
    pub gpus: Vec<String>,
    pub python: Option<String>,
}

/// The answer: commands to choose from, and the reasons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// For pip, uv and conda; empty where nothing fits.
    pub commands: Vec<String>,
    pub reasons: Vec<String>,
}

/// The newest set that fits.
///
/// # Errors
/// The name of a card that is not known.
pub fn advise(tables: &Tables, wanted: &Wanted, lang: Lang) -> Result<Advice, String> {
    let mut capabilities = Vec::new();
    for gpu in &wanted.gpus {
        capabilities.push(capability(tables, gpu).ok_or_else(|| gpu.clone())?);
    }
    let names: Vec<&str> = capabilities.iter().map(String::as_str).collect();
    Ok(match best(tables, wanted.driver.as_deref(), &names, wanted.python.as_deref()) {
        Ok(wheel) => fits(&wheel, wanted.python.as_deref(), lang),
        Err(why) => Advice { commands: Vec::new(), reasons: nothing_fits(&why, lang) },
    })
}

fn capability(tables: &Tables, gpu: &str) -> Option<String> {
    let number = gpu.trim().strip_prefix("sm_").map(chips::dotted).unwrap_or_else(|| gpu.trim().to_owned());
    if number.split_once('.').is_some_and(|(a, b)| a.parse::<u8>().is_ok() && b.parse::<u8>().is_ok()) {
        return Some(number);
    }
    chips::capability(tables, gpu).map(str::to_owned)
}

fn fits(wheel: &Wheel, python: Option<&str>, lang: Lang) -> Advice {
    let pip = wheel.command();
    let uv = pip.replacen("pip install", "uv pip install", 1);
    // The wheels of the index are what the tables speak of, so conda only makes the environment.
    let python = python.filter(|p| p.chars().all(|c| c.is_ascii_digit() || c == '.')).map_or(String::new(), |p| format!("={p}"));
    let conda = format!("conda create -y -n torch python{python} && conda run -n torch {pip}");
    let needs = word(lang, "wheel-needs").replace("{cuda}", &wheel.cuda).replace("{driver}", wheel.driver_min);
    let reasons = std::iter::once(needs).chain(wheel.pins.iter().map(|pin| reason(pin, lang)));
    Advice { commands: vec![pip, uv, conda], reasons: reasons.collect() }
}

fn nothing_fits(why: &WhyNot, lang: Lang) -> Vec<String> {
    let mut reasons = vec![word(lang, "wheel-none").to_owned()];
    match why {
        WhyNot::DriverTooOldForChip { arch, need } => {
            reasons.push(word(lang, "wheel-driver-too-old").replace("{arch}", arch).replace("{need}", need));
        }
        WhyNot::DriverDroppedChip { arch, last } => {
            reasons.push(word(lang, "wheel-driver-dropped").replace("{arch}", arch).replace("{last}", last));
        }
        WhyNot::NoWheel { pins } => reasons.extend(pins.iter().map(|pin| reason(pin, lang))),
    }
    reasons
}

fn reason(pin: &Pin, lang: Lang) -> String {
    match pin {
        Pin::Driver { need } => word(lang, "pin-driver").replace("{need}", need),
        Pin::Arch { arch } => word(lang, "pin-arch").replace("{arch}", arch),
        Pin::Python { version } => word(lang, "pin-python").replace("{version}", version),
        Pin::Unknown => word(lang, "pin-unknown").to_owned(),
    }
}
