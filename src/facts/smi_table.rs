//! The table of `nvidia-smi`, of all drivers since 390, and the sentences it prints instead.

use super::Subject;
use super::Value;
use super::reader::{Line, Reader, bytes, caps, first, hits, re};
use crate::segment::ScopeKind;

/// Where the reader stands in the table.
#[derive(Default)]
struct Table {
    card: Option<Subject>,
    /// Which line of the card's row comes next: 1 is the second.
    row: u8,
    cards: u32,
    in_processes: bool,
    /// A border followed the last row: the table is not cut there.
    closed: bool,
    seen: bool,
    /// The first card's line.
    first: u32,
}

/// Reads the header, the rows of the cards and the process table.
pub fn read(reader: &mut Reader) {
    let mut table = Table::default();
    for line in reader.lines() {
        if table.seen && table.cards > 0 && first(header(), line.text).is_some() {
            finish(reader, &table);
            table = Table::default();
        }
        sentence(reader, line);
        row(reader, line, &mut table);
    }
    finish(reader, &table);
}

fn header() -> &'static Option<regex::Regex> {
    re!(r"NVIDIA-SMI\s+([\d.]+)")
}

/// A table that was printed to its end and for all cards says how many there are.
fn finish(reader: &mut Reader, table: &Table) {
    let some_only = hits(re!(r"nvidia-smi\b.*\s(?:-i|--id)\b"), reader.command_line());
    if table.cards > 0 && table.closed && !some_only {
        reader.int("gpu.count", i64::from(table.cards), table.first);
    }
}

fn row(reader: &mut Reader, line: Line, table: &mut Table) {
    let text = line.text.trim();
    if hits(header(), text) {
        versions(reader, line);
        table.seen = true;
    } else if !table.seen {
    } else if text.starts_with("+--") {
        table.closed = table.cards > 0;
        table.card = None;
    } else if text.contains("Processes:") {
        table.in_processes = true;
    } else if text.starts_with('|') && table.in_processes {
        process(reader, line);
    } else if text.starts_with('|') && !text.starts_with("|=") && !text.starts_with("|--") {
        card(reader, line, table);
    }
}

/// `| NVIDIA-SMI 570.1  Driver Version: 570.1  CUDA Version: 12.8 |`; newer ones print
/// `KMD Version:` and `CUDA UMD Version:`, and inside WSL the Windows driver's number.
fn versions(reader: &mut Reader, line: Line) {
    let driver = first(re!(r"(?:Driver|KMD) Version:\s*([\d.]+)"), line.text);
    let wsl = reader.scope_kind() == ScopeKind::Wsl;
    if let Some(driver) = driver {
        let name = if wsl || reader.scope_kind() == ScopeKind::Windows { "windows.driver" } else { "driver.module_version" };
        reader.version("driver.version", driver, line.number);
        reader.version(name, driver, line.number);
    }
    if let Some(tool) = first(header(), line.text)
        && !wsl
        && reader.scope_kind() != ScopeKind::Windows
    {
        reader.version("driver.library_version", tool, line.number);
    }
    if let Some(cuda) = first(re!(r"CUDA(?: UMD)? Version:\s*(\d+\.\d+)"), line.text) {
        reader.version("driver.cuda_max", cuda, line.number);
    }
    reader.bool("nvidia_smi.works", true, line.number);
}

fn card(reader: &mut Reader, line: Line, table: &mut Table) {
    let start = re!(
        r"^\|\s*(\d+)\s+(\S.*?)\s{1,}(On|Off|N/A|ERR!|Enabled|Disabled|WDDM|TCC|MCDM)\s*\|\s*([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d|N/A|ERR!)\s*(On|Off|N/A|ERR!)?\s*\|\s*(\S+)?"
    );
    if let Some(cells) = caps(start, line.text.trim()) {
        table.cards += 1;
        table.first = if table.cards == 1 { line.number } else { table.first };
        table.row = 1;
        table.closed = false;
        table.card = first_row(reader, line, &cells);
        return;
    }
    let Some(card) = table.card else { return };
    match table.row {
        1 => second_row(reader, line, card),
        2 => third_row(reader, line, card),
        _ => {}
    }
    table.row = table.row.saturating_add(1);
}

