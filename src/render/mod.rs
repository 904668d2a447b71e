//! Renderings of one analysis: the short text that curl gets, the full text, Markdown.
//!
//! The pages use the same helpers for their words. Every text that may come from a paste goes
//! through [`clean`]: no control character reaches a terminal.

pub mod full;
pub mod labels;
pub mod markdown;
pub mod text;
pub mod ticket;
pub mod wheel;

use crate::diagnose::analysis::{Analysis, Evidence, Finding, Fix, FixKind};
use std::collections::BTreeMap;

/// What stands around an analysis: links, the token, what was replaced.
#[derive(Clone, Debug, Default)]
pub struct Extras<'a> {
    /// How many values of each kind were replaced; none: the lines are the user's own.
    pub anonymized: Option<&'a BTreeMap<String, usize>>,
    /// Address of the stored report.
    pub link: Option<String>,
    /// The command that deletes it, token included; only in the answer to the sender.
    pub delete: Option<String>,
    /// The day on which it is deleted: `2027-03-01`.
    pub expires: Option<String>,
    /// How many reports have this fingerprint, this one included.
    pub seen: i64,
    /// A word on how the paste was sent.
    pub hint: Option<&'static str>,
}

/// Text without control characters, terminal codes and marks that turn the writing direction;
/// a tab becomes a blank.
pub fn clean(text: &str) -> String {
    let harmful =
        |c: char| c.is_control() || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}');
    text.chars().map(|c| if c == '\t' { ' ' } else { c }).filter(|c| !harmful(*c)).collect()
}

/// At most `max` characters, the middle left out; blanks at both ends are dropped.
pub fn shorten(text: &str, max: usize) -> String {
    let text = text.trim();
    let count = text.chars().count();
    if count <= max {
        return text.to_owned();
    }
    let head = max.saturating_sub(1) * 2 / 3;
    let tail = max.saturating_sub(1).saturating_sub(head);
    let mut out: String = text.chars().take(head).collect();
    out.push('…');
    out.extend(text.chars().skip(count - tail));
    out
}

/// The line with this 1-based number, cleaned; empty where there is none.
pub fn line(lines: &[String], number: u32) -> String {
    let at = (number as usize).checked_sub(1);
    at.and_then(|at| lines.get(at)).map_or_else(String::new, |line| clean(line))
}

/// `12, 14–16`: line numbers with runs joined; at most `max` runs, then `…`.
pub fn ranges(numbers: &[u32], max: usize) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for &number in numbers {
        match runs.last_mut() {
            Some((_, last)) if number == last.saturating_add(1) || number == *last => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let one = |(first, last): &(u32, u32)| if first == last { first.to_string() } else { format!("{first}–{last}") };
    let mut out = runs.iter().take(max).map(one).collect::<Vec<_>>().join(", ");
    if runs.len() > max {
        out.push_str(", …");
    }
    out
}

/// The lines that speak for a finding, the weightiest first, each once. What weighs less than
/// half of the strongest piece is left to "why this?".
pub fn evidence_lines(finding: &Finding) -> Vec<u32> {
    let strongest = finding.evidence.iter().map(|e| e.weight).fold(0.0, f64::max);
    let mut evidence: Vec<&Evidence> = finding.evidence.iter().filter(|e| e.weight > 0.0 && e.weight * 2.0 >= strongest).collect();
    evidence.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    let mut out: Vec<u32> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for number in evidence.iter().flat_map(|e| e.lines.iter().copied()) {
        if seen.insert(number) {
            out.push(number);
        }
    }
    out
}

/// The step to take first: a bypass, where there is one.
pub fn first_step(finding: &Finding) -> Option<&Fix> {
    finding.fixes.iter().find(|fix| fix.kind == FixKind::Bypass).or_else(|| finding.fixes.first())
}

/// The steps in the order shown: bypasses, then the others as they are ordered.
pub fn steps(finding: &Finding) -> Vec<&Fix> {
    let (mut bypasses, rest): (Vec<&Fix>, Vec<&Fix>) = finding.fixes.iter().partition(|fix| fix.kind == FixKind::Bypass);
    bypasses.extend(rest);
    bypasses
}

const ALARMS: [&str; 12] =
    ["error", "fatal", "failed", "failure", "exception", "panic", "killed", "abort", "segfault", "cannot", "could not", "timed out"];

/// Words of lines that report success with the word for a failure in them.
const CALM: [&str; 8] = ["passed", "0 error", "0 fail", "no error", "without error", "errors: 0", "error_count=0", "error: none"];

/// Where nothing was found: the numbers of the last lines that sound like a failure, in order.
pub fn alarming(analysis: &Analysis, lines: &[String], max: usize) -> Vec<u32> {
    let harmless: std::collections::HashSet<u32> = analysis.noise.iter().flat_map(|n| n.lines.iter().copied()).collect();
    let sounds = |line: &str| {
        let lower = line.to_ascii_lowercase();
        ALARMS.iter().any(|word| lower.contains(word)) && !CALM.iter().any(|word| lower.contains(word))
    };
    let numbered = lines.iter().enumerate().rev().map(|(at, line)| (at as u32 + 1, line));
    let mut out: Vec<u32> = numbered.filter(|(n, line)| !harmless.contains(n) && sounds(line)).map(|(n, _)| n).take(max).collect();
    out.reverse();
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_codes_are_dropped() {
        assert_eq!(clean("a\u{1b}[31mb\u{7}\tc\u{202e}d\r\n\u{9b}2J"), "a[31mb cd2J");
    }

    #[test]
    fn long_lines_lose_their_middle() {
        assert_eq!(shorten("  驱动版本不一致  ", 5), "驱动…一致");
        assert_eq!(shorten("short", 5), "short");
    }

    #[test]
    fn success_does_not_alarm() {
        let mut analysis: Analysis = serde_json::from_str(
            r#"{"schema":"","patterns":"","verdict":"none","fingerprint":"","sources":[],"findings":[],"layers":[],"facts":[],"segments":[],"questions":[],"noise":[],"notes":[],"history":[],"limits":[]}"#,
        )
        .expect("an empty analysis");
        let lines: Vec<String> =
            ["test_error PASSED", "0 errors, 0 failures", "Connection FAILED", "fine", "ERROR: x"].map(str::to_owned).to_vec();
        assert_eq!(alarming(&analysis, &lines, 5), [3, 5]);
        assert_eq!(alarming(&analysis, &lines, 1), [5]);
        analysis.noise.push(crate::diagnose::analysis::Noise { lines: vec![5], why: String::new() });
        assert_eq!(alarming(&analysis, &lines, 5), [3]);
    }

    #[test]
    fn runs_are_joined() {
        assert_eq!(ranges(&[1, 2, 3, 7, 9, 10], 8), "1–3, 7, 9–10");
        assert_eq!(ranges(&[1, 3, 5], 2), "1, 3, …");
        assert_eq!(ranges(&[], 2), "");
    }
}
