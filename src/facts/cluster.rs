//! Containers, Kubernetes, Slurm, launchers and services.

use super::reader::{Line, Reader, bytes, caps, first, hits, re};
use super::{Subject, Value};

/// The command that printed the segment: `docker run … nvidia-smi` is another kind's listing.
pub fn run_command(reader: &mut Reader) {
    let head = Line { number: reader.head(), text: reader.command_line() };
    if !head.text.is_empty() {
        run_line(reader, head);
    }
}

/// docker run, info, inspect.
pub fn docker(reader: &mut Reader) {
    for line in reader.lines() {
        let text = line.text.trim();
        if let Some(list) = first(re!(r"^Runtimes:\s*(.+)$"), text) {
            let names: Vec<String> = list.split_whitespace().map(str::to_owned).collect();
            reader.give("container.runtimes", Value::Set(names), line.number);
        } else if let Some(driver) = first(re!(r"^Cgroup Driver:\s*(\w+)"), text) {
            reader.text("container.cgroup_driver", driver, line.number);
        } else if let Some(version) = first(re!(r"^Cgroup Version:\s*(\d)"), text) {
            reader.text("container.cgroup_version", version, line.number);
        } else if let Some(version) = first(re!(r"(?:NVIDIA Container Toolkit CLI version|^cli-version:) (\d[\d.]*)"), text) {
            reader.version("container.toolkit", version, line.number);
        }
        if hits(re!(r"nvidia-ctk: (?:command )?not found|nvidia-ctk: 未找到命令"), text) {
            reader.deny("container.toolkit");
        }
        inspect(reader, line);
        run_line(reader, line);
    }
}

