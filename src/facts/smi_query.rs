//! `nvidia-smi -q`: nested by indentation, one block for each card; and its XML form.

use super::reader::{Line, Reader, bytes, first, re};
use super::smi_table::{compute_mode, identity};
use super::{Subject, Value};

/// Reads the sections of every card.
pub fn read(reader: &mut Reader) {
    if reader.lines().take(12).any(|line| line.text.contains("<nvidia_smi_log>") || line.text.contains("<?xml")) {
        return super::smi_xml::read(reader);
    }
    let mut query = Query::default();
    for line in reader.lines() {
        step(reader, line, &mut query);
    }
    query.flush(reader);
}

/// The index of `-i 2`: the block that follows is about that card.
fn only_index(reader: &Reader) -> Option<u32> {
    first(re!(r"nvidia-smi\b.*\s(?:-i|--id)[ =](\d+)(?:\s|$)"), reader.command_line())?.parse().ok()
}

/// The card of a listing that `grep` left without its heading: the one of `-i 2`, or the only one.
fn filtered_card(reader: &mut Reader) -> Option<Subject> {
    reader.command().and_then(|c| c.filter.as_ref())?;
    match only_index(reader) {
        Some(index) => reader.card(None, Some(index), None),
        None if reader.facts.gpus.len() < 2 => reader.some_card(),
        None => None,
    }
}

