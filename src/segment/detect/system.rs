//! Listings of the operating system.

use super::{Hit, Part, Start, second_is_number, strong, weak};
use crate::segment::Kind;

pub const STARTS: &[Start] = &[
    Start("Module                  Size  Used by", Kind::Lsmod),
    Start("NVRM: ", Kind::Dmesg),
    Start("nvidia-nvlink: ", Kind::Dmesg),
    Start("nvidia-modeset: ", Kind::Dmesg),
    Start("nvidia-uvm: ", Kind::Dmesg),
    Start("nvidia: loading out-of-tree module", Kind::Dmesg),
    Start("nvidia: module ", Kind::Dmesg),
    Start("nvidia: probe of", Kind::Dmesg),
    Start("nvidia 0000:", Kind::Dmesg),
    Start("pcieport 0000:", Kind::Dmesg),
    Start("[drm] [nvidia-drm]", Kind::Dmesg),
    Start("[drm:nv_drm", Kind::Dmesg),
    Start("nvidia-nvswitch", Kind::Dmesg),
    Start("PRETTY_NAME=", Kind::OsRelease),
    Start("VERSION_CODENAME=", Kind::OsRelease),
    Start("VERSION_ID=", Kind::OsRelease),
    Start("ID_LIKE=", Kind::OsRelease),
    Start("DISTRIB_", Kind::OsRelease),
    Start("Linux version ", Kind::Uname),
    Start("reboot   system boot", Kind::Uptime),
    Start("uid=", Kind::Id),
    Start("core file size", Kind::Limits),
    Start("max locked memory", Kind::Limits),
    Start("Limit                     Soft Limit", Kind::Limits),
    Start("Max open files", Kind::Limits),
    Start("MemTotal:", Kind::Memory),
    Start("MemAvailable:", Kind::Memory),
    Start("total        used        free", Kind::Memory),
    Start("total       used       free", Kind::Memory),
    Start("Filesystem  ", Kind::Disk),
    Start("NAME        MAJ:MIN", Kind::Disk),
    Start("CA 'mlx", Kind::Network),
    Start("hca_id:", Kind::Network),
    Start("USER         PID %CPU", Kind::Processes),
    Start("PID TTY", Kind::Processes),
    Start("PID USER", Kind::Processes),
    Start("COMMAND    PID", Kind::Processes),
    Start("USER        PID ACCESS COMMAND", Kind::Processes),
    Start("linux-vdso.so.1", Kind::Ldconfig),
    Start("Desired=Unknown/Install", Kind::Packages),
    Start("||/ Name", Kind::Packages),
    Start("Start-Date: ", Kind::PackageHistory),
    Start("End-Date: ", Kind::PackageHistory),
    Start("Commandline: ", Kind::PackageHistory),
    Start("Loaded: loaded (", Kind::Systemd),
    Start("Loaded: not-found", Kind::Systemd),
    Start("Active: active (", Kind::Systemd),
    Start("Active: inactive (", Kind::Systemd),
    Start("Active: failed (", Kind::Systemd),
    Start("Default Distribution:", Kind::Wsl),
    Start("WSL version:", Kind::Wsl),
    Start("WSL 版本", Kind::Wsl),
    Start("Log Name: ", Kind::Windows),
    Start("Event ID: ", Kind::Windows),
    Start("Faulting application", Kind::Windows),
    Start("Stop code:", Kind::Windows),
    Start("*** STOP: 0x", Kind::Windows),
    Start("Your device ran into a problem", Kind::Windows),
    Start("Windows could not start", Kind::Windows),
    Start("+ CategoryInfo", Kind::Windows),
    Start("+ FullyQualifiedErrorId", Kind::Windows),
    Start("ls: cannot access '/dev/", Kind::DeviceNodes),
    Start("export ", Kind::Env),
    Start("declare -x ", Kind::Env),
    Start("-- Journal begins", Kind::Journal),
    Start("-- Logs begin", Kind::Journal),
    Start("-- Boot ", Kind::Journal),
    Start("-- Reboot --", Kind::Journal),
];

pub const PARTS: &[Part] = &[
    Part(" is not recognized as an internal or external command", Kind::Windows),
    Part("is not recognized as the name of a cmdlet", Kind::Windows),
    Part("nvlddmkm", Kind::Windows),
    Part(" load average: ", Kind::Uptime),
    Part("system boot  ", Kind::Uptime),
    Part("(libc6,x86-64", Kind::Ldconfig),
    Part("(libc6,AArch64", Kind::Ldconfig),
];

/// Variables that show a line to be of an environment listing even when it stands alone.
const VARIABLES: &[&str] = &[
    "CUDA_",
    "NCCL_",
    "LD_LIBRARY_PATH",
    "NVIDIA_",
    "PYTORCH_",
    "HF_",
    "RANK",
    "WORLD_SIZE",
    "MASTER_",
    "TORCH_",
    "LOCAL_RANK",
    "PYTHONPATH",
    "OMP_NUM",
    "VLLM_",
    "XLA_",
    "TF_",
];

pub fn shape(text: &str, indent: usize) -> Option<Hit> {
    let bytes = text.as_bytes();
    match bytes.first()? {
        b'L' if uname(text) => strong(Kind::Uname),
        b'c' | b'b' if mode(bytes) => strong(Kind::DeviceNodes),
        b'l' if mode(bytes) && text.contains("/usr/local/cuda") => strong(Kind::Ldconfig),
        b'l' if library(text) => strong(Kind::Ldconfig),
        b'i' | b'r' | b'h' if package(text) => strong(Kind::Packages),
        b'0'..=b'9' if package_log(text) => strong(Kind::PackageHistory),
        b'0'..=b'9' | b'a'..=b'f' if pci_line(bytes) => strong(Kind::Lspci),
        b'0'..=b'9' if interface(text) => strong(Kind::Network),
        b'N' if text == "NAME" || text.starts_with("NAME=\"") => strong(Kind::OsRelease),
        _ if unit_head(text) => strong(Kind::Systemd),
        b if b.is_ascii_alphabetic() || *b == b'_' => module(text).or_else(|| variable(text, indent)),
        _ => None,
    }
}

