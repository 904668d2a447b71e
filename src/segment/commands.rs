//! The table of known programs: which kind of listing each prints.

use super::{Kind, ScopeKind};

/// What is known about a program with its arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Known {
    pub kind: Option<Kind>,
    pub carrier: bool,
    pub cut: bool,
    pub scope: Option<ScopeKind>,
}

impl Known {
    fn listing(kind: Kind) -> Known {
        Known { kind: Some(kind), ..Known::default() }
    }

    fn carrier(kind: Kind) -> Known {
        Known { kind: Some(kind), carrier: true, ..Known::default() }
    }
}

/// Programs whose output is the same kind whatever the arguments: name, kind, carrier.
const FIXED: &[(&str, Kind, bool)] = &[
    ("dmesg", Kind::Dmesg, false),
    ("lspci", Kind::Lspci, false),
    ("lsmod", Kind::Lsmod, false),
    ("modinfo", Kind::Modinfo, false),
    ("uname", Kind::Uname, false),
    ("lsb_release", Kind::OsRelease, false),
    ("uptime", Kind::Uptime, false),
    ("last", Kind::Uptime, false),
    ("who", Kind::Uptime, false),
    ("id", Kind::Id, false),
    ("groups", Kind::Id, false),
    ("getent", Kind::Id, false),
    ("env", Kind::Env, false),
    ("printenv", Kind::Env, false),
    ("export", Kind::Env, false),
    ("declare", Kind::Env, false),
    ("ulimit", Kind::Limits, false),
    ("prlimit", Kind::Limits, false),
    ("free", Kind::Memory, false),
    ("vmstat", Kind::Memory, false),
    ("df", Kind::Disk, false),
    ("lsblk", Kind::Disk, false),
    ("du", Kind::Disk, false),
    ("findmnt", Kind::Disk, false),
    ("ip", Kind::Network, false),
    ("ifconfig", Kind::Network, false),
    ("ibstat", Kind::Network, false),
    ("ibstatus", Kind::Network, false),
    ("ibv_devinfo", Kind::Network, false),
    ("ibdev2netdev", Kind::Network, false),
    ("show_gids", Kind::Network, false),
    ("ethtool", Kind::Network, false),
    ("ss", Kind::Network, false),
    ("netstat", Kind::Network, false),
    ("ping", Kind::Network, false),
    ("ps", Kind::Processes, false),
    ("top", Kind::Processes, false),
    ("htop", Kind::Processes, false),
    ("fuser", Kind::Processes, false),
    ("lsof", Kind::Processes, false),
    ("pgrep", Kind::Processes, false),
    ("ldconfig", Kind::Ldconfig, false),
    ("ldd", Kind::Ldconfig, false),
    ("deviceQuery", Kind::DeviceQuery, false),
    ("dcgmi", Kind::Dcgm, false),
    ("ds_report", Kind::TorchEnv, false),
    ("collect_env.py", Kind::TorchEnv, false),
    ("nvidia-installer", Kind::InstallerLog, true),
    ("make", Kind::Compiler, true),
    ("ninja", Kind::Compiler, true),
    ("cmake", Kind::Compiler, true),
    ("gcc", Kind::Compiler, true),
    ("g++", Kind::Compiler, true),
    ("cc", Kind::Compiler, true),
    ("torchrun", Kind::PythonLog, true),
    ("mpirun", Kind::PythonLog, true),
    ("mpiexec", Kind::PythonLog, true),
    ("deepspeed", Kind::PythonLog, true),
    ("horovodrun", Kind::PythonLog, true),
    ("pytest", Kind::PythonLog, true),
    ("jupyter", Kind::PythonLog, true),
    ("ipython", Kind::PythonLog, true),
    ("ray", Kind::PythonLog, true),
    ("sinfo", Kind::Slurm, false),
    ("squeue", Kind::Slurm, false),
    ("scontrol", Kind::Slurm, false),
    ("sacct", Kind::Slurm, false),
    ("seff", Kind::Slurm, false),
    ("sbatch", Kind::Slurm, true),
    ("srun", Kind::Slurm, true),
    ("salloc", Kind::Slurm, true),
    ("nvidia-container-cli", Kind::Docker, false),
    ("nvidia-ctk", Kind::Docker, false),
    ("crictl", Kind::Docker, false),
    ("ctr", Kind::Docker, false),
    ("helm", Kind::Kubernetes, false),
    ("systemctl", Kind::Systemd, false),
    ("service", Kind::Systemd, false),
    ("wsl", Kind::Wsl, false),
    ("dxdiag", Kind::Wsl, false),
    ("systeminfo", Kind::Windows, false),
    ("wmic", Kind::Windows, false),
    ("Get-WinEvent", Kind::Windows, false),
    ("Get-EventLog", Kind::Windows, false),
    ("Get-CimInstance", Kind::Windows, false),
    ("Get-WmiObject", Kind::Windows, false),
    ("pnputil", Kind::Windows, false),
    ("pipdeptree", Kind::PipList, false),
    ("all_reduce_perf", Kind::Nccl, true),
    ("gdb", Kind::CxxBacktrace, true),
    ("coredumpctl", Kind::CxxBacktrace, true),
    ("mokutil", Kind::Other, false),
];

