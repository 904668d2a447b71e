//! The renderings of one analysis: text, full text, Markdown, JSON Schema.

#[path = "common/sample.rs"]
mod sample;

use faultbook::diagnose::analysis::Analysis;
use faultbook::i18n::Lang;
use faultbook::render::{Extras, full, markdown, text};
use std::collections::BTreeMap;

fn extras(counts: &BTreeMap<String, usize>) -> Extras<'_> {
    Extras {
        anonymized: Some(counts),
        link: Some("http://localhost:8088/r/abc".to_owned()),
        delete: Some("curl -X DELETE -H 'Authorization: Bearer t' http://localhost:8088/api/v1/reports/abc".to_owned()),
        expires: Some("2027-03-01".to_owned()),
        seen: 3,
        hint: Some("hint.one-line"),
    }
}

fn counts() -> BTreeMap<String, usize> {
    BTreeMap::from([("host".to_owned(), 1), ("user".to_owned(), 2)])
}

#[test]
fn the_short_answer_has_at_most_25_lines_and_all_that_counts() {
    for lang in [Lang::En, Lang::Zh] {
        let analysis = sample::analysis(lang);
        let counts = counts();
        let answer = text::short(&analysis, &sample::lines(), lang, &extras(&counts));
        assert!(answer.lines().count() <= text::MAX_LINES, "{answer}");
        for wanted in [
            "driver-library-mismatch",
            "L31",
            "550.107.02",
            "LD_LIBRARY_PATH",
            "nvidia-smi",
            "driver-too-old-for-cuda",
            "/r/abc",
            "Bearer t",
            "cat /proc/driver/nvidia/version",
        ] {
            assert!(answer.contains(wanted), "{wanted} is missing in\n{answer}");
        }
        assert!(!answer.contains('\u{1b}'), "a terminal code came through");
        // The bypass stands first, though the list starts with a look.
        let bypass = answer.find("LD_LIBRARY_PATH").expect("bypass");
        assert!(answer.find("Persistence").is_none_or(|other| other > bypass));
    }
}

#[test]
fn long_and_many_things_do_not_break_the_limit() {
    let mut analysis = sample::analysis(Lang::En);
    let finding = analysis.findings[0].clone();
    analysis.findings = vec![finding; 30];
    for finding in &mut analysis.findings {
        finding.why = "word \u{202e} ".repeat(10_000);
        finding.title = "line\nbreak ".repeat(50);
        finding.fixes[1].run = Some("one\n".repeat(500));
        finding.evidence[0].lines = (1..=60).collect();
    }
    let counts = counts();
    let answer = text::short(&analysis, &sample::lines(), Lang::En, &extras(&counts));
    assert!(answer.lines().count() <= text::MAX_LINES);
    assert!(answer.contains("/r/abc") && answer.contains("Bearer t"), "the foot always stays");
    assert!(!answer.contains('\u{202e}'));
}

#[test]
fn nothing_found_says_what_was_read_and_what_to_do() {
    let mut analysis = sample::analysis(Lang::En);
    analysis.findings.clear();
    let answer = text::short(&analysis, &sample::lines(), Lang::En, &Extras::default());
    for wanted in ["No known cause", "Failed to initialize NVML", "driver.library_version", "cat /proc/driver"] {
        assert!(answer.contains(wanted), "{wanted} is missing in\n{answer}");
    }
}

#[test]
fn the_full_text_holds_every_part() {
    let counts = counts();
    let answer = full::full(&sample::analysis(Lang::En), &sample::lines(), Lang::En, &extras(&counts), true);
    for wanted in
        ["sudo reboot", "apt purge", "nvml-init", "Persistence mode", "Xid 79", "need.driver_min", "+6.0", "-0.5", "unit number 60"]
    {
        let found = answer.contains(wanted) || (wanted == "nvml-init" && answer.contains("NVML cannot be initialised"));
        assert!(found, "{wanted} is missing in\n{answer}");
    }
    assert!(!answer.contains('\u{1b}'));
}

#[test]
fn markdown_is_escaped() {
    let mut analysis = sample::analysis(Lang::En);
    analysis.findings[0].title = "<script>alert(1)</script> @everyone [x](y)".to_owned();
    analysis.facts[0].value = "a|b\n# c".into();
    let counts = counts();
    let answer = markdown::markdown(&analysis, &sample::lines(), Lang::En, &extras(&counts));
    assert!(!answer.contains("<script>") && !answer.contains("@everyone") && !answer.contains("[x](y)"));
    assert!(answer.contains("a\\|b \\# c"), "{answer}");
    assert!(answer.contains("```sh\nsudo reboot\n```"));
}

#[test]
fn the_published_schema_takes_the_sample_and_refuses_others() {
    let schema = faultbook::web::openapi::analysis_schema();
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    for lang in [Lang::En, Lang::Zh] {
        let value = serde_json::to_value(sample::analysis(lang)).expect("json");
        let faults: Vec<String> = validator.iter_errors(&value).map(|e| format!("{}: {e}", e.instance_path())).collect();
        assert!(faults.is_empty(), "{faults:#?}");
        let back: Analysis = serde_json::from_value(value).expect("reads back");
        assert_eq!(back.findings.len(), 2);
    }
    let mut value = serde_json::to_value(sample::analysis(Lang::En)).expect("json");
    value["findings"][0]["confidence"] = "sure".into();
    assert!(!validator.is_valid(&value));
    value["findings"][0].as_object_mut().expect("object").remove("confidence");
    assert!(!validator.is_valid(&value));
}
