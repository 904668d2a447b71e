//! Kernel messages: dmesg and the journal.

use super::reader::{Line, Reader, caps, first, hits, re};
use super::{Value, normal_pci};
use crate::intake::Stamp;

/// Most codes and kills that are kept.
const MAX_EVENTS: usize = 64;

/// Reads the lines of drivers, of the OOM killer and of Secure Boot.
pub fn read(reader: &mut Reader) {
    for line in reader.lines() {
        // The gate: most lines of a kernel log say nothing of these.
        if hits(
            re!(r"NVRM|nvidia|nouveau|Xid|Linux version|[Oo]ut of memory|oom-kill|[Ll]ockdown|[Ss]ecure ?boot|Key was rejected"),
            line.text,
        ) {
            driver(reader, line);
            host(reader, line);
        }
    }
    let killed = reader.known(super::Subject::None, "memory.oom_kills").is_some();
    if !killed && reader.shows_all(&["Out of memory: Killed process 36073 (python)"]) {
        reader.deny("memory.oom_kills");
    }
}

fn driver(reader: &mut Reader, line: Line) {
    let text = line.text;
    if let Some(version) = first(re!(r"NVRM: loading NVIDIA UNIX .*?Kernel Module\s+(?:for \S+\s+)?(\d+\.[\d.]+)"), text)
        .or_else(|| first(re!(r"nvidia-modeset: Loading NVIDIA .*?(?:platforms|for \S+)\s+(\d+\.[\d.]+)"), text))
    {
        reader.version("driver.module_version", version, line.number);
        reader.text("driver.flavour", flavour(text), line.number);
        reader.bool("module.nvidia", true, line.number);
    }
    if let Some(versions) = caps(
        re!(
            r"API mismatch: the (?:client|NVIDIA kernel module).{0,60}?version (\d+\.[\d.]*\d)(?:.{0,40}this kernel module has the version (\d+\.[\d.]*\d))?"
        ),
        text,
    ) {
        if let Some(client) = versions.get(1) {
            reader.version("driver.library_version", client.as_str(), line.number);
        }
        if let Some(module) = versions.get(2) {
            reader.version("driver.module_version", module.as_str(), line.number);
        }
    } else if let Some(module) = first(re!(r"this kernel module has the version (\d+\.[\d.]*\d)"), text) {
        reader.version("driver.module_version", module, line.number);
    }
    if text.contains("nvidia-uvm: Loaded the UVM driver") {
        reader.bool("module.nvidia_uvm", true, line.number);
    }
    if hits(re!(r"\bnouveau [0-9a-f]{4}:[0-9a-f]{2}:|already bound to nouveau|nouveau: probe|fb0: nouveau"), text) {
        reader.bool("module.nouveau", true, line.number);
    }
    card(reader, line);
}

/// `NVIDIA UNIX Open Kernel Module` against `NVIDIA UNIX x86_64 Kernel Module`.
pub fn flavour(text: &str) -> &'static str {
    if text.contains("UNIX Open") || text.contains("Open Kernel") { "open" } else { "proprietary" }
}

/// A card's name line, its UUID, and Xids.
fn card(reader: &mut Reader, line: Line) {
    if let Some(cells) = caps(re!(r"NVRM: GPU at (?:PCI:)?([0-9A-Fa-f:.]+): (GPU-[0-9A-Fa-f-]+|<[a-z-]+\d*>)"), line.text) {
        let cell = |n: usize| cells.get(n).map(|m| m.as_str());
        let card = reader.card(cell(1), None, cell(2));
        if let (Some(card), Some(pci)) = (card, cell(1)) {
            super::smi_table::identity(reader, card, Some(pci), None, line.number);
        }
    }
    if let Some(pci) = first(re!(r"NVRM: (?:The NVIDIA )?GPU ([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d)"), line.text)
        && let Some(card) = reader.card(Some(pci), None, None)
    {
        super::smi_table::identity(reader, card, Some(pci), None, line.number);
        if let Some(id) = first(re!(r"PCI ID: 10de:([0-9a-f]{4})"), line.text) {
            reader.give_to(card, "gpu.device_id", Value::Text(id.to_owned()), &[line.number]);
        }
    }
    xid(reader, line);
    if let Some(cells) = caps(
        re!(r"NVRM: (?:GPU ([0-9A-Fa-f:.]+): )?RmInitAdapter failed! \((0x[0-9a-fA-F]{1,8}:0x[0-9a-fA-F]{1,8}(?::\d{1,8})?)\)"),
        line.text,
    ) {
        let card = reader.card(cells.get(1).map(|m| m.as_str()), None, None).or_else(|| reader.some_card());
        // The first failure after boot tells the cause; repeats only say that it is stuck.
        if let (Some(card), Some(triple)) = (card, cells.get(2))
            && reader.known(card, "gpu.rminit").is_none()
        {
            reader.give_to(card, "gpu.rminit", Value::Text(triple.as_str().to_owned()), &[line.number]);
        }
    }
}

