//! Sentences of a finding: why these very lines lead to the cause.

use super::analysis::Effect;
use super::evidence::{Origin, Piece};
use super::fixes::{find, text_of};
use super::rank::Finding;
use crate::facts::{FactType, Value};
use crate::i18n::{Lang, Text, word};
use crate::pattern::Patterns;
use crate::pattern::evaluate::Context;
use crate::pattern::placeholder::{Piece as Part, pieces};
use std::collections::BTreeMap;

/// Reasons given per finding.
const MAX_REASONS: usize = 2;
/// Characters of a quoted line.
const MAX_QUOTE: usize = 160;

/// One or two sentences: what the strongest evidence says, then numbers that were compared, if any
/// piece holds some. A line is quoted only where no piece has a sentence of its own. Every text
/// of the paste is redacted.
pub fn why(
    patterns: &Patterns,
    context: &Context,
    finding: &Finding,
    quotes: &BTreeMap<u32, String>,
    lang: Lang,
    redact: &dyn Fn(&str) -> String,
) -> String {
    let mut order: Vec<usize> =
        (0..finding.pieces.len()).filter(|at| finding.pieces[*at].effect == Effect::For && finding.weights[*at] > 0.0).collect();
    order.sort_by(|a, b| finding.weights[*b].total_cmp(&finding.weights[*a]));
    let mut own: Vec<(bool, String)> = Vec::new();
    for at in &order {
        let piece = &finding.pieces[*at];
        let Some(text) = template(patterns, finding, piece) else { continue };
        let text = text.get(lang);
        let sentence = fill(patterns, context, finding, piece, text, redact);
        let has_values = pieces(text).iter().any(|part| matches!(part, Part::Name(_)));
        own.extend(sentence.filter(|s| own.iter().all(|(_, known)| known != s)).map(|s| (has_values, s)));
    }
    if own.is_empty() {
        return order.iter().find_map(|at| quote(&finding.pieces[*at], quotes, lang, redact)).unwrap_or_default();
    }
    if let Some(rest) = own.get_mut(1..) {
        // Stable: among equals the weightier evidence stays ahead.
        rest.sort_by_key(|(has_values, _)| !has_values);
    }
    let sentences: Vec<String> = own.into_iter().take(MAX_REASONS).map(|(_, sentence)| sentence).collect();
    sentences.join(" ")
}

fn template<'p>(patterns: &'p Patterns, finding: &Finding, piece: &Piece) -> Option<&'p Text> {
    match piece.origin {
        Origin::Signature(at) => patterns.matcher().signatures()[at as usize].why.as_ref(),
        Origin::Condition(at) => patterns.causes()[finding.cause].conditions[at].why.as_ref(),
        Origin::Symptom(_) => None,
    }
}

/// Fills a template; `None` where a value is missing, so that the sentence is not shown with a hole.
fn fill(
    patterns: &Patterns,
    context: &Context,
    finding: &Finding,
    piece: &Piece,
    template: &str,
    redact: &dyn Fn(&str) -> String,
) -> Option<String> {
    let mut sentence = String::new();
    for part in pieces(template) {
        match part {
            Part::Text(text) => sentence.push_str(text),
            Part::Name(name) => {
                let captured = piece.captures.iter().find(|(group, _)| group == name || group.replace("__", ".") == name);
                let value = match captured {
                    Some((_, text)) => text.clone(),
                    None => shown(patterns, name, &find(context, finding, name)?.value),
                };
                sentence.push_str(&redact(&shorten(&value)));
            }
        }
    }
    Some(sentence)
}

fn shown(patterns: &Patterns, name: &str, value: &Value) -> String {
    let type_ = patterns.register().get(name).map(|entry| entry.type_);
    match (type_, value) {
        (Some(FactType::Bytes), Value::Int(bytes)) => bytes_text(*bytes),
        _ => text_of(value),
    }
}

/// Bytes as people read them: `71.4 GiB`.
pub fn bytes_text(bytes: i64) -> String {
    let mut amount = bytes as f64;
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let mut unit = 0;
    while amount.abs() >= 1024.0 && unit + 1 < units.len() {
        amount /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} bytes") } else { format!("{amount:.1} {}", units[unit]) }
}

fn quote(piece: &Piece, quotes: &BTreeMap<u32, String>, lang: Lang, redact: &dyn Fn(&str) -> String) -> Option<String> {
    let line = piece.lines.first()?;
    let text = quotes.get(line)?;
    let sentence = word(lang, "why-line").replace("{line}", &line.to_string());
    Some(sentence.replace("{text}", &shorten(&redact(text))))
}

fn shorten(text: &str) -> String {
    if text.chars().count() <= MAX_QUOTE {
        return text.to_owned();
    }
    let short: String = text.chars().take(MAX_QUOTE - 1).collect();
    format!("{short}…")
}
