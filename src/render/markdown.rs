//! A report as Markdown, to paste into an issue tracker.

use super::{Extras, alarming, clean, evidence_lines, labels, line, ranges, shorten, steps};
use crate::diagnose::analysis::{Analysis, Finding, Fix};
use crate::i18n::{Lang, word};
use std::fmt::Write as _;

/// Characters of a quoted line.
const QUOTE: usize = 300;
/// Quoted lines of one finding.
const QUOTES: usize = 12;

/// The report without its log.
pub fn markdown(analysis: &Analysis, lines: &[String], lang: Lang, extras: &Extras) -> String {
    let mut out = String::new();
    let title = analysis.findings.first().map_or(word(lang, "nothing.title"), |f| f.title.as_str());
    let _ = write!(out, "## {}\n\n", escape(title));
    let _ = write!(out, "**{}**: {}\n\n", word(lang, "verdict"), labels::of(lang, "verdict", &analysis.verdict));
    for item in &analysis.findings {
        finding(&mut out, item, lines, lang);
    }
    if analysis.findings.is_empty() {
        quote(&mut out, &alarming(analysis, lines, 8), lines);
    }
    questions(&mut out, analysis, lang);
    facts(&mut out, analysis, lang);
    if let Some(counts) = extras.anonymized {
        let _ = write!(out, "{}: {}\n\n", word(lang, "privacy.replaced"), escape(&labels::replaced(lang, counts)));
    }
    if let Some(link) = &extras.link {
        let _ = writeln!(out, "{}: <{}>", word(lang, "report"), clean(link).replace(['<', '>', ' '], ""));
    }
    out
}

/// Text in which nothing is taken for Markdown, HTML or a mention.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in clean(&text.replace('\n', " ")).chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '@' => out.push_str("&#64;"),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '#' | '|' | '~' | '!' | '$' => out.extend(['\\', c]),
            _ => out.push(c),
        }
    }
    out
}

/// A fenced block whose fence is longer than any inside.
pub fn fenced(language: &str, text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let body = text.lines().map(clean).collect::<Vec<_>>().join("\n");
    format!("{fence}{language}\n{body}\n{fence}\n")
}

/// Code inside a sentence; backticks in it are kept.
fn code(text: &str) -> String {
    let text = clean(&text.replace('\n', " "));
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let ticks = "`".repeat(longest + 1);
    let pad = if longest > 0 { " " } else { "" };
    format!("{ticks}{pad}{text}{pad}{ticks}")
}

fn finding(out: &mut String, finding: &Finding, lines: &[String], lang: Lang) {
    let subject = labels::subject(lang, finding.subject.as_ref());
    let subject = if subject.is_empty() { String::new() } else { format!(" — {}", escape(&subject)) };
    let _ = write!(out, "### {}. {}{subject}\n\n", finding.rank, escape(&finding.title));
    let _ = write!(
        out,
        "*{}* · {} · {}\n\n",
        labels::confidence(lang, finding),
        labels::of(lang, "layer", &finding.layer),
        code(&finding.cause)
    );
    for text in [&finding.summary, &finding.why] {
        if !text.is_empty() {
            let _ = write!(out, "{}\n\n", escape(text));
        }
    }
    quote(out, &evidence_lines(finding), lines);
    for (at, fix) in steps(finding).into_iter().enumerate() {
        step(out, at + 1, fix, lang);
    }
    for consequence in &finding.consequences {
        let _ = writeln!(out, "- {}: {} (L{})", word(lang, "consequence"), escape(&consequence.title), ranges(&consequence.lines, 6));
    }
    out.push('\n');
}

fn quote(out: &mut String, numbers: &[u32], lines: &[String]) {
    let mut numbers: Vec<u32> = numbers.iter().copied().take(QUOTES).collect();
    numbers.sort_unstable();
    let one = |n: &u32| format!("L{n}  {}", shorten(&line(lines, *n), QUOTE));
    let text = numbers.iter().map(one).collect::<Vec<_>>().join("\n");
    if !text.is_empty() {
        let _ = writeln!(out, "{}", fenced("", &text));
    }
}

fn step(out: &mut String, number: usize, fix: &Fix, lang: Lang) {
    let _ = write!(out, "**{} {number}** ({})\n\n{}\n\n", word(lang, "fix.step"), labels::step(lang, fix), escape(&fix.text));
    for run in &fix.first {
        let _ = write!(out, "{}:\n\n{}\n", word(lang, "fix.obtain"), fenced("sh", run));
    }
    if let Some(run) = &fix.run {
        let _ = writeln!(out, "{}", fenced("sh", run));
    }
    if let Some(verify) = &fix.verify {
        let expect = fix.expect.as_ref().map_or_else(String::new, |text| format!(" → {}", escape(text)));
        let _ = write!(out, "{}: {}{expect}\n\n", word(lang, "fix.verify"), code(verify));
    }
    if let Some(undo) = &fix.undo {
        let _ = write!(out, "{}: {}\n\n", word(lang, "fix.undo"), escape(undo));
    }
}

fn questions(out: &mut String, analysis: &Analysis, lang: Lang) {
    if !analysis.questions.is_empty() {
        let _ = write!(out, "### {}\n\n", word(lang, "questions"));
    }
    for question in &analysis.questions {
        let _ = write!(out, "{}\n{} {}\n\n", fenced("sh", &question.run), escape(&question.why), escape(&question.look_for));
    }
}

fn facts(out: &mut String, analysis: &Analysis, lang: Lang) {
    if analysis.facts.is_empty() {
        return;
    }
    let heads = ["facts.name", "facts.value", "facts.scope", "lines"].map(|key| word(lang, key));
    let _ = write!(out, "### {}\n\n| {} |\n|---|---|---|---|\n", word(lang, "facts"), heads.join(" | "));
    for fact in &analysis.facts {
        let subject = labels::subject(lang, fact.subject.as_ref());
        let place = [fact.scope.as_str(), &subject].iter().filter(|s| !s.is_empty()).copied().collect::<Vec<_>>().join(", ");
        let cells = [escape(&fact.name), escape(&labels::value(lang, &fact.value)), escape(&place), ranges(&fact.lines, 3)];
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_from_a_paste_is_markup() {
        assert_eq!(escape("<img src=x> [a](b) @team |x| `y`"), "&lt;img src=x&gt; \\[a\\](b) &#64;team \\|x\\| \\`y\\`");
        assert!(fenced("sh", "echo ```` x").starts_with("`````sh\n"));
        assert_eq!(code("a `b`"), "`` a `b` ``");
    }
}