/// Collects the Xids of each card; some say more than their code.
fn xid(reader: &mut Reader, line: Line) {
    let Some(cells) = caps(re!(r"\bXid \(PCI:([0-9A-Fa-f:.]+)\): (\d{1,4})(?:.*?\bname=([^,]{1,40}))?"), line.text) else { return };
    let cell = |n: usize| cells.get(n).map_or("", |m| m.as_str());
    let pci = normal_pci(cell(1));
    let scope = reader.scope();
    let Some(card) = reader.card(Some(&pci), None, None) else { return };
    let code = cell(2).to_owned();
    let events = reader.state.xids.entry((scope, pci)).or_default();
    events.count += 1;
    if matches!(cell(2), "13" | "31" | "43") && !cell(3).is_empty() && events.programs.len() < MAX_EVENTS {
        events.programs.insert(cell(3).to_owned());
    }
    if events.codes.len() < MAX_EVENTS && !events.codes.contains(&code) {
        events.codes.push(code);
        events.lines.push(line.number);
    }
    if let Some(asked) = first(re!(r"recovery action changed from .* to 0x[1-9a-f]\w* \(([A-Za-z0-9 ]{3,40})\)"), line.text) {
        reader.give_to(card, "gpu.recovery_action", Value::Text(super::smi_query::kebab(asked)), &[line.number]);
    }
    if let Some(event) = super::xids::nvlink(line.text) {
        let text = format!("xid {} {} 0x{:08x} 0x{:08x}", event.xid, event.unit, event.interrupt, event.status);
        reader.give_to(card, "gpu.nvlink_event", Value::Text(text), &[line.number]);
    }
}

fn host(reader: &mut Reader, line: Line) {
    let text = line.text;
    if let Some(release) = first(re!(r"Linux version (\d\S+) \("), text) {
        super::host::kernel(reader, release, line.number);
        boot_time(reader, line.number);
    }
    if let Some(cells) = caps(re!(r"(?:Out of memory|[Mm]emory cgroup out of memory): Kill(?:ed)? process (\d+) \(([^)]*)\)"), text) {
        let cell = |n: usize| cells.get(n).map_or("", |m| m.as_str());
        let words = [format!("{} {}", cell(1), cell(2))];
        reader.add(super::Subject::None, "memory.oom_kills", &words, line.number);
    }
    if hits(re!(r"Kernel is locked down from|[Ll]ockdown: .*restricted"), text) {
        reader.text("kernel.lockdown", "active", line.number);
    }
    if hits(re!(r"(?i)secure ?boot (?:is )?enabled"), text) {
        reader.bool("secure_boot.enabled", true, line.number);
    } else if hits(re!(r"(?i)secure ?boot (?:is )?disabled"), text) {
        reader.bool("secure_boot.enabled", false, line.number);
    }
}

