//! The built-in pattern files: form, ids, examples; and the messages of the lint.

use faultbook::pattern::fault::SourceFile;
use faultbook::pattern::load;

#[test]
fn the_built_in_set_passes_its_own_check() {
    let files = load::embedded_files();
    let (patterns, mut faults) = load::load(files.clone());
    faults.extend(load::run_examples(&patterns, &files));
    let report: Vec<String> = faults.iter().map(ToString::to_string).collect();
    assert!(report.is_empty(), "{}", report.join("\n\n"));
    assert!(patterns.causes().len() >= 100);
}

/// Loads one file alone and returns what the lint says.
fn lint(path: &str, text: &str) -> String {
    let (_, faults) = load::load(vec![SourceFile { path: path.into(), text: text.into() }]);
    faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n\n")
}

fn with(change: impl Fn(String) -> String) -> String {
    change(include_str!("../src/pattern/scaffold.toml").replace("NEW-ID", "sample"))
}

#[test]
fn the_scaffold_is_a_good_file() {
    assert_eq!(lint("driver/sample.toml", &with(|text| text)), "");
}

#[test]
fn golden_syntax() {
    insta::assert_snapshot!(lint("driver/sample.toml", &with(|text| text.replace("risk   = \"read-only\"", "risk   = \"harmless\""))));
}

#[test]
fn golden_unknown_key() {
    insta::assert_snapshot!(lint("driver/sample.toml", &with(|text| text.replace("prior   =", "prioir   ="))));
}

#[test]
fn golden_unknown_id() {
    insta::assert_snapshot!(lint("driver/sample.toml", &with(|text| text.replace("explains = []", "explains = [\"nvml-gone\"]"))));
}

#[test]
fn golden_condition() {
    let condition = "[[condition]]\nwhen = '''driver.version < 525'''\nstrength = \"strong\"\n\n[[fix]]";
    insta::assert_snapshot!(lint("driver/sample.toml", &with(|text| text.replacen("[[fix]]", condition, 1))));
}

#[test]
fn golden_regex() {
    insta::assert_snapshot!(lint("driver/sample.toml", &with(|text| text.replace("# regex  = '''…'''", "regex = '''(?<=x)y'''"))));
}

#[test]
fn golden_unsafe_placeholder() {
    insta::assert_snapshot!(lint(
        "driver/sample.toml",
        &with(|text| text.replace("run    = \"nvidia-smi\"", "run    = \"modprobe {gpu.name}\""))
    ));
}

#[test]
fn a_sentence_names_groups_and_facts_only() {
    let text = "[[condition]]\nid = \"c\"\nwhen = 'limit.open_files <= 1024'\nstrength = \"hints\"\nwhy = { en = \"The limit is {NAME}.\", zh = \"上限为 {NAME}。\" }\n\n[[example]]";
    let faults = |name: &str| lint("driver/sample.toml", &with(|file| file.replacen("[[example]]", &text.replace("NAME", name), 1)));
    assert!(faults("fact.limit.open_files").contains("`{fact.limit.open_files}` is neither a group"));
    assert_eq!(faults("limit.open_files"), "");
}

#[test]
fn golden_missing_translation() {
    insta::assert_snapshot!(lint("driver/sample.toml", &with(|text| text.replace("zh = \"用几个字说明故障\"", "zh = \"\""))));
}

#[test]
fn golden_no_verify() {
    insta::assert_snapshot!(lint("driver/sample.toml", &with(|text| text.replace("\"read-only\"  ", "\"disruptive\" "))));
}

#[test]
fn golden_wrong_name() {
    insta::assert_snapshot!(lint("driver/other.toml", &with(|text| text)));
}
