//! Launchers, collectives, containers, clusters, native crashes.

use super::{Hit, Part, Start, strong};
use crate::segment::Kind;

pub const STARTS: &[Start] = &[
    Start("NCCL INFO", Kind::Nccl),
    Start("NCCL WARN", Kind::Nccl),
    Start("NCCL version ", Kind::Nccl),
    Start("NCCL TRACE", Kind::Nccl),
    Start("terminate called", Kind::CxxBacktrace),
    Start("Fatal Python error:", Kind::CxxBacktrace),
    Start("Segmentation fault", Kind::CxxBacktrace),
    Start("Bus error", Kind::CxxBacktrace),
    Start("Aborted (core dumped)", Kind::CxxBacktrace),
    Start("Program received signal", Kind::CxxBacktrace),
    Start("Root Cause (first observed failure)", Kind::Launcher),
    Start("ERROR:torch.distributed.elastic", Kind::Launcher),
    Start("WARNING:torch.distributed.elastic", Kind::Launcher),
    Start("INFO:torch.distributed.elastic", Kind::Launcher),
    Start("torch.distributed.elastic.multiprocessing.errors.ChildFailedError", Kind::Launcher),
    Start("WARNING:__main__:", Kind::Launcher),
    Start("Primary job  terminated", Kind::Launcher),
    Start("ORTE ", Kind::Launcher),
    Start("PRTE ", Kind::Launcher),
    Start("mpirun ", Kind::Launcher),
    Start("mpiexec ", Kind::Launcher),
    Start("There are not enough slots available", Kind::Launcher),
    Start("BAD TERMINATION OF ONE OF YOUR APPLICATION", Kind::Launcher),
    Start("slurmstepd: ", Kind::Slurm),
    Start("srun: ", Kind::Slurm),
    Start("sbatch: ", Kind::Slurm),
    Start("salloc: ", Kind::Slurm),
    Start("JobId=", Kind::Slurm),
    Start("NodeName=", Kind::Slurm),
    Start("JOBID PARTITION", Kind::Slurm),
    Start("JobID           JobName", Kind::Slurm),
    Start("JobID    JobName", Kind::Slurm),
    Start("slurmd: ", Kind::Slurm),
    Start("docker: ", Kind::Docker),
    Start("Error response from daemon", Kind::Docker),
    Start("nvidia-container-cli:", Kind::Docker),
    Start("OCI runtime ", Kind::Docker),
    Start("Error: OCI runtime", Kind::Docker),
    Start("Error: crun", Kind::Docker),
    Start("Error: runc", Kind::Docker),
    Start("Unable to find image", Kind::Docker),
    Start("Attaching to ", Kind::Docker),
    Start("[+] Running", Kind::Docker),
    Start("[+] Building", Kind::Docker),
    Start("ERROR: for ", Kind::Docker),
    Start("Auto-detected mode as", Kind::Docker),
    Start("could not select device driver", Kind::Docker),
    Start("CONTAINER ID   IMAGE", Kind::Docker),
    Start("Cgroup Driver:", Kind::Docker),
    Start("Cgroup Version:", Kind::Docker),
    Start("Runtimes: ", Kind::Docker),
    Start("Default Runtime:", Kind::Docker),
    Start("\"HostConfig\":", Kind::Docker),
    Start("\"DeviceRequests\":", Kind::Docker),
    Start("apiVersion: ", Kind::Kubernetes),
    Start("\"apiVersion\":", Kind::Kubernetes),
    Start("kind: Pod", Kind::Kubernetes),
    Start("Capacity:", Kind::Kubernetes),
    Start("Allocatable:", Kind::Kubernetes),
    Start("Allocated resources:", Kind::Kubernetes),
    Start("Events:", Kind::Kubernetes),
    Start("Conditions:", Kind::Kubernetes),
    Start("Containers:", Kind::Kubernetes),
    Start("Init Containers:", Kind::Kubernetes),
    Start("Last State: ", Kind::Kubernetes),
    Start("Node-Selectors:", Kind::Kubernetes),
    Start("Tolerations:", Kind::Kubernetes),
    Start("NAME                ", Kind::Kubernetes),
    Start("NAME        READY", Kind::Kubernetes),
    Start("NAMESPACE  ", Kind::Kubernetes),
    Start("LAST SEEN  ", Kind::Kubernetes),
    Start("Warning  Failed", Kind::Kubernetes),
    Start("Warning  BackOff", Kind::Kubernetes),
    Start("Warning  Evicted", Kind::Kubernetes),
    Start("Error from server", Kind::Kubernetes),
];

