//! A ticket for the vendor of a faulty card, in Markdown: what a support form asks for, filled in
//! from the paste, with blanks for what a paste cannot say.

use super::markdown::{escape, fenced};
use super::{clean, labels, line, shorten, steps};
use crate::diagnose::analysis::{Analysis, FactView, Finding, FixKind, SubjectView, Verdict};
use crate::i18n::{Lang, word};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Event lines quoted.
const MAX_EVENTS: usize = 30;
/// Characters of a quoted line.
const QUOTE: usize = 300;
/// Cards named.
const MAX_CARDS: usize = 16;

/// Facts of the machine that a ticket names, in order.
const MACHINE: [&str; 8] = [
    "driver.version",
    "driver.module_version",
    "driver.flavour",
    "driver.cuda_max",
    "fabric.version",
    "kernel.running",
    "os.name",
    "os.version",
];
/// Facts of a card that a ticket names, in order.
const CARD: [&str; 21] = [
    "gpu.name",
    "gpu.device_id",
    "gpu.xids",
    "gpu.xid_events",
    "gpu.recovery_action",
    "gpu.nvlink_event",
    "gpu.nvlink_meaning",
    "gpu.rminit",
    "gpu.rminit_stage",
    "gpu.rminit_status",
    "gpu.ecc_uncorrectable_volatile",
    "gpu.ecc_uncorrectable_aggregate",
    "gpu.ecc_correctable_aggregate",
    "gpu.row_remap_uncorrectable",
    "gpu.row_remap_pending",
    "gpu.row_remap_failed",
    "gpu.page_retirement_pending",
    "gpu.pcie_width",
    "gpu.pcie_width_max",
    "gpu.pcie_replays",
    "gpu.temperature",
];

/// The ticket for the first finding whose verdict is *card*; `None` where there is none. `lines`
/// are those of the analysis, line 1 first.
pub fn ticket(analysis: &Analysis, lines: &[String], lang: Lang) -> Option<String> {
    let finding = analysis.findings.iter().find(|f| f.verdict == Verdict::Card)?;
    let cards = cards(analysis, finding);
    let mut out = String::new();
    let _ = write!(out, "# {}\n\n{}\n\n", escape(&finding.title), escape(&finding.why));
    table(&mut out, word(lang, "ticket.machine"), &machine(analysis, lang), lang);
    for card in &cards {
        let heading = labels::subject(lang, Some(card));
        let mut rows = facts_of(analysis, Some(card), &CARD, lang);
        rows.push((word(lang, "ticket.serial").to_owned(), String::new()));
        table(&mut out, &heading, &rows, lang);
    }
    events(&mut out, &event_lines(analysis, finding, &cards, lines), lines, lang);
    tried(&mut out, finding, lang);
    let _ = write!(
        out,
        "## {}\n\n{}\n\n{}\n",
        word(lang, "ticket.attach"),
        word(lang, "ticket.attach-what"),
        fenced("sh", "sudo nvidia-bug-report.sh")
    );
    Some(out)
}

/// The cards of the finding: its subject, else those that facts on the evidence's lines are about.
fn cards(analysis: &Analysis, finding: &Finding) -> Vec<SubjectView> {
    let is_card = |subject: &&SubjectView| subject.gpu.is_some() || subject.index.is_some();
    if let Some(card) = finding.subject.as_ref().filter(is_card) {
        return vec![card.clone()];
    }
    let evidence: BTreeSet<u32> = finding.evidence.iter().flat_map(|e| e.lines.iter().copied()).collect();
    let mut cards: Vec<SubjectView> = Vec::new();
    for fact in analysis.facts.iter().filter(|f| f.lines.iter().any(|line| evidence.contains(line))) {
        if let Some(card) = fact.subject.as_ref().filter(is_card)
            && !cards.contains(card)
            && cards.len() < MAX_CARDS
        {
            cards.push(card.clone());
        }
    }
    cards
}

fn machine(analysis: &Analysis, lang: Lang) -> Vec<(String, String)> {
    facts_of(analysis, None, &MACHINE, lang)
}

fn facts_of(analysis: &Analysis, subject: Option<&SubjectView>, names: &[&str], lang: Lang) -> Vec<(String, String)> {
    let find = |name: &str| -> Option<&FactView> { analysis.facts.iter().rev().find(|f| f.name == name && f.subject.as_ref() == subject) };
    names.iter().filter_map(|name| find(name)).map(|fact| (fact.name.clone(), labels::value(lang, &fact.value))).collect()
}

