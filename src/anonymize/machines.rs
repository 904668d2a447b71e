//! Machines in names of files, in brackets of message libraries, in listings of fabrics and
//! beside addresses.

use super::hosts::{certain, is_file, looks_like_host};
use super::kind::Kind;
use super::rules::{Find, Found, Rule};
use super::scan::feature;
use super::words;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "machine-in-a-file-name",
        gate: &[
            "tfevents.",
            ".trace.json",
            "ompi.",
            "prte.",
            "pmix",
            "openmpi-sessions",
            "sosreport-",
            "runs/",
            "logs/",
            "nvidia-bug-report",
            "dmesg",
            "journal-",
            "journal_",
            "nccl_",
            "nccl-",
            "nccl.",
            "core.",
            "slurmd-",
            "slurmd_",
            "kern-",
            "kern_",
            "report-",
            "report_",
            ".nsys-rep",
        ],
        feature: 0,
        find: Find::Regex(
            concat!(
                r"(?:tfevents\.\d{6,}\.(?<host>[A-Za-z0-9][A-Za-z0-9-]*(?:\.[A-Za-z][A-Za-z0-9-]*)*)\.\d|(?:^|[/\s\x22'])(?<host2>[A-Za-z][A-Za-z0-9.-]*[A-Za-z0-9])_\d{2,8}\.(?:\d{10,}\.)?(?:pt\.)?trace\.json",
                r"|/(?:ompi|prte|pmix|orte|openmpi-sessions)[.-](?:(?<user>[a-z_][a-z0-9_.-]*)@)?(?<host3>[A-Za-z][A-Za-z0-9-]*(?:\.[A-Za-z][A-Za-z0-9-]*)*)[._]\d",
                r"|[A-Z][a-z]{2}\d{2}_\d{2}-\d{2}-\d{2}_(?<host4>[A-Za-z][A-Za-z0-9.-]*[A-Za-z0-9])|sosreport-(?<host5>[A-Za-z][A-Za-z0-9-]*?)-(?:\d+-)?\d{4}-\d\d-\d\d",
                r"|(?:nvidia-bug-report|dmesg|journal|nccl(?:[_-]debug)?|core|slurmd|kern|report|nvidia-smi)[._-](?<host6>[A-Za-z][A-Za-z0-9-]*\d[A-Za-z0-9-]*|[A-Za-z][A-Za-z0-9]*-[A-Za-z0-9-]+)[._](?:log|txt|gz|out|err|nsys|\d{3,}))"
            ),
            in_file,
        ),
    },
    Rule {
        name: "machine-in-brackets",
        gate: &["@"],
        feature: feature::PORT,
        find: Find::Regex(
            r"\[(?:(?<host>[A-Za-z][A-Za-z0-9_.-]*[A-Za-z0-9]):\d+(?::\d+)?(?:\]| - )|(?:proxy|mpiexec|hydra|pmi|prterun|mpirun)[:0-9]*@(?<host2>[A-Za-z][A-Za-z0-9.-]*[A-Za-z0-9])\]|(?<host3>[A-Za-z][A-Za-z0-9.-]*[A-Za-z0-9]):(?:mpi_)?rank_\d+\])",
            in_brackets,
        ),
    },
    Rule {
        name: "node-of-a-fabric",
        gate: &[" hca-", " mlx5_", " mlx4_", "\"h-", "\"s-", "\"r-", "0300", "03ff", "fffe", ":mqm", ":msb", ":msx", ":qm"],
        feature: 0,
        find: Find::Regex(
            concat!(
                r"(?:[\x22':]\s*(?<host>[A-Za-z][A-Za-z0-9.-]*[A-Za-z0-9]) (?:HCA-\d|mlx[45]_\d|hfi1_\d|bnxt_re\d)|\x22[HSR]-(?<guid>[0-9a-f]{16})\x22|;(?<host2>[A-Za-z][A-Za-z0-9.-]*[A-Za-z0-9]):(?:MQM|MSB|MSX|SX|QM)\d",
                r"|(?:^|[^0-9A-Za-z])(?:0x)?(?<guid2>[0-9a-f]{6}(?:0300|03ff|fffe)[0-9a-f]{6})(?:[^0-9A-Za-z]|$))"
            ),
            of_fabric,
        ),
    },
    Rule {
        name: "machine-beside-an-address",
        gate: &["dhcp", "client-hostname", "host-name", "hardware ethernet"],
        feature: feature::QUAD | feature::COLONS,
        find: Find::Regex(
            concat!(
                r#"(?:(?:^|[\s">])(?<host>[A-Za-z][A-Za-z0-9.-]*[A-Za-z0-9]) \((?:\d{1,3}\.){3}\d{1,3}\)|(?:[0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2} \((?<host2>[A-Za-z][A-Za-z0-9_.-]*[A-Za-z0-9])\)"#,
                r#"|DHCP[A-Z]+\(\S+\) (?:[\d.]+ )?(?:[0-9a-f]{2}:){5}[0-9a-f]{2} (?<host3>[A-Za-z][A-Za-z0-9_.-]*)|(?:client-hostname|host-name) "(?<host4>[^"\s]+)"|\bhost (?<host5>[A-Za-z][A-Za-z0-9_.-]*) \{)"#
            ),
            beside,
        ),
    },
    Rule {
        name: "hardware-address-in-a-name",
        gate: &[
            "enx", "wlx", "mac ", "mac:", "mac=", "mac_", "mac\"", "macaddr", "pxelinux", "/01-", "=01-", "dynamic", "static", "vlan",
            "switch",
        ],
        feature: 0,
        find: Find::Regex(
            concat!(
                r"(?i)(?:\b(?:enx|wlx)(?<mac>[0-9a-f]{12})\b|(?:^|[^0-9a-z.])(?<mac2>[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4})(?:[^0-9a-z.]|$)",
                r"|(?:^|[^0-9a-z-])01-(?<mac3>[0-9a-f]{2}(?:-[0-9a-f]{2}){5})(?:[^0-9a-z-]|$)|\bmac(?:[ _-]?addr(?:ess)?)?[\x22']?\s*[:=]?\s*[\x22']?(?<mac4>[0-9a-f]{12})\b)"
            ),
            hardware,
        ),
    },
];

