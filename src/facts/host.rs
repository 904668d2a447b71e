//! The host: kernel, distribution, uptime, Secure Boot, memory, disks, limits, nodes, groups.

use super::reader::{Line, Reader, bytes, caps, first, hits, number, re};
use super::{Subject, Value};
use crate::segment::ScopeKind;

/// A kernel release: it also tells WSL.
pub fn kernel(reader: &mut Reader, release: &str, line: u32) {
    reader.text("kernel.running", release, line);
    if release.to_ascii_lowercase().contains("microsoft") {
        let version = release.split('-').next().unwrap_or(release);
        reader.version("wsl.kernel", version, line);
    }
}

/// `uname -a`, `uname -r`.
pub fn uname(reader: &mut Reader) {
    for line in reader.lines() {
        let text = line.text.trim();
        let release = first(re!(r"^Linux \S+ (\d+\.\d+\S*) "), text).or_else(|| first(re!(r"^(\d+\.\d+\.\d+[\w.+~-]*)$"), text));
        if let Some(release) = release {
            kernel(reader, release, line.number);
        }
        if let Some(machine) = first(re!(r"\b(x86_64|aarch64|ppc64le)\b"), text) {
            reader.text("machine.architecture", machine, line.number);
        }
    }
}

/// `/etc/os-release`, and `lsb_release`.
pub fn os_release(reader: &mut Reader) {
    for line in reader.lines() {
        let unquoted = |text: &str| text.trim().trim_matches(['"', '\'']).to_ascii_lowercase();
        let Some((key, value)) = line.text.trim().split_once(['=', ':']) else { continue };
        match key.trim() {
            "ID" | "Distributor ID" => distribution(reader, &unquoted(value), line.number),
            "VERSION_ID" | "Release" => reader.version("os.version", &unquoted(value), line.number),
            _ => {}
        }
    }
}

/// The register's word for a distribution.
pub fn distribution(reader: &mut Reader, id: &str, line: u32) {
    let known = ["ubuntu", "debian", "rhel", "rocky", "almalinux", "fedora", "centos", "sles", "opensuse", "arch", "amzn", "alpine"];
    if let Some(name) = known.iter().find(|name| id.starts_with(**name)) {
        reader.text("os.name", name, line);
    } else if id.starts_with("red hat") || id.starts_with("redhat") {
        reader.text("os.name", "rhel", line);
    }
}

/// `uptime -s`, `who -b`, `last -x reboot`: when the machine was booted.
pub fn uptime(reader: &mut Reader) {
    for line in reader.lines() {
        let iso = caps(re!(r"(?:^|system boot\s+)\s*(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}(?::\d{2})?)"), line.text);
        if let Some(cells) = iso {
            let cell = |n: usize| cells.get(n).map_or("", |m| m.as_str());
            reader.text("kernel.boot_time", &format!("{}T{}", cell(1), full_time(cell(2))), line.number);
            return;
        }
        if let Some(time) = dated_boot(line.text) {
            reader.text("kernel.boot_time", &time, line.number);
            return;
        }
        if let Some(days) = first(re!(r"\bup (\d+) days?"), line.text).and_then(|d| d.parse().ok()) {
            reader.int("kernel.up_days", days, line.number);
        }
    }
}

/// `last -F`: `reboot   system boot  6.8.0-51 Mon Nov 24 08:01:12 2025`; and boot 0 of
/// `journalctl --list-boots`.
fn dated_boot(text: &str) -> Option<String> {
    if let Some(cells) = caps(re!(r"^\s*0 [0-9a-f]{32} \w{3} (\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})"), text) {
        return Some(format!("{}T{}", cells.get(1)?.as_str(), cells.get(2)?.as_str()));
    }
    let cells = caps(re!(r"system boot\s.*?\w{3} (\w{3}) +(\d{1,2}) (\d{2}:\d{2}:\d{2}) (\d{4})"), text)?;
    let cell = |n: usize| cells.get(n).map_or("", |m| m.as_str());
    Some(format!("{}-{:02}-{:0>2}T{}", cell(4), month(cell(1))?, cell(2), cell(3)))
}

/// `Nov` → 11.
pub fn month(name: &str) -> Option<usize> {
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    Some(months.iter().position(|month| *month == name)? + 1)
}

/// `12:30` → `12:30:00`.
pub fn full_time(time: &str) -> String {
    if time.len() == 5 { format!("{time}:00") } else { time.to_owned() }
}

