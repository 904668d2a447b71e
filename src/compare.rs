//! Two pastes side by side: "it worked yesterday".

use crate::diagnose::analysis::{Analysis, FactView};
use crate::i18n::{Lang, word};
use crate::render::labels;
use serde::Serialize;
use std::collections::BTreeMap;

/// A fact that differs between two pastes; `None` where one does not give it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    pub scope: String,
    /// `GPU 3 (0000:41:00.0)`, or empty.
    pub subject: String,
    pub name: String,
    pub before: Option<serde_json::Value>,
    pub after: Option<serde_json::Value>,
}

/// Readings that differ between any two moments and explain nothing by that.
const FLEETING: [&str; 5] = ["gpu.temperature", "gpu.power", "gpu.memory_used", "kernel.boot_time", "memory.available"];

/// Facts that differ, by what is likeliest to matter: changed values before those of one side only.
pub fn compare(before: &Analysis, after: &Analysis, lang: Lang) -> Vec<Difference> {
    let (old, new) = (facts(before, lang), facts(after, lang));
    let mut keys: Vec<&Key> = old.keys().chain(new.keys()).collect();
    keys.sort();
    keys.dedup();
    let differing = keys.into_iter().filter(|key| old.get(*key) != new.get(*key));
    let mut differences: Vec<Difference> = differing
        .map(|key| Difference {
            scope: key.0.clone(),
            subject: key.1.clone(),
            name: key.2.clone(),
            before: old.get(key).map(|v| (*v).clone()),
            after: new.get(key).map(|v| (*v).clone()),
        })
        .collect();
    differences.sort_by_key(|d| d.before.is_none() || d.after.is_none());
    differences
}

type Key = (String, String, String);

fn facts(analysis: &Analysis, lang: Lang) -> BTreeMap<Key, &serde_json::Value> {
    let lasting = analysis.facts.iter().filter(|f| !FLEETING.contains(&f.name.as_str()));
    lasting.map(|f: &FactView| ((f.scope.clone(), labels::subject(lang, f.subject.as_ref()), f.name.clone()), &f.value)).collect()
}

/// The comparison as text: findings of both, then the facts.
pub fn text(before: &Analysis, after: &Analysis, differences: &[Difference], lang: Lang) -> String {
    let mut out = String::new();
    for (key, analysis) in [("diff-before", before), ("diff-after", after)] {
        let titles: Vec<&str> = analysis.findings.iter().map(|f| f.title.as_str()).collect();
        let found = if titles.is_empty() { word(lang, "diff-nothing").to_owned() } else { titles.join("; ") };
        out.push_str(&format!("{}: {found}\n", word(lang, key)));
    }
    let side = |value: &Option<serde_json::Value>| value.as_ref().map_or_else(|| "–".to_owned(), |v| labels::value(lang, v));
    for d in differences {
        let subject = if d.subject.is_empty() { String::new() } else { format!(" · {}", d.subject) };
        out.push_str(&format!("  {} ({}{subject}): {} → {}\n", d.name, d.scope, side(&d.before), side(&d.after)));
    }
    if differences.is_empty() {
        out.push_str(&format!("  {}\n", word(lang, "diff-same")));
    }
    out
}
