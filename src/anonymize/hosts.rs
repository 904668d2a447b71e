//! Names of machines.

use super::domains::domain_like;
use super::kind::Kind;
use super::rules::{Find, Found, Rule};
use super::scan::feature;
use super::{prefixes, words};
use std::net::Ipv4Addr;

pub(super) const RULES: &[Rule] = &[
    Rule { name: "syslog", gate: &[], feature: feature::STAMP, find: Find::Code(prefixes::syslog) },
    Rule { name: "nccl", gate: &["nccl", "gloo", "ucx", "libfabric", "rccl"], feature: 0, find: Find::Code(prefixes::nccl) },
    Rule {
        name: "keyed-host",
        gate: &[
            "host",
            "node",
            "machine",
            "computer",
            "server",
            "master",
            "rdzv",
            "coordinator",
            "主机",
            "endpoint",
            "_addr",
            "remote",
            "system name",
            "pc name",
            "netbios",
            "dns name",
            "bmc name",
        ],
        feature: 0,
        find: Find::Regex(
            r#"(?i)(?:^|[^A-Za-z0-9])(?:(?:[a-z_]+[_ .-])?(?:host(?:[_ -]?name)?|fqdn)|node(?:[_-]?name|_list|_id)?|nodeName|machine(?:[_ -]?name)?|computer(?:[_ -]?name)?|(?:system|pc|netbios|dns|bmc|chassis)[_ -]name|server(?:[_ -]?(?:name|address))?|(?:master|head|coordinator|main|leader|dist|scheduler|tracker|root)[_-](?:addr(?:ess)?|ip|uri|process_ip)|rdzv[_-]endpoint|coordinator_address|remote|SSH_CONNECTION|endpoint)["']?\s*[:=]\s*["'\[(]?(?:tcp://|tcp:)?(?<host>[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?)"#,
            keyed,
        ),
    },
    Rule {
        name: "slurm",
        gate: &[
            "srun",
            "slurm",
            "nodelist",
            "nodename",
            "batchhost",
            "nodehostname",
            "nodeaddr",
            " cancelled",
            "nodes ",
            "node ",
            "hosts ",
            "host ",
            "allocnode",
        ],
        feature: 0,
        find: Find::Regex(
            concat!(
                r"(?:srun: error: (?<host>[^\s:]+): task|slurmstepd-(?<host2>[^\s:]+):|\bON (?<host3>[^\s:]+) CANCELLED|(?:[A-Za-z]*NodeList|BatchHost|NodeName|NodeHostName|NodeAddr|AllocNode:Sid|SLURM[A-Z_]*(?:NODELIST|NODENAME|HOST|NODEADDR|NODE_ALIASES))=(?<host4>[A-Za-z][^\s:;\x22']*)",
                r"|\bNodes (?<host5>\S+) are ready|(?:on|from|at|for) nodes? (?<host6>[A-Za-z][A-Za-z0-9_.\[\],-]*)|Hosts? (?<host7>[A-Za-z][A-Za-z0-9_.-]*) (?:is|are|was|not)|slurmd(?:\[\d+\])?: (?:error: )?Node (?<host8>\S+)|\b[Nn]ode (?<host9>[A-Za-z][A-Za-z0-9_.-]*) (?:status|not|is|failed|down|state|rebooted|unexpectedly|exited|has))"
            ),
            listed,
        ),
    },
    Rule {
        name: "uname",
        gate: &["linux ", "darwin ", "gnu/linux"],
        feature: 0,
        find: Find::Regex(r"(?:^|[\s:|>])(?:Linux|Darwin|FreeBSD) (?<host>[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?) \d+\.\d+", uname),
    },
    Rule {
        name: "host-by-form",
        gate: &[
            "ip-",
            "ec2-",
            "desktop-",
            "laptop-",
            "win-",
            "gke-",
            "aks-",
            "vmss",
            "instance-",
            "macbook",
            "-mbp",
            ".local",
            "imac",
            "-pc",
            "vm-",
            "iz",
            "ecs-",
            "notebook-",
            "autodl",
            "autodl-container-",
        ],
        feature: 0,
        find: Find::Regex(
            concat!(
                r"(?:^|[^A-Za-z0-9_.-])(?<host>ip-\d{1,3}-\d{1,3}-\d{1,3}-\d{1,3}(?:\.[a-z0-9.-]*[a-z0-9])?|ec2-[0-9-]+\.[a-z0-9.-]*[a-z0-9]|(?:DESKTOP|LAPTOP|WIN)-[A-Z0-9]{5,15}|gke-[a-z0-9-]+-[a-z0-9]{4,8}(?:-[a-z0-9]{4})?|aks-[a-z0-9-]+|iZ[a-z0-9]{16,}Z|ecs-[a-z0-9-]+|autodl-container-[a-z0-9-]+|notebook-[a-z0-9-]*\d[a-z0-9-]*",
                r"|[A-Za-z0-9]+s?-(?:MacBook(?:-(?:Pro|Air))?|MBP|iMac|Mac-mini|Mac-Studio|PC)(?:-\d+)?(?:\.local)?)(?:[^A-Za-z0-9_]|$)"
            ),
            certain_group,
        ),
    },
    Rule {
        name: "machine-with-a-number",
        gate: &[" on ", " from ", " at "],
        feature: 0,
        find: Find::Regex(r"\b(?:on|from|at) (?<host>[a-z]{3,}[a-z-]*\d{1,4})(?:[\s,.;:)]|$)", numbered),
    },
    Rule {
        name: "host-in-words",
        gate: &[
            "connect",
            "resolve",
            " host",
            "(host",
            "reach",
            "route to",
            "getaddrinfo",
            "gethostby",
            "lookup",
            "ping ",
            "pinging",
            "ssh",
            "not known",
            "peer ",
            "server",
            "machine ",
            "to worker",
            "from worker",
            "on worker",
            "at worker",
            "to node",
            "from node",
            "on node",
            "at node",
            " on host",
            "running on",
            "started on",
            "executed on",
            "scheduled",
            "launched",
            "deployed",
            "assigned",
            "hosted",
            "trained on",
            "training on",
            "listening",
            "licen",
            "mounting",
            "refused by",
            "timed out to",
            "timed out from",
            "remote",
            "local machine",
        ],
        feature: 0,
        find: Find::Regex(
            concat!(
                r#"(?i)(?:(?:connect(?:ing|ed|ion)?(?: (?:to|from|with|closed by|reset by))+(?: (?:the )?(?:host|server|remote|peer|node|master|store|client|endpoint))?|(?:could ?n.t |could not |cannot |can't |failed to |unable to )?(?:resolve|reach|contact|ping)(?: (?:host(?:name)?|server|node|address))?|(?:to|from|on|at|remote|local) (?:host|server|machine|node|worker)|(?:no )?route to(?: host)?|getaddrinfo(?: failed)?(?: for)?|gethostbyname|lookup|name or service not known|\bssh|\bping(?:ing)?|peer|(?:running|started|executed|scheduled|launched|deployed|assigned|hosted|trained|training|listening) (?:on|to|at)(?: (?:host|node|machine|server))?|(?:license|licence)s? (?:server|from|to)|(?:acquired?|renewed?|returned?|requested?) licen[sc]e (?:from|to)|mounting|refused by|timed out (?:to|from)|[\s(]host(?:name)?(?: is| was)?)"#,
                r#"(?::|\s|\s?:)?[\s]*["'(\[`<]*(?:tcp://)?)(?<host>[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?)"#
            ),
            worded,
        ),
    },
    Rule {
        name: "host-and-port",
        gate: &["('", "(\"", " port", "port=", "(host"],
        feature: feature::PORT,
        find: Find::Regex(
            r#"(?:\(\s*(?:host=)?["']?(?<host>[A-Za-z][A-Za-z0-9_.-]*[A-Za-z0-9])["']?,\s*(?:port=)?\d{2,5}\)|(?:^|[\s"'=(\[,@/])(?<host2>[A-Za-z][A-Za-z0-9_.-]*[A-Za-z0-9]):(?:22|80|443|2049|2222|2379|3306|4444|5000|5432|6379|6443|8000|8080|8265|8443|9000|9092|9400|10001|10250|12345|23456|27000|27017|29\d{3}|1\d{4}|6000)(?:[^\d.]|$))"#,
            with_port,
        ),
    },
    Rule {
        name: "launcher",
        gate: &["slots", "exited", "host:", "node:", "hostname:", " login:"],
        feature: feature::AT,
        find: Find::Regex(
            concat!(
                r"(?:^(?<host2>[A-Za-z0-9][A-Za-z0-9_.-]*)\s+slots\s*=\s*\d+|(?:on node|Local host:|Remote host:|Node:|Hostname:|host:)\s+(?<host3>[A-Za-z][A-Za-z0-9_.-]*)",
                r"|^(?<host5>[A-Za-z][A-Za-z0-9.-]*) login: |[=\s:]\d{2,5}@(?<host6>[A-Za-z][A-Za-z0-9.-]*[A-Za-z0-9]))"
            ),
            weak,
        ),
    },
    Rule {
        name: "prefix-of-a-launcher",
        gate: &[": [", ": traceback", ":   file", ": error", ": warning", ": info"],
        feature: feature::BRACKET,
        find: Find::Regex(
            r"^(?:\[(?<host>[A-Za-z][A-Za-z0-9_.-]*):\d{2,7}\]|(?<host4>[a-z][a-z0-9-]*\d): (?:\[|Traceback|  File|ERROR|WARNING|INFO))",
            weak,
        ),
    },
    Rule {
        name: "etc-hosts",
        gate: &[],
        feature: feature::QUAD,
        find: Find::Regex(
            r"^\s*(?:\d{1,3}\.){3}\d{1,3}\s+(?<host>[A-Za-z][A-Za-z0-9_.-]*)(?:\s+(?<host2>[A-Za-z][A-Za-z0-9_.-]*))?\s*$",
            weak,
        ),
    },
    Rule {
        name: "kubernetes-node",
        gate: &["node/", "node ", "nodes ", "nodes/", "node=", "nodename", "node\"", "node:", "kubectl", "kubernetes.io/hostname"],
        feature: 0,
        find: Find::Regex(
            r#"(?:kubectl (?:[a-z-]+ )+(?:nodes?|no)[ /](?<host>[a-z0-9][a-z0-9.-]*)|\bnodes?[ /]\\?"?(?<host2>[a-z0-9][a-z0-9.-]*-[a-z0-9.-]*|[a-z]+\d[a-z0-9.-]*)"?|\bnode(?:Name)?"?[=:]\s*"(?<host3>[a-z0-9][a-z0-9.-]*)"|^Node:\s+(?<host4>[a-z0-9][a-z0-9.-]*)|kubectl (?:drain|cordon|uncordon|taint nodes?) (?<host5>[a-z0-9][a-z0-9.-]*)|kubernetes\.io/hostname=(?<host6>[a-z0-9][a-z0-9.-]*))"#,
            weak,
        ),
    },
    Rule {
        name: "windows-share",
        gate: &["\\\\"],
        feature: 0,
        find: Find::Regex(r#"(?:^|[\s"'=(])\\{2,4}(?<host>[A-Za-z0-9][A-Za-z0-9.-]+)\\{1,2}(?<path>[A-Za-z0-9$][A-Za-z0-9._$-]*)"#, share),
    },
];

/// A name in a place where only a machine's can stand. Addresses become addresses.
pub(super) fn certain(found: &Found) -> Option<Kind> {
    let value = found.value();
    let lower = value.to_ascii_lowercase();
    if value.parse::<Ipv4Addr>().is_ok() || value.starts_with('[') || value.len() < 2 {
        return None; // the address detectors decide
    }
    let words_of_logs = [
        "info",
        "warn",
        "warning",
        "error",
        "debug",
        "trace",
        "fatal",
        "critical",
        "notice",
        "localhost",
        "localhost.localdomain",
        "kernel",
        "stdout",
        "stderr",
        "none",
        "null",
        "true",
        "false",
        "n/a",
        "unknown",
        "localhost4",
        "localhost6",
        "version",
        "ip6-localhost",
        "ip6-loopback",
        "broadcasthost",
        "host.docker.internal",
        "kubernetes.docker.internal",
        "any",
        "all",
    ];
    if words_of_logs.contains(&lower.as_str()) || value.contains(['<', '>', '(', '$', '{', '*', '=', '/']) || words::is_public_host(value) {
        return None;
    }
    if value.bytes().all(|b| b.is_ascii_digit()) || words::is_version(value) {
        return None;
    }
    let hex = value.bytes().all(|b| b.is_ascii_hexdigit());
    Some(if hex && (value.len() == 12 || value.len() == 64) { Kind::Container } else { found.kind })
}

fn certain_group(found: &Found) -> Option<Kind> {
    certain(found)
}

fn uname(found: &Found) -> Option<Kind> {
    let lower = found.value().to_ascii_lowercase();
    let distribution =
        ["kernel", "version", "release", "x64", "x86_64", "aarch64", "mint", "server", "enterprise", "linux", "driver", "gnu"];
    (!distribution.contains(&lower.as_str())).then(|| certain(found)).flatten()
}

/// Has the look of a machine's name: a digit, a dash or a dot, and is not code.
pub(super) fn looks_like_host(value: &str) -> bool {
    let marked = value.bytes().any(|b| b.is_ascii_digit()) || value.contains('-') || value.matches('.').count() >= 2;
    let code = value.contains('_') || words::is_device(value) || words::is_public_package(value) || is_file(value) || value.contains("..");
    let plain = value.split(['-', '.']).all(words::is_common) && !value.bytes().any(|b| b.is_ascii_digit());
    marked && !code && !plain && value.len() >= 3
}

/// Ends like a file of code, data or a library.
pub(super) fn is_file(value: &str) -> bool {
    let end = value.rsplit('.').next().unwrap_or("").to_ascii_lowercase();
    let ends = [
        "py",
        "so",
        "cpp",
        "cc",
        "c",
        "h",
        "hpp",
        "cu",
        "cuh",
        "rs",
        "go",
        "js",
        "sh",
        "json",
        "jsonl",
        "yaml",
        "yml",
        "toml",
        "txt",
        "log",
        "md",
        "whl",
        "gz",
        "zip",
        "tar",
        "bin",
        "pt",
        "pth",
        "ckpt",
        "safetensors",
        "dll",
        "exe",
        "sys",
        "ko",
        "conf",
        "cfg",
        "ini",
        "csv",
        "parquet",
        "service",
        "socket",
        "html",
        "xml",
        "deb",
        "rpm",
        "run",
        "gguf",
        "onnx",
        "engine",
        "pkl",
        "npy",
        "lock",
        "sock",
        "pyc",
        "pyx",
        "cmake",
        "ptx",
        "cubin",
        "a",
        "o",
        "inf",
        "net",
    ];
    value.contains('.') && (ends.contains(&end.as_str()) || value.contains(".so.") || words::is_version(&end))
}

fn keyed(found: &Found) -> Option<Kind> {
    let value = found.value();
    let key = found.before_within(40).to_ascii_lowercase();
    let key = key.trim_end_matches(['"', '\'', ' ', '\t', ':', '=', '[', '(']).trim_end_matches("tcp:").trim_end();
    let strong = [
        "hostname",
        "host_name",
        "host name",
        "master_addr",
        "master-addr",
        "computer",
        "computername",
        "computer name",
        "nodename",
        "node_name",
        "fqdn",
        "machine name",
        "machine_name",
        "rdzv_endpoint",
        "rdzv-endpoint",
    ];
    let sure = strong.iter().any(|end| key.ends_with(end));
    let torchrun = key.ends_with("host") && found.before().contains("host  ");
    // What a git server says: `remote: TF401019: …`.
    if key == "remote" && found.after().starts_with([':', ' ']) {
        return None;
    }
    let code = found.after().starts_with(['(', '_']) || is_file(value) || found.after().starts_with("/");
    let dotted = value.contains('.') && domain_like(value);
    let plain = words::is_common(value) || words::is_device(value);
    ((sure && !is_file(value) && !words::is_common(value))
        || ((torchrun || key.ends_with("host")) && !plain && !code)
        || (!code && (looks_like_host(value) || dotted)))
        .then(|| certain(found))
        .flatten()
}

fn weak(found: &Found) -> Option<Kind> {
    let value = found.value();
    (!words::is_common(value) && !words::is_device(value) && !is_file(value) && !words::is_public_package(value))
        .then(|| certain(found))
        .flatten()
}

/// Node lists: `cn[01-04]` is one value.
fn listed(found: &Found) -> Option<Kind> {
    let value = found.value();
    let ranged = value.contains('[');
    let lower = value.to_ascii_lowercase();
    let sure = found.before().ends_with('=')
        || found.before().ends_with("error: ")
        || found.before().ends_with("slurmstepd-")
        || found.before().ends_with("ON ");
    let nothing = lower.starts_with("(null") || lower.starts_with("none") || words::is_common(value);
    if nothing || !(sure || ranged || looks_like_host(value)) {
        return None;
    }
    if ranged { Some(Kind::Host) } else { certain(found) }
}

fn worded(found: &Found) -> Option<Kind> {
    let value = found.value();
    let code = found.after().starts_with(['(', '_', '=']) || found.before().ends_with("::");
    let known = value.contains('.') && domain_like(value);
    let sure = ["Could not resolve host: ", "resolve hostname ", "connect to host ", "Connection to ", "not known: ", "lookup "]
        .iter()
        .any(|end| found.before().ends_with(end));
    let plain = words::is_common(value) || words::is_device(value) || is_file(value);
    (!code && (known || looks_like_host(value) || (sure && !plain))).then(|| certain(found)).flatten()
}

/// `fornax9`: letters that are no word, and a number.
fn numbered(found: &Found) -> Option<Kind> {
    let stem = found.value().trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('-');
    let plain = stem.split('-').all(words::is_common) || words::is_device(found.value()) || words::is_public_package(stem);
    (!plain).then(|| certain(found)).flatten()
}

fn with_port(found: &Found) -> Option<Kind> {
    let value = found.value();
    let code = value.contains('_') || is_file(value) || found.before().contains("File \"");
    let quoted = found.before().ends_with(['\'', '"']);
    let known = (value.contains('.') && domain_like(value)) || looks_like_host(value) || (quoted && !words::is_common(value));
    (!code && known && !value.ends_with("-")).then(|| certain(found)).flatten()
}

fn share(found: &Found) -> Option<Kind> {
    match found.kind {
        Kind::Path => (!words::is_plain(found.value())).then_some(Kind::Path),
        _ => weak(found),
    }
}