fn weak(found: &Found) -> Option<Kind> {
    let value = found.value();
    let plain = words::is_common(value) || words::is_device(value) || is_file(value) || words::is_public_package(value);
    (!plain).then(|| certain(found)).flatten()
}

fn in_file(found: &Found) -> Option<Kind> {
    if found.kind == Kind::User {
        return super::names::account(found);
    }
    let sure = found.before().ends_with('.') && found.before().contains("tfevents") || found.after().contains(".trace.json");
    let loose = !sure && words::is_plain(found.value());
    (!loose).then(|| weak(found)).flatten()
}

/// `[node7:4182:0]` of UCX, `[node7:4182]` of Open MPI: a step or a device is written alike.
fn in_brackets(found: &Found) -> Option<Kind> {
    let numbers: Vec<&str> = found.after().trim_start_matches(':').split([']', ' ']).next().unwrap_or("").split(':').collect();
    let process = numbers.first().is_some_and(|number| number.len() >= 3);
    let launcher = found.before().ends_with('@') || found.after().starts_with(":mpi_rank") || found.after().starts_with(":rank");
    let code = found.value().contains('_');
    ((launcher || process && !code && (numbers.len() > 1 || looks_like_host(found.value()))) && !words::is_plain(found.value()))
        .then(|| weak(found))
        .flatten()
}

fn of_fabric(found: &Found) -> Option<Kind> {
    let value = found.value();
    if found.kind == Kind::Guid {
        // Addresses in memory begin with zeros or ones.
        let memory = value.starts_with("0000") || value.starts_with("ffff") || !value.bytes().any(|b| b.is_ascii_alphabetic());
        return (!memory || found.before().ends_with(['H', 'S', 'R', '-'])).then_some(Kind::Guid);
    }
    weak(found)
}

fn beside(found: &Found) -> Option<Kind> {
    let package = found.before_within(24).to_ascii_lowercase();
    let versioned = ["version", "package", "requirement", "build"].iter().any(|word| package.contains(word));
    (!versioned && !found.value().ends_with("-")).then(|| weak(found)).flatten()
}

fn hardware(found: &Found) -> Option<Kind> {
    let value = found.value();
    let named = found.before().ends_with(['x', 'X']) || found.before().ends_with("01-");
    let letters = value.bytes().any(|b| b.is_ascii_alphabetic());
    ((named || letters) && !value.bytes().all(|b| matches!(b, b'0' | b'.' | b'-'))).then_some(Kind::Mac)
}