/// `docker inspect`: DeviceRequests, ShmSize.
fn inspect(reader: &mut Reader, line: Line) {
    let text = line.text.trim();
    if text.starts_with("\"DeviceRequests\":") {
        let none = text.contains("null") || text.contains("[]");
        reader.bool("container.gpus_requested", !none, line.number);
    } else if let Some(size) = first(re!(r#"^"ShmSize":\s*(\d+)"#), text).and_then(|s| s.parse().ok()) {
        reader.int("container.shm_bytes", size, line.number);
    }
}

/// A `docker run` or `podman run` line: was a GPU asked for, how large is /dev/shm.
fn run_line(reader: &mut Reader, line: Line) {
    let text = line.text;
    let Some(tool) = first(re!(r"\b(docker|podman|nerdctl)\s+(?:\w+\s+)?(?:run|create)\s"), text) else { return };
    let runtime = if tool == "podman" { "podman" } else { "docker" };
    reader.text("container.runtime", runtime, line.number);
    let asked =
        hits(re!(r"--gpus[ =]|--runtime[ =]nvidia|--device[ =]nvidia\.com/gpu|NVIDIA_VISIBLE_DEVICES=|--device[ =]/dev/nvidia"), text);
    reader.bool("container.gpus_requested", asked, line.number);
    if let Some(size) = first(re!(r"--shm-size[ =](\S+)"), text).and_then(bytes) {
        reader.int("container.shm_bytes", size, line.number);
    } else if hits(re!(r"--ipc[ =]host"), text) {
        reader.bool("container.ipc_host", true, line.number);
    } else {
        reader.bool("container.shm_default", true, line.number);
    }
}

/// Which block of `kubectl describe` is open.
#[derive(Clone, Copy, PartialEq)]
enum Block {
    None,
    Capacity,
    Allocatable,
    Allocated,
    Limits,
}

/// kubectl describe node|pod.
pub fn kubernetes(reader: &mut Reader) {
    let mut block = (Block::None, 0usize, 0u32);
    let mut found = [false; 2];
    let mut seen: [Option<u32>; 2] = [None, None];
    for line in reader.lines() {
        let text = line.text.trim();
        let indent = line.text.len() - line.text.trim_start().len();
        let open = match text {
            "Capacity:" | "capacity:" => Block::Capacity,
            "Allocatable:" | "allocatable:" => Block::Allocatable,
            "Allocated resources:" => Block::Allocated,
            "Limits:" | "limits:" => Block::Limits,
            _ => Block::None,
        };
        if open != Block::None {
            block = (open, indent, line.number);
            if let Some(at) = seen.get_mut(open as usize - 1) {
                *at = Some(line.number);
            }
        } else if !text.is_empty() && indent <= block.1 && block.0 != Block::None {
            block = (Block::None, 0, 0);
        }
        if let Some(cells) = caps(re!(r#"^"?nvidia\.com/(?:gpu|mig-[\w.]+)(?:\.shared)?"?:?\s+"?(\d+)"?(?:\s+"?(\d+)"?)?"#), text) {
            let count = cells.get(1).and_then(|m| m.as_str().parse().ok()).unwrap_or(0);
            resource(reader, block.0, count, line.number);
            if let Some(at) = found.get_mut((block.0 as usize).wrapping_sub(1)) {
                *at = true;
            }
        }
        pod(reader, line);
    }
    pod_without_gpu(reader);
    // A block that is open where the paste ends may have been cut.
    let cut = reader.segment.lines.end >= reader.paste.lines.len();
    for (at, name, kind) in [(0, "k8s.gpu_capacity", Block::Capacity), (1, "k8s.gpu_allocatable", Block::Allocatable)] {
        if let (Some(line), false) = (seen[at], found[at] || (cut && block.0 == kind)) {
            reader.int(name, 0, line);
        }
    }
}

/// A pod whose containers have limits, but none of a GPU, asks for none.
fn pod_without_gpu(reader: &mut Reader) {
    let (mut containers, mut limits, mut gpu) = (false, false, false);
    for line in reader.lines() {
        let text = line.text.trim();
        containers |= matches!(text, "Containers:" | "containers:" | "- containers:");
        gpu |= text.contains("nvidia.com/");
        limits |= matches!(text, "Limits:" | "limits:") || text.starts_with("resources: {}");
    }
    if containers && limits && !gpu {
        reader.deny("k8s.gpu_limit");
    }
}

fn resource(reader: &mut Reader, block: Block, count: i64, line: u32) {
    let name = match block {
        Block::Capacity => "k8s.gpu_capacity",
        Block::Allocatable => "k8s.gpu_allocatable",
        Block::Allocated => "k8s.gpu_allocated",
        Block::Limits => "k8s.gpu_limit",
        Block::None => return,
    };
    reader.int(name, count, line);
}

fn pod(reader: &mut Reader, line: Line) {
    let text = line.text.trim();
    if let Some(code) = first(re!(r"^(?:Exit Code|exitCode):\s+(\d+)"), text).and_then(|c| c.parse().ok()) {
        reader.int("k8s.exit_code", code, line.number);
    }
    if let Some(reason) = first(re!(r"^(?:Reason|reason):\s+([A-Z]\w+)\s*$"), text) {
        reader.text("k8s.reason", reason, line.number);
    }
}

/// torchrun's table, DeepSpeed's and mpirun's exit lines.
pub fn launcher(reader: &mut Reader) {
    let mut rank: Option<u32> = None;
    for line in reader.lines() {
        let text = line.text;
        if let Some(number) = first(re!(r"^\s*rank\s+:\s+(\d+)"), text) {
            rank = number.parse().ok();
        } else if let (Some(rank), Some(code)) = (rank, first(re!(r"^\s*exitcode\s+:\s+(-?\d+)"), text)) {
            exit(reader, rank, code, line.number);
        } else if let Some(cells) = caps(re!(r"failed \(exitcode: (-?\d+)\) local_rank: (\d+)"), text) {
            let cell = |n: usize| cells.get(n).map_or("", |m| m.as_str());
            if let Ok(rank) = cell(2).parse() {
                exit(reader, rank, cell(1), line.number);
            }
        } else if let Some(cells) = caps(re!(r"--local[_-]rank=(\d+).*exits with return code = (-?\d+)"), text) {
            let cell = |n: usize| cells.get(n).map_or("", |m| m.as_str());
            if let Ok(rank) = cell(1).parse() {
                exit(reader, rank, cell(2), line.number);
            }
        } else if let Some(size) = first(re!(r"(?:dist_world_size=|nranks )(\d+)\b"), text).and_then(|s| s.parse().ok()) {
            reader.int("job.world_size", size, line.number);
        }
    }
}

fn exit(reader: &mut Reader, rank: u32, code: &str, line: u32) {
    if let Ok(code) = code.parse() {
        reader.give_to(Subject::Rank(rank), "rank.exit", Value::Int(code), &[line]);
    }
}

/// sacct, srun: how the job ended.
pub fn slurm(reader: &mut Reader) {
    for line in reader.lines() {
        let text = line.text;
        if let Some(state) = first(re!(r"\b(OUT_OF_MEMORY|OUT_OF_ME\+|TIMEOUT|NODE_FAIL|CANCELLED|FAILED|PREEMPTED)\b"), text) {
            reader.text("slurm.exit", state.replace("OUT_OF_ME+", "OUT_OF_MEMORY").as_str(), line.number);
        } else if let Some(how) = first(re!(r"srun: error: \S+: tasks? [^:]+: (.+)$"), text) {
            reader.text("slurm.exit", how, line.number);
        }
        if hits(re!(r"oom[_-]kill event|Detected \d+ oom"), text) {
            reader.text("slurm.exit", "OUT_OF_MEMORY", line.number);
        }
    }
}

/// systemctl status of the driver's services, and the fabric manager's version.
pub fn systemd(reader: &mut Reader) {
    let mut unit = first(re!(r"systemctl (?:is-active|status) (nvidia-[\w-]+)"), reader.command_line()).unwrap_or("").to_owned();
    for line in reader.lines() {
        let text = line.text.trim();
        if let Some(name) = first(re!(r"^\S?\s*(nvidia-[\w-]+)\.service"), text) {
            unit = name.to_owned();
        }
        if let Some(name) = first(re!(r"Unit (nvidia-[\w-]+)\.service could not be found"), text) {
            service(reader, name, "missing", line.number);
        } else if let Some(state) = first(re!(r"^Active: (\w+)"), text) {
            service(reader, &unit.clone(), state, line.number);
        } else if matches!(text, "active" | "inactive" | "failed" | "activating" | "deactivating") {
            service(reader, &unit.clone(), text, line.number);
        }
        if let Some(version) = first(re!(r"Fabric Manager version is\s*:\s*(\d[\d.]+)"), text) {
            reader.version("fabric.version", version, line.number);
        }
    }
}

fn service(reader: &mut Reader, unit: &str, state: &str, line: u32) {
    match unit {
        "nvidia-fabricmanager" => {
            reader.text("fabric.service", state, line);
            if state != "active" {
                reader.text("fabric.state", state, line);
            } else if reader.known(Subject::None, "fabric.state").is_none() {
                reader.text("fabric.state", "active", line);
            }
        }
        "nvidia-persistenced" => reader.text("persistenced.state", state, line),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{absent, facts, facts_from, value};
    use super::super::{Subject, Value};
    use crate::segment::Kind;

    #[test]
    fn capacity_without_the_resource_is_zero() {
        let text = "Capacity:\n  cpu:                64\n  pods:               110\nAllocatable:\n  cpu:                63\n  nvidia.com/gpu:     8\nConditions:\n  Type             Status";
        let facts = facts(Kind::Kubernetes, text);
        assert_eq!(value(&facts, Subject::None, "k8s.gpu_capacity"), Some(Value::Int(0)));
        assert_eq!(value(&facts, Subject::None, "k8s.gpu_allocatable"), Some(Value::Int(8)));
    }

    #[test]
    fn pods_say_limit_reason_and_code() {
        let text = "    State:          Terminated\n      Reason:       OOMKilled\n      Exit Code:    137\n    Limits:\n      nvidia.com/gpu:  1\n    Requests:\n      cpu: 1\nAllocated resources:\n  nvidia.com/gpu     7           7";
        let facts = facts(Kind::Kubernetes, text);
        assert_eq!(value(&facts, Subject::None, "k8s.reason"), Some(Value::Text("OOMKilled".into())));
        assert_eq!(value(&facts, Subject::None, "k8s.exit_code"), Some(Value::Int(137)));
        assert_eq!(value(&facts, Subject::None, "k8s.gpu_limit"), Some(Value::Int(1)));
        assert_eq!(value(&facts, Subject::None, "k8s.gpu_allocated"), Some(Value::Int(7)));
    }

    #[test]
    fn a_pod_without_the_limit_asks_for_none() {
        let pod = "Containers:\n  train:\n    Limits:\n      cpu: 4\n    Requests:\n      cpu: 4";
        assert!(absent(&facts(Kind::Kubernetes, pod), "k8s.gpu_limit"));
        let asks = "Containers:\n  train:\n    Limits:\n      cpu: 4\n      nvidia.com/gpu: 2";
        assert_eq!(value(&facts(Kind::Kubernetes, asks), Subject::None, "k8s.gpu_limit"), Some(Value::Int(2)));
        assert_eq!(value(&facts(Kind::Kubernetes, "Events:\n  Warning  FailedScheduling"), Subject::None, "k8s.gpu_limit"), None);
    }

    #[test]
    fn exits_of_ranks() {
        let table =
            "  rank      : 2 (local_rank: 2)\n  exitcode  : -6 (pid: 219884)\n  rank      : 1 (local_rank: 1)\n  exitcode  : -9 (pid: 1)";
        let facts = facts(Kind::Launcher, table);
        assert_eq!(value(&facts, Subject::Rank(2), "rank.exit"), Some(Value::Int(-6)));
        assert_eq!(value(&facts, Subject::Rank(1), "rank.exit"), Some(Value::Int(-9)));
        let deepspeed = super::super::testing::facts(
            Kind::Launcher,
            "['python', '-u', 'main.py', '--local_rank=3', '--offload'] exits with return code = -9",
        );
        assert_eq!(value(&deepspeed, Subject::Rank(3), "rank.exit"), Some(Value::Int(-9)));
    }

    #[test]
    fn docker_says_runtimes_and_what_was_asked() {
        let info = facts(Kind::Docker, " Runtimes: io.containerd.runc.v2 runc nvidia\n Cgroup Driver: systemd");
        assert_eq!(
            value(&info, Subject::None, "container.runtimes"),
            Some(Value::Set(vec!["io.containerd.runc.v2".into(), "runc".into(), "nvidia".into()]))
        );
        assert_eq!(value(&info, Subject::None, "container.cgroup_driver"), Some(Value::Text("systemd".into())));
        let run = facts_from(Kind::Docker, "docker run --gpus all --shm-size=16g image", "x");
        assert_eq!(value(&run, Subject::None, "container.gpus_requested"), Some(Value::Bool(true)));
        assert_eq!(value(&run, Subject::None, "container.shm_bytes"), Some(Value::Int(16 << 30)));
        let smi = facts_from(Kind::NvidiaSmi, "docker run --rm --gpus all nvidia/cuda:12.4.1-base nvidia-smi", "x");
        assert_eq!(value(&smi, Subject::None, "container.gpus_requested"), Some(Value::Bool(true)));
        let bare = facts_from(Kind::Docker, "docker run -it image", "x");
        assert_eq!(value(&bare, Subject::None, "container.gpus_requested"), Some(Value::Bool(false)));
    }

    #[test]
    fn services_and_slurm() {
        let text = "○ nvidia-fabricmanager.service - NVIDIA fabric manager service\n     Loaded: loaded\n     Active: inactive (dead)";
        assert_eq!(value(&facts(Kind::Systemd, text), Subject::None, "fabric.state"), Some(Value::Text("inactive".into())));
        let missing = facts(Kind::Systemd, "Unit nvidia-fabricmanager.service could not be found.");
        assert_eq!(value(&missing, Subject::None, "fabric.service"), Some(Value::Text("missing".into())));
        let slurm = facts(
            Kind::Slurm,
            "srun: error: nid001233: task 0: Out Of Memory\nslurmstepd: error: Detected 1 oom-kill event(s) in StepId=1.0",
        );
        assert_eq!(value(&slurm, Subject::None, "slurm.exit"), Some(Value::Text("OUT_OF_MEMORY".into())));
    }
}
