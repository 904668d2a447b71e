//! The one table of parsers: which listing is read by what.

use super::reader::{Reader, hits, re};
use super::{
    cluster, envvars, host, kernel, modules, packages, probe, smi_list, smi_query, smi_table, syspkg, toolkit, torchenv, traceback,
};
use crate::segment::Kind;

/// Reads one listing.
type Parser = fn(&mut Reader);

/// By kind of segment. A kind may have several.
const BY_KIND: &[(Kind, Parser)] = &[
    (Kind::Dmesg, kernel::read),
    (Kind::Journal, kernel::read),
    (Kind::InstallerLog, kernel::read),
    (Kind::NvidiaSmi, smi_table::read),
    (Kind::NvidiaSmi, smi_list::list),
    (Kind::NvidiaSmiQ, smi_query::read),
    (Kind::NvidiaSmiList, smi_list::list),
    (Kind::NvidiaSmiCsv, smi_list::csv),
    (Kind::Lspci, modules::lspci),
    (Kind::Lsmod, modules::lsmod),
    (Kind::Modinfo, modules::modinfo),
    (Kind::Dkms, modules::dkms),
    (Kind::PackageHistory, syspkg::history),
    (Kind::Packages, syspkg::installed),
    (Kind::Uname, host::uname),
    (Kind::OsRelease, host::os_release),
    (Kind::Uptime, host::uptime),
    (Kind::DeviceNodes, host::device_nodes),
    (Kind::Id, host::id),
    (Kind::Limits, host::limits),
    (Kind::Memory, host::memory),
    (Kind::Disk, host::disk),
    (Kind::Ldconfig, toolkit::libraries),
    (Kind::Nvcc, toolkit::nvcc),
    (Kind::DeviceQuery, torchenv::device_query),
    (Kind::PipList, packages::pip),
    (Kind::CondaList, packages::conda),
    (Kind::PipInstall, packages::install),
    (Kind::PipInstall, toolkit::nvcc),
    (Kind::Compiler, toolkit::nvcc),
    (Kind::TorchEnv, torchenv::read),
    (Kind::Probe, probe::read),
    (Kind::TensorflowLog, torchenv::tensorflow),
    (Kind::Launcher, cluster::launcher),
    (Kind::PythonTraceback, cluster::launcher),
    (Kind::PythonLog, cluster::launcher),
    (Kind::Nccl, cluster::launcher),
    (Kind::Nccl, toolkit::versions),
    (Kind::Slurm, cluster::slurm),
    (Kind::Docker, cluster::docker),
    (Kind::Kubernetes, cluster::kubernetes),
    (Kind::Systemd, cluster::systemd),
    (Kind::Wsl, host::wsl),
    (Kind::Windows, host::wsl),
    (Kind::Windows, smi_table::read),
    (Kind::Docker, smi_table::read),
    (Kind::Kubernetes, smi_table::read),
    (Kind::Wsl, smi_table::read),
    (Kind::Other, smi_table::read),
    (Kind::Other, host::mokutil),
    (Kind::Systemd, host::mokutil),
];

/// By the command, where a kind holds more than one listing or the listing has no kind.
const BY_COMMAND: &[(&str, Kind, Parser)] = &[
    (r"^ls\b.*/dev/", Kind::DeviceNodes, host::device_nodes),
    (r"^uname\b", Kind::Uname, host::uname),
    (r"^ulimit\b", Kind::Limits, host::limits),
    (r"^(?:who -b|uptime|last\b)", Kind::Uptime, host::uptime),
    (r"^lspci\b", Kind::Lspci, modules::lspci),
    (r"^lsmod\b", Kind::Lsmod, modules::lsmod),
    (r"^dkms status", Kind::Dkms, modules::dkms),
    (r"^(?:modinfo|cat /proc/driver/nvidia/version)", Kind::Modinfo, modules::modinfo),
    (r"^(?:id|groups)\b", Kind::Id, host::id),
    (r"^(?:\S*python\S* -m |uv )?(?:pip\d?) (?:list|freeze|show)", Kind::PipList, packages::pip),
    (r"^(?:conda|mamba) list", Kind::CondaList, packages::conda),
    (r"^(?:dpkg|rpm|apt list)\b", Kind::Packages, syspkg::installed),
    (r"^ldconfig\b|^ls\b.*/usr/local/cuda|libcuda\.so", Kind::Ldconfig, toolkit::libraries),
    (r"nvcc (?:-V|--version)", Kind::Nvcc, toolkit::nvcc),
    (r"\bdf\b", Kind::Disk, host::disk),
    (r"^free\b", Kind::Memory, host::memory),
    (r"python[\d.]*(?:\.exe)?\s+(?:-c|-V|--version)", Kind::Probe, probe::read),
    (r"\bcollect_env\b|^ds_report|accelerate env|transformers-cli env", Kind::TorchEnv, torchenv::read),
    (r"^systemctl\b|nv-fabricmanager", Kind::Systemd, cluster::systemd),
    (r"^(?:docker|podman|nvidia-ctk|nvidia-container)", Kind::Docker, cluster::docker),
    (r"^(?:kubectl|oc) ", Kind::Kubernetes, cluster::kubernetes),
    (r"^nvidia-smi(?:\.exe)?\s+-L", Kind::NvidiaSmiList, smi_list::list),
    (r"^nvidia-smi(?:\.exe)?\s+--query", Kind::NvidiaSmiCsv, smi_list::csv),
    (r"^nvidia-smi(?:\.exe)?\s+-q", Kind::NvidiaSmiQ, smi_query::read),
    (r"nvidia-smi(?:\.exe)?(?:\s*$|\s+-i|\s*\|)", Kind::NvidiaSmi, smi_table::read),
    (r"/etc/os-release|^lsb_release", Kind::OsRelease, host::os_release),
];

