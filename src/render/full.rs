//! The whole report as plain text: `/r/{id}.txt` and `analyze`.

use super::{Extras, alarming, clean, evidence_lines, labels, line, ranges, shorten, steps};
use crate::diagnose::analysis::{Analysis, Effect, Finding, Fix};
use crate::i18n::{Lang, word};
use std::fmt::Write as _;

/// Characters of a quoted line.
const QUOTE: usize = 400;
/// Quoted lines of one finding.
const QUOTES: usize = 12;

/// The whole answer, then the lines with their numbers where `with_log` says so.
pub fn full(analysis: &Analysis, lines: &[String], lang: Lang, extras: &Extras, with_log: bool) -> String {
    let mut out = String::new();
    put(&mut out, 0, &format!("{}: {}", word(lang, "verdict"), labels::of(lang, "verdict", &analysis.verdict)));
    if analysis.findings.is_empty() {
        nothing(&mut out, analysis, lines, lang);
    }
    for item in &analysis.findings {
        finding(&mut out, item, lines, lang);
    }
    layers(&mut out, analysis, lang);
    questions(&mut out, analysis, lang);
    smaller(&mut out, analysis, lang);
    facts(&mut out, analysis, lang);
    foot(&mut out, analysis, lang, extras);
    if with_log {
        heading(&mut out, word(lang, "log"));
        let width = lines.len().to_string().len();
        for (number, line) in lines.iter().enumerate() {
            let _ = writeln!(out, "{:>width$}  {}", number + 1, clean(line).trim_end());
        }
    }
    out
}

fn put(out: &mut String, indent: usize, text: &str) {
    for line in text.lines().map(clean).filter(|line| !line.trim().is_empty()) {
        let _ = writeln!(out, "{:indent$}{}", "", line.trim_end());
    }
}

fn heading(out: &mut String, text: &str) {
    let _ = write!(out, "\n== {} ==\n", clean(text));
}

fn finding(out: &mut String, finding: &Finding, lines: &[String], lang: Lang) {
    heading(out, &format!("{}. {}", finding.rank, finding.title));
    let subject = labels::subject(lang, finding.subject.as_ref());
    let mut facts = vec![labels::confidence(lang, finding), labels::of(lang, "layer", &finding.layer), finding.cause.clone()];
    facts.extend((!subject.is_empty()).then_some(subject));
    put(out, 0, &facts.join(" · "));
    put(out, 0, &finding.summary);
    put(out, 0, &format!("{}: {}", word(lang, "why"), finding.why));
    let mut numbers: Vec<u32> = evidence_lines(finding).into_iter().take(QUOTES).collect();
    numbers.sort_unstable();
    for number in numbers {
        put(out, 2, &format!("L{number}  {}", shorten(&line(lines, number), QUOTE)));
    }
    for (at, fix) in steps(finding).into_iter().enumerate() {
        let _ = writeln!(out);
        step(out, at + 1, fix, lang);
    }
    for consequence in &finding.consequences {
        put(out, 0, &format!("{}: {} (L{})", word(lang, "consequence"), consequence.title, ranges(&consequence.lines, 6)));
    }
    weights(out, finding, lang);
}

fn step(out: &mut String, number: usize, fix: &Fix, lang: Lang) {
    put(out, 0, &format!("{} {number} ({})", word(lang, "fix.step"), labels::step(lang, fix)));
    put(out, 2, &fix.text);
    if !fix.os.is_empty() {
        put(out, 2, &format!("{}: {}", word(lang, "fix.os"), fix.os.join(", ")));
    }
    for run in &fix.first {
        put(out, 2, &format!("{} $ {run}", word(lang, "fix.obtain")));
    }
    for line in fix.run.iter().flat_map(|run| run.lines()) {
        put(out, 2, &format!("$ {line}"));
    }
    let rest = [("fix.verify", &fix.verify), ("fix.expect", &fix.expect), ("fix.undo", &fix.undo)];
    for (key, text) in rest {
        if let Some(text) = text {
            put(out, 2, &format!("{}: {text}", word(lang, key)));
        }
    }
}

