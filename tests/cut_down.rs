//! Every case reduced to the one line that a hurried user pastes: the cause is among the first
//! three, or a question is asked whose output decides.

#[path = "common/cases.rs"]
mod cases;

use cases::{PATTERNS, Sample, analyze, first, message_lines, read, samples};
use faultbook::diagnose::analysis::{Effect, Evidence, Strength};
use faultbook::segment::Kind;
use std::collections::BTreeSet;

/// Share of the cases with a symptom that must be answered or decided by a question.
const WANTED: f64 = 0.95;

/// Share of the cases with an echo that may not fall: many echoes say nothing alone (a counter
/// out of a listing, the second sentence of a message).
const WANTED_OF_ECHO: f64 = 0.65;

/// How a case fared.
#[derive(Debug, PartialEq)]
enum Outcome {
    /// No line says that something failed.
    NoSymptom,
    Named,
    /// By this question.
    Decided(String),
    Lost {
        found: Vec<String>,
        asked: Vec<String>,
    },
}

/// Index of the line of the heaviest signature that speaks for the answer; where a comparison
/// of facts leads, of the first line that tells of a failure.
fn symptom(sample: &Sample) -> Option<usize> {
    let answer = sample.answer()?;
    let evidence: Vec<&Evidence> =
        answer.evidence.iter().filter(|e| e.effect == Effect::For && e.weight > 0.0 && !e.lines.is_empty()).collect();
    let leading = evidence
        .iter()
        .fold(None, |best: Option<&&Evidence>, e| if best.is_some_and(|b| b.weight >= e.weight) { best } else { Some(e) })?;
    match leading.when {
        None => leading.lines.first().map(|number| *number as usize - 1),
        Some(_) => sample.lines.iter().position(|line| tells_of_failure(line)),
    }
}

fn tells_of_failure(line: &str) -> bool {
    let words = [
        "error",
        "failed",
        "failure",
        "unable to",
        "could not",
        "couldn't",
        "cannot",
        "not found",
        "no devices",
        "denied",
        "no such",
        "no cuda",
        "unknown",
        "killed",
        "refused",
    ];
    let line = line.to_lowercase();
    words.iter().any(|word| line.contains(word))
}

/// The kinds of output that a command prints, its parts taken one by one.
fn kinds_of(command: &str) -> BTreeSet<&'static str> {
    let parts = command.split([';', '\n']).flat_map(|part| part.split("&&"));
    let of_part = |part: &str| {
        let log = faultbook::segment::split(&read(format!("$ {}\nx\n", part.trim()).into_bytes()));
        log.segments.iter().find(|s| s.command.is_some()).map(|s| s.kind)
    };
    let mut kinds: BTreeSet<&'static str> = parts.filter_map(of_part).filter(|kind| *kind != Kind::Other).map(Kind::name).collect();
    // The report of torch lists packages, and the driver and cards as nvidia-smi gives them.
    if command.contains("collect_env") {
        kinds.extend([Kind::TorchEnv, Kind::PipList, Kind::Probe, Kind::NvidiaSmi].map(Kind::name));
    }
    if command.contains("dmesg") || command.contains("journalctl") {
        kinds.extend([Kind::Dmesg, Kind::Journal].map(Kind::name));
    }
    kinds
}

/// What a `grep` in a command lets through; everything where there is none.
fn filter(command: &str) -> Option<regex::Regex> {
    let words = regex::Regex::new(r"grep -(\w*)E\w* '([^']+)'").expect("an expression");
    let found = words.captures(command)?;
    let any_case = if command.contains("grep -i") { "(?i)" } else { "" };
    regex::Regex::new(&format!("{any_case}{}", found.get(2)?.as_str())).ok()
}

