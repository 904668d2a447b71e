//! Machines in the options and arguments of launchers and network tools.

use super::domains::domain_like;
use super::hosts::{certain, is_file, looks_like_host};
use super::kind::Kind;
use super::rules::{Find, Found, Rule};
use super::scan::Hit;
use super::words;

pub(super) const RULES: &[Rule] = &[Rule {
    name: "option-of-a-host",
    gate: &[
        "--nodelist",
        "--host",
        "--master",
        "--rdzv",
        "--include",
        "--server",
        "--head",
        "--node",
        "--exclude-nodes",
        "--address",
        "--main",
        "--dist",
        "--nccl-init",
        "--machine",
        "srun",
        "sbatch",
        "salloc",
        "mpirun",
        "mpiexec",
        "pdsh",
        "deepspeed",
        "horovodrun",
        "ipmitool",
        "mysql",
        "psql",
        "redis-cli",
        "sinfo",
        "squeue",
        "scontrol",
        "ssh ",
        "ping ",
        "telnet",
        "nslookup",
        "dig ",
        "nc ",
        "traceroute",
        "ssh-copy-id",
        "mosh ",
    ],
    feature: 0,
    find: Find::Code(options),
}];

/// Values of options and arguments that are lists of machines.
fn options(text: &str, out: &mut Vec<Hit>) {
    let mut at = 0;
    let mut previous = "";
    let mut program = "";
    for part in text.split(char::is_whitespace) {
        let start = at;
        at += part.len() + 1;
        while !text.is_char_boundary(at.min(text.len())) {
            at += 1;
        }
        let (name, value) = part.split_once('=').unwrap_or((previous, part));
        let listed = [
            "--nodelist",
            "--host",
            "--hosts",
            "--hostname",
            "--master_addr",
            "--master-addr",
            "--rdzv_endpoint",
            "--rdzv-endpoint",
            "--include",
            "--server",
            "--head",
            "--node",
            "--exclude-nodes",
            "--nodes-list",
            "--address",
            "--main_process_ip",
            "--main-process-ip",
            "--dist-init-addr",
            "--nccl-init-addr",
            "--dist_url",
            "--rdzv-conf",
            "--machine_rank_host",
        ];
        let short = ["-w", "-H", "-host", "-x", "-h"].contains(&name)
            && [
                "srun",
                "sbatch",
                "salloc",
                "mpirun",
                "mpiexec",
                "pdsh",
                "deepspeed",
                "horovodrun",
                "ipmitool",
                "mysql",
                "psql",
                "redis-cli",
                "sinfo",
                "squeue",
                "scontrol",
            ]
            .contains(&program);
        let direct = ["ssh", "ping", "telnet", "nslookup", "dig", "nc", "traceroute", "ssh-copy-id", "mosh", "host"].contains(&previous)
            && program == previous;
        if listed.contains(&name) || short || direct {
            let offset = start + (part.len() - value.len());
            host_list(text, offset, value, direct, out);
        }
        if !part.is_empty() {
            let stripped = part.rsplit('/').next().unwrap_or(part);
            let starter = [
                "srun",
                "sbatch",
                "salloc",
                "mpirun",
                "mpiexec",
                "pdsh",
                "deepspeed",
                "horovodrun",
                "ipmitool",
                "mysql",
                "psql",
                "redis-cli",
                "sinfo",
                "squeue",
                "scontrol",
                "ssh",
                "ping",
                "telnet",
                "nslookup",
                "dig",
                "nc",
                "traceroute",
                "ssh-copy-id",
                "mosh",
            ];
            if starter.contains(&stripped) {
                program = stripped;
                previous = stripped;
                continue;
            }
            previous = part;
        }
    }
}

fn host_list(text: &str, start: usize, value: &str, spoken: bool, out: &mut Vec<Hit>) {
    if value.contains('[') {
        if !value.starts_with(['[', '-', '(']) && value.ends_with(']') {
            out.push(Hit { start, end: start + value.len(), kind: Kind::Host });
        }
        return;
    }
    let mut at = start;
    for item in value.split([',', ';', '@']) {
        let clean = item.trim_matches(['"', '\'']);
        let offset = at + item.find(clean).unwrap_or(0);
        let name = clean.split(':').next().unwrap_or("");
        at += item.len() + 1;
        let found = Found { text, start: offset, end: offset + name.len(), kind: Kind::Host };
        let shaped = name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_'));
        let plain = words::is_common(name)
            || words::is_device(name)
            || is_file(name)
            || (spoken && !looks_like_host(name) && !domain_like(name) && name.len() < 4);
        if shaped && !plain && certain(&found).is_some() {
            out.push(Hit { start: offset, end: offset + name.len(), kind: Kind::Host });
        }
    }
}
