//! Xids in context: which came first, how many, of what class; NVLink 5 events and the triple of
//! RmInitAdapter decoded from the tables (NVIDIA's Xid catalogue, open-gpu-kernel-modules).

use super::reader::{caps, re};
use super::{Fact, Facts, Subject, Value};
use crate::pattern::Tables;
use crate::pattern::tables::{Row, Table};
use crate::segment::ScopeId;
use std::collections::{BTreeMap, BTreeSet};

/// The Xids of one card, collected over the segments of a scope.
#[derive(Clone, Debug, Default)]
pub struct Events {
    /// Each code once, in order.
    pub codes: Vec<String>,
    /// The lines of the first of each.
    pub lines: Vec<u32>,
    /// Every Xid line.
    pub count: i64,
    /// Names of the programs on lines of codes that a program can cause.
    pub programs: BTreeSet<String>,
}

/// An NVLink 5 event as the kernel prints it: `Xid (…): 149, NETIR_LINK_EVT … (0x… 0x… …)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nvlink {
    pub xid: String,
    /// `NETIR_LINK_EVT`; the sub-code.
    pub unit: String,
    /// The first two words in the brackets: interrupt information and error status.
    pub interrupt: u32,
    pub status: u32,
}

/// Reads an NVLink 5 event from a log line, or from its short form
/// `xid 149 NETIR_LINK_EVT 0x004505c6 0x00000000`.
pub fn nvlink(text: &str) -> Option<Nvlink> {
    let line = re!(
        r"(?i)\bXid(?: \(PCI:[0-9A-Fa-f:.]+\):)? (14[4-9]|150),? +([A-Z][A-Z0-9_]+)\b.*?\(?0x([0-9a-fA-F]{1,8}),? +0x([0-9a-fA-F]{1,8})"
    );
    let cells = caps(line, text)?;
    let cell = |n: usize| cells.get(n).map_or("", |m| m.as_str());
    let word = |n: usize| u32::from_str_radix(cell(n), 16).ok();
    Some(Nvlink { xid: cell(1).to_owned(), unit: cell(2).to_ascii_uppercase(), interrupt: word(3)?, status: word(4)? })
}

/// The catalogue's row for an event: its unit, the mask of its interrupt information (which
/// differs before and since driver branch 575) and its error status.
pub fn decode<'t>(tables: &'t Tables, event: &Nvlink) -> Option<Row<'t>> {
    tables.xid_nvlink5().rows().find(|row| {
        let unit = row.get("subcode").split('/').any(|name| name.trim().eq_ignore_ascii_case(&event.unit));
        let masks = ["intrinfo_mask_v1_lt_r575", "intrinfo_mask_v2_ge_r575"];
        row.get("xid") == event.xid
            && unit
            && masks.iter().any(|mask| fits(row.get(mask), event.interrupt))
            && status(row.get("error_status"), event.status)
    })
}

/// `------000000----------0000100001`: 32 bits, the highest first; `-` may be either.
fn fits(mask: &str, word: u32) -> bool {
    mask.len() == 32 && mask.bytes().enumerate().all(|(at, bit)| bit == b'-' || u32::from(bit == b'1') == (word >> (31 - at)) & 1)
}

/// An empty cell holds for every status.
fn status(cell: &str, word: u32) -> bool {
    cell.is_empty() || cell.split('/').any(|one| u32::from_str_radix(one.trim().trim_start_matches("0x"), 16) == Ok(word))
}

/// One line of what a decoded event means: severity, where, what to do.
pub fn meaning(row: Row) -> String {
    let cells = ["severity", "hw_sw", "action", "investigate"].map(|column| row.get(column));
    let mut said: Vec<&str> = Vec::new();
    for cell in cells {
        if !cell.is_empty() && !said.contains(&cell) {
            said.push(cell);
        }
    }
    said.join(", ")
}

/// A hexadecimal cell or word as a number.
fn hex(text: &str) -> Option<u64> {
    u64::from_str_radix(text.trim().trim_start_matches("0x"), 16).ok()
}

