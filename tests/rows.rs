//! The symptom table, row by row: each row has a file in `tests/rows` and a test of its name.

use faultbook::intake::{Limits, Part, read};
use faultbook::pattern::Patterns;
use serde::Deserialize;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    row: String,
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    text: String,
    /// The first finding is one of these; empty: there is no finding.
    first: Vec<String>,
    /// None of these is the first finding.
    #[serde(default)]
    never: Vec<String>,
}

static PATTERNS: LazyLock<Arc<Patterns>> = LazyLock::new(|| Patterns::builtin().expect("the built-in set loads"));

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/rows")
}

fn check(name: &str) {
    let text = std::fs::read_to_string(folder().join(format!("{name}.toml"))).expect("the row's file");
    let row: Row = toml::from_str(&text).expect("the row's form");
    assert!(!row.case.is_empty(), "row {} has no case", row.row);
    let faults: Vec<String> = row.case.iter().filter_map(fault).collect();
    assert!(faults.is_empty(), "row {}:\n{}", row.row, faults.join("\n"));
}

fn fault(case: &Case) -> Option<String> {
    let paste =
        read(vec![Part { name: String::new(), bytes: case.text.clone().into_bytes() }], &Limits::default()).expect("the case reads");
    let diagnosis = faultbook::analyze(&paste, &PATTERNS).diagnosis;
    let first = diagnosis.first(&PATTERNS);
    let right = match first {
        None => case.first.is_empty(),
        Some(id) => case.first.iter().any(|want| want == id),
    };
    let led_astray = first.is_some_and(|id| case.never.iter().any(|never| never == id));
    (!right || led_astray).then(|| format!("  {}: wanted {:?}, found {first:?}", case.name, case.first))
}

macro_rules! rows {
    ($($name:ident)*) => {
        $(#[test] fn $name() { check(stringify!($name)); })*

        #[test]
        fn every_file_has_a_test() {
            let named = [$(stringify!($name)),*];
            for entry in std::fs::read_dir(folder()).expect("the folder of rows") {
                let path = entry.expect("an entry").path();
                let stem = path.file_stem().expect("a name").to_string_lossy().into_owned();
                assert!(named.contains(&stem.as_str()), "{stem} is not in the list of rows");
            }
        }
    };
}

rows! {
    a01 a02 a03 a04 a05 a06 a07 a08 a09 a10 a11 a12 a13 a14 a15 a16 a17 a18 a19 a20 a21 a22 a23 a24 a25 a26
    b01 b02 b03 b04 b05 b06 b07 b08 b09 b10 b11
    c01 c02 c03 c04 c05 c06 c07 c08 c09 c10 c11
    d01 d02 d03 d04 d05 d06 d07
    e01 e02 e03 e04 e05 e06 e07 e08 e09 e10 e11 e12 e13
    h01 h02 h03 h04 h05 h06 h07 h08 h09
    p01 p02 p03 p04 p05 p06 p07
    w01 w02 w03 w04 w05 w06 w07 w08
}
