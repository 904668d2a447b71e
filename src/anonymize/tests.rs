//! The whole anonymiser on small pastes, and its properties on random ones.

use super::*;
use crate::intake::{Line, Source};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn paste(text: &str) -> Paste {
    let lines: Vec<Line> =
        (1u32..).zip(text.split('\n')).map(|(number, text)| Line { number, text: text.to_owned(), ..Line::default() }).collect();
    let last = u32::try_from(lines.len()).unwrap();
    Paste { lines, sources: vec![Source { name: "jbarlow.log".to_owned(), first: 1, last }], limits: Vec::new() }
}

fn run_with(text: &str, rules: &Rules) -> Anonymized {
    anonymize(&paste(text), &Log::default(), rules)
}

fn run(text: &str) -> String {
    run_with(text, &Rules::default()).lines().join("\n")
}

#[test]
fn a_name_learnt_late_is_replaced_early() {
    let out = run("run of jbarlow failed\nFile \"/home/jbarlow/x.py\"\n%6abarlow JBARLOW jbarlow%2Fx");
    assert_eq!(out, "run of <user-1> failed\nFile \"/home/<user-1>/x.py\"\n<user-1> <user-1> <user-1>%2Fx");
}

#[test]
fn a_literal_placeholder_keeps_its_number() {
    assert_eq!(run("ssh <host-1>\nroot@gpu-7:~# ls"), "ssh <host-1>\nroot@<host-2>:~# ls");
}

#[test]
fn relations_survive_and_are_counted() {
    let out = run_with("connect to 10.0.0.7\npeer 10.0.0.8\n10.0.0.7 is gone", &Rules::default());
    assert_eq!(out.lines(), ["connect to <ip-1>", "peer <ip-2>", "<ip-1> is gone"]);
    assert_eq!(out.counts().get("ip"), Some(&2));
}

#[test]
fn short_texts_get_the_same_placeholders() {
    let out = run_with("File \"/home/jbarlow/x.py\" on 10.0.0.7", &Rules::default());
    assert_eq!(out.redact("jbarlow at 10.0.0.7, not 10.0.0.9"), "<user-1> at <ip-1>, not <ip-2>");
    assert_eq!(out.redact("Nothing here."), "Nothing here.");
    assert_eq!(out.sources(), ["<user-1>.log"]);
}

#[test]
fn a_text_alone_is_anonymised_beside_stored_placeholders() {
    assert_eq!(redact_alone("see <ip-1>, it was 10.0.0.7", &Rules::default()), "see <ip-1>, it was <ip-2>");
}

#[test]
fn a_team_hides_more() {
    let rules = Rules { hide: vec!["Aurora".to_owned(), "host".to_owned()], hide_regex: vec![regex::Regex::new("TICKET-\\d+").unwrap()] };
    let out = run_with("aurora2 TICKET-12 root@gpu-7:~# ls", &rules);
    assert_eq!(out.lines(), ["<hidden-1>2 <hidden-2> root@<host-1>:~# ls"]);
}

#[test]
fn debug_output_holds_no_raw_value() {
    let out = run_with("File \"/home/jbarlow/x.py\"", &Rules::default());
    assert!(!format!("{out:?}").contains("jbarlow"));
}

#[test]
fn ordinary_words_are_not_lost_to_a_user_of_that_name() {
    let out = run("max@gpu-7:~$ x\nmax_split_size_mb:128 and torch.max");
    assert!(out.contains("max_split_size_mb:128 and torch.max"), "{out}");
    assert!(out.starts_with("<user-1>@<host-1>:~$"), "{out}");
}

#[test]
fn a_long_line_is_read_in_windows() {
    let mut text = "x ".repeat(40_000);
    text.push_str("/home/jbarlow/a 10.0.0.7 ");
    text.push_str(&"中".repeat(20_000));
    text.push_str(" ghp_ZDkNqlQHdPTekmYOQ6UexTfVuLzoWYzZxson");
    let out = run(&text);
    for secret in ["jbarlow", "10.0.0.7", "ghp_"] {
        assert!(!out.contains(secret), "{secret}");
    }
}

/// Lines into which secrets are planted; `{}` is the place.
const PLACES: [&str; 9] = [
    "{}",
    "Nov 12 03:12:44 node kernel: x {} y",
    "  File \"train.py\", line 3: {}",
    "[rank0]: RuntimeError: {} (status 401)",
    "{\"message\": \"{}\", \"code\": 1}",
    "2026-11-12 03:12:44,118 ERROR root: {}",
    "报错: {} 请看",
    "> {}",
    "+ echo {}",
];

