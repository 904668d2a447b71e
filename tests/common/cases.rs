//! The cases of the corpus, loaded once, and their analysis.

#![allow(dead_code, reason = "each test uses a part")]

use faultbook::diagnose::analysis::{Analysis, Effect, Finding};
use faultbook::eval::{self, Case};
use faultbook::i18n::Lang;
use faultbook::intake::{self, Limits, Part, Paste};
use faultbook::pattern::Patterns;
use std::path::Path;
use std::sync::{Arc, LazyLock};

pub static PATTERNS: LazyLock<Arc<Patterns>> = LazyLock::new(|| Patterns::builtin().expect("the built-in set loads"));

/// A case with its text, and what the analysis says of that text as it is.
pub struct Sample {
    /// `driver/02-nvml-mismatch-short`.
    pub name: String,
    pub case: Case,
    /// Clean lines, without the line ends.
    pub lines: Vec<String>,
    pub analysis: Analysis,
}

impl Sample {
    pub fn is_positive(&self) -> bool {
        self.case.cause != "none"
    }

    /// True for the cause of the case, and for those that answer it as well.
    pub fn is_right(&self, id: &str) -> bool {
        id == self.case.cause || self.case.also_ok.iter().any(|ok| ok == id)
    }

    /// The finding that answers the case, where there is one.
    pub fn answer(&self) -> Option<&Finding> {
        self.analysis.findings.iter().find(|f| self.is_right(&f.cause))
    }
}

/// All cases below `corpus/<name>`, analysed.
pub fn samples(name: &str) -> Vec<Sample> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
    let located = eval::cases(&root).expect("the corpus reads");
    let sample = |at: eval::Located| {
        let bytes = std::fs::read(at.folder.join("input.log")).expect("the input");
        let lines = read(bytes.clone()).lines.into_iter().map(|line| line.text).collect();
        let name = at.folder.strip_prefix(&root).unwrap_or(&at.folder).display().to_string();
        Sample { name, case: at.case, lines, analysis: analyze(bytes) }
    };
    located.into_iter().map(sample).collect()
}

/// The cases of the symptom table (`tests/rows`) as samples, analysed.
pub fn row_samples() -> Vec<Sample> {
    #[derive(serde::Deserialize)]
    struct Row {
        case: Vec<RowCase>,
    }
    #[derive(serde::Deserialize)]
    struct RowCase {
        name: String,
        text: String,
        first: Vec<String>,
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rows");
    let mut paths: Vec<_> = std::fs::read_dir(folder).expect("the rows").map(|e| e.expect("an entry").path()).collect();
    paths.sort();
    let mut samples = Vec::new();
    for path in paths {
        let row: Row = toml::from_str(&std::fs::read_to_string(&path).expect("a row")).expect("the row's form");
        for case in row.case {
            let (cause, also_ok) =
                case.first.split_first().map_or(("none".to_owned(), Vec::new()), |(first, rest)| (first.clone(), rest.to_vec()));
            let name = format!("{}: {}", path.file_stem().unwrap_or_default().display(), case.name);
            let lines = read(case.text.clone().into_bytes()).lines.into_iter().map(|line| line.text).collect();
            let case_of = Case {
                title: case.name,
                cause,
                also_ok,
                acceptable_top3: Vec::new(),
                must_not: Vec::new(),
                needs_combination: false,
                secrets: Vec::new(),
            };
            samples.push(Sample { name, case: case_of, lines, analysis: analyze(case.text) });
        }
    }
    samples
}

/// The paste of these bytes.
pub fn read(bytes: Vec<u8>) -> Paste {
    intake::read(vec![Part { name: "input.log".into(), bytes }], &Limits::default()).expect("the text reads")
}

/// The analysis of a text.
pub fn analyze(text: impl Into<Vec<u8>>) -> Analysis {
    faultbook::analyze(&read(text.into()), &PATTERNS).diagnosis.view(&PATTERNS, Lang::En, &str::to_owned)
}

/// Id of the first finding.
pub fn first(analysis: &Analysis) -> Option<&str> {
    analysis.findings.first().map(|f| f.cause.as_str())
}

/// Line numbers (1-based) of the heaviest evidence of a finding: without them it is not to be
/// found. Of several pieces of one weight, the first.
pub fn leading_lines(finding: &Finding) -> Vec<u32> {
    let weights = finding.evidence.iter().filter(|e| e.effect == Effect::For && !e.lines.is_empty());
    let heaviest = weights.fold(None, |best: Option<&faultbook::diagnose::analysis::Evidence>, e| match best {
        Some(b) if b.strength > e.strength || (b.strength == e.strength && b.weight >= e.weight) => Some(b),
        _ => Some(e),
    });
    heaviest.map_or_else(Vec::new, |e| e.lines.clone())
}

/// Indices of all lines of the messages that these lines (by number) belong to.
pub fn message_lines(sample: &Sample, numbers: &[u32]) -> Vec<usize> {
    let log = faultbook::segment::split(&read(sample.lines.join("\n").into_bytes()));
    let asked = |index: u32| numbers.contains(&(index + 1));
    let records = log.records.iter().filter(|r| r.pieces.iter().any(|p| asked(p.1)));
    records.flat_map(|r| r.pieces.iter().map(|p| p.1 as usize)).collect()
}

/// The sections of a paste, as ranges of lines: each begins with a prompt, or after a blank
/// line with something of another kind or place.
pub fn sections(sample: &Sample) -> Vec<std::ops::Range<usize>> {
    let text = sample.lines.join("\n");
    let paste = read(text.into_bytes());
    let log = faultbook::segment::split(&paste);
    let blank = |at: usize| sample.lines.get(at).is_none_or(|line| line.trim().is_empty());
    let begins = |s: &faultbook::segment::Segment| s.command.is_some() || s.lines.start == 0 || blank(s.lines.start - 1);
    let mut starts: Vec<usize> = log.segments.iter().filter(|s| begins(s)).map(|s| s.lines.start).collect();
    // Where a heading or a shell inside a container says it for all that follows, order is
    // part of what the paste says: only whole places are moved.
    if log.scopes.len() > 1 {
        let place = |at: usize| log.segments.iter().find(|s| s.lines.contains(&at)).map(|s| s.scope);
        let all = starts.clone();
        starts.retain(|at| all.iter().rev().find(|before| *before < at).is_none_or(|before| place(*before) != place(*at)));
    }
    let ends = starts.iter().skip(1).copied().chain([sample.lines.len()]);
    starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
}
