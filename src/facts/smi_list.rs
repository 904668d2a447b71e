//! `nvidia-smi -L`, and the CSV of `--query-gpu` and `--query-compute-apps`.

use super::reader::{Reader, bytes, caps, first, hits, re};
use super::smi_table::{compute_mode, identity};
use super::{Subject, Value};

/// `GPU 0: NVIDIA L40S (UUID: GPU-…)` with the MIG instances under it.
pub fn list(reader: &mut Reader) {
    // `cut` and `sed` often take the UUID away; then only the command tells what the lines are.
    let bare = hits(re!(r"nvidia-smi(?:\.exe)?\s+(?:-L|--list-gpus)\b"), reader.command_line());
    let gpu = match bare {
        true => re!(r"^\s*GPU (\d+): ([^(:]+?)\s*(?:\(UUID: (GPU-[0-9A-Fa-f-]+|<[a-z-]+\d*>)\)|\(?$)"),
        false => re!(r"^\s*GPU (\d+): (.+?) \(UUID: (GPU-[0-9A-Fa-f-]+|<[a-z-]+\d*>)\)"),
    };
    let instance = re!(r"^\s+MIG\s+\S+\s+Device\s+\d+:\s+\(UUID: ");
    let (mut cards, mut card, mut instances) = (0u32, None, (0u32, 0i64));
    let mut listed: Vec<(Subject, u32)> = Vec::new();
    for line in reader.lines() {
        let at = [line.number];
        if let Some(cells) = caps(gpu, line.text) {
            let cell = |n: usize| cells.get(n).map_or("", |m| m.as_str());
            let index = cell(1).parse().ok();
            mig(reader, card, std::mem::take(&mut instances));
            card = reader.card(None, index, Some(cell(3)).filter(|uuid| !uuid.is_empty()));
            cards += 1;
            let Some(card) = card else { continue };
            listed.push((card, line.number));
            identity(reader, card, None, index, line.number);
            reader.give_to(card, "gpu.name", Value::Text(cell(2).to_owned()), &at);
            reader.bool("nvidia_smi.works", true, line.number);
        } else if hits(instance, line.text)
            && let Some(card) = card
        {
            instances.1 += 1;
            instances.0 = line.number;
            reader.give_to(card, "gpu.mig_mode", Value::Bool(true), &at);
        }
    }
    mig(reader, card, instances);
    // `cut` and `sed` shorten the lines of this listing, and keep their number.
    let shortened =
        hits(re!(r"^(?:sudo )?nvidia-smi(?:\.exe)?\s+(?:-L|--list-gpus)\s*\|\s*(?:cut|sed)\s[^|]*$"), reader.command_line().trim());
    let whole = reader.kind() == crate::segment::Kind::NvidiaSmiList && (shortened || reader.shows_all(&["GPU 0: NVIDIA (UUID: GPU-"]));
    if cards > 0 && whole {
        let line = reader.head();
        reader.int("gpu.count", i64::from(cards), line);
        // A shortened or garbled listing may have lost the lines of MIG instances.
        let shortened = shortened || reader.lines().any(|line| line.text.contains("MIG"));
        for (card, line) in listed {
            if !shortened && reader.known(card, "gpu.mig_instances").is_none() {
                reader.give_to(card, "gpu.mig_instances", Value::Int(0), &[line]);
            }
        }
    }
}

/// Last line and number of a card's instances.
fn mig(reader: &mut Reader, card: Option<Subject>, (line, instances): (u32, i64)) {
    if let (Some(card), true) = (card, instances > 0) {
        reader.give_to(card, "gpu.mig_instances", Value::Int(instances), &[line]);
    }
}

