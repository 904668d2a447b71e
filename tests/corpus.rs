//! The corpus: figures that may not fall, healthy logs that stay silent, hostile input that is
//! survived.

use faultbook::eval::{Figures, Outcome, cases, run};
use faultbook::i18n::Lang;
use faultbook::intake::{Limits, Part, read};
use faultbook::pattern::Patterns;
use std::path::PathBuf;

fn corpus(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name)
}

fn outcomes(name: &str) -> Vec<Outcome> {
    let patterns = Patterns::builtin().expect("the built-in set loads");
    let cases = cases(&corpus(name)).expect("the corpus reads");
    cases.iter().map(|case| run(case, &patterns).expect("the case reads")).collect()
}

#[test]
fn known_cases_keep_their_figures() {
    let outcomes = outcomes("known");
    let figures = Figures::of(&outcomes);
    let misses: Vec<_> =
        outcomes.iter().filter(|o| !o.is_negative() && !o.top1() || o.misled() || o.false_claim()).map(|o| (&o.folder, &o.found)).collect();
    assert!(figures.positives >= 70, "the corpus shrank: {figures:?}");
    assert!(Figures::share(figures.top1, figures.positives) >= 0.96, "{figures:?}\n{misses:#?}");
    assert!(Figures::share(figures.top3, figures.positives) >= 0.98, "{figures:?}\n{misses:#?}");
    assert_eq!((figures.misled, figures.false_claims), (0, 0), "{misses:#?}");
}

#[test]
fn healthy_logs_yield_nothing() {
    let outcomes = outcomes("clean");
    assert!(outcomes.len() >= 60, "only {} healthy logs", outcomes.len());
    let claims: Vec<_> = outcomes.iter().filter(|o| !o.found.is_empty()).map(|o| (&o.folder, &o.found)).collect();
    assert!(claims.is_empty(), "{claims:#?}");
}

#[test]
fn hostile_input_is_survived_and_never_reaches_a_command() {
    let patterns = Patterns::builtin().expect("the built-in set loads");
    let mut read_any = 0;
    for entry in std::fs::read_dir(corpus("hostile")).expect("the folder") {
        let file = entry.expect("an entry").path().join("input.log");
        let bytes = std::fs::read(&file).expect("the input");
        let Ok(paste) = read(vec![Part { name: "input.log".into(), bytes }], &Limits::default()) else { continue };
        read_any += 1;
        let view = faultbook::analyze(&paste, &patterns).diagnosis.view(&patterns, Lang::En, &str::to_owned);
        let commands = view.findings.iter().flat_map(|f| &f.fixes).flat_map(|fix| fix.run.iter().chain(&fix.verify));
        for command in commands {
            for planted in ["rm -rf", "$(reboot)", "curl evil", "; reboot", "`id`"] {
                assert!(!command.contains(planted), "{}: {command}", file.display());
            }
        }
    }
    assert!(read_any >= 5, "only {read_any} hostile inputs were read");
}
