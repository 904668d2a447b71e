//! What may be done to a paste without changing its answer.

#[path = "common/cases.rs"]
mod cases;
#[path = "common/distort.rs"]
mod distort;

use cases::{PATTERNS, Sample, analyze, first, read, samples, sections};
use faultbook::anonymize::{Rules, anonymize};
use faultbook::diagnose::analysis::Analysis;
use faultbook::intake::Stamp;
use faultbook::segment::Kind;
use std::collections::BTreeSet;
use std::sync::LazyLock;

static KNOWN: LazyLock<Vec<Sample>> = LazyLock::new(|| samples("known"));

/// Healthy logs that are put beside each case.
const NEIGHBOURS: usize = 8;

/// Cases in which something is found.
fn positives() -> impl Iterator<Item = &'static Sample> {
    KNOWN.iter().filter(|s| s.is_positive() && first(&s.analysis).is_some())
}

/// The names of the facts, and the kinds of the segments, but what every paste has.
fn matters(analysis: &Analysis) -> (BTreeSet<&str>, BTreeSet<&str>) {
    let facts = analysis.facts.iter().map(|f| f.name.as_str()).filter(|name| *name != "scope.kind").collect();
    let kinds = analysis.segments.iter().filter(|s| s.kind != Kind::Other).map(|s| s.kind.name()).collect();
    (facts, kinds)
}

/// The two speak of different things: no fact and no kind of segment is in both, it is no
/// driver beside packages that need one of a certain version, no other kind of machine, nothing
/// that the case's cause itself asks about, and nothing that any cause compares with the case.
fn are_unrelated(healthy: &Analysis, case: &Analysis) -> bool {
    let ((facts, kinds), (other_facts, other_kinds)) = (matters(healthy), matters(case));
    let has = |facts: &BTreeSet<&str>, starts: &[&str]| facts.iter().any(|name| starts.iter().any(|start| name.starts_with(start)));
    let (driver, packages) = (["driver."], ["need.", "package.", "torch."]);
    let compared = has(&facts, &driver) && has(&other_facts, &packages) || has(&facts, &packages) && has(&other_facts, &driver);
    let machines = |a: &Analysis| a.segments.iter().any(|s| s.scope.starts_with("wsl") || s.scope.starts_with("windows"));
    let cause = first(case).and_then(|id| PATTERNS.position(id)).and_then(|at| PATTERNS.causes().get(at));
    let asked = cause.is_some_and(|cause| cause.conditions.iter().any(|c| facts.iter().any(|fact| c.when.contains(fact))));
    // Some cause of the set puts the two together.
    let mentions = |when: &str, facts: &BTreeSet<&str>| facts.iter().any(|fact| when.contains(fact));
    let combined =
        PATTERNS.causes().iter().flat_map(|cause| &cause.conditions).any(|c| mentions(&c.when, &facts) && mentions(&c.when, &other_facts));
    // An error that names a card, and a list of cards.
    let listed = has(&facts, &["gpu."]) && has(&other_facts, &["env.cuda_"]) || has(&facts, &["env.cuda_"]) && has(&other_facts, &["gpu."]);
    let compared = compared || combined || listed;
    facts.is_disjoint(&other_facts) && kinds.is_disjoint(&other_kinds) && !compared && !asked && machines(healthy) == machines(case)
}

/// Dates do not set the two apart: events of another day than a later log's are history.
fn are_of_one_day(a: &Sample, b: &Sample) -> bool {
    let last = |sample: &Sample| {
        let times = read(sample.lines.join("\n").into_bytes()).lines.into_iter().filter_map(|line| match line.prefix?.time? {
            Stamp::Wall(seconds) => Some(seconds),
            Stamp::Uptime(_) => None,
        });
        times.max_by(f64::total_cmp)
    };
    match (last(a), last(b)) {
        (Some(a), Some(b)) => (a - b).abs() < 86_400.0,
        _ => true,
    }
}