/// Programs whose kind follows from their arguments; [`find`] knows them.
const BY_ARGUMENTS: &[&str] = &[
    "nvidia-smi",
    "journalctl",
    "dkms",
    "dpkg",
    "rpm",
    "apt",
    "apt-get",
    "apt-cache",
    "dnf",
    "yum",
    "zypper",
    "pacman",
    "ls",
    "ll",
    "stat",
    "cat",
    "less",
    "more",
    "zcat",
    "head",
    "tail",
    "echo",
    "nvcc",
    "python",
    "python3",
    "pip",
    "pip3",
    "uv",
    "poetry",
    "conda",
    "mamba",
    "micromamba",
    "docker",
    "podman",
    "kubectl",
    "oc",
    "accelerate",
    "transformers-cli",
    "vllm",
    "find",
];

/// Programs of no listing that still show a line to be a command.
pub const PLAIN: &[&str] = &[
    "modprobe",
    "rmmod",
    "insmod",
    "cat",
    "ls",
    "ll",
    "echo",
    "cd",
    "vim",
    "vi",
    "nano",
    "grep",
    "tail",
    "head",
    "reboot",
    "update-initramfs",
    "bash",
    "sh",
    "git",
    "wget",
    "curl",
    "mkdir",
    "rm",
    "cp",
    "mv",
    "chmod",
    "chown",
    "tar",
    "unzip",
    "sudo",
    "export",
    "source",
    "docker",
    "kubectl",
    "python",
    "python3",
    "pip",
    "apt",
    "ssh",
    "which",
    "nvidia-persistenced",
    "nvidia-modprobe",
    "nvidia-xconfig",
    "mount",
    "umount",
    "kill",
    "pkill",
    "strings",
    "type",
    "adb",
    "ollama",
    "mpirun",
    "nvcc",
    "clinfo",
    "glxinfo",
    "hostnamectl",
    "update-grub",
    "dracut",
    "mkinitcpio",
    "lscpu",
    "dmidecode",
    "vainfo",
    "vulkaninfo",
    "lmdeploy",
    "llamafactory-cli",
    "trtllm-build",
    "tritonserver",
];

/// True for a program that the tables know.
pub fn is_program(name: &str) -> bool {
    let name = name.trim_end_matches(".exe");
    FIXED.iter().any(|(known, _, _)| *known == name) || BY_ARGUMENTS.contains(&name) || is_python(name)
}

fn is_python(name: &str) -> bool {
    name.strip_prefix("python").is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit() || b == b'.'))
}