/// Index, name, persistence, bus address, ECC.
fn first_row(reader: &mut Reader, line: Line, cells: &regex::Captures) -> Option<Subject> {
    let cell = |n: usize| cells.get(n).map_or("", |m| m.as_str());
    let index: Option<u32> = cell(1).parse().ok();
    let pci = Some(cell(4)).filter(|pci| pci.contains(':'));
    let card = reader.card(pci, index, None)?;
    identity(reader, card, pci, index, line.number);
    if cell(2).trim() != "ERR!" {
        reader.give_to(card, "gpu.name", Value::Text(cell(2).trim().to_owned()), &[line.number]);
    }
    if matches!(cell(3), "On" | "Off" | "Enabled" | "Disabled") {
        reader.give_to(card, "gpu.persistence", Value::Bool(matches!(cell(3), "On" | "Enabled")), &[line.number]);
    }
    for (name, value) in [("name", cell(2).trim()), ("persistence", cell(3)), ("bus-id", cell(4)), ("display", cell(5)), ("ecc", cell(6))] {
        if value == "ERR!" {
            reader.add(card, "gpu.unreadable_cells", &[name.to_owned()], line.number);
        }
    }
    if let Ok(count) = cell(6).parse() {
        reader.give_to(card, "gpu.ecc_uncorrectable_volatile", Value::Int(count), &[line.number]);
    }
    Some(card)
}

/// Fan, temperature, power, memory, compute mode.
fn second_row(reader: &mut Reader, line: Line, card: Subject) {
    let cells: Vec<&str> = line.text.trim().trim_matches('|').split('|').map(str::trim).collect();
    let at = [line.number];
    let left = cells.first().copied().unwrap_or("");
    if let Some(celsius) = first(re!(r"(?:^|\s)(\d+)\s?C\b"), left).and_then(|c| c.parse().ok()) {
        reader.give_to(card, "gpu.temperature", Value::Int(celsius), &at);
    }
    if let Some(watts) = first(re!(r"(\d+(?:\.\d+)?)\s?W\s*/"), left).and_then(|w| w.parse().ok()) {
        reader.give_to(card, "gpu.power", Value::Float(watts), &at);
    }
    for (position, word) in left.split_whitespace().enumerate() {
        if word.starts_with("ERR!") {
            let name = ["fan", "temperature", "performance"].get(position).copied().unwrap_or("power");
            reader.add(card, "gpu.unreadable_cells", &[name.to_owned()], line.number);
        }
    }
    if let Some(memory) = cells.get(1) {
        if let Some((used, total)) = memory.split_once('/') {
            for (name, size) in [("gpu.memory_used", used), ("gpu.memory_total", total)] {
                if let Some(size) = bytes(size) {
                    reader.give_to(card, name, Value::Int(size), &at);
                }
            }
        }
        if memory.contains("ERR!") {
            reader.add(card, "gpu.unreadable_cells", &["memory".to_owned()], line.number);
        }
    }
    let Some(right) = cells.get(2) else { return };
    if let Some(mode) = compute_mode(right) {
        reader.give_to(card, "gpu.compute_mode", Value::Text(mode.to_owned()), &at);
    }
    if right.starts_with("ERR!") {
        reader.add(card, "gpu.unreadable_cells", &["utilisation".to_owned()], line.number);
    }
}

/// MIG mode, in the last cell.
fn third_row(reader: &mut Reader, line: Line, card: Subject) {
    let last = line.text.trim().trim_end_matches('|').rsplit('|').next().unwrap_or("").trim();
    match last {
        "Enabled" | "Enabled*" => reader.give_to(card, "gpu.mig_mode", Value::Bool(true), &[line.number]),
        "Disabled" | "Disabled*" => reader.give_to(card, "gpu.mig_mode", Value::Bool(false), &[line.number]),
        _ => {}
    }
}

