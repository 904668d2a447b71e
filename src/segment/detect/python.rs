//! Python's world: package lists, installs, builds, environments, log lines.

use super::{Hit, Part, Start, second_is_number, strong, weak};
use crate::segment::Kind;
use std::sync::LazyLock;

pub const STARTS: &[Start] = &[
    Start("Package  ", Kind::PipList),
    Start("# packages in environment at", Kind::CondaList),
    Start("# Name   ", Kind::CondaList),
    Start("Collecting environment information", Kind::TorchEnv),
    Start("PyTorch version:", Kind::TorchEnv),
    Start("Is debug build:", Kind::TorchEnv),
    Start("CUDA used to build PyTorch:", Kind::TorchEnv),
    Start("ROCM used to build PyTorch:", Kind::TorchEnv),
    Start("Versions of relevant libraries:", Kind::TorchEnv),
    Start("[pip3] ", Kind::TorchEnv),
    Start("[conda] ", Kind::TorchEnv),
    Start("[pip] ", Kind::TorchEnv),
    Start("Is CUDA available:", Kind::TorchEnv),
    Start("CUDA runtime version:", Kind::TorchEnv),
    Start("Nvidia driver version:", Kind::TorchEnv),
    Start("DeepSpeed C++/CUDA extension op report", Kind::TorchEnv),
    Start("DeepSpeed general environment info", Kind::TorchEnv),
    Start("Copy-and-paste the text below in your GitHub issue", Kind::TorchEnv),
    Start("- `Accelerate` version", Kind::TorchEnv),
    Start("- `transformers` version", Kind::TorchEnv),
    Start("torch version:", Kind::Probe),
    Start("torch.__version__", Kind::Probe),
    Start("torch.cuda.is_available", Kind::Probe),
    Start("torch.version.cuda", Kind::Probe),
    Start("cuda available:", Kind::Probe),
    Start("CUDA available:", Kind::Probe),
    Start("CUDA Available:", Kind::Probe),
    Start("cuda is available:", Kind::Probe),
    Start("device count:", Kind::Probe),
    Start("Device count:", Kind::Probe),
    Start("Requirement already satisfied", Kind::PipInstall),
    Start("Looking in indexes:", Kind::PipInstall),
    Start("Installing collected packages", Kind::PipInstall),
    Start("Successfully installed", Kind::PipInstall),
    Start("Successfully uninstalled", Kind::PipInstall),
    Start("Attempting uninstall", Kind::PipInstall),
    Start("Found existing installation", Kind::PipInstall),
    Start("Building wheel", Kind::PipInstall),
    Start("Building wheels for", Kind::PipInstall),
    Start("Failed to build", Kind::PipInstall),
    Start("Preparing metadata", Kind::PipInstall),
    Start("Using cached ", Kind::PipInstall),
    Start("Using pip ", Kind::PipInstall),
    Start("Running command ", Kind::PipInstall),
    Start("Getting requirements to build wheel", Kind::PipInstall),
    Start("Installing build dependencies", Kind::PipInstall),
    Start("ERROR: pip's dependency resolver", Kind::PipInstall),
    Start("ERROR: Could not find a version", Kind::PipInstall),
    Start("ERROR: No matching distribution", Kind::PipInstall),
    Start("ERROR: Cannot install", Kind::PipInstall),
    Start("ERROR: Failed building wheel", Kind::PipInstall),
    Start("ERROR: Could not install packages", Kind::PipInstall),
    Start("ERROR: Could not build wheels", Kind::PipInstall),
    Start("ERROR: ResolutionImpossible", Kind::PipInstall),
    Start("ERROR: Command errored out", Kind::PipInstall),
    Start("The conflict is caused by:", Kind::PipInstall),
    Start("error: subprocess-exited-with-error", Kind::PipInstall),
    Start("error: externally-managed-environment", Kind::PipInstall),
    Start("error: metadata-generation-failed", Kind::PipInstall),
    Start("note: This error originates from a subprocess", Kind::PipInstall),
    Start("× No solution found", Kind::PipInstall),
    Start("× ", Kind::PipInstall),
    Start("╰─> ", Kind::PipInstall),
    Start("In file included from ", Kind::Compiler),
    Start("ninja: ", Kind::Compiler),
    Start("FAILED: ", Kind::Compiler),
    Start("nvcc fatal", Kind::Compiler),
    Start("nvcc error", Kind::Compiler),
    Start("nvlink error", Kind::Compiler),
    Start("ptxas fatal", Kind::Compiler),
    Start("ptxas error", Kind::Compiler),
    Start("ptxas /", Kind::Compiler),
    Start("ptxas info", Kind::Compiler),
    Start("collect2: error", Kind::Compiler),
    Start("/usr/bin/ld: ", Kind::Compiler),
    Start("ld: cannot find", Kind::Compiler),
    Start("make: ***", Kind::Compiler),
    Start("make[", Kind::Compiler),
    Start("error: command '", Kind::Compiler),
    Start("CMake Error", Kind::Compiler),
    Start("CMake Warning", Kind::Compiler),
    Start("-- The CUDA compiler", Kind::Compiler),
    Start("INFO:jax", Kind::JaxLog),
    Start("WARNING:jax", Kind::JaxLog),
];

