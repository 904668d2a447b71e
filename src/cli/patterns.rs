//! `patterns check|list|show|new`.

use super::{Common, print, unreadable};
use crate::error::Error;
use crate::pattern::file::CauseKind;
use crate::pattern::{load, scaffold};
use clap::{Args, Subcommand};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub struct PatternsArgs {
    #[command(subcommand)]
    command: PatternsCommand,
}

#[derive(Debug, Subcommand)]
enum PatternsCommand {
    /// Check a folder of pattern files (laid over the built-in set), or the built-in set: form, ids, examples.
    Check { folder: Option<PathBuf> },
    /// List all causes by layer, with their signatures and examples counted.
    List {
        /// As a Markdown table of layers, for the README.
        #[arg(long)]
        markdown: bool,
        /// The literals of all signatures, one a line.
        #[arg(long, conflicts_with = "markdown")]
        literals: bool,
        #[command(flatten)]
        common: Common,
    },
    /// Print the pattern file of a cause.
    Show {
        id: String,
        #[command(flatten)]
        common: Common,
    },
    /// Write a commented pattern file: ID.toml in the current folder.
    New { id: String },
}

impl PatternsArgs {
    pub fn run(self) -> Result<ExitCode, Error> {
        match self.command {
            PatternsCommand::Check { folder } => check(folder),
            PatternsCommand::List { markdown: true, common, .. } => table(&common),
            PatternsCommand::List { literals: true, common, .. } => literals(&common),
            PatternsCommand::List { common, .. } => list(&common),
            PatternsCommand::Show { id, common } => show(&id, &common),
            PatternsCommand::New { id } => new(&id),
        }
    }
}

fn check(folder: Option<PathBuf>) -> Result<ExitCode, Error> {
    let (patterns, faults) = match folder {
        Some(folder) => load::check_overlay(&folder)?,
        None => {
            let files = load::embedded_files();
            let (patterns, mut faults) = load::load(files.clone());
            faults.extend(load::run_examples(&patterns, &files));
            (patterns, faults)
        }
    };
    for fault in &faults {
        print(&format!("{fault}\n\n"))?;
    }
    let examples: usize = patterns.causes().iter().map(|c| c.file.example.len()).sum();
    print(&format!(
        "{} causes, {} signatures, {examples} examples, {} faults\n",
        patterns.causes().len(),
        patterns.matcher().signatures().len(),
        faults.len()
    ))?;
    Ok(if faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn list(common: &Common) -> Result<ExitCode, Error> {
    let patterns = common.patterns()?;
    let lang = common.lang();
    let lines = patterns.causes().iter().map(|cause| {
        let kind = if cause.kind == CauseKind::Symptom { "symptom" } else { "" };
        format!("{:<12} {:<40} {:<8} {}\n", cause.layer.name(), cause.id(), kind, cause.file.title.get_ref().get(lang))
    });
    print(&lines.collect::<String>())?;
    Ok(ExitCode::SUCCESS)
}

fn literals(common: &Common) -> Result<ExitCode, Error> {
    let patterns = common.patterns()?;
    print(&patterns.matcher().literals().map(|literal| format!("{literal}\n")).collect::<String>())?;
    Ok(ExitCode::SUCCESS)
}

/// Layers × causes × signatures × examples.
fn table(common: &Common) -> Result<ExitCode, Error> {
    let patterns = common.patterns()?;
    let mut rows: BTreeMap<_, [usize; 4]> = BTreeMap::new();
    for cause in patterns.causes() {
        let row = rows.entry(cause.layer).or_default();
        let counts = [1, cause.file.signature.len(), cause.file.condition.len(), cause.file.example.len()];
        row.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
    }
    let mut text = "| layer | causes | signatures | conditions | examples |\n|---|---|---|---|---|\n".to_owned();
    let mut total = [0; 4];
    for (layer, row) in &rows {
        total.iter_mut().zip(row).for_each(|(sum, count)| *sum += count);
        text.push_str(&format!("| {} | {} | {} | {} | {} |\n", layer.name(), row[0], row[1], row[2], row[3]));
    }
    text.push_str(&format!("| **all** | **{}** | **{}** | **{}** | **{}** |\n", total[0], total[1], total[2], total[3]));
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn show(id: &str, common: &Common) -> Result<ExitCode, Error> {
    let patterns = common.patterns()?;
    let cause = patterns.cause(id).ok_or(Error::UnknownId)?;
    print(&cause.source)?;
    Ok(ExitCode::SUCCESS)
}

fn new(id: &str) -> Result<ExitCode, Error> {
    let path = PathBuf::from(format!("{id}.toml"));
    let mut file = std::fs::File::create_new(&path).map_err(|e| unreadable(&path, &e))?;
    std::io::Write::write_all(&mut file, scaffold::file(id).as_bytes()).map_err(|e| unreadable(&path, &e))?;
    print(&format!("{}\n", path.display()))?;
    Ok(ExitCode::SUCCESS)
}