/// Fails with every text whose first finding is not that of its sample.
fn all_keep_their_finding(texts: impl Iterator<Item = (&'static Sample, String, String)>, at_least: usize) {
    let mut count = 0;
    let mut changed = Vec::new();
    for (sample, what, text) in texts {
        count += 1;
        let analysis = analyze(text);
        if first(&analysis) != first(&sample.analysis) {
            changed.push(format!("{} {what}: {:?} for {:?}", sample.name, first(&analysis), first(&sample.analysis)));
        }
    }
    println!("{count} pastes, {} with another first finding", changed.len());
    assert!(changed.is_empty(), "{changed:#?}");
    assert!(count >= at_least, "only {count} pastes");
}

#[test]
fn a_healthy_unrelated_section_changes_nothing() {
    let clean = samples("clean");
    let texts = positives().enumerate().flat_map(|(at, sample)| {
        let start = at * NEIGHBOURS;
        let unrelated: Vec<&Sample> = (0..clean.len())
            .filter_map(|n| clean.get((start + n) % clean.len()))
            .filter(|c| are_unrelated(&c.analysis, &sample.analysis) && are_of_one_day(c, sample))
            .take(NEIGHBOURS)
            .collect();
        let both = |healthy: &Sample| {
            let (own, other) = (sample.lines.join("\n"), healthy.lines.join("\n"));
            [
                (sample, format!("after {}", healthy.name), format!("{other}\n\n{own}\n")),
                (sample, format!("before {}", healthy.name), format!("{own}\n\n{other}\n")),
            ]
        };
        unrelated.into_iter().flat_map(both).collect::<Vec<_>>()
    });
    all_keep_their_finding(texts, 500);
}

#[test]
fn the_order_of_sections_changes_nothing() {
    let orders: [(&str, fn(usize) -> Vec<usize>); 3] = [
        ("reversed", |n| (0..n).rev().collect()),
        ("rotated", |n| (1..n).chain([0]).collect()),
        ("swapped", |n| [1, 0].into_iter().chain(2..n).collect()),
    ];
    let several = positives().filter(|sample| sections(sample).len() > 1);
    let texts = several.flat_map(|sample| orders.map(|(what, order)| (sample, what.to_owned(), distort::arranged(sample, order))));
    all_keep_their_finding(texts, 60);
}

#[test]
fn a_paste_given_twice_changes_nothing() {
    let texts = positives().map(|sample| (sample, "twice".to_owned(), format!("{0}\n\n{0}\n", sample.lines.join("\n"))));
    all_keep_their_finding(texts, 70);
}

#[test]
fn an_anonymised_paste_has_the_same_cause() {
    let (mut same, mut count) = (0, 0);
    for sample in positives() {
        let paste = read(sample.lines.join("\n").into_bytes());
        let log = faultbook::segment::split(&paste);
        let anonymous = anonymize(&paste, &log, &Rules::default()).lines().join("\n");
        let analysis = analyze(anonymous);
        count += 1;
        if first(&analysis) == first(&sample.analysis) {
            same += 1;
        } else {
            println!("{}: {:?} for {:?}", sample.name, first(&analysis), first(&sample.analysis));
        }
    }
    println!("{same} of {count} anonymised pastes have the same first cause");
    assert!(same * 100 >= count * 99, "{same} of {count}");
}

#[test]
fn other_addresses_of_the_cards_are_named_in_the_answer() {
    let mut renamed = 0;
    for sample in positives() {
        let Some(own) =
            sample.analysis.findings.first().and_then(|f| f.subject.as_ref()?.gpu.clone()).filter(|gpu| Place::of(gpu).is_some())
        else {
            continue;
        };
        let text = sample.lines.join("\n");
        let cards: BTreeSet<Place> =
            sample.analysis.facts.iter().filter_map(|f| Place::of(f.subject.as_ref()?.gpu.as_deref()?)).chain(Place::of(&own)).collect();
        let new = |place: &Place| cards.iter().position(|c| c == place).map_or_else(String::new, |at| format!("{:02x}", 0xd0 + at));
        let moved = cards.iter().fold(text, |text, place| place.moved(&text, &new(place)));
        let analysis = analyze(moved);
        assert_eq!(first(&analysis), first(&sample.analysis), "{}", sample.name);
        let subject = analysis.findings.first().and_then(|f| f.subject.as_ref()?.gpu.clone());
        let wanted = Place::of(&own).map(|place| format!("{}:{}:00.0", place.domain, new(&place)));
        assert_eq!(subject, wanted, "{}: {own}", sample.name);
        renamed += 1;
    }
    println!("{renamed} pastes name one card, and another after it was renamed");
    assert!(renamed >= 10, "only {renamed}");
}

/// Domain and bus of `0000:41:00.0`.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    domain: String,
    bus: String,
}

impl Place {
    fn of(pci: &str) -> Option<Place> {
        let (domain, bus) = pci.strip_suffix(":00.0")?.rsplit_once(':')?;
        Some(Place { domain: domain.to_owned(), bus: bus.to_owned() })
    }

    /// All its addresses on another bus: `0000:41:00`, `00000000:41:00.0`, `41:00.0 VGA`.
    fn moved(&self, text: &str, bus: &str) -> String {
        let long = regex::Regex::new(&format!(r"(?i)({}:){}:00", self.domain, self.bus)).expect("an expression");
        let short = regex::Regex::new(&format!(r"(?im)^{}:00\.(\d) ", self.bus)).expect("an expression");
        let text = long.replace_all(text, format!("${{1}}{bus}:00"));
        short.replace_all(&text, format!("{bus}:00.$1 ")).into_owned()
    }
}

#[test]
fn another_index_is_named_in_the_answer() {
    let paste = |index: u32| {
        format!(
            "$ nvidia-smi --query-gpu=index,pci.bus_id,name --format=csv,noheader\n{}, 00000000:0F:00.0, NVIDIA A100-SXM4-80GB\n{index}, 00000000:4E:00.0, NVIDIA A100-SXM4-80GB\n$ sudo dmesg | tail -2\n\
[ 9121.104425] NVRM: Xid (PCI:0000:4e:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.\n\
[ 9121.104431] NVRM: GPU 0000:4e:00.0: GPU has fallen off the bus.\n",
            index - 1
        )
    };
    for index in [1, 3, 7] {
        let analysis = analyze(paste(index));
        let subject = analysis.findings.first().and_then(|f| f.subject.clone()).expect("a card");
        assert_eq!(first(&analysis), Some("gpu-fell-off-bus"));
        assert_eq!((subject.gpu.as_deref(), subject.index), (Some("0000:4e:00.0"), Some(index)));
    }
}
