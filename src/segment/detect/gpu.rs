//! Listings of NVIDIA's own tools and of the driver.

use super::{Hit, Part, Start, strong, weak};
use crate::segment::Kind;

pub const STARTS: &[Start] = &[
    Start("| NVIDIA-SMI", Kind::NvidiaSmi),
    Start("| Processes:", Kind::NvidiaSmi),
    Start("Failed to initialize NVML", Kind::NvidiaSmi),
    Start("Failed to properly shut down NVML", Kind::NvidiaSmi),
    Start("NVML library version:", Kind::NvidiaSmi),
    Start("NVIDIA-SMI has failed", Kind::NvidiaSmi),
    Start("No devices were found", Kind::NvidiaSmi),
    Start("Unable to determine the device handle", Kind::NvidiaSmi),
    Start("NVIDIA-SMI couldn't find libnvidia-ml.so", Kind::NvidiaSmi),
    Start("==============NVSMI LOG", Kind::NvidiaSmiQ),
    Start("<nvidia_smi_log>", Kind::NvidiaSmiQ),
    Start("Attached GPUs  ", Kind::NvidiaSmiQ),
    Start("filename:       /", Kind::Modinfo),
    Start("NVRM version: NVIDIA", Kind::Modinfo),
    Start("nvcc: NVIDIA (R) Cuda compiler", Kind::Nvcc),
    Start("Cuda compilation tools, release", Kind::Nvcc),
    Start("Build cuda_", Kind::Nvcc),
    Start("CUDA Device Query", Kind::DeviceQuery),
    Start("cudaGetDeviceCount returned", Kind::DeviceQuery),
    Start("Successfully ran diagnostic for group", Kind::Dcgm),
    Start("| Diagnostic  ", Kind::Dcgm),
    Start("|-----  Metadata", Kind::Dcgm),
    Start("| Health Monitor Report", Kind::Dcgm),
    Start("| Overall Health", Kind::Dcgm),
    Start("\"DCGM ", Kind::Dcgm),
    Start("# gpu   pwr", Kind::NvidiaSmiCsv),
    Start("# gpu     pwr", Kind::NvidiaSmiCsv),
    Start("# gpu         pid", Kind::NvidiaSmiCsv),
    Start("nvidia-installer", Kind::InstallerLog),
    Start("-> ", Kind::InstallerLog),
    Start("ERROR: Unable to load the kernel module", Kind::InstallerLog),
    Start("ERROR: Unable to load the 'nvidia", Kind::InstallerLog),
    Start("ERROR: An NVIDIA kernel module", Kind::InstallerLog),
    Start("ERROR: The kernel module failed to load", Kind::InstallerLog),
    Start("ERROR: Installation has failed", Kind::InstallerLog),
    Start("ERROR: Failed to run `/usr/sbin/dkms", Kind::InstallerLog),
    Start("ERROR: The Nouveau kernel driver", Kind::InstallerLog),
    Start("ERROR: You appear to be running an X server", Kind::InstallerLog),
    Start("ERROR: Unable to find the kernel source", Kind::InstallerLog),
    Start("ERROR: An error occurred while performing the step", Kind::InstallerLog),
    Start("WARNING: The nvidia-drm module will not be installed", Kind::InstallerLog),
    Start("WARNING: Unable to find a suitable destination to install 32-bit", Kind::InstallerLog),
    Start("WARNING: This NVIDIA driver package", Kind::InstallerLog),
    Start("WARNING: nvidia-installer", Kind::InstallerLog),
    Start("========== NVIDIA Software Installer", Kind::InstallerLog),
    Start("Installing NVIDIA driver version", Kind::InstallerLog),
    Start("Starting installation of NVIDIA driver", Kind::InstallerLog),
    Start("Welcome to the NVIDIA Software Installer", Kind::InstallerLog),
    Start("Kernel module load error:", Kind::InstallerLog),
    Start("Verifying archive integrity", Kind::InstallerLog),
    Start("Uncompressing NVIDIA Accelerated Graphics Driver", Kind::InstallerLog),
    Start("Extraction failed.", Kind::InstallerLog),
    Start("dkms: ", Kind::InstallerLog),
    Start("DKMS make.log for", Kind::InstallerLog),
    Start("Error! Bad return status for module build", Kind::InstallerLog),
    Start("Error! One or more modules failed to install", Kind::InstallerLog),
    Start("Error! Your kernel headers for kernel", Kind::InstallerLog),
    Start("Error! The ", Kind::InstallerLog),
    Start("Building initial module for", Kind::InstallerLog),
    Start("Consult /var/lib/dkms", Kind::InstallerLog),
    Start("dpkg: error processing package", Kind::InstallerLog),
    Start("E: Sub-process /usr/bin/dpkg", Kind::InstallerLog),
    Start("E: Unable to", Kind::InstallerLog),
    Start("Setting up ", Kind::InstallerLog),
    Start("Unpacking ", Kind::InstallerLog),
    Start("Preparing to unpack", Kind::InstallerLog),
    Start("Loading new nvidia", Kind::InstallerLog),
    Start("Building module:", Kind::InstallerLog),
    Start("Cleaning build area", Kind::InstallerLog),
    Start("'make' -j", Kind::InstallerLog),
    Start("Building kernel modules", Kind::InstallerLog),
    Start("Kernel messages:", Kind::InstallerLog),
    Start("Please see the log entries 'Kernel module load error'", Kind::InstallerLog),
    Start("Using built-in stream user interface", Kind::InstallerLog),
    Start("Performing CC ", Kind::InstallerLog),
];