/// The symptom with what the command would have printed of the case: the segments of its kinds,
/// and those that gave facts which the register obtains by it. A search through the job's logs
/// prints its lines of all programs' output.
fn restored(sample: &Sample, symptom: usize, command: &str) -> String {
    let kinds = kinds_of(command);
    let filter = filter(command);
    let in_logs = command.starts_with("grep ") && command.contains(".log");
    let obtained = |name: &str| {
        PATTERNS.register().get(name).is_some_and(|entry| {
            !entry.obtain.is_empty()
                && (command.split(';').any(|part| part.trim() == entry.obtain)
                    || kinds_of(&entry.obtain).iter().any(|kind| kinds.contains(kind)))
        })
    };
    let lines: BTreeSet<u32> =
        sample.analysis.facts.iter().filter(|f| !f.derived && obtained(&f.name)).flat_map(|f| f.lines.iter().copied()).collect();
    let mut text = format!("{}\n", sample.lines[symptom]);
    for segment in &sample.analysis.segments {
        let given = lines.range(segment.first..=segment.last).next().is_some();
        let kernel = matches!(segment.kind, Kind::Dmesg | Kind::Journal);
        if !(kinds.contains(segment.kind.name()) || given || (in_logs && !kernel)) {
            continue;
        }
        text.push('\n');
        for line in &sample.lines[segment.first as usize - 1..segment.last as usize] {
            if !(kernel || in_logs) || filter.as_ref().is_none_or(|filter| filter.is_match(line)) {
                text += &format!("{line}\n");
            }
        }
    }
    text
}

/// Index of the first line of what merely follows from the answer: the echo that is often all
/// that a user sees.
fn echo(sample: &Sample) -> Option<usize> {
    let answer = sample.answer()?;
    let evidence: Vec<u32> =
        answer.evidence.iter().filter(|e| e.strength >= Strength::Strong).flat_map(|e| e.lines.iter().copied()).collect();
    let own = message_lines(sample, &evidence);
    let lines = answer.consequences.iter().flat_map(|c| c.lines.iter().map(|number| *number as usize - 1));
    lines.filter(|at| !own.contains(at)).min()
}

fn outcome(sample: &Sample, symptom: Option<usize>) -> Outcome {
    let Some(symptom) = symptom else { return Outcome::NoSymptom };
    let analysis = analyze(sample.lines[symptom].as_str());
    if analysis.findings.iter().take(3).any(|f| sample.is_right(&f.cause)) {
        return Outcome::Named;
    }
    let decides = |run: &&String| first(&analyze(restored(sample, symptom, run))).is_some_and(|id| sample.is_right(id));
    let asked: Vec<String> = analysis.questions.iter().map(|q| q.run.clone()).collect();
    match asked.iter().find(decides) {
        Some(run) => Outcome::Decided(run.clone()),
        None => Outcome::Lost { found: analysis.findings.into_iter().map(|f| f.cause).collect(), asked },
    }
}

/// The figures over all cases, each reduced to the line that `reduce` picks; with what is lost.
fn share(reduce: fn(&Sample) -> Option<usize>) -> (usize, f64) {
    let samples = samples("known");
    let (mut symptoms, mut named, mut decided) = (0, 0, 0);
    for sample in samples.iter().filter(|s| s.is_positive()) {
        let at = reduce(sample);
        symptoms += usize::from(at.is_some());
        match outcome(sample, at) {
            Outcome::NoSymptom => {}
            Outcome::Named => named += 1,
            Outcome::Decided(run) => {
                decided += 1;
                println!("{}: decided by `{run}`", sample.name);
            }
            Outcome::Lost { found, asked } => {
                let line = at.map_or("", |at| &sample.lines[at]);
                println!("{}: {} is lost: {line}\n    found {found:?}\n    asked {asked:#?}", sample.name, sample.case.cause);
            }
        }
    }
    let share = (named + decided) as f64 / symptoms.max(1) as f64;
    println!("{symptoms} cases: {named} named by the line, {decided} decided by a question: {share:.3}");
    (symptoms, share)
}

#[test]
fn one_line_is_enough_or_a_question_decides() {
    let (count, share) = share(symptom);
    assert!(count >= 60 && share >= WANTED, "{count} cases, {share:.3}");
}

#[test]
fn an_echo_leads_to_a_question_that_decides() {
    let (count, share) = share(echo);
    assert!(count >= 10 && share >= WANTED_OF_ECHO, "{count} cases, {share:.3}");
}