/// `Linux host 6.8.0-51-generic #52-Ubuntu SMP … x86_64 GNU/Linux`.
fn uname(text: &str) -> bool {
    let release = text.split(' ').nth(2).unwrap_or("");
    text.starts_with("Linux ") && release.starts_with(|c: char| c.is_ascii_digit()) && text.contains('#')
}

/// `crw-rw---- `.
fn mode(bytes: &[u8]) -> bool {
    bytes.get(1..10).is_some_and(|m| m.iter().all(|b| matches!(b, b'r' | b'w' | b'x' | b'-' | b's' | b'S' | b't' | b'T')))
        && matches!(bytes.get(10), Some(b' ' | b'.' | b'+'))
}

/// `libcuda.so.1 => /lib/… (0x…)`.
fn library(text: &str) -> bool {
    text.starts_with("lib") && text.contains(" => ") && text.contains(".so")
}

/// `ii  nvidia-driver-535  535.183.01  amd64  …`.
fn package(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let state = words.next().unwrap_or("");
    let (name, version) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    matches!(state, "ii" | "rc" | "iU" | "iF" | "hi" | "ri") && !name.is_empty() && version.bytes().any(|b| b.is_ascii_digit())
}

/// `2026-11-24 06:12:40 upgrade nvidia-driver-550:amd64 …`; the time is a prefix and gone.
fn package_log(text: &str) -> bool {
    [" upgrade ", " install ", " status installed "].iter().any(|verb| text.contains(verb)) && text.contains(":amd64")
}

/// `0000:01:00.0 VGA …`, `01:00.0 3D controller: …`.
fn pci_line(bytes: &[u8]) -> bool {
    let hex = |range: std::ops::Range<usize>| bytes.get(range).is_some_and(|s| s.iter().all(u8::is_ascii_hexdigit));
    let short = |at: usize| {
        hex(at..at + 2)
            && bytes.get(at + 2) == Some(&b':')
            && hex(at + 3..at + 5)
            && bytes.get(at + 5) == Some(&b'.')
            && hex(at + 6..at + 7)
            && bytes.get(at + 7) == Some(&b' ')
    };
    short(0) || (hex(0..4) && bytes.get(4) == Some(&b':') && short(5))
}

/// `2: eth0: <BROADCAST,UP> mtu 1500`.
fn interface(text: &str) -> bool {
    text.contains(": <") && text.contains("mtu ")
}

/// `● nvidia-fabricmanager.service - …`.
fn unit_head(text: &str) -> bool {
    text.starts_with(['●', '○', '×', '*']) && [".service", ".timer", ".socket", ".mount"].iter().any(|end| text.contains(end))
}

/// `nvidia_uvm           1388544  0`: name, size, uses; a known module counts alone.
fn module(text: &str) -> Option<Hit> {
    if !second_is_number(text) {
        return None;
    }
    let mut words = text.split_whitespace();
    let (name, size, uses) = (words.next()?, words.next()?, words.next()?);
    let number = |w: &str| !w.is_empty() && w.bytes().all(|b| b.is_ascii_digit());
    let shaped = number(size)
        && size.len() >= 4
        && number(uses)
        && words.next().is_none_or(|w| w.contains(|c: char| c.is_ascii_alphabetic()))
        && words.count() == 0;
    if !shaped || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
        return None;
    }
    let known = name.starts_with("nvidia") || matches!(name, "nouveau" | "i2c_nvidia_gpu" | "drm" | "gdrdrv" | "nv_peer_mem");
    if known { strong(Kind::Lsmod) } else { weak(Kind::Lsmod) }
}

/// `NCCL_DEBUG=INFO`.
fn variable(text: &str, indent: usize) -> Option<Hit> {
    let (name, value) = text.split_once('=')?;
    let is_name = name.len() >= 2 && indent == 0 && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
    if !is_name || value.starts_with('=') {
        return None;
    }
    let known = VARIABLES.iter().any(|v| name.starts_with(v)) && !value.contains(" python");
    if known { strong(Kind::Env) } else { weak(Kind::Env) }
}

pub fn continues(kind: Kind, text: &str) -> bool {
    let trimmed = text.trim_start();
    match kind {
        Kind::Env => trimmed.starts_with("+ "),
        Kind::OsRelease => {
            trimmed.split_once('=').is_some_and(|(name, _)| !name.is_empty() && name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_'))
        }
        Kind::Memory => trimmed.starts_with("Mem:") || trimmed.starts_with("Swap:") || trimmed.ends_with(" kB"),
        Kind::Disk => {
            trimmed.contains('%') || trimmed.starts_with("/dev/") || trimmed.starts_with(['├', '└', '│']) || trimmed.contains(" disk")
        }
        Kind::Processes => trimmed.split_whitespace().take(3).any(|w| w.bytes().all(|b| b.is_ascii_digit())),
        Kind::Lspci => text.starts_with(['\t', ' ']),
        Kind::Ldconfig => trimmed.contains(" => ") || trimmed.starts_with('/'),
        Kind::Systemd => text.starts_with("  ") || trimmed.starts_with(['├', '└', '│']),
        _ => false,
    }
}