pub const PARTS: &[Part] = &[
    Part("==NVSMI LOG==", Kind::NvidiaSmiQ),
    Part("deviceQuery Starting", Kind::DeviceQuery),
    Part("CUDA Capable device(s)", Kind::DeviceQuery),
    Part("deviceQuery, CUDA Driver", Kind::DeviceQuery),
    Part("NVIDIA Corporation ", Kind::Lspci),
    Part(" from the SMU", Kind::NvidiaSmi),
];

const CSV_COLUMNS: &[&str] = &[
    "memory.total",
    "memory.used",
    "memory.free",
    "utilization.gpu",
    "temperature.gpu",
    "driver_version",
    "power.draw",
    "pci.bus_id",
    "compute_cap",
    "pstate",
    "gpu_uuid",
    "used_gpu_memory",
    "ecc.",
    "clocks.",
    "persistence_mode",
    "retired_pages",
    "remapped_rows",
    "used_memory",
];

pub fn shape(text: &str, indent: usize) -> Option<Hit> {
    let bytes = text.as_bytes();
    match bytes.first()? {
        b'G' => gpu_line(text),
        b'+' if text.starts_with("+---") || text.starts_with("+===") => weak(Kind::NvidiaSmi),
        b'|' if text.len() > 60 && text.ends_with(['|', '+']) => weak(Kind::NvidiaSmi),
        b'M' if indent > 0 && text.starts_with("MIG ") && text.contains("(UUID: MIG-") => strong(Kind::NvidiaSmiList),
        b'M' | b'T' | b'W' | b'F' | b'S' if is_date(text) => weak(Kind::NvidiaSmi),
        b'i' | b'n' | b't' | b'p' | b'u' | b'd' | b'm' | b'c' | b'g' if csv_header(text) => strong(Kind::NvidiaSmiCsv),
        b'0'..=b'9' if csv_row(text) => weak(Kind::NvidiaSmiCsv),
        b'D' if text.starts_with("Device ") && text.contains(": \"") => strong(Kind::DeviceQuery),
        b'n' if dkms_status(text) => strong(Kind::Dkms),
        _ if smi_q_row(text, indent) => weak(Kind::NvidiaSmiQ),
        _ => None,
    }
}