/// Where the reader stands, and what is summed up for the card.
#[derive(Default)]
pub struct Query {
    card: Option<Subject>,
    /// The open sections: indentation and name in lower case.
    path: Vec<(usize, String)>,
    sums: Vec<(&'static str, i64, u32)>,
    reasons: Option<(Vec<String>, u32)>,
    processes: Vec<(String, u32)>,
    process: [String; 3],
}

fn step(reader: &mut Reader, line: Line, query: &mut Query) {
    let text = line.text.trim_end();
    let indent = text.len() - text.trim_start().len();
    let body = text.trim_start();
    if let Some(pci) = first(re!(r"^GPU ([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d)\s*$"), body) {
        query.flush(reader);
        query.path.clear();
        let index = only_index(reader);
        query.card = reader.card(Some(pci), index, None);
        if let Some(card) = query.card {
            identity(reader, card, Some(pci), None, line.number);
        }
        return;
    }
    while query.path.last().is_some_and(|(depth, _)| *depth >= indent) {
        query.path.pop();
    }
    match body.split_once(" : ").or_else(|| body.split_once(": ")) {
        Some((key, value)) => entry(reader, line.number, query, &key.trim().to_ascii_lowercase(), value.trim()),
        None if !body.is_empty() && query.path.len() < 8 => {
            query.path.push((indent, body.trim_end_matches(':').trim().to_ascii_lowercase()))
        }
        None => {}
    }
}

/// One `key : value` under the open sections.
pub fn entry(reader: &mut Reader, line: u32, query: &mut Query, key: &str, value: &str) {
    let section = query.path.iter().map(|(_, name)| name.as_str()).collect::<Vec<_>>().join("/");
    if query.card.is_none() && !section.is_empty() {
        query.card = filtered_card(reader);
    }
    let Some(card) = query.card else { return header(reader, line, key, value) };
    let last = section.rsplit('/').next().unwrap_or("");
    if section.is_empty() && key == "gpu uuid" && (value.starts_with("GPU-") || value.starts_with('<')) {
        query.card = Some(reader.name_card(card, value));
    } else if section.contains("ecc errors") {
        ecc(query, line, &section, key, value);
    } else if (last.contains("throttle reasons") || last.contains("event reasons") || last == "hw slowdown" || section.contains("reasons"))
        && !section.contains("counters")
    {
        reason(query, line, key, value);
    } else if section.contains("processes") {
        query.process(line, key, value);
    } else if section.contains("remapped rows") || section.contains("retired pages") {
        memory_repair(reader, line, card, &section, key, value);
    } else if section.starts_with("temperature") {
        temperature(reader, line, card, key, value);
    } else if section.starts_with("pci") || section.contains("gpu link info") {
        pcie(reader, line, card, &section, key, value);
    } else {
        rest(reader, line, card, &section, key, value);
    }
}

/// Lines before the first card.
fn header(reader: &mut Reader, line: u32, key: &str, value: &str) {
    match key {
        "driver version" if value.starts_with(|c: char| c.is_ascii_digit()) => {
            reader.version("driver.version", value, line);
            reader.bool("nvidia_smi.works", true, line);
        }
        "cuda version" if value.starts_with(|c: char| c.is_ascii_digit()) => reader.version("driver.cuda_max", value, line),
        "attached gpus" => {
            if let Ok(count) = value.parse() {
                reader.int("gpu.count", count, line);
            }
        }
        _ => {}
    }
}

fn ecc(query: &mut Query, line: u32, section: &str, key: &str, value: &str) {
    let Ok(count) = value.parse::<i64>() else { return };
    let volatile = section.contains("volatile");
    // Old drivers: Volatile/Single Bit/Total; new ones: Volatile/DRAM Uncorrectable.
    let old_total = key == "total";
    let uncorrectable = if section.contains("double bit") && old_total {
        true
    } else if section.contains("single bit") && old_total {
        false
    } else if key.contains("uncorrectable") {
        true
    } else if key.contains("correctable") {
        false
    } else {
        return;
    };
    let name = match (uncorrectable, volatile) {
        (true, true) => "gpu.ecc_uncorrectable_volatile",
        (true, false) => "gpu.ecc_uncorrectable_aggregate",
        (false, true) => "gpu.ecc_correctable_volatile",
        (false, false) => "gpu.ecc_correctable_aggregate",
    };
    match query.sums.iter_mut().find(|(known, _, _)| *known == name) {
        Some(sum) => {
            if count > 0 && sum.1 == 0 {
                sum.2 = line;
            }
            sum.1 = sum.1.saturating_add(count);
        }
        None => query.sums.push((name, count, line)),
    }
}

fn reason(query: &mut Query, line: u32, key: &str, value: &str) {
    let (reasons, first) = query.reasons.get_or_insert((Vec::new(), line));
    if value.eq_ignore_ascii_case("active") && key != "idle" {
        if reasons.is_empty() {
            *first = line;
        }
        reasons.push(kebab(key));
    }
}

/// `HW Power Brake Slowdown` → `hw-power-brake-slowdown`.
pub fn kebab(text: &str) -> String {
    text.trim().to_ascii_lowercase().split(|c: char| !c.is_ascii_alphanumeric()).filter(|p| !p.is_empty()).collect::<Vec<_>>().join("-")
}

fn memory_repair(reader: &mut Reader, line: u32, card: Subject, section: &str, key: &str, value: &str) {
    let Some(yes) = yes_no(value) else {
        if key == "uncorrectable error"
            && let Ok(rows) = value.parse()
        {
            reader.give_to(card, "gpu.row_remap_uncorrectable", Value::Int(rows), &[line]);
        }
        return;
    };
    let remapped = section.contains("remapped rows");
    let name = match key {
        "pending" if remapped => "gpu.row_remap_pending",
        "remapping failure occurred" => "gpu.row_remap_failed",
        "pending" | "pending page blacklist" => "gpu.page_retirement_pending",
        _ => return,
    };
    reader.give_to(card, name, Value::Bool(yes), &[line]);
}

/// `Yes`/`No` and their kin; nothing for `N/A`.
fn yes_no(value: &str) -> Option<bool> {
    match value.to_ascii_lowercase().as_str() {
        "yes" | "enabled" | "active" | "on" => Some(true),
        "no" | "disabled" | "not active" | "off" => Some(false),
        _ => None,
    }
}

fn temperature(reader: &mut Reader, line: u32, card: Subject, key: &str, value: &str) {
    let name = match key {
        "gpu current temp" => "gpu.temperature",
        "gpu slowdown temp" => "gpu.temperature_slowdown",
        "gpu shutdown temp" => "gpu.temperature_shutdown",
        "gpu max operating temp" => "gpu.temperature_max",
        "gpu t.limit temp" => "gpu.temperature_margin",
        "memory current temp" => "gpu.memory_temperature",
        _ => return,
    };
    if let Some(celsius) = value.strip_suffix('C').and_then(|v| v.trim().parse().ok()) {
        reader.give_to(card, name, Value::Int(celsius), &[line]);
    }
}

fn pcie(reader: &mut Reader, line: u32, card: Subject, section: &str, key: &str, value: &str) {
    let count: Option<i64> = value.trim_end_matches(['x', 'X']).trim().parse().ok();
    let name = match (section.rsplit('/').next().unwrap_or(""), key) {
        ("pcie generation", "current") => "gpu.pcie_generation",
        ("pcie generation", "max") => "gpu.pcie_generation_max",
        ("link width", "current") => "gpu.pcie_width",
        ("link width", "max") => "gpu.pcie_width_max",
        (_, "replays since reset" | "replay counter") => "gpu.pcie_replays",
        _ => return,
    };
    if let Some(count) = count {
        reader.give_to(card, name, Value::Int(count), &[line]);
    }
}

fn rest(reader: &mut Reader, line: u32, card: Subject, section: &str, key: &str, value: &str) {
    let at = [line];
    let unreadable = value.contains("Unknown Error") || value == "ERR!" || value == "GPU access blocked";
    if unreadable {
        return reader.add(card, "gpu.unreadable_cells", &[kebab(key)], line);
    }
    match (section, key) {
        ("", "product name") => reader.give_to(card, "gpu.name", Value::Text(value.to_owned()), &at),
        ("", "persistence mode") => give_flag(reader, card, "gpu.persistence", value, line),
        ("mig mode", "current") => give_flag(reader, card, "gpu.mig_mode", value, line),
        ("", "compute mode") => {
            if let Some(mode) = compute_mode(value) {
                reader.give_to(card, "gpu.compute_mode", Value::Text(mode.to_owned()), &at);
            }
        }
        ("", "gpu recovery action") => reader.give_to(card, "gpu.recovery_action", Value::Text(kebab(value)), &at),
        ("gpu reset status", "reset required") if yes_no(value) == Some(true) => {
            reader.give_to(card, "gpu.recovery_action", Value::Text("reset".into()), &at)
        }
        ("gpu reset status", "drain and reset recommended") if yes_no(value) == Some(true) => {
            reader.give_to(card, "gpu.recovery_action", Value::Text("drain-and-reset".into()), &at);
        }
        ("fabric", "state") => reader.text("fabric.state", &kebab(value), line),
        ("fabric", "status") if value != "N/A" => reader.text("fabric.status", &kebab(value), line),
        ("fb memory usage", "total" | "used") => {
            if let Some(size) = bytes(value) {
                let name = if key == "total" { "gpu.memory_total" } else { "gpu.memory_used" };
                reader.give_to(card, name, Value::Int(size), &at);
            }
        }
        ("power readings" | "gpu power readings", "power draw" | "instantaneous power draw" | "average power draw") => {
            if let Some(watts) = value.strip_suffix('W').and_then(|w| w.trim().parse().ok()) {
                reader.give_to(card, "gpu.power", Value::Float(watts), &at);
            }
        }
        _ => {}
    }
}

fn give_flag(reader: &mut Reader, card: Subject, name: &str, value: &str, line: u32) {
    if let Some(on) = yes_no(value) {
        reader.give_to(card, name, Value::Bool(on), &[line]);
    }
}

impl Query {
    /// A query that stands inside a card (the XML form).
    pub fn of(card: Option<Subject>) -> Query {
        Query { card, ..Query::default() }
    }