/// For every segment: each has its own gate and finds nothing where nothing is.
const ANYWHERE: &[Parser] = &[
    cluster::run_command,
    envvars::read,
    packages::stray,
    probe::warnings,
    traceback::messages,
    traceback::frames,
    traceback::ranks,
    sentences,
];

/// Runs all parsers that concern the segment.
pub fn run(reader: &mut Reader) {
    scope_kind(reader);
    let kind = reader.kind();
    for (_, parser) in BY_KIND.iter().filter(|(of, _)| *of == kind) {
        parser(reader);
    }
    let command = reader.command().map_or("", |c| c.program.as_str()).trim_start_matches("sudo ").trim();
    if !command.is_empty()
        && let Some(set) = commands()
    {
        let parsers = set.matches(command).into_iter().filter_map(|at| BY_COMMAND.get(at));
        parsers.filter(|(_, of, _)| *of != kind).for_each(|(_, _, parser)| parser(reader));
    }
    ANYWHERE.iter().for_each(|parser| parser(reader));
}

/// The compiled expressions of [`BY_COMMAND`], in its order.
fn commands() -> Option<&'static regex::RegexSet> {
    static ALL: std::sync::LazyLock<Option<regex::RegexSet>> =
        std::sync::LazyLock::new(|| regex::RegexSet::new(BY_COMMAND.iter().map(|(e, _, _)| e)).ok());
    ALL.as_ref()
}

/// Where the segment was printed is a fact, too.
fn scope_kind(reader: &mut Reader) {
    let name = reader.scope_kind().name();
    if reader.known(super::Subject::None, "scope.kind").is_none() {
        let line = reader.head();
        reader.text("scope.kind", name, line);
    }
}

/// Sentences that say what a listing would: they stand in logs of any kind.
fn sentences(reader: &mut Reader) {
    let log = matches!(reader.kind(), Kind::PythonTraceback | Kind::PythonLog | Kind::Other | Kind::Slurm | Kind::Docker);
    if log {
        probe::labels(reader);
    }
    for (expression, own, parser) in strays() {
        if !own.contains(&reader.kind()) && reader.lines().any(|line| hits(expression, line.text)) {
            parser(reader);
        }
    }
    if reader.kind() == Kind::Other {
        host::prose(reader);
    }
}

/// Lines that stray into logs of other kinds: what they hold, the kinds that are read anyhow, and
/// the parser.
fn strays() -> [(&'static Option<regex::Regex>, &'static [Kind], Parser); 5] {
    [
        (re!(r"NVRM: |Xid \(PCI|Out of memory: Kill"), &[Kind::Dmesg, Kind::Journal, Kind::InstallerLog], kernel::read),
        (re!(r"srun: error|slurmstepd|oom[_-]kill event"), &[Kind::Slurm], cluster::slurm),
        (re!(r"Cuda compilation tools, release"), &[Kind::Nvcc, Kind::PipInstall, Kind::Compiler], toolkit::nvcc),
        (re!(r"pci bus id: \S+, compute capability"), &[Kind::TensorflowLog], torchenv::tensorflow),
        (
            re!(r"failed \(exitcode: |exits with return code"),
            &[Kind::Launcher, Kind::PythonTraceback, Kind::PythonLog, Kind::Nccl],
            cluster::launcher,
        ),
    ]
}
