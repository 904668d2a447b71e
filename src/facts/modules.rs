//! Kernel modules: lsmod, modinfo, `/proc/driver/nvidia/version`, DKMS; and lspci.

use super::reader::{Line, Reader, caps, first, hits, re};
use super::smi_table::identity;
use super::{Subject, Value};

/// The modules that the register asks about: fact, and name as lsmod prints it.
const MODULES: [(&str, &str); 5] = [
    ("module.nvidia", "nvidia"),
    ("module.nvidia_uvm", "nvidia_uvm"),
    ("module.nouveau", "nouveau"),
    ("module.nvidia_peermem", "nvidia_peermem"),
    ("module.nvidia_drm", "nvidia_drm"),
];

/// lsmod: given where listed; absent where the listing is whole and would have shown it.
pub fn lsmod(reader: &mut Reader) {
    let mut seen = [false; MODULES.len()];
    // The modules that lean on nvidia cannot be loaded without it: where only they are listed,
    // the paste was cut.
    let mut leaning = false;
    for line in reader.lines() {
        let Some(name) = first(re!(r"^\s*(\w+)\s+\d+\s+-?\d+(?:\s|$)"), line.text) else { continue };
        leaning |= name.starts_with("nvidia_");
        let listed = MODULES.iter().zip(&mut seen).find(|((_, module), _)| *module == name);
        if let Some(((fact, _), seen)) = listed {
            *seen = true;
            reader.bool(fact, true, line.number);
        }
    }
    for ((fact, module), seen) in MODULES.iter().zip(seen) {
        if !seen && reader.shows_all(&[module]) && !(leaning && *module == "nvidia") {
            reader.deny(fact);
        }
    }
}

/// modinfo and `/proc/driver/nvidia/version`.
pub fn modinfo(reader: &mut Reader) {
    let about_other = hits(re!(r"modinfo\s+(?:-\S+\s+)*(?:nouveau|nvidia[_-]\w+)"), reader.command_line());
    for line in reader.lines() {
        let text = line.text.trim();
        if let Some(version) = first(re!(r"NVRM version: NVIDIA UNIX .*?Kernel Module\s+(?:for \S+\s+)?(\d+\.[\d.]+)"), text) {
            reader.version("driver.module_version", version, line.number);
            reader.text("driver.flavour", super::kernel::flavour(text), line.number);
            reader.bool("module.nvidia", true, line.number);
        } else if let Some(version) = first(re!(r"^version:\s+(\d+\.[\d.]+)\s*$"), text).filter(|_| !about_other) {
            reader.version("driver.on_disk_version", version, line.number);
        } else if let Some(license) = first(re!(r"^license:\s+(.+)$"), text).filter(|_| !about_other) {
            let open = license.contains("GPL") || license.contains("MIT");
            reader.text("driver.on_disk_flavour", if open { "open" } else { "proprietary" }, line.number);
        } else if hits(re!(r"modinfo: (?:ERROR|错误).*nvidia.* not found|Module nvidia not found"), text) {
            reader.deny("driver.on_disk_version");
        } else if text.contains("/proc/driver/nvidia/version") && text.contains("No such file") {
            reader.deny("module.nvidia");
        }
    }
}

/// dkms status, in its old (`nvidia, 550.120, 6.8.0-48-generic, …`) and new form.
pub fn dkms(reader: &mut Reader) {
    let row =
        re!(r"^\s*nvidia(?:-(?:srv|open|current|server|legacy-\w+))*[/,]\s*(\d+\.[\d.]+)(?:,\s*([^,:]+?))?(?:,\s*[^,:]+?)?\s*:\s*(\w+)");
    let mut rows = 0;
    let mut built: Vec<(String, u32)> = Vec::new();
    for line in reader.lines() {
        let Some(cells) = caps(row, line.text) else { continue };
        let cell = |n: usize| cells.get(n).map_or("", |m| m.as_str());
        rows += 1;
        reader.version("dkms.version", cell(1), line.number);
        if cell(3) == "installed" {
            built.push((cell(2).to_owned(), line.number));
        }
    }
    if rows > 0 {
        for (kernel, line) in &built {
            reader.add(Subject::None, "dkms.built_for", std::slice::from_ref(kernel), *line);
        }
        if built.is_empty() {
            let line = reader.head();
            reader.add(Subject::None, "dkms.built_for", &[], line);
        }
    } else if reader.shows_all(&["nvidia/550.120, 6.8.0-48-generic, x86_64: installed"]) {
        reader.deny("dkms.version");
    }
}