pub const PARTS: &[Part] = &[
    Part("NCCL INFO ", Kind::Nccl),
    Part("NCCL WARN ", Kind::Nccl),
    Part("ProcessGroupNCCL.cpp", Kind::Nccl),
    Part("NCCLUtils.", Kind::Nccl),
    Part("NCCL error ", Kind::Nccl),
    Part("closing signal SIG", Kind::Launcher),
    Part("failed (exitcode: ", Kind::Launcher),
    Part("torch/distributed/elastic/", Kind::Launcher),
    Part("torch/distributed/run.py", Kind::Launcher),
    Part("torch/distributed/launcher/", Kind::Launcher),
    Part("sigkill_handler", Kind::Launcher),
    Part("[launch.py:", Kind::Launcher),
    Part("[runner.py:", Kind::Launcher),
    Part("exited on signal ", Kind::Launcher),
    Part("noticed that process rank", Kind::Launcher),
    Part("(raylet) ", Kind::Launcher),
    Part("file_system_monitor.cc", Kind::Launcher),
    Part("Started a local Ray instance", Kind::Launcher),
    Part("rror response from daemon", Kind::Docker),
    Part("OCI runtime create failed", Kind::Docker),
    Part("nvidia-container-cli: ", Kind::Docker),
    Part("nvidia-container-runtime", Kind::Docker),
    Part("failed to create shim task", Kind::Docker),
    Part("FailedScheduling", Kind::Kubernetes),
    Part("CrashLoopBackOff", Kind::Kubernetes),
    Part("nvidia.com/gpu", Kind::Kubernetes),
    Part("default-scheduler", Kind::Kubernetes),
    Part("*** Process received signal ***", Kind::CxxBacktrace),
    Part("CANCELLED AT ", Kind::Slurm),
    Part("_C10D_", Kind::Nccl),
];

pub fn shape(text: &str, indent: usize) -> Option<Hit> {
    let bytes = text.as_bytes();
    match bytes.first()? {
        b't' if text.starts_with("time=\"20") && text.contains("level=") => strong(Kind::Docker),
        b'f' if text.starts_with("frame #") => strong(Kind::CxxBacktrace),
        b'#' if gdb_frame(bytes) => strong(Kind::CxxBacktrace),
        b'w' if indent > 0 && text.starts_with("what():") => strong(Kind::CxxBacktrace),
        b'E' if text.starts_with("Exception raised from ") => strong(Kind::CxxBacktrace),
        b'T' if text.starts_with("Thread ")
            && (text.contains("received signal") || text.contains("(Thread 0x") || text.contains("LWP")) =>
        {
            strong(Kind::CxxBacktrace)
        }
        b'C' if text.starts_with("Container ") && ["Created", "Started", "Starting", "Error"].iter().any(|s| text.contains(s)) => {
            strong(Kind::Docker)
        }
        b'L' if text.starts_with("Limits:") => strong(Kind::Kubernetes),
        _ if text.ends_with(" FAILED") && text.len() < 120 && text.contains('.') && !text.contains("::") => strong(Kind::Launcher),
        _ => None,
    }
}

/// `#3  0x00007f…`.
fn gdb_frame(bytes: &[u8]) -> bool {
    let digits = bytes.iter().skip(1).take(4).take_while(|b| b.is_ascii_digit()).count();
    let rest = bytes.get(1 + digits..).unwrap_or_default().trim_ascii_start();
    digits > 0 && bytes.get(1 + digits) == Some(&b' ') && rest.starts_with(b"0x")
}
