//! The register of segment kinds (`kinds.toml` of the project's registers). Grows, is never renamed.

use serde::{Deserialize, Serialize};

/// What a run of lines is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// `dmesg`; kernel ring buffer, [seconds] or -T
    Dmesg,
    /// `journalctl`; also syslog files: time, host, unit[pid]:
    Journal,
    /// `nvidia-smi`; table, header with driver and CUDA, process table
    NvidiaSmi,
    /// `nvidia-smi -q`; also -q -d SECTION, -q -x (XML)
    NvidiaSmiQ,
    /// `nvidia-smi -L`
    NvidiaSmiList,
    /// `nvidia-smi topo -m`
    NvidiaSmiTopo,
    /// `nvidia-smi --query-gpu=… --format=csv`; also dmon, pmon
    NvidiaSmiCsv,
    /// `lspci`; -nn, -nnk, -vv
    Lspci,
    /// `lsmod`
    Lsmod,
    /// `modinfo nvidia`; also /proc/driver/nvidia/version
    Modinfo,
    /// `dkms status`
    Dkms,
    /// `nvidia-installer.log`; also DKMS make.log
    InstallerLog,
    /// `apt history.log, dpkg.log, dnf history`; what was upgraded when
    PackageHistory,
    /// `dpkg -l, rpm -qa`; system packages
    Packages,
    /// `uname -a`
    Uname,
    /// `cat /etc/os-release`
    OsRelease,
    /// `uptime, last -x reboot, who -b`
    Uptime,
    /// `ls -l /dev/nvidia* /dev/dri /dev/dxg`
    DeviceNodes,
    /// `id, groups`
    Id,
    /// `env, export -p, set -x traces`
    Env,
    /// `ulimit -a, /proc/self/limits`
    Limits,
    /// `free -h, /proc/meminfo`
    Memory,
    /// `df -h, lsblk`
    Disk,
    /// `ip addr, ifconfig, ibstat, ibv_devinfo`
    Network,
    /// `ps, top, fuser -v, lsof`
    Processes,
    /// `ldconfig -p, ldd, ls -l /usr/local/cuda`
    Ldconfig,
    /// `nvcc -V`
    Nvcc,
    /// `deviceQuery`
    DeviceQuery,
    /// `dcgmi diag, dcgmi health`; text and JSON
    Dcgm,
    /// `python`; chained, rich, IPython, pytest and interleaved per-rank forms
    PythonTraceback,
    /// `python`; logging lines, warnings, progress bars, framework chatter
    PythonLog,
    /// c10::Error frames, gdb, SIGSEGV, core dumps
    CxxBacktrace,
    /// `pip list, pip freeze, uv pip list, poetry show`
    PipList,
    /// `conda list`; also environment.yml
    CondaList,
    /// `pip install`; resolver, build and compile output
    PipInstall,
    /// `nvcc, gcc, ninja`; extension builds
    Compiler,
    /// `python -m torch.utils.collect_env`; also ds_report, accelerate env, transformers-cli env, vllm collect-env
    TorchEnv,
    /// `small check scripts`; torch version: … cuda available: … device count: …
    Probe,
    /// I/W/E yyyy-mm-dd … tensorflow/…
    TensorflowLog,
    JaxLog,
    /// host:pid:tid [dev] NCCL INFO|WARN
    Nccl,
    /// `torchrun, mpirun, deepspeed, accelerate, ray`; exit tables, signals
    Launcher,
    /// `scontrol, sacct, srun, slurmd log`
    Slurm,
    /// `docker run|info|inspect|compose`; also podman, containerd, nvidia-container-cli
    Docker,
    /// `kubectl describe|get|logs, kubelet`; also YAML and JSON objects
    Kubernetes,
    /// `systemctl status`
    Systemd,
    /// `wsl --status, wsl -l -v, dxdiag`
    Wsl,
    /// `PowerShell, cmd, event log`
    Windows,
    /// anything else: signatures are tried, no facts are read
    #[default]
    Other,
}

impl Kind {
    /// All kinds with their names in files and in JSON.
    pub const ALL: &[(Kind, &str)] = &[
        (Kind::Dmesg, "dmesg"),
        (Kind::Journal, "journal"),
        (Kind::NvidiaSmi, "nvidia-smi"),
        (Kind::NvidiaSmiQ, "nvidia-smi-q"),
        (Kind::NvidiaSmiList, "nvidia-smi-list"),
        (Kind::NvidiaSmiTopo, "nvidia-smi-topo"),
        (Kind::NvidiaSmiCsv, "nvidia-smi-csv"),
        (Kind::Lspci, "lspci"),
        (Kind::Lsmod, "lsmod"),
        (Kind::Modinfo, "modinfo"),
        (Kind::Dkms, "dkms"),
        (Kind::InstallerLog, "installer-log"),
        (Kind::PackageHistory, "package-history"),
        (Kind::Packages, "packages"),
        (Kind::Uname, "uname"),
        (Kind::OsRelease, "os-release"),
        (Kind::Uptime, "uptime"),
        (Kind::DeviceNodes, "device-nodes"),
        (Kind::Id, "id"),
        (Kind::Env, "env"),
        (Kind::Limits, "limits"),
        (Kind::Memory, "memory"),
        (Kind::Disk, "disk"),
        (Kind::Network, "network"),
        (Kind::Processes, "processes"),
        (Kind::Ldconfig, "ldconfig"),
        (Kind::Nvcc, "nvcc"),
        (Kind::DeviceQuery, "device-query"),
        (Kind::Dcgm, "dcgm"),
        (Kind::PythonTraceback, "python-traceback"),
        (Kind::PythonLog, "python-log"),
        (Kind::CxxBacktrace, "cxx-backtrace"),
        (Kind::PipList, "pip-list"),
        (Kind::CondaList, "conda-list"),
        (Kind::PipInstall, "pip-install"),
        (Kind::Compiler, "compiler"),
        (Kind::TorchEnv, "torch-env"),
        (Kind::Probe, "probe"),
        (Kind::TensorflowLog, "tensorflow-log"),
        (Kind::JaxLog, "jax-log"),
        (Kind::Nccl, "nccl"),
        (Kind::Launcher, "launcher"),
        (Kind::Slurm, "slurm"),
        (Kind::Docker, "docker"),
        (Kind::Kubernetes, "kubernetes"),
        (Kind::Systemd, "systemd"),
        (Kind::Wsl, "wsl"),
        (Kind::Windows, "windows"),
        (Kind::Other, "other"),
    ];

    /// The name in pattern files and in JSON.
    pub fn name(self) -> &'static str {
        Kind::ALL.iter().find(|(kind, _)| *kind == self).map_or("other", |(_, name)| name)
    }

    /// Reads a name; `None` for one that is not in the register.
    pub fn from_name(name: &str) -> Option<Kind> {
        Kind::ALL.iter().find(|(_, known)| *known == name).map(|(kind, _)| *kind)
    }
}