/// lspci in all its forms.
pub fn lspci(reader: &mut Reader) {
    let (mut cards, mut card, mut last) = (0, None, 0);
    for line in reader.lines() {
        let device = caps(
            re!(
                r"^\s*([0-9A-Fa-f]{0,8}:?[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7])\s+(?:\S+ compatible controller|VGA[^:\[]*|3D controller|Display controller)(?: \[\w{4}\])?: NVIDIA"
            ),
            line.text,
        );
        if let Some(cells) = device {
            let pci = cells.get(1).map_or("", |m| m.as_str());
            cards += 1;
            last = line.number;
            card = device_line(reader, line, pci);
        } else if hits(re!(r"^\s*[0-9A-Fa-f]{0,8}:?[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7]\s"), line.text) {
            card = None;
        } else if let Some(driver) = first(re!(r"Kernel driver in use: (\S+)"), line.text)
            && let Some(card) = card
        {
            reader.give_to(card, "gpu.driver_in_use", Value::Text(driver.to_owned()), &[line.number]);
        } else if let (Some(card), Some(cells)) = (card, caps(re!(r"LnkSta:\s+Speed .*?Width x(\d+)"), line.text)) {
            let width = cells.get(1).and_then(|m| m.as_str().parse().ok()).unwrap_or(0);
            reader.give_to(card, "gpu.pcie_width", Value::Int(width), &[line.number]);
        } else if let (Some(card), Some(width)) = (card, first(re!(r"LnkCap:\s+.*?Width x(\d+)"), line.text).and_then(|w| w.parse().ok())) {
            reader.give_to(card, "gpu.pcie_width_max", Value::Int(width), &[line.number]);
        }
    }
    let line = if last > 0 { last } else { reader.head() };
    let all = ["01:00.0 3D controller: NVIDIA Corporation", "01:00.0 VGA compatible controller: NVIDIA Corporation"];
    if reader.shows_all(&all) && !hits(re!(r"lspci\b.*\s-s\b"), reader.command_line()) {
        reader.int("gpu.lspci_count", cards, line);
    }
}