fn table(out: &mut String, heading: &str, rows: &[(String, String)], lang: Lang) {
    if rows.is_empty() {
        return;
    }
    let _ = write!(out, "## {}\n\n| {} | {} |\n|---|---|\n", escape(heading), word(lang, "facts.name"), word(lang, "facts.value"));
    for (name, value) in rows {
        let _ = writeln!(out, "| {} | {} |", escape(name), escape(value));
    }
    out.push('\n');
}

/// The lines of the evidence, and every Xid line of the cards, in order.
fn event_lines(analysis: &Analysis, finding: &Finding, cards: &[SubjectView], lines: &[String]) -> Vec<u32> {
    let mut numbers: BTreeSet<u32> = finding.evidence.iter().filter(|e| e.weight > 0.0).flat_map(|e| e.lines.iter().copied()).collect();
    let of_cards = |fact: &&FactView| fact.name == "gpu.xids" && fact.subject.as_ref().is_some_and(|s| cards.contains(s));
    numbers.extend(analysis.facts.iter().filter(of_cards).flat_map(|f| f.lines.iter().copied()));
    // `0000:41:00` as the kernel writes it, without the function.
    let addresses: Vec<String> =
        cards.iter().filter_map(|c| c.gpu.as_ref()?.rsplit_once('.').map(|(pci, _)| format!("(PCI:{pci})"))).collect();
    let xid =
        |text: &str| text.contains("Xid (PCI:") && addresses.iter().any(|a| text.to_ascii_lowercase().contains(&a.to_ascii_lowercase()));
    numbers.extend(lines.iter().enumerate().filter(|(_, text)| xid(text)).map(|(at, _)| at as u32 + 1).take(MAX_EVENTS));
    numbers.into_iter().take(MAX_EVENTS).collect()
}

fn events(out: &mut String, numbers: &[u32], lines: &[String], lang: Lang) {
    let text = numbers.iter().map(|n| shorten(&line(lines, *n), QUOTE)).filter(|l| !l.is_empty()).collect::<Vec<_>>().join("\n");
    if !text.is_empty() {
        let _ = writeln!(out, "## {}\n\n{}", word(lang, "ticket.events"), fenced("", &clean_lines(&text)));
    }
}

fn clean_lines(text: &str) -> String {
    text.lines().map(clean).collect::<Vec<_>>().join("\n")
}

/// The steps as a list to tick off: what was tried is what support asks next.
fn tried(out: &mut String, finding: &Finding, lang: Lang) {
    let _ = write!(out, "## {}\n\n", word(lang, "ticket.tried"));
    for fix in steps(finding).into_iter().filter(|fix| fix.kind != FixKind::Bypass) {
        let _ = writeln!(out, "- [ ] {}", escape(&fix.text));
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::intake::{Limits, Part};
    use crate::pattern::Patterns;

    fn ticket_of(text: &str) -> Option<String> {
        let patterns = Patterns::builtin().unwrap();
        let paste = crate::intake::read(vec![Part { name: String::new(), bytes: text.as_bytes().to_vec() }], &Limits::default()).unwrap();
        let analysis = crate::analyze(&paste, &patterns).diagnosis.view(&patterns, Lang::En, &str::to_owned);
        let lines: Vec<String> = paste.lines.iter().map(|l| l.text.clone()).collect();
        ticket(&analysis, &lines, Lang::En)
    }

    #[test]
    fn it_names_card_driver_events_and_steps() {
        let text = "[Sun Nov 22 03:12:38 2026] NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.107.02  Wed Jul 24 23:53:00 UTC 2024\n[Sun Nov 22 03:12:40 2026] NVRM: Xid (PCI:0000:82:00): 79, pid=41877, name=python3, GPU has fallen off the bus.\n[Sun Nov 22 03:12:41 2026] NVRM: Xid (PCI:0000:82:00): 154, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)\n";
        let ticket = ticket_of(text).unwrap();
        for part in [
            "550.107.02",
            "0000:82:00.0",
            "Sun Nov 22 03:12:40 2026",
            "gpu.recovery\\_action | node-reboot-required",
            "- [ ] ",
            "nvidia-bug-report.sh",
        ] {
            assert!(ticket.contains(part), "{part} is not in:\n{ticket}");
        }
    }

    #[test]
    fn a_fault_of_code_gets_none() {
        assert!(
            ticket_of("RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!")
                .is_none()
        );
        assert!(ticket_of("epoch 1 loss 0.3").is_none());
    }
}