/// The kernel's first line tells when it was booted, where its clock has a year.
fn boot_time(reader: &mut Reader, line: u32) {
    let at = (line as usize).checked_sub(1);
    let stamp = at.and_then(|at| reader.paste.lines.get(at)).and_then(|l| l.prefix.as_ref()?.time);
    if let Some(Stamp::Wall(seconds)) = stamp
        && seconds > 1e9
        && let Ok(time) = jiff::Timestamp::from_second(seconds as i64)
    {
        let time = time.to_string();
        reader.text("kernel.boot_time", time.trim_end_matches('Z'), line);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{facts, value};
    use super::super::{Subject, Value};
    use crate::segment::Kind;

    #[test]
    fn xids_are_collected_for_each_card() {
        let facts = facts(
            Kind::Dmesg,
            "\
NVRM: GPU at PCI:0000:c1:00: GPU-2bb0d7e5-91b1-4c4c-8a56-d1ad7f0c6e11
NVRM: Xid (PCI:0000:c1:00): 74, pid='<unknown>', name=<unknown>, NVLink: fatal error
NVRM: Xid (PCI:0000:C1:00): 45, pid=8113, name=python, Ch 00000020
NVRM: Xid (PCI:0000:41:00): 79, GPU has fallen off the bus.
nvidia-nvswitch0: SXid (PCI:0000:c3:00.0): 20009, Non-fatal, Link 28",
        );
        assert_eq!(value(&facts, Subject::Gpu(0), "gpu.xids"), Some(Value::Set(vec!["74".into(), "45".into()])));
        assert_eq!(value(&facts, Subject::Gpu(1), "gpu.xids"), Some(Value::Set(vec!["79".into()])));
        assert_eq!(facts.gpus.len(), 2);
    }

    #[test]
    fn a_whole_log_without_kills_says_so() {
        use super::super::testing::{absent, facts_from};
        assert!(absent(&facts_from(Kind::Dmesg, "dmesg", "usb 1-3: new device"), "memory.oom_kills"));
        assert!(!absent(
            &facts_from(Kind::Dmesg, "dmesg", "dmesg: read kernel buffer failed: Operation not permitted"),
            "memory.oom_kills"
        ));
        assert!(!absent(&facts_from(Kind::Dmesg, "dmesg | grep -i xid", ""), "memory.oom_kills"));
        assert!(!absent(&facts(Kind::Dmesg, "usb 1-3: new device"), "memory.oom_kills"));
    }

    #[test]
    fn the_module_line_names_version_and_flavour() {
        for (line, version, flavour) in [
            ("NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.107.02  Wed Jul 24 23:53:00 UTC 2024", "550.107.02", "proprietary"),
            ("NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  570.158.01  Release Build  (dvs-builder@U22)", "570.158.01", "open"),
            (
                "nvidia-modeset: Loading NVIDIA Kernel Mode Setting Driver for UNIX platforms  535.183.01  Sun May 12",
                "535.183.01",
                "proprietary",
            ),
        ] {
            let facts = facts(Kind::Dmesg, line);
            assert_eq!(value(&facts, Subject::None, "driver.module_version"), Some(Value::Version(version.into())));
            assert_eq!(value(&facts, Subject::None, "driver.flavour"), Some(Value::Text(flavour.into())));
        }
    }

    #[test]
    fn both_versions_of_a_mismatch_are_read_over_lines() {
        let text =
            "NVRM: API mismatch: the client has the version 550.120, but\nNVRM: this kernel module has the version 550.107.02.  Please";
        let facts = facts(Kind::Journal, text);
        assert_eq!(value(&facts, Subject::None, "driver.library_version"), Some(Value::Version("550.120".into())));
        assert_eq!(value(&facts, Subject::None, "driver.module_version"), Some(Value::Version("550.107.02".into())));
    }

    #[test]
    fn kills_lockdown_and_nouveau() {
        let facts = facts(
            Kind::Dmesg,
            "Out of memory: Killed process 36073 (python) total-vm:188482124kB\nLockdown: modprobe: unsigned module loading is restricted; see man\nnouveau 0000:01:00.0: NVIDIA AD102\nsecureboot: Secure boot enabled",
        );
        assert_eq!(value(&facts, Subject::None, "memory.oom_kills"), Some(Value::Set(vec!["36073 python".into()])));
        assert_eq!(value(&facts, Subject::None, "kernel.lockdown"), Some(Value::Text("active".into())));
        assert_eq!(value(&facts, Subject::None, "module.nouveau"), Some(Value::Bool(true)));
        assert_eq!(value(&facts, Subject::None, "secure_boot.enabled"), Some(Value::Bool(true)));
    }
}