/// What a program prints with these arguments.
pub fn find(name: &str, args: &[String]) -> Known {
    let has = |wanted: &[&str]| args.iter().any(|a| wanted.contains(&a.as_str()));
    let verb = args.iter().find(|a| !a.starts_with('-')).map(String::as_str).unwrap_or("");
    match name {
        "nvidia-smi" => Known::listing(smi(args)),
        "journalctl" => {
            let parts = ["-n", "-u", "-p", "-g", "-t", "--lines", "--unit", "--since", "--until", "--grep", "--priority"];
            let cut = args.iter().any(|a| {
                parts.iter().any(|p| {
                    a == p
                        || (p.len() > 2 && a.starts_with(p))
                        || (p.len() == 2 && a.starts_with(p) && a.get(2..).is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit())))
                })
            });
            Known { cut, ..Known::listing(Kind::Journal) }
        }
        "dkms" if verb == "status" => Known::listing(Kind::Dkms),
        "dkms" => Known::carrier(Kind::InstallerLog),
        "dpkg" | "rpm" | "apt-cache" => Known::listing(Kind::Packages),
        "apt" | "apt-get" | "dnf" | "yum" | "zypper" | "pacman" => package_manager(verb, args),
        "ls" | "ll" | "stat" | "find" => paths(args),
        "cat" | "less" | "more" | "zcat" => of_files(args, false),
        "head" | "tail" => of_files(args, true),
        "echo" if args.iter().any(|a| a.starts_with('$') && !a.starts_with("$?")) => Known::listing(Kind::Env),
        "nvcc" if has(&["-V", "--version"]) => Known::listing(Kind::Nvcc),
        "nvcc" => Known::carrier(Kind::Compiler),
        "pip" | "pip3" | "pipx" => pip(verb, args),
        "uv" => match args.iter().position(|a| a == "pip") {
            Some(at) => pip(args.get(at + 1).map(String::as_str).unwrap_or(""), args),
            None if verb == "run" => Known::carrier(Kind::PythonLog),
            None => Known::carrier(Kind::PipInstall),
        },
        "poetry" if verb == "show" => Known::listing(Kind::PipList),
        "poetry" => Known::carrier(Kind::PipInstall),
        "conda" | "mamba" | "micromamba" if matches!(verb, "list" | "env" | "info") => Known::listing(Kind::CondaList),
        "conda" | "mamba" | "micromamba" if verb == "run" => Known::carrier(Kind::PythonLog),
        "conda" | "mamba" | "micromamba" => Known::carrier(Kind::PipInstall),
        "docker" | "podman" | "nerdctl" | "docker-compose" => docker(args),
        "kubectl" | "oc" | "k" => kubectl(args),
        "accelerate" | "transformers-cli" | "diffusers-cli" if verb == "env" => Known::listing(Kind::TorchEnv),
        "vllm" if verb.starts_with("collect") => Known::listing(Kind::TorchEnv),
        "vllm" | "accelerate" => Known::carrier(Kind::PythonLog),
        _ if is_python(name) => python(args),
        _ if name.ends_with(".run") || args.iter().any(|a| a.ends_with(".run")) => Known::carrier(Kind::InstallerLog),
        _ if name.ends_with(".py") => Known::carrier(Kind::PythonLog),
        _ => match FIXED.iter().find(|(known, _, _)| *known == name) {
            Some((_, kind, carrier)) => Known { carrier: *carrier, ..Known::listing(*kind) },
            None => Known { carrier: true, ..Known::default() },
        },
    }
}

fn smi(args: &[String]) -> Kind {
    let has = |test: fn(&str) -> bool| args.iter().any(|a| test(a));
    if has(|a| a == "-L" || a == "--list-gpus") {
        Kind::NvidiaSmiList
    } else if has(|a| a == "topo") {
        Kind::NvidiaSmiTopo
    } else if has(|a| a.starts_with("--query-") || a == "dmon" || a == "pmon") {
        Kind::NvidiaSmiCsv
    } else if has(|a| matches!(a, "-q" | "--query" | "-qx" | "-xq")) {
        Kind::NvidiaSmiQ
    } else {
        Kind::NvidiaSmi
    }
}

fn package_manager(verb: &str, args: &[String]) -> Known {
    match verb {
        "history" => Known::listing(Kind::PackageHistory),
        "list" | "show" | "info" | "search" | "policy" => Known::listing(Kind::Packages),
        _ if args.iter().any(|a| a.starts_with("-Q")) => Known::listing(Kind::Packages),
        _ => Known::carrier(Kind::InstallerLog),
    }
}

fn paths(args: &[String]) -> Known {
    let any = |parts: &[&str]| args.iter().any(|a| parts.iter().any(|p| a.contains(p)));
    if any(&["/dev/nvidia", "/dev/dri", "/dev/dxg", "/dev/infiniband", "/dev/kfd"])
        || args.iter().any(|a| a.trim_end_matches('/') == "/dev")
    {
        Known::listing(Kind::DeviceNodes)
    } else if any(&["/cuda", ".so", "/lib64", "/lib/x86_64", "libcu", "libnv"]) {
        Known::listing(Kind::Ldconfig)
    } else {
        Known::listing(Kind::Other)
    }
}

