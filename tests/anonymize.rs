//! Scores the anonymiser on the open collection and on the corpus.

use faultbook::anonymize::{Anonymized, Rules, anonymize};
use faultbook::i18n::Lang;
use faultbook::intake::{Limits, Part, Paste, read};
use faultbook::pattern::Patterns;
use faultbook::segment;
use serde::Deserialize;
use std::path::{Path, PathBuf};

#[derive(Deserialize)]
struct Entry {
    id: String,
    text: String,
    secrets: Vec<String>,
    must_keep: Vec<String>,
}

#[derive(Deserialize)]
struct Case {
    #[serde(default)]
    secrets: Vec<String>,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Reads the text as the service does: prefixes tell host names.
fn paste(text: &str) -> Paste {
    read(vec![Part { name: String::new(), bytes: text.as_bytes().to_vec() }], &Limits::default()).expect("the text reads")
}

fn run(text: &str) -> Anonymized {
    let paste = paste(text);
    let log = segment::split(&paste);
    let out = anonymize(&paste, &log, &Rules::default());
    assert_eq!(out.lines().len(), paste.lines.len(), "the number of lines changed");
    out
}

/// Entries and what the anonymiser made of them.
fn collection(name: &str) -> Vec<Entry> {
    let path = root().join("tests/anonymize").join(name);
    let entries: Vec<Entry> = std::fs::read_to_string(&path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(entries.len() > 50, "{} entries", entries.len());
    entries
}

/// The shares of secrets gone and of words kept; misses are printed.
fn score(entries: &[Entry]) -> (f64, f64) {
    let (mut secrets, mut gone, mut words, mut kept) = (0u32, 0u32, 0u32, 0u32);
    for entry in entries {
        let out = run(&entry.text).lines().join("\n");
        for secret in &entry.secrets {
            secrets += 1;
            if out.contains(secret.as_str()) {
                eprintln!("{}: not hidden: {secret:?} in\n{out}", entry.id);
            } else {
                gone += 1;
            }
        }
        for word in &entry.must_keep {
            words += 1;
            if out.contains(word.as_str()) {
                kept += 1;
            } else {
                eprintln!("{}: lost: {word:?} in\n{out}", entry.id);
            }
        }
    }
    let shares = (f64::from(gone) / f64::from(secrets), f64::from(kept) / f64::from(words));
    eprintln!("secrets {gone}/{secrets} = {:.4}, words {kept}/{words} = {:.4}", shares.0, shares.1);
    shares
}

#[test]
fn the_open_collection_is_anonymised() {
    let (recall, kept) = score(&collection("open.jsonl"));
    assert!(recall >= 0.995, "recall {recall:.4}");
    assert!(kept >= 0.998, "kept {kept:.4}");
}

/// Entries written for this project, beyond the open collection.
#[test]
fn the_own_collection_is_anonymised() {
    let (recall, kept) = score(&collection("own.jsonl"));
    assert!(recall >= 0.995, "recall {recall:.4}");
    assert!(kept >= 0.998, "kept {kept:.4}");
}

/// Entries written by somebody who had not read the detectors.
#[test]
fn the_fresh_collection_is_anonymised() {
    let (recall, kept) = score(&collection("fresh.jsonl"));
    assert!(recall >= 0.98, "recall {recall:.4}");
    assert!(kept >= 0.99, "kept {kept:.4}");
}

/// Sibling forms of what the fresh collection showed to be missing.
#[test]
fn the_sibling_forms_are_anonymised() {
    let (recall, kept) = score(&collection("siblings.jsonl"));
    assert!(recall >= 0.995, "recall {recall:.4}");
    assert!(kept >= 0.998, "kept {kept:.4}");
}

#[test]
fn anonymising_twice_changes_nothing() {
    let mut changed = Vec::new();
    for entry in ["open.jsonl", "own.jsonl", "fresh.jsonl", "siblings.jsonl"].into_iter().flat_map(collection) {
        let once = run(&entry.text).lines().join("\n");
        let twice = run(&once).lines().join("\n");
        if once != twice {
            changed.push(format!("{}:\n{once}\n{twice}", entry.id));
        }
    }
    assert!(changed.is_empty(), "{}", changed.join("\n"));
}

fn cases() -> Vec<PathBuf> {
    let mut all = Vec::new();
    let mut folders = vec![root().join("corpus/known")];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
        for path in entries.map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.file_name().is_some_and(|name| name == "case.toml") {
                all.push(path);
            }
        }
    }
    all.sort();
    all
}