/// The register's word for a compute mode as printed.
pub fn compute_mode(text: &str) -> Option<&'static str> {
    if text.contains("Default") {
        Some("default")
    } else if text.contains("E. Process") || text.contains("Exclusive_Process") || text.contains("Exclusive Process") {
        Some("exclusive-process")
    } else if text.contains("Prohibited") {
        Some("prohibited")
    } else {
        None
    }
}

/// Index and address as facts of the card itself.
pub fn identity(reader: &mut Reader, card: Subject, pci: Option<&str>, index: Option<u32>, line: u32) {
    if let Some(pci) = pci {
        reader.give_to(card, "gpu.pci", Value::Text(super::normal_pci(pci)), &[line]);
    }
    if let Some(index) = index {
        reader.give_to(card, "gpu.index", Value::Int(i64::from(index)), &[line]);
    }
}

/// `|  0  N/A  N/A  88213  C  python  73114MiB |`, without the two MIG columns before driver 450.
fn process(reader: &mut Reader, line: Line) {
    let row = re!(r"^\|\s*(\d+)\s+(?:(?:N/A|\d+)\s+(?:N/A|\d+)\s+)?(\d+)\s+(C\+G|G\+C|C|G|M\+C)\s+(.+?)\s+(\d+MiB|N/A)\s*\|");
    let Some(cells) = caps(row, line.text.trim()) else { return };
    let cell = |n: usize| cells.get(n).map_or("", |m| m.as_str());
    let Some(card) = cell(1).parse().ok().and_then(|index| reader.card(None, Some(index), None)) else { return };
    if cell(3) == "G" {
        return;
    }
    let words = [format!("{} {} {}", cell(2), cell(4), cell(5))];
    reader.add(card, "gpu.other_processes", &words, line.number);
}