/// `GPU 0: NVIDIA … (UUID: GPU-…)`, `GPU 00000000:41:00.0`, the topology's head.
fn gpu_line(text: &str) -> Option<Hit> {
    let rest = text.strip_prefix("GPU")?;
    if text.contains("(UUID: GPU-") || (text.contains("(UUID: <")) {
        return strong(Kind::NvidiaSmiList);
    }
    let address = rest.trim_start();
    if address.len() >= 10 && address.len() <= 20 && address.matches(':').count() == 2 && address.ends_with(".0") {
        return strong(Kind::NvidiaSmiQ);
    }
    let columns = text.split_whitespace().skip(1).take(3).collect::<Vec<_>>();
    let topology = rest.bytes().next().is_some_and(|b| b.is_ascii_digit())
        && columns.first().is_some_and(|c| *c == "X" || c.starts_with("GPU") || is_link(c));
    if topology { strong(Kind::NvidiaSmiTopo) } else { None }
}

fn is_link(cell: &str) -> bool {
    matches!(cell, "X" | "SYS" | "NODE" | "PHB" | "PXB" | "PIX")
        || (cell.starts_with("NV") && cell.get(2..).is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit())))
}

/// `Tue Nov 24 10:12:03 2026` and nothing else.
fn is_date(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().take(8).collect();
    matches!(words.as_slice(), [day, month, date, time, .., year] if day.len() == 3 && month.len() == 3 && date.len() <= 2 && time.matches(':').count() == 2 && year.len() == 4 && year.starts_with("20") && words.len() <= 6)
}

fn csv_header(text: &str) -> bool {
    let comma = text.contains(", ") || text.contains(',');
    comma && !text.contains('=') && CSV_COLUMNS.iter().any(|c| text.contains(c)) && !text.contains('(')
}

/// `0, 52, 701.44 W, 1890 MHz`.
fn csv_row(text: &str) -> bool {
    text.matches(", ").count() >= 2 && [" MiB", " W", " MHz", " %", "00000000:"].iter().any(|unit| text.contains(unit))
}

/// `nvidia/550.120, 6.8.0-48-generic, x86_64: installed`.
fn dkms_status(text: &str) -> bool {
    text.starts_with("nvidia")
        && [": installed", ": built", ": added", ": broken"].iter().any(|state| text.contains(state))
        && text.contains(", ")
}

/// `    Product Name                          : NVIDIA A100`: the colon stands in column 42.
fn smi_q_row(text: &str, indent: usize) -> bool {
    let Some(at) = memchr::memmem::find(text.as_bytes(), b" : ") else { return false };
    let column = at + indent;
    (34..=60).contains(&column)
        && text.as_bytes().first().is_some_and(u8::is_ascii_uppercase)
        && text.get(at.saturating_sub(2)..at).is_some_and(|s| s.trim().is_empty())
}

pub fn continues(kind: Kind, text: &str) -> bool {
    let trimmed = text.trim_start();
    match kind {
        Kind::NvidiaSmi => trimmed.starts_with(['|', '+']),
        Kind::NvidiaSmiQ => text.starts_with("    ") || trimmed.contains(" : ") || trimmed.starts_with("GPU 0") || trimmed.starts_with('<'),
        Kind::NvidiaSmiTopo => {
            trimmed.starts_with("GPU")
                || trimmed.starts_with("NIC")
                || trimmed.starts_with("mlx5")
                || trimmed.starts_with("Legend")
                || trimmed.contains(" = ")
                || trimmed.contains(": mlx5")
        }
        Kind::NvidiaSmiCsv => {
            trimmed.matches(',').count() >= 1 || trimmed.starts_with('#') || trimmed.starts_with(|c: char| c.is_ascii_digit())
        }
        Kind::Modinfo => trimmed.contains(": ") || trimmed.ends_with(':'),
        Kind::Nvcc => ["Copyright", "Built on", "Cuda compilation", "Build cuda"].iter().any(|s| trimmed.starts_with(s)),
        Kind::Lspci => text.starts_with(['\t', ' ']),
        Kind::Dkms => trimmed.contains(", ") && trimmed.contains(": "),
        _ => false,
    }
}