#[test]
fn no_secret_of_the_corpus_survives() {
    let cases = cases();
    assert!(cases.len() > 50, "{} cases", cases.len());
    let mut left = Vec::new();
    for path in cases {
        let case: Case = toml::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let bytes = std::fs::read(path.with_file_name("input.log")).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        let out = run(&text).lines().join("\n");
        for secret in case.secrets.iter().filter(|secret| out.to_lowercase().contains(&secret.to_lowercase())) {
            left.push(format!("{}: {secret}", path.display()));
        }
        let twice = run(&out).lines().join("\n");
        for (one, two) in out.lines().zip(twice.lines()).filter(|(one, two)| one != two) {
            left.push(format!("{}: changed again:\n  {one}\n  {two}", path.display()));
        }
    }
    assert!(left.is_empty(), "{}", left.join("\n"));
}

/// The first cause of the raw and of the anonymised text.
#[test]
fn the_analysis_of_the_anonymised_text_is_the_same() {
    let patterns = Patterns::builtin().unwrap();
    let first = |paste: &Paste| {
        let view = faultbook::analyze(paste, &patterns).diagnosis.view(&patterns, Lang::En, &str::to_owned);
        view.findings.first().map(|finding| finding.cause.clone())
    };
    let (mut all, mut other) = (0usize, Vec::new());
    for path in cases() {
        let bytes = std::fs::read(path.with_file_name("input.log")).unwrap();
        let Ok(raw) = read(vec![Part { name: "input.log".into(), bytes }], &Limits::default()) else { continue };
        let log = segment::split(&raw);
        let text = anonymize(&raw, &log, &Rules::default()).lines().join("\n");
        let again = read(vec![Part { name: "input.log".into(), bytes: text.into_bytes() }], &Limits::default()).unwrap();
        let (one, two) = (first(&raw), first(&again));
        all += 1;
        if one != two {
            other.push(format!("{}: {one:?} became {two:?}", path.display()));
        }
    }
    eprintln!("the same first cause: {} of {all}", all - other.len());
    assert!(other.len() * 100 <= all, "{}", other.join("\n"));
}

/// Writes what the anonymiser makes of every case, to be read by a person:
/// `cargo test --test anonymize show -- --ignored --nocapture`.
#[test]
#[ignore = "prints for reading"]
fn show() {
    for path in cases() {
        let bytes = std::fs::read(path.with_file_name("input.log")).unwrap();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let out = run(&text);
        println!("== {}", path.parent().unwrap().display());
        for (raw, line) in text.split('\n').zip(out.lines()).filter(|(raw, line)| raw != line) {
            println!("- {raw}\n+ {line}");
        }
    }
}

/// A log of a kind, of about so many megabytes.
fn log_of(kind: &str, megabytes: usize) -> String {
    let line = |at: usize| match kind {
        "syslog" => format!(
            "Nov 12 03:{:02}:{:02} dgx-a17 systemd[1]: session-{}.scope: Deactivated successfully, consumed {} ms of processor time",
            at / 60 % 60,
            at % 60,
            at % 900,
            at % 7919
        ),
        "nccl" => format!(
            "dgx-a17:{}:{} [{}] NCCL INFO Channel {:02}/0 : {}[{}] -> {}[{}] via P2P/CUMEM/read",
            20_000 + at % 8,
            21_000 + at % 8,
            at % 8,
            at % 24,
            at % 8,
            at % 8,
            (at + 1) % 8,
            (at + 1) % 8
        ),
        "training" => format!(
            "2026-11-24 10:{:02}:{:02},{:03} INFO trainer: epoch {} step {}/90000 loss={:.4} lr=1.5e-05 cuda mem 41.2 GiB dataloader worker ok",
            at / 60 % 60,
            at % 60,
            at % 1000,
            at / 90_000,
            at % 90_000,
            2.5 - at as f64 / 2e6
        ),
        "paths" => {
            format!("  File \"/opt/conda/lib/python3.10/site-packages/torch/nn/modules/module.py\", line {}, in _call_impl", at % 3000)
        }
        _ => format!("password=x{at} user@host-{at} /mnt/team-{at}/a 10.0.{}.{} \\\\srv-{at}\\share ", at / 256 % 256, at % 256),
    };
    let mut text = String::with_capacity(megabytes * 1_000_000 + 400);
    let joint = if kind == "hostile" { ' ' } else { '\n' };
    for at in 0.. {
        text.push_str(&line(at));
        text.push(joint);
        if text.len() >= megabytes * 1_000_000 {
            break;
        }
    }
    text
}

/// Prints the speed on one core, the best of some runs: see `benches/anonymize`.
#[test]
#[ignore = "measures; run it in a release build"]
fn speed() {
    for kind in ["syslog", "nccl", "training", "paths", "hostile"] {
        let paste = paste(&log_of(kind, 10));
        let log = segment::split(&paste);
        let best = (0..5)
            .map(|_| {
                let started = std::time::Instant::now();
                assert_eq!(anonymize(&paste, &log, &Rules::default()).lines().len(), paste.lines.len());
                started.elapsed().as_secs_f64()
            })
            .fold(f64::INFINITY, f64::min);
        println!("{kind:<10} {:>6.1} MB/s", 10.0 / best);
    }
}