/// The row whose hexadecimal `column` is `value`.
pub fn by_hex<'t>(table: &'t Table, column: &str, value: &str) -> Option<Row<'t>> {
    let wanted = hex(value)?;
    table.rows().find(|row| hex(row.get(column)) == Some(wanted))
}

/// Whose fault a set of codes can be: `hardware` where one of them no program can cause,
/// `application` where a program can cause one, else `driver`.
fn class(tables: &Tables, codes: &[String]) -> Option<&'static str> {
    let rows: Vec<Row> =
        codes.iter().filter_map(|code| tables.xid().rows().find(|row| row.get("kind") == "XID" && row.get("code") == code)).collect();
    let yes = |row: &Row, column: &str| row.get(column) == "y";
    if rows.iter().any(|row| yes(row, "cause_hw") && !yes(row, "cause_app")) {
        return Some("hardware");
    }
    if rows.iter().any(|row| yes(row, "cause_app")) {
        return Some("application");
    }
    rows.iter().any(|row| yes(row, "cause_driver")).then_some("driver")
}

/// Gives the collected Xids to their cards.
pub fn give(tables: &Tables, facts: &mut Facts, events: &BTreeMap<(ScopeId, String), Events>) {
    let mut cards: BTreeMap<ScopeId, (i64, Vec<u32>)> = BTreeMap::new();
    for ((scope, pci), events) in events {
        let card = facts.gpu(Some(pci), None, None);
        let lines: Vec<u32> = events.lines.iter().copied().take(8).collect();
        facts.give(*scope, card, "gpu.xids", Value::Set(events.codes.clone()), &lines);
        let mut derived = vec![("gpu.xid_events", Value::Int(events.count))];
        derived.extend(events.codes.first().map(|code| ("gpu.xid_first", Value::Text(code.clone()))));
        derived.extend(class(tables, &events.codes).map(|class| ("gpu.xid_class", Value::Text(class.to_owned()))));
        if !events.programs.is_empty() {
            derived.push(("gpu.xid_programs", Value::Int(events.programs.len() as i64)));
        }
        push(facts, *scope, card, derived, &lines);
        // Code 154 only repeats what the card asks for.
        if events.codes.iter().any(|code| code != "154") {
            let entry = cards.entry(*scope).or_default();
            entry.0 += 1;
            entry.1.extend(lines.first());
        }
    }
    for (scope, (count, lines)) in cards {
        push(facts, scope, Subject::None, vec![("xid.cards", Value::Int(count))], &lines);
    }
}

/// What the tables say about raw events that the kernel's parser gave.
pub fn derive(tables: &Tables, facts: &mut Facts) {
    let raw: Vec<Fact> = facts.facts.iter().filter(|f| matches!(f.name.as_str(), "gpu.nvlink_event" | "gpu.rminit")).cloned().collect();
    for fact in raw {
        let Value::Text(text) = &fact.value else { continue };
        let derived = if fact.name == "gpu.rminit" { rminit(tables, text) } else { link(tables, text) };
        push(facts, fact.scope, fact.subject, derived, &fact.lines);
    }
}

fn link(tables: &Tables, text: &str) -> Vec<(&'static str, Value)> {
    let row = nvlink(text).and_then(|event| decode(tables, &event));
    row.map(|row| ("gpu.nvlink_meaning", Value::Text(meaning(row)))).into_iter().collect()
}

/// Stage and status of `0x22:0x56:884`.
fn rminit(tables: &Tables, text: &str) -> Vec<(&'static str, Value)> {
    let mut parts = text.split(':');
    let (stage, status) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""));
    let mut derived = Vec::new();
    if let Some(row) = by_hex(tables.rminit_stages(), "first_field_hex", stage) {
        derived.push(("gpu.rminit_stage", Value::Text(format!("{} ({stage})", row.get("enum_name")))));
    }
    if let Some(row) = by_hex(tables.nvstatus(), "second_field_hex", status) {
        derived.push(("gpu.rminit_status", Value::Text(format!("{} ({status})", row.get("name")))));
    }
    derived
}