/// `mokutil --sb-state`.
pub fn mokutil(reader: &mut Reader) {
    for line in reader.lines() {
        if line.text.contains("SecureBoot enabled") {
            reader.bool("secure_boot.enabled", true, line.number);
        } else if hits(re!(r"SecureBoot disabled|EFI variables are not supported|doesn't support Secure Boot"), line.text) {
            reader.bool("secure_boot.enabled", false, line.number);
        }
    }
}

/// `free`, and `/proc/meminfo`.
pub fn memory(reader: &mut Reader) {
    let unit = unit_of_free(reader.command_line());
    for line in reader.lines() {
        if let Some(kilobytes) = first(re!(r"^MemAvailable:\s+(\d+) kB"), line.text).and_then(number) {
            reader.int("memory.available", kilobytes.saturating_mul(1024), line.number);
        } else if line.text.trim_start().starts_with("Mem:") {
            let cells: Vec<&str> = line.text.split_whitespace().collect();
            let amount = |at: usize| cells.get(at).and_then(|cell| sized(cell, unit));
            if let Some(total) = amount(1) {
                reader.int("memory.total", total, line.number);
            }
            if let Some(available) = amount(6) {
                reader.int("memory.available", available, line.number);
            }
        }
    }
}

/// How many bytes a bare number of `free` means.
fn unit_of_free(command: &str) -> i64 {
    match first(re!(r"free\s+-(\w)"), command) {
        Some("b") => 1,
        Some("m") => 1 << 20,
        Some("g") => 1 << 30,
        _ => 1024,
    }
}

fn sized(cell: &str, unit: i64) -> Option<i64> {
    if cell.chars().all(|c| c.is_ascii_digit()) { cell.parse::<i64>().ok()?.checked_mul(unit) } else { bytes(cell) }
}

/// `df`: full file systems, and the size of /dev/shm.
pub fn disk(reader: &mut Reader) {
    let inner = reader.scope_kind().is_inner();
    let (mut rows, mut full, mut inodes) = (0, false, false);
    for line in reader.lines() {
        if line.text.contains("Use%") {
            inodes = line.text.contains("IUse%");
        }
        let row = caps(re!(r"^\s*(\S+)\s+([\d.]+[KMGTP]?i?)\s+([\d.]+[KMGTP]?i?)\s+([\d.]+[KMGTP]?i?)\s+(\d+)%\s+(/\S*)"), line.text);
        let Some(cells) = row else { continue };
        let cell = |n: usize| cells.get(n).map_or("", |m| m.as_str());
        let device = cell(1);
        rows += 1;
        if cell(5).parse().is_ok_and(|used: u32| used >= 99) && !device.starts_with("/dev/loop") {
            full = true;
            let name = if inodes { "disk.inodes_full" } else { "disk.full_paths" };
            reader.add(Subject::None, name, &[cell(6).to_owned()], line.number);
        }
        if cell(6) == "/dev/shm"
            && !inodes
            && (inner || device == "shm")
            && let Some(size) = sized(cell(2), 1024)
        {
            reader.int("container.shm_bytes", size, line.number);
        }
    }
    // Only a listing of all file systems can say that none is full.
    let whole = hits(re!(r"^(?:sudo )?df(?:\s+-\w+)*\s*$"), reader.command_line());
    if rows > 0 && !full && whole && reader.shows_all(&["/dev/sda1  100G  100G  0 100% /"]) {
        reader.deny("disk.full_paths");
    }
}

/// `ulimit -a`, `ulimit -n`, `ulimit -l`, `/proc/self/limits`.
pub fn limits(reader: &mut Reader) {
    let command = reader.command_line();
    for line in reader.lines() {
        let text = line.text.trim();
        let last = text.split_whitespace().last().unwrap_or("");
        if text.starts_with("max locked memory") {
            memlock(reader, last, line);
        } else if text.starts_with("open files") {
            open_files(reader, last, line);
        } else if let Some(soft) = first(re!(r"^Max locked memory\s+(\S+)"), text) {
            let soft = if soft == "unlimited" { i64::MAX } else { number(soft).unwrap_or(i64::MAX) };
            reader.int("limit.memlock", soft, line.number);
        } else if let Some(soft) = first(re!(r"^Max open files\s+(\S+)"), text) {
            open_files(reader, soft, line);
        } else if hits(re!(r"^(?:\d+|unlimited)$"), text) {
            if hits(re!(r"ulimit\s+-[HS]?l"), command) {
                memlock(reader, text, line);
            } else if hits(re!(r"ulimit\s+-[HS]?n"), command) {
                open_files(reader, text, line);
            }
        }
    }
}