    /// Sets the open sections (the XML form).
    pub fn open(&mut self, path: &[String]) {
        self.path = path.iter().cloned().enumerate().collect();
    }

    fn process(&mut self, line: u32, key: &str, value: &str) {
        match key {
            "process id" => self.process = [value.to_owned(), String::new(), String::new()],
            "type" => self.process[1] = value.to_owned(),
            "name" => self.process[2] = value.to_owned(),
            "used gpu memory" if self.process[1] != "G" && self.processes.len() < 64 => {
                let [pid, _, name] = &self.process;
                let used = value.replace(' ', "");
                self.processes.push((format!("{pid} {name} {used}"), line));
            }
            _ => {}
        }
    }

    /// Gives what was summed up for the card.
    pub fn flush(&mut self, reader: &mut Reader) {
        let sums = std::mem::take(&mut self.sums);
        let reasons = self.reasons.take();
        let processes = std::mem::take(&mut self.processes);
        let Some(card) = self.card else { return };
        for (name, sum, line) in sums {
            reader.give_to(card, name, Value::Int(sum), &[line]);
        }
        if let Some((reasons, line)) = reasons {
            reader.give_to(card, "gpu.throttle_reasons", Value::Set(reasons), &[line]);
        }
        for (process, line) in processes {
            reader.add(card, "gpu.other_processes", &[process], line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{facts, facts_from, facts_of, part, value};
    use super::super::{Subject, Value};
    use crate::segment::Kind;

    const NEW: &str = "\
==============NVSMI LOG==============

Driver Version                            : 550.127.08
CUDA Version                              : 12.4

Attached GPUs                             : 2
GPU 00000000:18:00.0
    Product Name                          : NVIDIA H100 80GB HBM3
    Persistence Mode                      : Disabled
    MIG Mode
        Current                           : Enabled
        Pending                           : Enabled
    GPU UUID                              : <gpu-uuid-2>
    GPU Reset Status
        Reset Required                    : Yes
        Drain and Reset Recommended       : No
    GPU Recovery Action                   : Drain P2P
    PCI
        GPU Link Info
            PCIe Generation
                Max                       : 5
                Current                   : 1
            Link Width
                Max                       : 16x
                Current                   : 8x
        Replays Since Reset               : 12
    Clocks Event Reasons
        Idle                              : Active
        SW Power Cap                      : Not Active
        HW Slowdown                       : Active
            HW Thermal Slowdown           : Not Active
            HW Power Brake Slowdown       : Active
    Clocks Event Reasons Counters
        SW Power Capping                  : 4410392 us
    Compute Mode                          : Exclusive_Process
    ECC Errors
        Volatile
            SRAM Correctable              : 0
            SRAM Uncorrectable Parity     : 1
            SRAM Uncorrectable SEC-DED    : 2
            DRAM Correctable              : 5
            DRAM Uncorrectable            : 4
        Aggregate
            DRAM Uncorrectable            : 9
    Remapped Rows
        Pending                           : Yes
        Remapping Failure Occurred        : No
    Temperature
        GPU Current Temp                  : 39 C
        GPU T.Limit Temp                  : 50 C
        GPU Slowdown Temp                 : 89 C
    Fabric
        State                             : In Progress
        Status                            : N/A
    Processes
        GPU instance ID                   : N/A
        Process ID                        : 4711
            Type                          : C
            Name                          : python
            Used GPU Memory               : 700 MiB
GPU 00000000:2A:00.0
    Product Name                          : NVIDIA H100 80GB HBM3
    Power Readings
        Power Draw                        : Unknown Error";

    #[test]
    fn a_listing_without_headings_is_about_the_card_that_was_asked_for() {
        let text = "    PCI\n        GPU Link Info\n            Link Width\n                Max                       : 16x\n                Current                   : 4x";
        let facts = facts_from(Kind::NvidiaSmiQ, "nvidia-smi -q -i 1 | grep -A9 PCI", text);
        assert_eq!(value(&facts, Subject::Gpu(0), "gpu.pcie_width"), Some(Value::Int(4)));
        assert_eq!(facts.gpus[0].index, Some(1));
        let two = "GPU 0: NVIDIA A40\nGPU 1: NVIDIA A40";
        let parts = [part(Kind::NvidiaSmiList, "nvidia-smi -L", two), part(Kind::NvidiaSmiQ, "nvidia-smi -q | grep -A9 PCI", text)];
        let unknown = facts_of(&parts);
        assert_eq!(value(&unknown, Subject::Gpu(0), "gpu.pcie_width"), None);
        assert_eq!(value(&unknown, Subject::None, "gpu.count"), Some(Value::Int(2)));
    }

    #[test]
    fn sections_are_read_for_each_card() {
        let facts = facts(Kind::NvidiaSmiQ, NEW);
        let text = |s: &str| Some(Value::Text(s.to_owned()));
        let one = Subject::Gpu(0);
        for (name, want) in [
            ("gpu.persistence", Value::Bool(false)),
            ("gpu.mig_mode", Value::Bool(true)),
            ("gpu.pcie_generation", Value::Int(1)),
            ("gpu.pcie_width", Value::Int(8)),
            ("gpu.pcie_width_max", Value::Int(16)),
            ("gpu.pcie_replays", Value::Int(12)),
            ("gpu.ecc_uncorrectable_volatile", Value::Int(7)),
            ("gpu.ecc_uncorrectable_aggregate", Value::Int(9)),
            ("gpu.ecc_correctable_volatile", Value::Int(5)),
            ("gpu.row_remap_pending", Value::Bool(true)),
            ("gpu.row_remap_failed", Value::Bool(false)),
            ("gpu.temperature", Value::Int(39)),
            ("gpu.temperature_slowdown", Value::Int(89)),
            ("gpu.throttle_reasons", Value::Set(vec!["hw-slowdown".into(), "hw-power-brake-slowdown".into()])),
            ("gpu.other_processes", Value::Set(vec!["4711 python 700MiB".into()])),
        ] {
            assert_eq!(value(&facts, one, name), Some(want), "{name}");
        }
        assert_eq!(value(&facts, one, "gpu.compute_mode"), text("exclusive-process"));
        assert_eq!(value(&facts, one, "gpu.recovery_action"), text("drain-p2p"));
        assert_eq!(value(&facts, Subject::None, "fabric.state"), text("in-progress"));
        assert_eq!(value(&facts, Subject::None, "gpu.count"), Some(Value::Int(2)));
        assert_eq!(facts.gpus[0].uuid.as_deref(), Some("<gpu-uuid-2>"));
        assert_eq!(value(&facts, Subject::Gpu(1), "gpu.unreadable_cells"), Some(Value::Set(vec!["power-draw".into()])));
        assert_eq!(facts.gpus.len(), 2);
    }

    #[test]
    fn the_old_layout_of_ecc_and_pages_is_read() {
        let text = "\
GPU 0000:05:00.0
    Ecc Errors
        Volatile
            Single Bit
                Device Memory           : 3
                Total                   : 3
            Double Bit
                Device Memory           : 1
                Total                   : 1
    Retired Pages
        Single Bit ECC                  : 1
        Double Bit ECC                  : 1
        Pending                         : Yes";
        let facts = facts(Kind::NvidiaSmiQ, text);
        assert_eq!(value(&facts, Subject::Gpu(0), "gpu.ecc_uncorrectable_volatile"), Some(Value::Int(1)));
        assert_eq!(value(&facts, Subject::Gpu(0), "gpu.ecc_correctable_volatile"), Some(Value::Int(3)));
        assert_eq!(value(&facts, Subject::Gpu(0), "gpu.page_retirement_pending"), Some(Value::Bool(true)));
    }
}
