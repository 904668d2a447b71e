//! The command line: what each command takes and how it ends.
//!
//! Exit status: 0 done or fine, 1 a finding or a failed check, 2 usage or error; `analyze` is
//! like grep: 0 a finding, 1 none, 2 error.

mod analyze;
mod diff;
mod eval;
mod explain;
mod long;
mod patterns;
mod run;
mod service;
mod store;
mod wheel;

use crate::error::Error;
use crate::i18n::Lang;
use crate::intake::Part;
use crate::pattern::Patterns;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::io::{IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// Paste a failed GPU job's logs; get ranked causes, the evidence, and fixes from soft to hard.
#[derive(Debug, Parser)]
#[command(name = "faultbook", version, propagate_version = true)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Analyse logs: files or one folder make one case; without any, standard input.
    Analyze(analyze::AnalyzeArgs),
    /// Run a command, pass its output through, and explain it when it fails; its exit status is kept.
    Run(run::RunArgs),
    /// Collect what this machine says of itself, read-only, and analyse it.
    Doctor(run::DoctorArgs),
    /// Compare two pastes: the facts that differ.
    Diff(diff::DiffArgs),
    /// Replace what is personal or secret, and print the rest unchanged.
    Anonymize(analyze::AnonymizeArgs),
    /// Serve the web form, the pages and the API.
    Serve(service::ServeArgs),
    /// The torch install line that works with a driver, a card and a Python.
    Wheel(wheel::WheelArgs),
    /// Print the script that collects what an analysis needs; run it with: faultbook collect | sh
    Collect,
    /// Score the analysis on cases with known answers.
    Eval(eval::EvalArgs),
    /// Say what a code, a name or a line means.
    Explain(explain::ExplainArgs),
    /// Check, list, show and start pattern files.
    Patterns(patterns::PatternsArgs),
    /// Make the store's tables, or bring them up to date; `serve` does so itself.
    Migrate(store::MigrateArgs),
    /// Copy every report from one store to another, and compare the counts.
    Copy(store::CopyArgs),
    /// Delete every report whose time is over; `serve` does so every minute.
    Purge(store::PurgeArgs),
    /// Print all settings with their defaults, as a settings file.
    DefaultConfig(service::DefaultConfigArgs),
    /// Print the completion script of a shell.
    Completions(service::CompletionsArgs),
}

/// What several commands take.
#[derive(Debug, Args)]
pub struct Common {
    /// Folder of pattern files laid over the built-in ones.
    #[arg(long, env = "FAULTBOOK_PATTERNS", value_name = "DIR")]
    patterns: Option<PathBuf>,
    /// Language of the answer.
    #[arg(long, env = "FAULTBOOK_LANG")]
    lang: Option<Lang>,
}

impl Common {
    fn patterns(&self) -> Result<Arc<Patterns>, Error> {
        match &self.patterns {
            Some(folder) => Patterns::with_overlay(folder),
            None => Patterns::builtin(),
        }
    }

    /// The set with examples not run.
    fn draft(&self) -> Result<Arc<Patterns>, Error> {
        match &self.patterns {
            Some(folder) => Patterns::with_draft(folder),
            None => Patterns::builtin(),
        }
    }

    fn lang(&self) -> Lang {
        let system = || std::env::var("LC_ALL").or_else(|_| std::env::var("LANG")).ok();
        self.lang.or_else(|| Lang::from_tag(&system()?)).unwrap_or_default()
    }
}

/// How an answer is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    #[default]
    Text,
    Json,
    Markdown,
    /// A ticket for the vendor, in Markdown, where a card is at fault.
    Ticket,
}

/// Exit status of a usage error or a failure.
const FAILED: u8 = 2;

impl Cli {
    /// Runs the command and says how the process ends.
    pub fn run(self) -> ExitCode {
        let outcome = match self.command {
            Command::Analyze(args) => args.run(),
            Command::Run(args) => args.run(),
            Command::Doctor(args) => args.run(),
            Command::Diff(args) => args.run(),
            Command::Anonymize(args) => args.run(),
            Command::Serve(args) => args.run(),
            Command::Wheel(args) => args.run(),
            Command::Collect => service::collect(),
            Command::DefaultConfig(args) => args.run(),
            Command::Completions(args) => args.run(),
            Command::Eval(args) => args.run(),
            Command::Explain(args) => args.run(),
            Command::Patterns(args) => args.run(),
            Command::Migrate(args) => args.run(),
            Command::Copy(args) => args.run(),
            Command::Purge(args) => args.run(),
        };
        match outcome {
            Ok(code) => code,
            Err(error) => {
                let lang = std::env::var("FAULTBOOK_LANG").ok().and_then(|tag| Lang::from_tag(&tag)).unwrap_or_default();
                complain(&error, lang);
                ExitCode::from(FAILED)
            }
        }
    }
}

fn complain(error: &Error, lang: Lang) {
    let text = format!("faultbook: {}: {}\n  {}\n", error.code(), error.message(lang), error.remedy(lang));
    // Where standard error is closed there is nobody left to tell.
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Writes to standard output; a closed pipe ends quietly, as for other filters.
fn print(text: &str) -> Result<(), Error> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Error::Unreadable { path: "standard output".to_owned(), reason: error.kind().to_string() })
        }
        _ => Ok(()),
    }
}

/// Reads the named files, the files of a named folder, or standard input.
fn parts(paths: &[PathBuf]) -> Result<Vec<Part>, Error> {
    if paths.is_empty() || paths == [PathBuf::from("-")] {
        return Ok(vec![standard_input()?]);
    }
    let mut parts = Vec::new();
    for path in paths {
        if path.is_dir() {
            let mut inside: Vec<PathBuf> = std::fs::read_dir(path)
                .map_err(|e| unreadable(path, &e))?
                .filter_map(|e| Some(e.ok()?.path()))
                .filter(|p| p.is_file())
                .collect();
            inside.sort();
            for file in inside {
                parts.push(part(&file)?);
            }
        } else {
            parts.push(part(path)?);
        }
    }
    Ok(parts)
}

fn standard_input() -> Result<Part, Error> {
    let mut bytes = Vec::new();
    if std::io::stdin().is_terminal() {
        let hint = "faultbook: reading standard input; end with Ctrl-D\n";
        let _ = std::io::stderr().lock().write_all(hint.as_bytes());
    }
    std::io::stdin().lock().read_to_end(&mut bytes).map_err(|e| unreadable(Path::new("-"), &e))?;
    Ok(Part { name: String::new(), bytes })
}

fn part(path: &Path) -> Result<Part, Error> {
    let bytes = std::fs::read(path).map_err(|e| unreadable(path, &e))?;
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    Ok(Part { name, bytes })
}

fn unreadable(path: &Path, error: &std::io::Error) -> Error {
    Error::Unreadable { path: path.display().to_string(), reason: error.kind().to_string() }
}
