//! The READMEs stay true: their generated tables are those of the program, both languages agree.

use assert_cmd::Command;
use std::path::Path;

fn read(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).expect("the README")
}

/// Runs the command that stands in the marker, and compares what follows it.
#[test]
fn generated_tables_are_up_to_date() {
    let mut tables = 0;
    for name in ["README.md", "README.zh.md"] {
        let text = read(name);
        for part in text.split("<!-- faultbook ").skip(1) {
            let (command, rest) = part.split_once(" -->\n").expect("the marker ends");
            let (shown, _) = rest.split_once("<!-- end -->").expect("the table ends");
            let output = Command::cargo_bin("faultbook").expect("the binary").args(command.split(' ')).output().expect("it runs");
            assert_eq!(shown, String::from_utf8_lossy(&output.stdout), "{name}: run docs/update-readme");
            tables += 1;
        }
    }
    assert_eq!(tables, 4);
}

#[test]
fn both_languages_have_the_same_parts() {
    let shape = |name: &str| {
        let text = read(name);
        let commands: Vec<String> = text
            .lines()
            .filter(|l| l.starts_with("cargo run") || l.starts_with("curl -T") || l.starts_with("tests/run"))
            .map(str::to_owned)
            .collect();
        (text.lines().filter(|l| l.starts_with("## ")).count(), text.lines().filter(|l| l.starts_with("| `")).count(), commands)
    };
    assert_eq!(shape("README.md"), shape("README.zh.md"));
}
