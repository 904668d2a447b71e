//! The key under which like reports group: `v1:` and a hash over the first failing record with
//! everything masked that differs between machines. Patterns and overlays do not enter.

use crate::pattern::compile::Lazy;
use crate::segment::{Kind, Log, Record};
use sha2::{Digest, Sha256};

static FAILING: Lazy = Lazy::late(
    r"(?i)\b(error|exception|fail(?:ed|ure|s)?|fatal|abort(?:ed)?|killed|panic|cannot|could not|couldn't|unable to|not found|denied|mismatch|xid|no such|timed? ?out)\b|(?:Error|Exception)\b",
);
static NUMBERS: Lazy = Lazy::late(r"(?i)0x[0-9a-f]+|\b[0-9a-f]{8,}\b|<[a-z0-9-]+-\d+>|\d+");
static PATHS: Lazy = Lazy::late(r#"(?:[A-Za-z]:)?(?:[/\\][^\s/\\:"',;()\[\]]+)+"#);

/// True for a text that reads like a failure.
pub fn is_failing(text: &str) -> bool {
    FAILING.get().is_some_and(|regex| regex.is_match(text))
}

/// Records that read like failures, the likeliest first kind first: exceptions, kernel messages
/// of the driver, then anything.
pub fn failing_records(log: &Log) -> impl Iterator<Item = &Record> {
    let rank = |r: &&Record| match log.segment_of(r).kind {
        Kind::PythonTraceback => 0,
        Kind::Dmesg | Kind::Journal if log.text_of(r).contains("NVRM") => 1,
        _ => 2,
    };
    let mut failing: Vec<&Record> =
        log.records.iter().filter(|r| is_failing(log.text_of(r)) && !log.text_of(r).starts_with("Traceback")).collect();
    failing.sort_by_key(rank);
    failing.into_iter()
}

/// The fingerprint of a paste.
pub fn fingerprint(log: &Log) -> String {
    let first = failing_records(log).next().or_else(|| log.records.first());
    let text = first.map_or("", |r| log.text_of(r));
    let digest = Sha256::digest(mask(text).as_bytes());
    let hex: String = digest.iter().take(10).map(|byte| format!("{byte:02x}")).collect();
    format!("v1:{hex}")
}

fn mask(text: &str) -> String {
    let short: String = text.chars().take(2_000).collect();
    let base = |found: &regex::Captures<'_>| found[0].rsplit(['/', '\\']).next().unwrap_or("").to_owned();
    let without_paths = PATHS.get().map_or(short.clone(), |regex| regex.replace_all(&short, base).into_owned());
    NUMBERS.get().map_or(without_paths.clone(), |regex| regex.replace_all(&without_paths, "#").into_owned())
}

#[cfg(test)]
mod tests {
    use super::mask;

    #[test]
    fn what_differs_between_machines_is_masked() {
        let a = mask("File \"/home/anna/x/train.py\", line 12: CUDA error at 0x7f12ab");
        let b = mask("File \"/data/bo/train.py\", line 99: CUDA error at 0x55aa");
        assert_eq!(a, b);
    }
}