pub const PARTS: &[Part] = &[
    Part(" tensorflow/", Kind::TensorflowLog),
    Part("external/local_xla/", Kind::TensorflowLog),
    Part("external/org_tensorflow/", Kind::TensorflowLog),
    Part("TF-TRT Warning", Kind::TensorflowLog),
    Part("CUDA-enabled jaxlib", Kind::JaxLog),
    Part("jax/_src/", Kind::JaxLog),
    Part("jax._src", Kind::JaxLog),
    Part("xla_bridge", Kind::JaxLog),
    Part(": error: ", Kind::Compiler),
    Part(": fatal error: ", Kind::Compiler),
    Part(": undefined reference to", Kind::Compiler),
];

/// How many of the parts below belong to pip's conflicts; the rest are of log lines.
const CONFLICTS: usize = 2;

static CHATTER: LazyLock<Option<aho_corasick::AhoCorasick>> = LazyLock::new(|| {
    aho_corasick::AhoCorasick::new([
        " requires ",
        " has requirement ",
        "Warning: ",
        "it/s]",
        "s/it]",
        "%|",
        "] [INFO] ",
        "[INFO|",
        "[WARNING|",
    ])
    .ok()
});

pub fn shape(text: &str, indent: usize) -> Option<Hit> {
    let bytes = text.as_bytes();
    if text.starts_with("Collecting ") || text.starts_with("Downloading ") {
        let one_word = text.split_whitespace().count() <= 5;
        return if one_word { strong(Kind::PipInstall) } else { None };
    }
    if build_step(text) {
        return strong(Kind::Compiler);
    }
    if printed_torch(text) {
        return strong(Kind::Probe);
    }
    if let Some(hit) = package(text, indent) {
        return Some(hit);
    }
    let found = CHATTER.as_ref().and_then(|automaton| automaton.find(text));
    match found {
        Some(found) if found.pattern().as_usize() < CONFLICTS && conflict(text) => strong(Kind::PipInstall),
        Some(found) if found.pattern().as_usize() >= CONFLICTS => strong(Kind::PythonLog),
        _ if level_head(bytes) || text.ends_with("Warning:") || text.starts_with("warnings.warn(") || is_epoch(text) => {
            strong(Kind::PythonLog)
        }
        _ => None,
    }
}

/// `2.4.1+cu124 12.4 False 0`, which `print(torch.__version__, …)` printed.
fn printed_torch(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let version = words.next().filter(|word| word.starts_with(|c: char| c.is_ascii_digit()) && is_version(word));
    let built = version
        .and_then(|word| word.split_once('+'))
        .is_some_and(|(_, build)| build.starts_with("cu") || build.starts_with("cpu") || build.starts_with("rocm"));
    built && words.clone().count() < 4 && words.any(|word| matches!(word, "True" | "False"))
}