/// Paths of files, by a part of their names.
const PATHS: &[(&str, Kind)] = &[
    ("driver/nvidia/version", Kind::Modinfo),
    ("os-release", Kind::OsRelease),
    ("/etc/lsb-release", Kind::OsRelease),
    ("/proc/version", Kind::Uname),
    ("/proc/meminfo", Kind::Memory),
    ("/limits", Kind::Limits),
    ("nvidia-installer.log", Kind::InstallerLog),
    ("make.log", Kind::InstallerLog),
    ("apt/history", Kind::PackageHistory),
    ("dpkg.log", Kind::PackageHistory),
    ("apt/term.log", Kind::InstallerLog),
    ("dnf.", Kind::PackageHistory),
    ("yum.log", Kind::PackageHistory),
    ("pacman.log", Kind::PackageHistory),
    ("unattended-upgrades", Kind::PackageHistory),
    ("/syslog", Kind::Journal),
    ("/var/log/messages", Kind::Journal),
    ("kern.log", Kind::Journal),
    ("dmesg", Kind::Dmesg),
    ("environment.yml", Kind::CondaList),
    ("requirements", Kind::PipList),
    ("/proc/environ", Kind::Env),
    ("daemon.json", Kind::Docker),
    ("docker-compose", Kind::Docker),
    ("slurmd.log", Kind::Slurm),
    ("slurmctld.log", Kind::Slurm),
];

/// The kind of a file, where its path tells it.
pub fn kind_of_path(path: &str) -> Option<Kind> {
    PATHS.iter().find(|(part, _)| path.contains(part)).map(|(_, kind)| *kind)
}

fn of_files(args: &[String], cut: bool) -> Known {
    match args.iter().find_map(|a| kind_of_path(a)) {
        Some(kind) => Known { cut, ..Known::listing(kind) },
        None => Known { carrier: true, cut, ..Known::default() },
    }
}

fn python(args: &[String]) -> Known {
    let module = args.iter().position(|a| a == "-m").and_then(|at| args.get(at + 1)).map(String::as_str);
    match module {
        Some("pip") => {
            let rest = args.iter().position(|a| a == "pip").and_then(|at| args.get(at + 1..)).unwrap_or_default();
            return pip(rest.iter().find(|a| !a.starts_with('-')).map(String::as_str).unwrap_or(""), rest);
        }
        Some(module) if module.contains("collect_env") || module == "xformers.info" || module == "bitsandbytes" => {
            return Known::listing(Kind::TorchEnv);
        }
        _ => {}
    }
    let script = args.iter().find(|a| !a.starts_with('-')).map(String::as_str).unwrap_or("");
    if script.ends_with("collect_env.py") {
        Known::listing(Kind::TorchEnv)
    } else if args.iter().any(|a| matches!(a.as_str(), "-c" | "-V" | "--version")) {
        Known::carrier(Kind::Probe)
    } else {
        Known::carrier(Kind::PythonLog)
    }
}

fn pip(verb: &str, args: &[String]) -> Known {
    match verb {
        "list" | "freeze" => {
            Known { cut: args.iter().any(|a| a == "-o" || a == "--outdated" || a == "--user"), ..Known::listing(Kind::PipList) }
        }
        "show" => Known { cut: true, ..Known::listing(Kind::PipList) },
        _ => Known::carrier(Kind::PipInstall),
    }
}

fn docker(args: &[String]) -> Known {
    let verbs = ["logs", "run", "exec", "up", "build", "start"];
    match args.iter().take(6).find(|a| verbs.contains(&a.as_str())).map(String::as_str) {
        Some("logs" | "run" | "exec") => Known { scope: Some(ScopeKind::Container), ..Known::carrier(Kind::Docker) },
        Some(_) => Known::carrier(Kind::Docker),
        None => Known::listing(Kind::Docker),
    }
}

fn kubectl(args: &[String]) -> Known {
    match args.iter().find(|a| matches!(a.as_str(), "logs" | "exec" | "attach" | "describe" | "get" | "debug")).map(String::as_str) {
        Some("logs" | "exec" | "attach") => Known { scope: Some(ScopeKind::Pod), ..Known::carrier(Kind::Kubernetes) },
        _ => Known::listing(Kind::Kubernetes),
    }
}