fn weights(out: &mut String, finding: &Finding, lang: Lang) {
    let _ = writeln!(out);
    put(out, 0, &format!("{}  ({} {:.1})", word(lang, "weights"), word(lang, "weights.score"), finding.score));
    for evidence in &finding.evidence {
        let effect = if evidence.effect == Effect::For { "effect.for" } else { "effect.against" };
        let what = evidence.when.as_deref().unwrap_or(&evidence.signature);
        let strength = labels::of(lang, "strength", &evidence.strength);
        let count = if evidence.count > 1 { format!(" ×{}", evidence.count) } else { String::new() };
        put(
            out,
            2,
            &format!("{:+.1}  {} · {strength} · {what}{count}  L{}", evidence.weight, word(lang, effect), ranges(&evidence.lines, 6)),
        );
    }
}

fn nothing(out: &mut String, analysis: &Analysis, lines: &[String], lang: Lang) {
    heading(out, word(lang, "nothing.title"));
    put(out, 0, word(lang, "nothing.text"));
    for number in alarming(analysis, lines, 8) {
        put(out, 2, &format!("L{number}  {}", shorten(&line(lines, number), QUOTE)));
    }
}

fn layers(out: &mut String, analysis: &Analysis, lang: Lang) {
    heading(out, word(lang, "layers"));
    for state in &analysis.layers {
        let lines = if state.lines.is_empty() { String::new() } else { format!("  (L{})", ranges(&state.lines, 3)) };
        put(out, 2, &format!("{}: {}{lines}", labels::of(lang, "layer", &state.layer), labels::of(lang, "state", &state.state)));
    }
}

fn questions(out: &mut String, analysis: &Analysis, lang: Lang) {
    if !analysis.questions.is_empty() {
        heading(out, word(lang, "questions"));
    }
    for question in &analysis.questions {
        put(out, 2, &format!("$ {}", question.run));
        put(out, 4, &question.why);
        put(out, 4, &question.look_for);
    }
}

fn smaller(out: &mut String, analysis: &Analysis, lang: Lang) {
    if !analysis.notes.is_empty() {
        heading(out, word(lang, "notes"));
    }
    for note in &analysis.notes {
        put(out, 2, &format!("{} (L{})", note.title, ranges(&note.lines, 6)));
        put(out, 4, &note.text);
    }
    if !analysis.noise.is_empty() {
        heading(out, word(lang, "noise"));
    }
    for noise in &analysis.noise {
        put(out, 2, &format!("L{}: {}", ranges(&noise.lines, 6), noise.why));
    }
    if !analysis.history.is_empty() {
        heading(out, word(lang, "history"));
    }
    for earlier in &analysis.history {
        put(out, 2, &format!("{}  {} (L{})", earlier.when, earlier.title, ranges(&earlier.lines, 6)));
    }
}

fn facts(out: &mut String, analysis: &Analysis, lang: Lang) {
    if !analysis.facts.is_empty() {
        heading(out, word(lang, "facts"));
    }
    for fact in &analysis.facts {
        let subject = labels::subject(lang, fact.subject.as_ref());
        let derived = if fact.derived { word(lang, "facts.derived") } else { "" };
        let place = [fact.scope.as_str(), &subject, derived].iter().filter(|s| !s.is_empty()).copied().collect::<Vec<_>>().join(", ");
        put(out, 2, &format!("{} = {}  ({place}; L{})", fact.name, labels::value(lang, &fact.value), ranges(&fact.lines, 3)));
    }
}

fn foot(out: &mut String, analysis: &Analysis, lang: Lang, extras: &Extras) {
    let _ = writeln!(out);
    for limit in &analysis.limits {
        put(out, 0, &format!("{}: {limit}", word(lang, "limits")));
    }
    if let Some(counts) = extras.anonymized {
        put(out, 0, &format!("{}: {}", word(lang, "privacy.replaced"), labels::replaced(lang, counts)));
    }
    if let Some(link) = &extras.link {
        put(out, 0, &format!("{}: {link}", word(lang, "report")));
    }
    put(out, 0, &format!("{}: {} · {}: {}", word(lang, "patterns"), analysis.patterns, word(lang, "fingerprint"), analysis.fingerprint));
}