/// `[1/73] /usr/local/cuda/bin/nvcc …`.
fn build_step(text: &str) -> bool {
    let Some((step, rest)) = text.strip_prefix('[').and_then(|t| t.split_once("] ")) else { return false };
    let counted = step.split_once('/').is_some_and(|(a, b)| [a, b].iter().all(|n| !n.is_empty() && n.bytes().all(|c| c.is_ascii_digit())));
    counted
        && (rest.contains("nvcc")
            || rest.contains("c++")
            || rest.contains("g++")
            || rest.contains("gcc")
            || rest.contains("Building")
            || rest.contains("Linking"))
}

/// `numpy   1.26.4`, `torch==2.6.0+cu124`.
fn package(text: &str, indent: usize) -> Option<Hit> {
    if indent > 2 || text.len() > 160 {
        return None;
    }
    if let Some((name, version)) = text.split_once("==") {
        let whole = is_name(name) && is_version(version.split(' ').next().unwrap_or(""));
        return if whole { strong(Kind::PipList) } else { None };
    }
    if !second_is_number(text) {
        return None;
    }
    let mut words = text.split_whitespace();
    let (name, version) = (words.next()?, words.next()?);
    if !is_name(name) || !is_version(version) || !version.contains('.') {
        return None;
    }
    match (words.next(), words.next(), words.next()) {
        (None, _, _) => weak(Kind::PipList),
        (Some(path), None, _) if path.starts_with('/') => weak(Kind::PipList),
        (Some(build), channel, None)
            if build.contains('_')
                || build.bytes().all(|b| b.is_ascii_digit())
                || channel.is_some_and(|c| matches!(c, "conda-forge" | "pytorch" | "nvidia" | "pypi" | "defaults")) =>
        {
            weak(Kind::CondaList)
        }
        (Some("pypi"), None, _) => weak(Kind::CondaList),
        _ => None,
    }
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && word.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'[' | b']'))
}

fn is_version(word: &str) -> bool {
    let digits = word.trim_start_matches("0!");
    digits.starts_with(|c: char| c.is_ascii_digit())
        && word.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'+' | b'-' | b'_' | b'!'))
}

/// `torchvision 0.16.1 requires torch==2.1.1, but you have torch 2.1.0 which is incompatible.`
fn conflict(text: &str) -> bool {
    (text.contains(" requires ") && (text.contains("which is incompatible") || text.contains("which is not installed")))
        || text.contains(" has requirement ")
}

/// `INFO:     Started`, `WARNING:bitsandbytes`, `INFO - x`, `[WARNING] x`.
fn level_head(bytes: &[u8]) -> bool {
    let inner = bytes.strip_prefix(b"[").unwrap_or(bytes);
    let level = [&b"INFO"[..], b"WARNING", b"WARN", b"ERROR", b"DEBUG", b"CRITICAL"].into_iter().find(|l| inner.starts_with(l));
    level.is_some_and(|l| matches!(inner.get(l.len()), Some(b':' | b'|' | b']' | b' ')))
}

fn is_epoch(text: &str) -> bool {
    let word = text.get(..6).unwrap_or("");
    word.eq_ignore_ascii_case("epoch ") || text.starts_with("step ") || text.starts_with("loss")
}

pub fn continues(kind: Kind, text: &str) -> bool {
    let trimmed = text.trim_start();
    match kind {
        Kind::PipList | Kind::CondaList => {
            trimmed.starts_with("---")
                || trimmed.starts_with('#')
                || package(trimmed, 0).is_some()
                || trimmed.split_whitespace().nth(1).is_some_and(is_version)
                || trimmed.starts_with("-e ")
                || trimmed.contains(" @ ")
        }
        Kind::TorchEnv => trimmed.contains(": ") || trimmed.ends_with(':') || trimmed.starts_with("GPU ") || trimmed.starts_with('['),
        Kind::Probe => trimmed.contains(": ") || matches!(trimmed, "True" | "False" | "None"),
        _ => false,
    }
}
