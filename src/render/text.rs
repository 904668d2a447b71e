//! The answer in a terminal: at most 25 lines.

use super::{Extras, alarming, clean, evidence_lines, first_step, labels, line, shorten};
use crate::diagnose::analysis::{Analysis, Finding, Fix};
use crate::i18n::{Lang, word};

/// The most lines of the short answer.
pub const MAX_LINES: usize = 25;
/// Characters of a quoted line.
const QUOTE: usize = 140;
/// Characters of a sentence.
const SENTENCE: usize = 400;

/// The short answer over the lines (anonymised, or the user's own on the user's terminal).
pub fn short(analysis: &Analysis, lines: &[String], lang: Lang, extras: &Extras) -> String {
    let mut blocks = match analysis.findings.first() {
        Some(finding) => found(analysis, finding, lines, lang),
        None => nothing(analysis, lines, lang),
    };
    blocks.push(question(analysis, lang));
    let foot = foot(analysis, lang, extras);
    if let Some(hint) = extras.hint {
        blocks.insert(0, vec![word(lang, hint).to_owned()]);
    }
    join(blocks, foot)
}

/// Puts blocks together; blank lines between them only where there is room.
fn join(blocks: Vec<Vec<String>>, foot: Vec<String>) -> String {
    let mut blocks: Vec<Vec<String>> = blocks.into_iter().filter(|block| !block.is_empty()).collect();
    let room = MAX_LINES.saturating_sub(foot.len());
    let mut count = 0;
    for block in &mut blocks {
        block.truncate(room - count);
        count += block.len();
    }
    blocks.retain(|block| !block.is_empty());
    blocks.push(foot);
    let total: usize = blocks.iter().map(Vec::len).sum();
    let airy = total + blocks.len() - 1 <= MAX_LINES;
    let mut out = String::new();
    for (at, block) in blocks.iter().enumerate() {
        if airy && at > 0 && !block.is_empty() {
            out.push('\n');
        }
        for line in block {
            out.push_str(line.trim_end());
            out.push('\n');
        }
    }
    out
}

fn found(analysis: &Analysis, finding: &Finding, lines: &[String], lang: Lang) -> Vec<Vec<String>> {
    vec![head(analysis, finding, lines, lang), step(finding, lang), others(analysis, lang)]
}

fn head(analysis: &Analysis, finding: &Finding, lines: &[String], lang: Lang) -> Vec<String> {
    let mut out = vec![format!("{}: {}", word(lang, "verdict"), labels::of(lang, "verdict", &analysis.verdict))];
    let subject = labels::subject(lang, finding.subject.as_ref());
    let subject = if subject.is_empty() { String::new() } else { format!(" — {subject}") };
    out.push(clean(&format!("{}: {}{subject}  [{}]", labels::confidence(lang, finding), finding.title, finding.cause)));
    let why = sentence(&finding.why);
    if !why.is_empty() {
        out.push(format!("  {why}"));
    }
    let evidence = evidence_lines(finding);
    out.extend(quotes(&evidence, lines));
    if evidence.len() > 3 {
        out.push(format!("  {}", labels::fill(lang, "evidence.more", evidence.len() - 3)));
    }
    out
}

fn quotes(numbers: &[u32], lines: &[String]) -> Vec<String> {
    let mut numbers: Vec<u32> = numbers.iter().copied().take(3).collect();
    numbers.sort_unstable();
    numbers.iter().map(|n| format!("  L{n}  {}", shorten(&line(lines, *n), QUOTE))).collect()
}

fn step(finding: &Finding, lang: Lang) -> Vec<String> {
    let Some(fix) = first_step(finding) else { return Vec::new() };
    let mut out = vec![format!("{} ({})", word(lang, "fix.first"), labels::step(lang, fix))];
    out.push(format!("  {}", sentence(&fix.text)));
    out.extend(fix.first.iter().take(2).map(|run| format!("  {} $ {}", word(lang, "fix.obtain"), shorten(&clean(run), SENTENCE))));
    if let Some(run) = &fix.run {
        out.extend(command(run, lang));
    }
    out.extend(check(fix, lang));
    match finding.fixes.len() {
        0 | 1 => {}
        n => out.push(format!("  {}", labels::fill(lang, "fix.more", n - 1))),
    }
    out
}