/// What is printed when there is no table.
fn sentence(reader: &mut Reader, line: Line) {
    let text = line.text;
    if text.contains("No devices were found") {
        reader.int("gpu.count", 0, line.number);
        reader.bool("nvidia_smi.works", false, line.number);
    } else if hits(
        re!(
            r"NVIDIA-SMI has failed because|Failed to initialize NVML:|NVIDIA-SMI couldn't find|nvidia-smi: (?:command )?not found|nvidia-smi: 未找到命令|找不到命令.*nvidia-smi|nvidia-smi：未找到命令|Command 'nvidia-smi' not found|Unable to determine the device handle for"
        ),
        text,
    ) {
        reader.bool("nvidia_smi.works", false, line.number);
    }
    if let Some(pci) = first(re!(r"device handle for GPU ?([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d)"), text)
        && let Some(card) = reader.card(Some(pci), None, None)
    {
        identity(reader, card, Some(pci), None, line.number);
    }
    if let Some(version) = first(re!(r"NVML library version:\s*(\d+\.\d+(?:\.\d+)?)"), text) {
        reader.version("driver.library_version", version, line.number);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{facts, value};
    use super::super::{Subject, Value};
    use crate::segment::Kind;

    const OLD: &str = "\
+-----------------------------------------------------------------------------+
| NVIDIA-SMI 390.157                Driver Version: 390.157                   |
|-------------------------------+----------------------+----------------------+
| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |
| Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | GPU-Util  Compute M. |
|===============================+======================+======================|
|   0  Tesla K80           Off  | 00000000:05:00.0 Off |                    2 |
| N/A   41C    P0    60W / 149W |      0MiB / 11441MiB |      0%   E. Process |
+-------------------------------+----------------------+----------------------+
|   1  GeForce GTX TIT...  Off  | 00000000:06:00.0  On |                  N/A |
|ERR!  ERR! ERR!    ERR! / 250W |  11000MiB / 12212MiB |     ERR!      Default |
+-------------------------------+----------------------+----------------------+
| Processes:                                                       GPU Memory |
|  GPU       PID   Type   Process name                             Usage      |
|=============================================================================|
|    1     12345      C   python                                     10990MiB |
|    1      1234      G   /usr/lib/xorg/Xorg                            10MiB |
+-----------------------------------------------------------------------------+";

    #[test]
    fn the_old_layout_is_read() {
        let facts = facts(Kind::NvidiaSmi, OLD);
        let text = |s: &str| Some(Value::Text(s.to_owned()));
        assert_eq!(value(&facts, Subject::None, "driver.version"), Some(Value::Version("390.157".into())));
        assert_eq!(value(&facts, Subject::None, "gpu.count"), Some(Value::Int(2)));
        assert_eq!(value(&facts, Subject::Gpu(0), "gpu.name"), text("Tesla K80"));
        assert_eq!(value(&facts, Subject::Gpu(0), "gpu.compute_mode"), text("exclusive-process"));
        assert_eq!(value(&facts, Subject::Gpu(0), "gpu.ecc_uncorrectable_volatile"), Some(Value::Int(2)));
        assert_eq!(value(&facts, Subject::Gpu(0), "gpu.persistence"), Some(Value::Bool(false)));
        assert_eq!(value(&facts, Subject::Gpu(1), "gpu.pci"), text("0000:06:00.0"));
        let Some(Value::Set(cells)) = value(&facts, Subject::Gpu(1), "gpu.unreadable_cells") else { panic!() };
        assert_eq!(cells, ["fan", "temperature", "performance", "power", "utilisation"]);
        assert_eq!(value(&facts, Subject::Gpu(1), "gpu.other_processes"), Some(Value::Set(vec!["12345 python 10990MiB".into()])));
    }

    #[test]
    fn the_new_layout_is_read() {
        let text = "\
| NVIDIA-SMI 580.65.06              KMD Version: 580.65.06     CUDA Version: 13.0     |
|-----------------------------------------+------------------------+----------------------+
|   0  NVIDIA A100-SXM4-80GB            On |   00000000:07:00.0 Off |                    0 |
| N/A   31C   P0             62W / 400W |        3MiB / 81920MiB |      0%       Default|
|                                         |                        |             Enabled |
+-----------------------------------------+------------------------+----------------------+
|    0   N/A  N/A     88213      C   /home/<user-1>/.venv/bin/python                   73114MiB |";
        let facts = facts(Kind::NvidiaSmi, text);
        assert_eq!(value(&facts, Subject::None, "driver.version"), Some(Value::Version("580.65.06".into())));
        assert_eq!(value(&facts, Subject::Gpu(0), "gpu.mig_mode"), Some(Value::Bool(true)));
        assert_eq!(value(&facts, Subject::Gpu(0), "gpu.temperature"), Some(Value::Int(31)));
        assert_eq!(value(&facts, Subject::Gpu(0), "gpu.power"), Some(Value::Float(62.0)));
        assert_eq!(value(&facts, Subject::Gpu(0), "gpu.memory_total"), Some(Value::Int(81920 << 20)));
    }

    #[test]
    fn a_cut_table_has_no_count() {
        let cut: Vec<&str> = OLD.lines().take(8).collect();
        assert_eq!(value(&facts(Kind::NvidiaSmi, &cut.join("\n")), Subject::None, "gpu.count"), None);
    }

    #[test]
    fn its_sentences_say_that_it_does_not_work() {
        for text in [
            "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that",
            "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 550.120",
            "bash: nvidia-smi: command not found",
            "nvidia-smi：未找到命令",
        ] {
            assert_eq!(value(&facts(Kind::NvidiaSmi, text), Subject::None, "nvidia_smi.works"), Some(Value::Bool(false)), "{text}");
        }
        let lost = facts(Kind::NvidiaSmi, "Unable to determine the device handle for GPU0000:41:00.0: Unknown Error");
        assert_eq!(value(&lost, Subject::Gpu(0), "gpu.pci"), Some(Value::Text("0000:41:00.0".into())));
        let none = facts(Kind::NvidiaSmi, "No devices were found");
        assert_eq!(value(&none, Subject::None, "gpu.count"), Some(Value::Int(0)));
    }
}
