//! One line to its kind, by what it looks like. Used where no command says it.
//!
//! Every family has its own file with a table of beginnings and of parts, and a function for
//! shapes that are no literal. A line alone may be *weak* evidence (`numpy 1.26.4`): it counts
//! only beside another of its kind.

mod gpu;
mod python;
mod runtime;
mod system;

use super::Kind;
use std::sync::LazyLock;

/// What a line looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    pub kind: Kind,
    /// Needs a neighbour of the same kind.
    pub weak: bool,
}

/// A literal at the start of a line.
pub struct Start(pub &'static str, pub Kind);

/// A literal anywhere in the first bytes of a line.
pub struct Part(pub &'static str, pub Kind);

/// How far into a line parts and shapes are looked for.
const HEAD: usize = 240;

static STARTS: LazyLock<Vec<Vec<&'static Start>>> = LazyLock::new(|| {
    let mut by_byte: Vec<Vec<&'static Start>> = (0..256).map(|_| Vec::new()).collect();
    for start in gpu::STARTS.iter().chain(system::STARTS).chain(python::STARTS).chain(runtime::STARTS) {
        if let Some(list) = start.0.bytes().next().and_then(|b| by_byte.get_mut(b as usize)) {
            list.push(start);
        }
    }
    by_byte
});

static PARTS: LazyLock<Option<(aho_corasick::AhoCorasick, Vec<Kind>)>> = LazyLock::new(|| {
    let parts: Vec<&Part> = gpu::PARTS.iter().chain(system::PARTS).chain(python::PARTS).chain(runtime::PARTS).collect();
    let kinds = parts.iter().map(|p| p.1).collect();
    let automaton =
        aho_corasick::AhoCorasick::builder().match_kind(aho_corasick::MatchKind::LeftmostFirst).build(parts.iter().map(|p| p.0)).ok()?;
    Some((automaton, kinds))
});

/// Looks at one message.
pub fn line(message: &str) -> Option<Hit> {
    let text = message.trim_start();
    let first = text.bytes().next()?;
    let head = head(text);
    let starts = STARTS.get(first as usize).map(Vec::as_slice).unwrap_or_default();
    let second = head.as_bytes().get(1);
    if let Some(start) = starts.iter().find(|s| s.0.as_bytes().get(1) == second && head.starts_with(s.0)) {
        return Some(Hit { kind: start.1, weak: false });
    }
    let indent = message.len() - text.len();
    if let Some(hit) = gpu::shape(head, indent).or_else(|| system::shape(head, indent)).or_else(|| runtime::shape(head, indent)) {
        return Some(hit);
    }
    if let Some((automaton, kinds)) = PARTS.as_ref()
        && let Some(found) = automaton.find(head)
        && let Some(kind) = kinds.get(found.pattern().as_usize())
    {
        return Some(Hit { kind: *kind, weak: false });
    }
    python::shape(head, indent)
}

/// True where an undetected line can go on a listing of `kind`.
pub fn continues(kind: Kind, message: &str) -> bool {
    let text = head(message);
    gpu::continues(kind, text) || system::continues(kind, text) || python::continues(kind, text)
}

/// Kinds whose undetected lines run on until a blank line.
pub fn runs_on(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Docker
            | Kind::Kubernetes
            | Kind::TorchEnv
            | Kind::PipInstall
            | Kind::Compiler
            | Kind::InstallerLog
            | Kind::Windows
            | Kind::Wsl
            | Kind::Systemd
            | Kind::Slurm
            | Kind::PackageHistory
            | Kind::Dcgm
            | Kind::Launcher
            | Kind::PythonLog
            | Kind::Nccl
            | Kind::TensorflowLog
            | Kind::JaxLog
            | Kind::CxxBacktrace
            | Kind::NvidiaSmiQ
            | Kind::Network
            | Kind::Limits
            | Kind::DeviceQuery
    )
}

/// Kinds that even a blank line does not end while their shape goes on.
pub fn spans_blanks(kind: Kind) -> bool {
    matches!(kind, Kind::NvidiaSmiQ | Kind::NvidiaSmi | Kind::TorchEnv | Kind::NvidiaSmiTopo | Kind::DeviceQuery | Kind::InstallerLog)
}

fn head(text: &str) -> &str {
    let mut end = text.len().min(HEAD);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or("")
}

/// The second word begins with a digit, as versions and sizes in listings do. A cheap look that
/// spares most lines the splitting into words.
fn second_is_number(text: &str) -> bool {
    let bytes = text.as_bytes();
    let end = bytes.iter().position(|b| matches!(b, b' ' | b'\t'));
    end.and_then(|end| bytes.get(end..)).is_some_and(|rest| rest.trim_ascii_start().first().is_some_and(u8::is_ascii_digit))
}

fn strong(kind: Kind) -> Option<Hit> {
    Some(Hit { kind, weak: false })
}

fn weak(kind: Kind) -> Option<Hit> {
    Some(Hit { kind, weak: true })
}

#[cfg(test)]
mod tests;