fn command(run: &str, lang: Lang) -> Vec<String> {
    let mut all = run.lines().map(clean).filter(|line| !line.trim().is_empty());
    let mut out: Vec<String> = all.by_ref().take(3).map(|line| format!("  $ {line}")).collect();
    if all.next().is_some() {
        out.pop();
        out.push(format!("  {}", word(lang, "fix.rest")));
    }
    out
}

fn check(fix: &Fix, lang: Lang) -> Option<String> {
    let verify = sentence(fix.verify.as_deref()?);
    let expect = fix.expect.as_deref().map(sentence).filter(|text| !text.is_empty());
    let expect = expect.map_or_else(String::new, |text| format!("  → {text}"));
    Some(format!("  {}: {verify}{expect}", word(lang, "fix.verify")))
}

fn others(analysis: &Analysis, lang: Lang) -> Vec<String> {
    let one = |f: &Finding| clean(&format!("  {}: {}  [{}]", labels::confidence(lang, f), f.title, f.cause));
    let mut out: Vec<String> = analysis.findings.iter().skip(1).take(3).map(one).collect();
    if !out.is_empty() {
        out.insert(0, format!("{}:", word(lang, "others")));
    }
    out
}

fn nothing(analysis: &Analysis, lines: &[String], lang: Lang) -> Vec<Vec<String>> {
    let mut head = vec![word(lang, "nothing.title").to_owned()];
    head.push(format!("  {}", labels::fill(lang, "nothing.facts", analysis.facts.len())));
    let facts = analysis.facts.iter().filter(|fact| !fact.derived).take(4);
    head.extend(
        facts.map(|f| shorten(&clean(&format!("    {} = {}", f.name, labels::value(lang, &f.value))), QUOTE)).map(|l| format!("    {l}")),
    );
    let alarms = alarming(analysis, lines, 3);
    let mut errors = quotes(&alarms, lines);
    if !errors.is_empty() {
        errors.insert(0, format!("{}:", word(lang, "nothing.lines")));
    }
    let notes = analysis.notes.iter().take(2).map(|note| format!("{}: {}", word(lang, "note"), sentence(&note.title)));
    vec![head, errors, notes.collect()]
}

fn question(analysis: &Analysis, lang: Lang) -> Vec<String> {
    let Some(question) = analysis.questions.first() else { return Vec::new() };
    let mut out = vec![format!("{}: {}", word(lang, "question.run"), sentence(&question.run))];
    let why = sentence(&question.why);
    let look = sentence(&question.look_for);
    out.extend([why, look].into_iter().filter(|text| !text.is_empty()).map(|text| format!("  {text}")));
    out
}

fn foot(analysis: &Analysis, lang: Lang, extras: &Extras) -> Vec<String> {
    let mut out = Vec::new();
    if !analysis.limits.is_empty() {
        out.push(format!("{}: {}", word(lang, "limits"), sentence(&analysis.limits.join("; "))));
    }
    if let Some(counts) = extras.anonymized {
        out.push(format!("{}: {}", word(lang, "privacy.replaced"), clean(&labels::replaced(lang, counts))));
    }
    if let Some(link) = &extras.link {
        let until = extras.expires.as_ref().map(|day| labels::fill(lang, "report.until", day));
        let alike = (extras.seen > 1).then(|| labels::fill(lang, "report.alike", extras.seen));
        let around: String = until.into_iter().chain(alike).map(|text| format!("  {text}")).collect();
        out.push(format!("{}: {}{around}", word(lang, "report"), clean(link)));
    }
    if let Some(delete) = &extras.delete {
        out.push(format!("{}: {}", word(lang, "report.delete"), clean(delete)));
    }
    out
}

/// One line: a sentence from a pattern or a paste.
fn sentence(text: &str) -> String {
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    shorten(&clean(&joined), SENTENCE)
}