/// In KiB as ulimit prints it; unlimited is the largest number.
fn memlock(reader: &mut Reader, text: &str, line: Line) {
    let value = if text == "unlimited" { Some(i64::MAX) } else { number(text).and_then(|k| k.checked_mul(1024)) };
    if let Some(value) = value {
        reader.int("limit.memlock", value, line.number);
    }
}

fn open_files(reader: &mut Reader, text: &str, line: Line) {
    let value = if text == "unlimited" { Some(i64::MAX) } else { number(text) };
    if let Some(value) = value {
        reader.int("limit.open_files", value, line.number);
    }
}

/// `ls -l /dev/nvidia* /dev/dxg`: names, modes, owning group; what is not there.
pub fn device_nodes(reader: &mut Reader) {
    let mut nodes = 0;
    // Mode, owner, group and line of the node that lets the fewest in.
    let mut strictest: Option<([String; 3], u32)> = None;
    for line in reader.lines() {
        let text = line.text.trim();
        if let Some(cells) = caps(re!(r"^c([rwx-]{9})[.+@]?\s+\d+\s+(\S+)\s+(\S+)\s+\d+,\s*\d+\s+.*?(?:/dev/)?(nvidia[\w-]*|dxg)$"), text) {
            let cell = |n: usize| cells.get(n).map_or("", |m| m.as_str());
            node(reader, cell(4), line.number);
            nodes += 1;
            if cell(4) != "dxg" && !cell(4).starts_with("nvidia-cap") {
                let letters = |mode: &str| mode.chars().filter(|c| *c != '-').count();
                if strictest.as_ref().is_none_or(|(row, _)| letters(cell(1)) < letters(&row[0])) {
                    strictest = Some(([1, 2, 3].map(|n| cell(n).to_owned()), line.number));
                }
            }
        } else if let Some(missing) = first(re!(r"ls: (?:cannot access|无法访问)\s*['‘]?/dev/(\S+?)['’]?:"), text) {
            missing_node(reader, missing, line);
        } else if hits(re!(r"^(?:/dev/(?:nvidia[\w-]*|dxg)\s*)+$"), text) {
            for path in text.split_whitespace() {
                node(reader, path.trim_start_matches("/dev/"), line.number);
                nodes += 1;
            }
        }
    }
    if let Some(([mode, owner, group], line)) = strictest {
        reader.text("node.mode", &mode, line);
        reader.text("node.owner", &owner, line);
        reader.text("node.group", &group, line);
    }
    let about_nvidia = hits(re!(r"ls\s.*(?:/dev/nvidia|\s/dev/?(?:\s|$))"), reader.command_line());
    if nodes == 0 && about_nvidia && reader.shows_all(&["/dev/nvidia0"]) {
        reader.deny("node.nvidia_devices");
    }
}

fn node(reader: &mut Reader, name: &str, line: u32) {
    if name == "dxg" {
        reader.bool("node.dxg", true, line);
    } else {
        reader.add(Subject::None, "node.nvidia_devices", &[format!("/dev/{name}")], line);
    }
}

fn missing_node(reader: &mut Reader, name: &str, line: Line) {
    if name.starts_with("dxg") {
        reader.deny("node.dxg");
    } else if name.starts_with("nvidia*") || name == "nvidia?" || name == "nvidia[0-9]*" || name == "nvidia" {
        reader.deny("node.nvidia_devices");
    } else if name.starts_with("nvidia") {
        reader.add(Subject::None, "node.missing", &[format!("/dev/{name}")], line.number);
    }
}

/// `id`, `groups`.
pub fn id(reader: &mut Reader) {
    for line in reader.lines() {
        let text = line.text.trim();
        let names: Vec<String> = if let Some(groups) = first(re!(r"groups=(.*)$"), text) {
            groups.split(',').filter_map(|g| first(re!(r"\(([^)]+)\)"), g)).map(str::to_owned).collect()
        } else if reader.command_line().starts_with("groups") && !text.is_empty() {
            text.rsplit(" : ").next().unwrap_or("").split_whitespace().map(str::to_owned).collect()
        } else {
            continue;
        };
        reader.give_to(Subject::None, "user.groups", Value::Set(names), &[line.number]);
        if let Some(uid) = first(re!(r"uid=(\d+)"), text).and_then(|u| u.parse().ok()) {
            reader.int("user.id", uid, line.number);
        }
    }
}

