//! Interface words: every key that is asked for exists, every value of an analysis has a word.

use faultbook::diagnose::analysis::*;
use faultbook::i18n::{Lang, keys, word};
use faultbook::render::labels;
use std::collections::BTreeSet;
use std::path::Path;

fn files(folder: &str, out: &mut Vec<String>) {
    for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).expect("folder") {
        let path = entry.expect("entry").path();
        if path.is_file() {
            out.push(std::fs::read_to_string(path).expect("text"));
        }
    }
}

#[test]
fn every_key_that_is_asked_for_exists() {
    let mut texts = Vec::new();
    for folder in ["templates", "src/render", "src/web"] {
        files(folder, &mut texts);
    }
    let known: BTreeSet<&str> = keys(Lang::En, "").collect();
    let pattern = regex::Regex::new(r#"(?:ui\.w\(|ui\.fill\(|word\((?:asked\.)?lang, |fill\(lang, )"([^"]+)""#).expect("expression");
    let asked: BTreeSet<String> =
        texts.iter().flat_map(|text| pattern.captures_iter(text).map(|c| c[1].to_owned()).collect::<Vec<_>>()).collect();
    assert!(asked.len() > 80, "the search for keys finds too few: {}", asked.len());
    let missing: Vec<&String> = asked.iter().filter(|key| !known.contains(key.as_str())).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn every_value_has_a_word_in_both_languages() {
    fn check<T: serde::Serialize>(family: &str, values: &[T]) {
        for value in values {
            let key = format!("{family}.{}", labels::name(value));
            for lang in [Lang::En, Lang::Zh] {
                assert_ne!(word(lang, &key), key, "no word for {key}");
            }
        }
    }
    check("verdict", &[Verdict::Code, Verdict::Environment, Verdict::Machine, Verdict::Card, Verdict::Network, Verdict::None]);
    check("layer", &Layer::ALL);
    check("confidence", &[Confidence::Possible, Confidence::Likely, Confidence::Certain]);
    check("strength", &[Strength::Hints, Strength::Supports, Strength::Strong, Strength::Proves]);
    check("fix", &[FixKind::Bypass, FixKind::Check, FixKind::Cure]);
    check("risk", &[Risk::ReadOnly, Risk::Reversible, Risk::Disruptive, Risk::Destructive]);
    check("needs", &[Needs::User, Needs::Root, Needs::Hands]);
    check("takes", &[Takes::Seconds, Takes::Minutes, Takes::Reboot, Takes::Downtime]);
    check("where", &[Where::Host, Where::Container, Where::Image, Where::PodSpec, Where::Windows, Where::Code]);
    check("state", &[Condition::Ok, Condition::Faulty, Condition::Unknown]);
    check("effect", &[Effect::For, Effect::Against]);
    check("kind", &["cause", "state", "symptom"]);
}