fn device_line(reader: &mut Reader, line: Line, pci: &str) -> Option<Subject> {
    let card = reader.card(Some(pci), None, None)?;
    identity(reader, card, Some(pci), None, line.number);
    let dead = line.text.contains("(rev ff)");
    reader.give_to(card, "gpu.lspci_rev_ff", Value::Bool(dead), &[line.number]);
    if let Some(name) =
        first(re!(r"NVIDIA Corporation .*?\[((?:GeForce|Quadro|Tesla|TITAN|RTX|NVIDIA|CMP|[A-Z]{1,2}\d)[^\]]*)\]"), line.text)
        && reader.known(card, "gpu.name").is_none()
    {
        reader.give_to(card, "gpu.name", Value::Text(name.to_owned()), &[line.number]);
    }
    if let Some(id) = first(re!(r"\[10de:([0-9A-Fa-f]{4})\]"), line.text) {
        reader.give_to(card, "gpu.device_id", Value::Text(id.to_ascii_lowercase()), &[line.number]);
    } else if let Some(id) = first(re!(r"NVIDIA Corporation Device ([0-9A-Fa-f]{4})\b"), line.text) {
        reader.give_to(card, "gpu.device_id", Value::Text(id.to_ascii_lowercase()), &[line.number]);
    }
    Some(card)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{absent, facts, facts_from, value};
    use super::super::{Subject, Value};
    use crate::segment::Kind;

    #[test]
    fn absence_follows_only_from_what_the_listing_would_show() {
        let text = "nvidia_drm             77824  4\nnvidia              56832000  310 nvidia_modeset";
        let filtered = facts_from(Kind::Lsmod, "lsmod | grep nvidia", text);
        assert_eq!(value(&filtered, Subject::None, "module.nvidia"), Some(Value::Bool(true)));
        assert!(absent(&filtered, "module.nvidia_uvm"));
        assert!(!absent(&filtered, "module.nouveau"));
        let both = facts_from(
            Kind::Lsmod,
            "lsmod | egrep 'nvidia|nouveau'",
            "nouveau              3096576  4\nmxm_wmi                12288  1 nouveau",
        );
        assert!(absent(&both, "module.nvidia"));
        assert_eq!(value(&both, Subject::None, "module.nouveau"), Some(Value::Bool(true)));
        assert!(!absent(&facts(Kind::Lsmod, text), "module.nvidia_uvm"));
        assert!(absent(&facts_from(Kind::Lsmod, "lsmod | grep nvidia", ""), "module.nvidia"));
        assert!(!absent(&facts_from(Kind::Lsmod, "lsmod", "bash: lsmod: command not found"), "module.nvidia"));
    }

    #[test]
    fn dkms_in_both_forms() {
        for text in [
            "nvidia/550.120, 6.8.0-48-generic, x86_64: installed\nnvidia/550.120, 6.8.0-49-generic, x86_64: built",
            "nvidia, 550.120, 6.8.0-48-generic, x86_64: installed (original_module exists)",
        ] {
            let facts = facts_from(Kind::Dkms, "dkms status", text);
            assert_eq!(value(&facts, Subject::None, "dkms.version"), Some(Value::Version("550.120".into())));
            assert_eq!(value(&facts, Subject::None, "dkms.built_for"), Some(Value::Set(vec!["6.8.0-48-generic".into()])));
        }
        assert!(absent(&facts_from(Kind::Dkms, "dkms status", ""), "dkms.version"));
        let added = facts_from(Kind::Dkms, "dkms status", "nvidia/550.120: added");
        assert_eq!(value(&added, Subject::None, "dkms.built_for"), Some(Value::Set(vec![])));
    }

    #[test]
    fn lspci_in_its_forms() {
        let text = "\
01:00.0 VGA compatible controller [0300]: NVIDIA Corporation GM107M [GeForce GTX 860M] [10de:1392] (rev a2)
	Kernel driver in use: vfio-pci
	Kernel modules: nouveau, nvidia_drm, nvidia
01:00.1 Audio device [0403]: NVIDIA Corporation GM107 High Definition Audio Controller [10de:0fbc] (rev a1)
	Kernel driver in use: snd_hda_intel
82:00.0 3D controller: NVIDIA Corporation Device 26b9 (rev ff)";
        let facts = facts_from(Kind::Lspci, "lspci -nnk -d 10de:", text);
        assert_eq!(value(&facts, Subject::Gpu(0), "gpu.driver_in_use"), Some(Value::Text("vfio-pci".into())));
        assert_eq!(value(&facts, Subject::Gpu(0), "gpu.name"), Some(Value::Text("GeForce GTX 860M".into())));
        assert_eq!(value(&facts, Subject::Gpu(1), "gpu.device_id"), Some(Value::Text("26b9".into())));
        assert_eq!(value(&facts, Subject::None, "gpu.lspci_count"), Some(Value::Int(2)));
        assert_eq!(value(&facts, Subject::Gpu(0), "gpu.lspci_rev_ff"), Some(Value::Bool(false)));
        assert_eq!(value(&facts, Subject::Gpu(1), "gpu.lspci_rev_ff"), Some(Value::Bool(true)));
        let none = facts_from(Kind::Lspci, "lspci | grep -i nvidia", "");
        assert_eq!(value(&none, Subject::None, "gpu.lspci_count"), Some(Value::Int(0)));
        let not_there = facts_from(Kind::Lspci, "lspci", "sh: 1: lspci: not found");
        assert_eq!(value(&not_there, Subject::None, "gpu.lspci_count"), None);
        let partial = facts_from(Kind::Lspci, "lspci | grep -i vga", "00:02.0 VGA compatible controller: Intel Corporation UHD");
        assert_eq!(value(&partial, Subject::None, "gpu.lspci_count"), None);
    }

    #[test]
    fn module_files_and_the_loaded_module() {
        let disk = facts_from(
            Kind::Modinfo,
            "modinfo nvidia",
            "filename: /lib/modules/x/nvidia.ko\nversion:        550.120\nlicense:        Dual MIT/GPL",
        );
        assert_eq!(value(&disk, Subject::None, "driver.on_disk_version"), Some(Value::Version("550.120".into())));
        assert_eq!(value(&disk, Subject::None, "driver.on_disk_flavour"), Some(Value::Text("open".into())));
        let loaded = facts(Kind::Modinfo, "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.161.08  Tue Mar  5 22:42:15 UTC 2024");
        assert_eq!(value(&loaded, Subject::None, "driver.module_version"), Some(Value::Version("535.161.08".into())));
        assert!(absent(&facts_from(Kind::Modinfo, "modinfo nvidia", "modinfo: ERROR: Module nvidia not found."), "driver.on_disk_version"));
    }
}