/// A header of column names, then a row for each card.
pub fn csv(reader: &mut Reader) {
    let mut columns: Vec<String> = queried(reader.command_line());
    let mut cards = 0;
    for line in reader.lines() {
        let cells: Vec<&str> = line.text.split(',').map(str::trim).collect();
        if hits(
            re!(r"^(?:index|name|uuid|gpu_uuid|gpu_name|pci\.bus_id|gpu_bus_id|pid|timestamp|driver_version|compute_cap|count)\s*(?:,|$)"),
            line.text.trim(),
        ) {
            columns = cells.iter().map(|c| c.split(" [").next().unwrap_or(c).trim().to_ascii_lowercase()).collect();
        } else if cells.len() == columns.len() && !columns.is_empty() {
            cards += u32::from(row(reader, line.number, &columns, &cells));
        }
    }
    let whole = reader.shows_all(&["0, NVIDIA"]) && !hits(re!(r"\s(?:-i|--id)\b"), reader.command_line());
    if cards > 0 && whole && columns.iter().any(|c| c == "index" || c.contains("uuid") || c.contains("bus_id")) {
        let line = reader.head();
        reader.int("gpu.count", i64::from(cards), line);
    }
}

/// The columns of `--query-gpu=index,name`, for output without a header.
fn queried(command: &str) -> Vec<String> {
    let names = first(re!(r"--query-gpu=([\w.,]+)"), command).unwrap_or("");
    names.split(',').filter(|n| !n.is_empty()).map(str::to_ascii_lowercase).collect()
}

/// One row; true where it stands for a card.
fn row(reader: &mut Reader, line: u32, columns: &[String], cells: &[&str]) -> bool {
    let cell = |names: &[&str]| columns.iter().position(|c| names.contains(&c.as_str())).and_then(|at| cells.get(at).copied());
    let index = cell(&["index"]).and_then(|c| c.parse().ok());
    let pci = cell(&["pci.bus_id", "gpu_bus_id"]).filter(|c| c.contains(':'));
    let uuid = cell(&["uuid", "gpu_uuid"]).filter(|c| c.starts_with("GPU-") || c.starts_with('<'));
    if let Some(driver) = cell(&["driver_version"]).filter(|c| c.starts_with(|d: char| d.is_ascii_digit())) {
        reader.version("driver.version", driver, line);
    }
    let card = if index.is_some() || pci.is_some() || uuid.is_some() { reader.card(pci, index, uuid) } else { None };
    if let (Some(pid), name) = (cell(&["pid"]), cell(&["process_name", "name"]).unwrap_or("")) {
        let used = cell(&["used_gpu_memory", "used_memory"]).unwrap_or("").replace(' ', "");
        let words = [format!("{pid} {name} {used}").trim().to_owned()];
        if let Some(card) = card.or_else(|| reader.some_card()) {
            reader.add(card, "gpu.other_processes", &words, line);
        }
        return false;
    }
    let Some(card) = card else { return false };
    identity(reader, card, pci, index, line);
    for (column, value) in columns.iter().zip(cells) {
        column_fact(reader, line, card, column, value);
    }
    true
}

fn column_fact(reader: &mut Reader, line: u32, card: Subject, column: &str, value: &str) {
    let unreadable = value.contains("Unknown Error") || value.contains("ERR!") || value.contains("GPU is lost");
    if unreadable {
        return reader.add(card, "gpu.unreadable_cells", &[column.to_owned()], line);
    }
    let size = || if value.contains('B') { bytes(value) } else { bytes(&format!("{value} MiB")) };
    let count = || value.split_whitespace().next().and_then(|v| v.parse().ok()).map(Value::Int);
    let on = || match value {
        "Enabled" | "Yes" | "Active" => Some(Value::Bool(true)),
        "Disabled" | "No" | "Not Active" => Some(Value::Bool(false)),
        _ => None,
    };
    let fact = match column {
        "name" | "gpu_name" => ("gpu.name", Some(Value::Text(value.to_owned()))),
        "compute_cap" => ("gpu.capability", value.contains('.').then(|| Value::Version(value.to_owned()))),
        "temperature.gpu" => ("gpu.temperature", count()),
        "power.draw" => ("gpu.power", value.split_whitespace().next().and_then(|v| v.parse().ok()).map(Value::Float)),
        "memory.total" => ("gpu.memory_total", size().map(Value::Int)),
        "memory.used" => ("gpu.memory_used", size().map(Value::Int)),
        "persistence_mode" => ("gpu.persistence", on()),
        "mig.mode.current" => ("gpu.mig_mode", on()),
        "compute_mode" => ("gpu.compute_mode", compute_mode(value).map(|m| Value::Text(m.to_owned()))),
        "pcie.link.gen.current" | "pcie.link.gen.gpucurrent" => ("gpu.pcie_generation", count()),
        "pcie.link.gen.max" => ("gpu.pcie_generation_max", count()),
        "pcie.link.width.current" => ("gpu.pcie_width", count()),
        "pcie.link.width.max" => ("gpu.pcie_width_max", count()),
        "ecc.errors.uncorrected.volatile.total" => ("gpu.ecc_uncorrectable_volatile", count()),
        "ecc.errors.uncorrected.aggregate.total" => ("gpu.ecc_uncorrectable_aggregate", count()),
        "ecc.errors.corrected.volatile.total" => ("gpu.ecc_correctable_volatile", count()),
        _ => return throttle(reader, line, card, column, value),
    };
    if let (name, Some(value)) = fact {
        reader.give_to(card, name, value, &[line]);
    }
}