/// What people write around their listings: `驱动是 535.129.03`, `driver version: 550.90.07`.
pub fn prose(reader: &mut Reader) {
    for line in reader.lines() {
        if hits(
            re!(r"(?i)requir|needs?\b|at least|or (?:newer|later|higher)|minimum|>=|upgrade to|install|至少|以上|需要|升级到"),
            line.text,
        ) {
            continue;
        }
        let version = first(
            re!(
                r"(?i)(?:nvidia[ -])?(?:driver|驱动)(?:\s*(?:version|版本))?(?:\s*(?:is|was|是|为|[:：=]))?\s*v?([3-6]\d\d\.\d{2,3}(?:\.\d\d)?)\b"
            ),
            line.text,
        );
        if let Some(version) = version
            && reader.known(Subject::None, "driver.version").is_none()
        {
            reader.version("driver.version", version, line.number);
        }
    }
}

/// Windows and WSL: `wsl --version`, and the kernel there.
pub fn wsl(reader: &mut Reader) {
    for line in reader.lines() {
        if let Some(version) = first(re!(r"(?i)^\s*(?:Kernel version|内核版本)\s*[:：]\s*([\d.]+)"), line.text) {
            reader.version("wsl.kernel", version, line.number);
        }
        if reader.scope_kind() == ScopeKind::Windows
            && let Some(build) = first(re!(r"Microsoft Windows \[.*?(\d+\.\d+\.\d+)"), line.text)
        {
            reader.text("os.name", "windows", line.number);
            reader.version("os.version", build, line.number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{absent, facts, facts_from, value};
    use super::super::{Subject, Value};
    use crate::segment::Kind;

    #[test]
    fn kernels_are_read_from_all_forms() {
        let uname = facts_from(
            Kind::Uname,
            "uname -a",
            "Linux <host-1> 6.8.0-51-generic #52-Ubuntu SMP PREEMPT_DYNAMIC Thu Dec  5 13:09:44 UTC 2024 x86_64 GNU/Linux",
        );
        assert_eq!(value(&uname, Subject::None, "kernel.running"), Some(Value::Text("6.8.0-51-generic".into())));
        let wsl = facts_from(Kind::Uname, "uname -r", "5.15.153.1-microsoft-standard-WSL2");
        assert_eq!(value(&wsl, Subject::None, "wsl.kernel"), Some(Value::Version("5.15.153.1".into())));
        let log = facts(Kind::Dmesg, "[    0.000000] Linux version 6.8.0-57-generic (buildd@lcy02-amd64-040)");
        assert_eq!(value(&log, Subject::None, "kernel.running"), Some(Value::Text("6.8.0-57-generic".into())));
    }

    #[test]
    fn nodes_with_mode_and_group() {
        let text = "crw-rw---- 1 root video 195,   0 Nov 24 08:01 /dev/nvidia0\ncrw-rw---- 1 root video 195, 255 Nov 24 08:01 /dev/nvidiactl\nls: cannot access '/dev/dxg': No such file or directory";
        let facts = facts_from(Kind::DeviceNodes, "ls -l /dev/nvidia* /dev/dxg", text);
        assert_eq!(
            value(&facts, Subject::None, "node.nvidia_devices"),
            Some(Value::Set(vec!["/dev/nvidia0".into(), "/dev/nvidiactl".into()]))
        );
        assert_eq!(value(&facts, Subject::None, "node.mode"), Some(Value::Text("rw-rw----".into())));
        assert_eq!(value(&facts, Subject::None, "node.group"), Some(Value::Text("video".into())));
        assert!(absent(&facts, "node.dxg"));
        assert!(absent(
            &facts_from(Kind::DeviceNodes, "ls /dev/nvidia*", "ls: cannot access '/dev/nvidia*': No such file or directory"),
            "node.nvidia_devices"
        ));
    }

    #[test]
    fn shared_memory_and_full_disks() {
        let text = "Filesystem      Size  Used Avail Use% Mounted on\noverlay         1.8T  214G  1.5T  13% /\nshm              64M   64M     0 100% /dev/shm";
        let facts = facts_from(Kind::Disk, "df -h", text);
        assert_eq!(value(&facts, Subject::None, "container.shm_bytes"), Some(Value::Int(64 << 20)));
        assert_eq!(value(&facts, Subject::None, "disk.full_paths"), Some(Value::Set(vec!["/dev/shm".into()])));
    }

    #[test]
    fn inodes_are_not_bytes() {
        let text = "Filesystem        Inodes     IUsed IFree IUse% Mounted on\n/dev/md0       234881024 234881024     0  100% /scratch\nFilesystem      Size  Used Avail Use% Mounted on\n/dev/md0        7.0T  3.3T  3.4T  50% /scratch";
        let facts = facts_from(Kind::Disk, "df -i /scratch; df -h /scratch", text);
        assert_eq!(value(&facts, Subject::None, "disk.inodes_full"), Some(Value::Set(vec!["/scratch".into()])));
        assert_eq!(value(&facts, Subject::None, "disk.full_paths"), None);
    }

    #[test]
    fn limits_memory_groups_and_boot() {
        assert_eq!(value(&facts_from(Kind::Limits, "ulimit -n", "1024"), Subject::None, "limit.open_files"), Some(Value::Int(1024)));
        assert_eq!(value(&facts_from(Kind::Limits, "ulimit -l", "64"), Subject::None, "limit.memlock"), Some(Value::Int(65536)));
        let all = facts_from(
            Kind::Limits,
            "ulimit -a",
            "max locked memory           (kbytes, -l) 65536\nopen files                          (-n) 1048576",
        );
        assert_eq!(value(&all, Subject::None, "limit.memlock"), Some(Value::Int(65536 * 1024)));
        let free = facts_from(
            Kind::Memory,
            "free -h",
            "               total        used        free      shared  buff/cache   available\nMem:           503Gi       421Gi       2.0Gi       1.0Gi        80Gi        40Gi",
        );
        assert_eq!(value(&free, Subject::None, "memory.available"), Some(Value::Int(40 << 30)));
        let id = facts(Kind::Id, "uid=1007(<user-1>) gid=1007(<user-1>) groups=1007(<user-1>),27(sudo)");
        assert_eq!(value(&id, Subject::None, "user.groups"), Some(Value::Set(vec!["<user-1>".into(), "sudo".into()])));
        let boot = facts_from(Kind::Uptime, "who -b", "         system boot  2026-11-23 08:01");
        assert_eq!(value(&boot, Subject::None, "kernel.boot_time"), Some(Value::Text("2026-11-23T08:01:00".into())));
    }

    #[test]
    fn boots_with_a_year() {
        for text in [
            "reboot   system boot  6.8.0-51-generic Mon Nov 24 08:01:12 2025   still running",
            "  0 4f0e9d117f3a90c2e5aa4f0e9d117f3a Mon 2025-11-24 08:01:12 UTC Mon 2025-11-24 10:00:00 UTC",
        ] {
            assert_eq!(
                value(&facts(Kind::Uptime, text), Subject::None, "kernel.boot_time"),
                Some(Value::Text("2025-11-24T08:01:12".into())),
                "{text}"
            );
        }
    }

    #[test]
    fn a_driver_named_in_prose() {
        assert_eq!(value(&facts(Kind::Other, "CUDA 12 requires driver 525.60.13 or newer"), Subject::None, "driver.version"), None);
        for text in ["驱动是 535.129.03，nvidia-smi 在容器里正常。", "My driver version is 535.129.03", "NVIDIA driver: 535.129.03"]
        {
            assert_eq!(
                value(&facts(Kind::Other, text), Subject::None, "driver.version"),
                Some(Value::Version("535.129.03".into())),
                "{text}"
            );
        }
        assert_eq!(value(&facts(Kind::Other, "a driver from 2019 and 550 dollars"), Subject::None, "driver.version"), None);
    }

    #[test]
    fn secure_boot_is_told_by_mokutil() {
        let facts = facts_from(Kind::Other, "mokutil --sb-state", "SecureBoot enabled");
        assert_eq!(value(&facts, Subject::None, "secure_boot.enabled"), Some(Value::Bool(true)));
    }

    #[test]
    fn the_distribution_is_one_of_the_registers_words() {
        let facts = facts(Kind::OsRelease, "NAME=\"Rocky Linux\"\nID=\"rocky\"\nVERSION_ID=\"9.4\"\nID_LIKE=\"rhel centos fedora\"");
        assert_eq!(value(&facts, Subject::None, "os.name"), Some(Value::Text("rocky".into())));
        assert_eq!(value(&facts, Subject::None, "os.version"), Some(Value::Version("9.4".into())));
    }
}
