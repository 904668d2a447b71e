//! Words for the values of an analysis, from `i18n/*.toml`.

use crate::diagnose::analysis::{Finding, Fix, SubjectView};
use crate::i18n::{Lang, word};
use serde::Serialize;
use std::collections::BTreeMap;

/// The word for an enum value: `of(lang, "risk", &Risk::ReadOnly)` reads `risk.read-only`.
pub fn of(lang: Lang, family: &str, value: &impl Serialize) -> String {
    named(lang, family, &name(value))
}

/// The serialised name of an enum value: also used for CSS classes.
pub fn name(value: &impl Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default()
}

/// The word `family.name`; the name itself where there is none.
pub fn named(lang: Lang, family: &str, name: &str) -> String {
    let key = format!("{family}.{name}");
    let found = word(lang, &key);
    if found == key { name.to_owned() } else { found.to_owned() }
}

/// Fills `{}` in an interface word.
pub fn fill(lang: Lang, key: &str, value: impl std::fmt::Display) -> String {
    word(lang, key).replacen("{}", &value.to_string(), 1)
}

/// `GPU 3 (0000:41:00.0)`, `rank 2`; empty where a finding is about no single thing.
pub fn subject(lang: Lang, subject: Option<&SubjectView>) -> String {
    let Some(subject) = subject else { return String::new() };
    let mut parts = Vec::new();
    match (subject.index, &subject.gpu) {
        (Some(index), Some(pci)) => parts.push(format!("GPU {index} ({pci})")),
        (Some(index), None) => parts.push(format!("GPU {index}")),
        (None, Some(pci)) => parts.push(format!("GPU {pci}")),
        (None, None) => {}
    }
    parts.extend(subject.rank.map(|rank| fill(lang, "subject.rank", rank)));
    // People count from one.
    parts.extend(subject.env.map(|env| fill(lang, "subject.env", u32::from(env) + 1)));
    parts.extend(subject.process.map(|pid| fill(lang, "subject.process", pid)));
    parts.join(", ")
}

/// `bypass · read-only · user · seconds · host`: what a step costs.
pub fn step(lang: Lang, fix: &Fix) -> String {
    let words = [
        of(lang, "fix", &fix.kind),
        of(lang, "risk", &fix.risk),
        of(lang, "needs", &fix.needs),
        of(lang, "takes", &fix.takes),
        of(lang, "where", &fix.where_),
    ];
    words.join(" · ")
}

/// `certain`, in the reader's language.
pub fn confidence(lang: Lang, finding: &Finding) -> String {
    of(lang, "confidence", &finding.confidence)
}

/// `host names 3, users 2`, or that nothing was replaced.
pub fn replaced(lang: Lang, counts: &BTreeMap<String, usize>) -> String {
    if counts.is_empty() {
        return word(lang, "privacy.nothing").to_owned();
    }
    let one = |(kind, count): (&String, &usize)| format!("{} {count}", named(lang, "secret", kind));
    counts.iter().map(one).collect::<Vec<_>>().join(word(lang, "list.comma"))
}

/// A fact's value as people write it.
pub fn value(lang: Lang, value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Bool(true) => word(lang, "value.yes").to_owned(),
        serde_json::Value::Bool(false) => word(lang, "value.no").to_owned(),
        serde_json::Value::Array(items) => items.iter().map(|item| self::value(lang, item)).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}