/// Texts with a secret of every kind: what is planted, and the part that must go.
const SECRETS: [(&str, &str); 36] = [
    ("/home/jbarlow/x", "jbarlow"),
    ("C:\\Users\\otilia.brand\\x", "otilia.brand"),
    ("jbarlow@gpu-box:~/exp$ ls", "gpu-box"),
    ("10.44.3.17", "10.44.3.17"),
    ("2001:db8:41:7::2a9", "2001:db8:41:7::2a9"),
    ("58:11:22:7c:9d:01", "58:11:22:7c:9d:01"),
    ("priya.raman@nimbus-ai.example", "priya.raman"),
    ("+49 151 5550 1234", "5550 1234"),
    ("13912345678", "13912345678"),
    ("联系人:王建国", "王建国"),
    ("11010519491231002X", "11010519491231002X"),
    ("GPU-ea015fc7-247c-3f76-b506-a65853379664", "ea015fc7"),
    ("MIG-08ab4cea-96ce-13e3-e119-052b969f43ce", "08ab4cea"),
    ("8c7e0c40-1a2b-11ee-8000-3cecef9a7b10", "8c7e0c40"),
    ("Serial Number: 1653922041877", "1653922041877"),
    ("License key: ABCDE-12345-FGHIJ-67890-KLMNO", "12345-FGHIJ"),
    ("s3://nimbus-llm-train/ckpt/a.pt", "nimbus-llm-train"),
    ("https://ci-bot:hunter2fish@pypi.nimbus-ai.example/simple", "hunter2fish"),
    ("https://pypi.nimbus-ai.example/simple", "nimbus-ai"),
    ("git@git.nimbus-ai.example:vision/aurora-core.git", "nimbus-ai"),
    ("/mnt/nimbus-ads/ctr_ranking/train.py", "nimbus-ads"),
    ("hf_RnyLAq4D7KA8GDxMs0XSGfi29SxzbiiXF1", "KA8GDxMs0XSGfi29"),
    ("ghp_ZDkNqlQHdPTekmYOQ6UexTfVuLzoWYzZxson", "ZDkNqlQHdPTekmYO"),
    ("sk-proj-wLOSdyBruv2OKgDed6rGwGjrJWk7RRwGZ58A44WTjiH1b3uJ", "wLOSdyBruv2O"),
    ("AKIAFT65MGISTPEPFEGM", "FT65MGISTPEPFEGM"),
    ("xoxb-19585265997-488696497183-KzTAcBfM3OGQyD4PGPZH3mp1", "KzTAcBfM3OGQ"),
    ("glpat-kJY6GfNEwqAJjDi8FB33", "kJY6GfNEwqAJ"),
    ("eyJeLhbjUXsgaYpd.eyJ2XSDQkr86Zd614.2NS3B5mFGd6S49nh", "2XSDQkr86Zd614"),
    ("password=Sunflower88", "Sunflower88"),
    ("Authorization: Bearer AbCdEf.0123456789-xyz", "0123456789-xyz"),
    ("postgresql://mlflow:Zeppelin_4@db-int.nimbus.example:5432/x", "Zeppelin_4"),
    ("https://wandb.ai/nimbus-ai/ads-ctr/runs/3k2j4h5g", "3k2j4h5g"),
    ("registry.nimbus-ai.example:5000/team-aurora/trainer:1.4", "nimbus-ai"),
    ("--namespace nimbus-prod", "nimbus-prod"),
    ("JobName=aurora_ctr_v7", "aurora_ctr_v7"),
    ("WANDB_API_KEY=ad432c76d6ae358567b5cc7bc60a850d5001ff75", "ad432c76d6ae3585"),
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

    #[test]
    fn planted_secrets_never_survive(picks in prop::collection::vec((0..SECRETS.len(), 0..PLACES.len()), 1..8)) {
        let lines: Vec<String> = picks.iter().map(|(secret, place)| PLACES[*place].replacen("{}", SECRETS[*secret].0, 1)).collect();
        let out = run(&lines.join("\n"));
        for (secret, place) in &picks {
            prop_assert!(!out.contains(SECRETS[*secret].1), "{} in {}:\n{out}", SECRETS[*secret].1, PLACES[*place]);
        }
        prop_assert_eq!(out.split('\n').count(), lines.len());
        prop_assert_eq!(run(&out), out);
    }

    #[test]
    fn any_text_is_taken(text in "(\\PC|[\\n%<>@:/\\\\=\u{1b}])*", cut in 0usize..64) {
        let out = run(&text);
        prop_assert_eq!(out.split('\n').count(), text.split('\n').count());
        let short: String = text.chars().take(cut).collect();
        run_with(&text, &Rules::default()).redact(&short);
    }

    #[test]
    fn pieces_of_logs_are_taken_twice_alike(pieces in prop::collection::vec(0usize..SECRETS.len() + PIECES.len(), 1..12)) {
        let text: String = pieces.iter().map(|at| SECRETS.get(*at).map_or_else(|| PIECES[at - SECRETS.len()], |secret| secret.0)).collect();
        let once = run(&text);
        prop_assert_eq!(run(&once), once, "from {}", text);
    }
}

/// Odds and ends that stand between secrets.
const PIECES: [&str; 24] = [
    " ", "=", ": ", "\"", "'", "\n", "/", "@", "-", "<user-1>", "<host-3>", "<", ">", "%2F", "%3D", ",", ";", "password", "token=",
    "user ", "host ", "by ", "/home/", "://",
];

#[test]
fn a_line_of_many_placeholders_and_names_takes_linear_time() {
    let one = "<ip-1> a=10.0.0.7 ".repeat(20_000);
    let started = std::time::Instant::now();
    let out = run(&one);
    assert!(!out.contains("10.0.0.7"));
    assert!(started.elapsed().as_secs() < 30, "{:?}", started.elapsed());
}