fn push(facts: &mut Facts, scope: ScopeId, subject: Subject, values: Vec<(&'static str, Value)>, lines: &[u32]) {
    for (name, value) in values {
        facts.facts.push(Fact { scope, subject, name: name.to_owned(), value, lines: lines.to_vec(), derived: true });
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{facts, value};
    use super::*;
    use crate::segment::Kind;

    fn text(t: &str) -> Option<Value> {
        Some(Value::Text(t.into()))
    }

    #[test]
    fn masks_are_read_from_the_highest_bit() {
        assert!(fits("------000000----------0000100001", 0b0000_0000_0000_0000_0000_0000_0010_0001));
        assert!(fits("------000000----------0000100001", 0b1010_1000_0000_1111_1111_1100_0010_0001));
        assert!(!fits("------000000----------0000100001", 0b0000_0000_0000_0000_0000_0000_0010_0011));
        assert!(!fits("", 0));
    }

    #[test]
    fn a_link_event_is_decoded() {
        // 149 NETIR_LINK_DOWN, bits 25..20 = 101010, low bits of the form before branch 575.
        let line = "NVRM: Xid (PCI:0018:01:00): 149, NETIR_LINK_EVT  Fatal   XC0 i0 Link 12 (0x02a001c6 0x00000000 0x00000000)";
        let event = nvlink(line).unwrap();
        assert_eq!(event, Nvlink { xid: "149".into(), unit: "NETIR_LINK_EVT".into(), interrupt: 0x02a0_01c6, status: 0 });
        assert_eq!(nvlink("xid 149 netir_link_evt 0x02a001c6 0x00000000").unwrap(), event);
        let tables = Tables::default();
        let row = decode(&tables, &event).unwrap();
        assert_eq!((row.get("action"), row.get("investigate")), ("RESET_GPU", "INVESTIGATE_LINK_SI_AND_CABLES"));
        let facts = facts(Kind::Dmesg, line);
        assert_eq!(
            value(&facts, Subject::Gpu(0), "gpu.nvlink_meaning"),
            text("Link Fatal?, HW, RESET_GPU, INVESTIGATE_LINK_SI_AND_CABLES")
        );
        assert!(decode(&tables, &Nvlink { unit: "NO_SUCH_UNIT".into(), ..event }).is_none());
    }

    #[test]
    fn the_triple_is_decoded() {
        let facts = facts(Kind::Dmesg, "NVRM: GPU 0000:01:00.0: RmInitAdapter failed! (0x10:0xffff:1155)");
        assert_eq!(value(&facts, Subject::Gpu(0), "gpu.rminit_stage"), text("RM_INIT_REG_SETUP_FAILED (0x10)"));
        assert_eq!(value(&facts, Subject::Gpu(0), "gpu.rminit_status"), text("NV_ERR_GENERIC (0xffff)"));
    }

    #[test]
    fn codes_are_classed_and_counted() {
        let app = facts(
            Kind::Dmesg,
            "NVRM: Xid (PCI:0000:01:00): 31, pid=5, name=python, MMU Fault\nNVRM: Xid (PCI:0000:01:00): 31, pid=6, name=ollama, MMU Fault",
        );
        assert_eq!(value(&app, Subject::Gpu(0), "gpu.xid_class"), text("application"));
        assert_eq!(value(&app, Subject::Gpu(0), "gpu.xid_events"), Some(Value::Int(2)));
        assert_eq!(value(&app, Subject::Gpu(0), "gpu.xid_programs"), Some(Value::Int(2)));
        let card = facts(
            Kind::Dmesg,
            "NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus.\nNVRM: Xid (PCI:0000:01:00): 154, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)\nNVRM: Xid (PCI:0000:02:00): 79, GPU has fallen off the bus.",
        );
        assert_eq!(value(&card, Subject::Gpu(0), "gpu.xid_class"), text("hardware"));
        assert_eq!(value(&card, Subject::Gpu(0), "gpu.xid_first"), text("79"));
        assert_eq!(value(&card, Subject::Gpu(0), "gpu.recovery_action"), text("node-reboot-required"));
        assert_eq!(value(&card, Subject::None, "xid.cards"), Some(Value::Int(2)));
    }
}