/// `clocks_throttle_reasons.hw_thermal_slowdown`: Active.
fn throttle(reader: &mut Reader, line: u32, card: Subject, column: &str, value: &str) {
    let Some((group, reason)) = column.split_once('.') else { return };
    if matches!(group, "clocks_throttle_reasons" | "clocks_event_reasons") && value == "Active" && reason != "gpu_idle" {
        reader.add(card, "gpu.throttle_reasons", &[reason.replace('_', "-")], line);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{facts, facts_from, value};
    use super::super::{Subject, Value};
    use crate::segment::Kind;

    #[test]
    fn a_list_with_mig_instances() {
        let text = "\
GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-3f1c92d4-7a60-4be9-9c1e-55d2e6a8b107)
  MIG 3g.40gb     Device  0: (UUID: MIG-7d0f4c1e-18ab-5c1c-8a2b-9f3f6e4b2c11)
  MIG 3g.40gb     Device  1: (UUID: <gpu-uuid-2>)
GPU 1: NVIDIA A100-SXM4-80GB (UUID: <gpu-uuid-3>)";
        let whole = facts_from(Kind::NvidiaSmiList, "nvidia-smi -L", text);
        assert_eq!(value(&whole, Subject::Gpu(0), "gpu.mig_instances"), Some(Value::Int(2)));
        assert_eq!(value(&whole, Subject::Gpu(1), "gpu.mig_mode"), None);
        assert_eq!(value(&whole, Subject::None, "gpu.count"), Some(Value::Int(2)));
        assert_eq!(whole.gpus[1].uuid.as_deref(), Some("<gpu-uuid-3>"));
        let cut = facts_from(Kind::NvidiaSmiList, "nvidia-smi -L | head -2", text);
        assert_eq!(value(&cut, Subject::None, "gpu.count"), None);
    }

    #[test]
    fn processes_without_a_card_are_kept() {
        let text = "pid, process_name, used_gpu_memory [MiB]\n48211, VLLM::EngineCore, 15982 MiB";
        let facts = facts(Kind::NvidiaSmiCsv, text);
        assert_eq!(value(&facts, Subject::Gpu(0), "gpu.other_processes"), Some(Value::Set(vec!["48211 VLLM::EngineCore 15982MiB".into()])));
    }

    #[test]
    fn columns_of_csv_are_read_by_name() {
        let text = "\
index, temperature.gpu, power.draw [W], memory.used [MiB], compute_cap, clocks_event_reasons.hw_slowdown
0, 52, 701.44 W, 5 MiB, 9.0, Not Active
1, 39, [Unknown Error], 6 MiB, 9.0, Active";
        let facts = facts(Kind::NvidiaSmiCsv, text);
        assert_eq!(value(&facts, Subject::Gpu(0), "gpu.power"), Some(Value::Float(701.44)));
        assert_eq!(value(&facts, Subject::Gpu(1), "gpu.memory_used"), Some(Value::Int(6 << 20)));
        assert_eq!(value(&facts, Subject::Gpu(1), "gpu.capability"), Some(Value::Version("9.0".into())));
        assert_eq!(value(&facts, Subject::Gpu(1), "gpu.throttle_reasons"), Some(Value::Set(vec!["hw-slowdown".into()])));
        assert_eq!(value(&facts, Subject::Gpu(1), "gpu.unreadable_cells"), Some(Value::Set(vec!["power.draw".into()])));
    }
}
