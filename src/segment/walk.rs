//! The walk over the lines that decides where segments begin and end.
//!
//! A command decides the kind of what follows it. Without one, each line is looked at; a line
//! that looks like nothing goes on with the listing before it, where its shape allows.

use super::detect::{self, Hit};
use super::prompt::Cue;
use super::record::is_fence;
use super::scope::{self, Scopes};
use super::trace::{Part, Tag};
use super::wrap::Join;
use super::{Command, Kind, Log, Looks, ScopeId, ScopeKind, Segment};
use crate::intake::{Line, Paste, Stamp};
use aho_corasick::AhoCorasick;
use std::sync::LazyLock;

/// Drops weak evidence that stands alone.
pub fn settle(paste: &Paste, hits: &mut [Option<Hit>]) {
    let kinds: Vec<Option<Kind>> = hits.iter().map(|hit| hit.map(|h| h.kind)).collect();
    let filled = |index: &usize| paste.lines.get(*index).is_some_and(|line| !line.message().trim().is_empty());
    for (index, hit) in hits.iter_mut().enumerate() {
        let Some(weak) = hit.filter(|h| h.weak) else { continue };
        let before = (index.saturating_sub(2)..index).rev().find(filled);
        let after = (index + 1..(index + 3).min(kinds.len())).find(filled);
        let same = |at: Option<usize>| at.and_then(|i| kinds.get(i).copied().flatten()) == Some(weak.kind);
        if !same(before) && !same(after) {
            *hit = None;
        }
    }
}

/// The command whose output is being read.
struct Block {
    kind: Option<Kind>,
    carrier: bool,
    scope: ScopeId,
    /// Index of the segment that the command line opened.
    segment: usize,
    output: bool,
    /// The prompt itself stands in a journal, so that its lines say nothing more of it.
    journaled: bool,
}

/// Shorter lines were not wrapped by a terminal.
const MIN_WRAPPED: usize = 60;

struct Walk<'a> {
    paste: &'a Paste,
    looks: &'a Looks<'a>,
    scopes: Scopes,
    segments: Vec<Segment>,
    /// Commands that printed nothing and may be whole when another prompt follows.
    block: Option<Block>,
    /// The scope of the shell.
    shell: ScopeId,
    kind: Kind,
    blank: bool,
    /// Only blank lines came so far.
    leading: bool,
}

/// Cuts the lines into segments.
pub fn segments(paste: &Paste, looks: &Looks<'_>, cues: &[(usize, Cue)]) -> Log {
    let scopes = Scopes::new(scope::machine(paste, cues));
    let mut walk =
        Walk { paste, looks, scopes, segments: Vec::new(), block: None, shell: 0, kind: Kind::Other, blank: true, leading: true };
    let mut next = cues.iter().peekable();
    for (index, line) in paste.lines.iter().enumerate() {
        match next.next_if(|(at, _)| *at == index) {
            Some((_, cue)) => walk.cue(index, cue),
            None => walk.line(index, line),
        }
    }
    walk.close(false);
    Log { segments: walk.segments, scopes: walk.scopes.finish(), ..Log::default() }
}

impl Walk<'_> {
    /// Ends the command's block; `seen` says that the end of its output was seen.
    fn close(&mut self, seen: bool) {
        if let Some(block) = self.block.take()
            && let Some(segment) = self.segments.get_mut(block.segment)
        {
            segment.complete &= block.output || seen;
        }
    }

    fn cue(&mut self, index: usize, cue: &Cue) {
        self.close(true);
        // A prompt that a container's collector printed is one of that container.
        let around = self.paste.lines.get(index).and_then(|line| self.scope_of_stream(line));
        let (shell, inner) = match around {
            Some(scope) => (scope, scope),
            None => self.scopes.of_cue(cue, self.shell),
        };
        self.shell = shell;
        let kind = cue.parsed.kind.unwrap_or(Kind::Other);
        let kernel = kind == Kind::Dmesg || (kind == Kind::Journal && is_kernel_journal(&cue.line));
        let scope = if kernel { self.scopes.machine() } else { inner };
        let command = (!cue.empty).then(|| cue.parsed.command(&cue.line, cue.status));
        let complete = command.is_some() && cue.parsed.kind.is_some() && !cue.parsed.cut && !cue.loose;
        self.open(index, if cue.empty { Kind::Other } else { kind }, scope, command, complete);
        if cue.empty {
            return;
        }
        self.block = Some(Block {
            kind: cue.parsed.kind,
            carrier: cue.parsed.carrier || cue.parsed.kind.is_none(),
            scope,
            segment: self.segments.len() - 1,
            output: false,
            journaled: self.paste.lines.get(index).is_some_and(has_unit),
        });
    }

    fn open(&mut self, index: usize, kind: Kind, scope: ScopeId, command: Option<Command>, complete: bool) {
        self.segments.push(Segment { kind, scope, lines: index..index + 1, command, complete });
        self.leading = false;
        self.kind = kind;
        self.blank = false;
    }

    fn line(&mut self, index: usize, line: &Line) {
        let message = line.message();
        if message.trim().is_empty() {
            self.blank = true;
            self.extend(index);
            return;
        }
        if self.looks.stop(index) && !is_fence(message) {
            // The command goes on over this line.
            self.extend(index);
            return;
        }
        if is_fence(message) {
            self.close(true);
            self.shell = self.scopes.base();
            self.open(index, Kind::Other, self.shell, None, false);
            return;
        }
        if self.looks.join(index) != Join::No && !self.blank {
            self.extend(index);
            return;
        }
        let (hit, tag) = (self.looks.hit(index), self.looks.tag(index));
        if let Some(kind) = scope::heading(message).filter(|_| hit.is_none() && tag.is_none()) {
            self.close(true);
            self.scopes.set_base(kind);
            self.shell = self.scopes.base();
            self.open(index, Kind::Other, self.shell, None, false);
            return;
        }
        if matches!(message.trim(), ".dockerenv" | "/.dockerenv") {
            self.shell = self.scopes.get(ScopeKind::Container, "");
        }
        let kind = self.decide(index, line, hit, tag);
        let scope = self.scope_of(line, kind);
        if let Some(block) = self.block.as_mut() {
            block.output = true;
            if failed(kind, message)
                && let Some(segment) = self.segments.get_mut(block.segment)
            {
                segment.complete = false;
            }
        }
        self.place(index, kind, scope);
        self.blank = false;
    }

    fn extend(&mut self, index: usize) {
        match self.segments.last_mut() {
            Some(last) => last.lines.end = index + 1,
            None => self.segments.push(Segment {
                kind: Kind::Other,
                scope: self.shell,
                lines: index..index + 1,
                command: None,
                complete: false,
            }),
        }
    }

    fn place(&mut self, index: usize, kind: Kind, scope: ScopeId) {
        // A first segment of blank lines only takes the kind of what follows.
        if std::mem::take(&mut self.leading)
            && let Some(first) = self.segments.first_mut()
        {
            first.kind = kind;
            first.scope = scope;
        }
        self.kind = kind;
        match self.segments.last_mut() {
            Some(last) if last.kind == kind && last.scope == scope => last.lines.end = index + 1,
            _ => self.segments.push(Segment { kind, scope, lines: index..index + 1, command: None, complete: false }),
        }
    }

    fn decide(&mut self, index: usize, line: &Line, hit: Option<Hit>, tag: Option<Tag>) -> Kind {
        if let Some(tag) = tag {
            return if tag.part == Part::Native { Kind::CxxBacktrace } else { Kind::PythonTraceback };
        }
        let of_block = self.block.as_ref().map(|b| (b.kind, b.carrier));
        if let Some((Some(kind), false)) = of_block
            && !self.leaves(kind, line.message(), hit)
        {
            return kind;
        }
        if matches!(of_block, Some((Some(_), false))) {
            self.close(!by_docker(line.message()));
        }
        if let Some(kind) = of_prefix(line) {
            return kind;
        }
        let message = line.message();
        if matches!(self.kind, Kind::Dmesg | Kind::Journal) && !self.blank && self.goes_on(index, line, hit) {
            return self.kind;
        }
        if let Some(hit) = hit {
            // `ERROR: …` within an installer's own output is its own.
            let own = hit.kind == Kind::PythonLog && matches!(self.kind, Kind::InstallerLog | Kind::PipInstall);
            return if own { self.kind } else { hit.kind };
        }
        if detect::continues(self.kind, message) && (!self.blank || detect::spans_blanks(self.kind)) {
            return self.kind;
        }
        let floor = self.block.as_ref().map(|b| b.kind.unwrap_or(Kind::Other));
        let own = floor == Some(self.kind);
        if detect::runs_on(self.kind) && !self.blank && !own {
            return self.kind;
        }
        let written = self.block.as_ref().is_some_and(|b| b.journaled);
        if has_unit(line) && !written {
            return Kind::Journal;
        }
        if has_level(line) {
            return Kind::PythonLog;
        }
        floor.unwrap_or(Kind::Other)
    }

    /// A line without prefix that goes on with a kernel or journal message: indented, or the
    /// rest of a long line that was wrapped, where stamped lines follow.
    fn goes_on(&self, index: usize, line: &Line, hit: Option<Hit>) -> bool {
        let message = line.message();
        if line.prefix.as_ref().is_some_and(|p| p.unit.is_some() || matches!(p.time, Some(Stamp::Uptime(_)))) {
            return false;
        }
        if message.trim_start().starts_with("NVRM:") || message.starts_with("        ") {
            return true;
        }
        let before = index.checked_sub(1).and_then(|at| self.paste.lines.get(at));
        let wrapped = before.is_some_and(|l| l.text.chars().count() >= MIN_WRAPPED);
        let last = index + 1 == self.paste.lines.len();
        let stamped = self.paste.lines.iter().skip(index + 1).take(3).any(|l| of_prefix(l).is_some());
        hit.is_none_or(|h| h.weak) && wrapped && (stamped || last)
    }

    /// A listing ends where, after a blank line, something begins that is not of its kind.
    fn leaves(&self, kind: Kind, message: &str, hit: Option<Hit>) -> bool {
        let output = self.block.as_ref().is_some_and(|b| b.output);
        if kind != Kind::Docker && hit.is_some_and(|h| h.kind == Kind::Docker) && by_docker(message) {
            return true;
        }
        // A table that begins right after another listing.
        if hit.is_some_and(|h| h.kind == Kind::NvidiaSmi)
            && !matches!(kind, Kind::NvidiaSmi | Kind::Docker | Kind::Kubernetes)
            && message.starts_with("| NVIDIA-SMI ")
        {
            return true;
        }
        if !self.blank || !output || message.starts_with([' ', '\t']) || detect::continues(kind, message) {
            return false;
        }
        match hit {
            Some(hit) => hit.kind != kind,
            None => matches!(
                kind,
                Kind::NvidiaSmi
                    | Kind::NvidiaSmiList
                    | Kind::NvidiaSmiCsv
                    | Kind::PipList
                    | Kind::Lsmod
                    | Kind::Lspci
                    | Kind::Dkms
                    | Kind::Uname
                    | Kind::DeviceNodes
                    | Kind::Id
            ),
        }
    }

    /// The container or pod whose collector printed the line.
    fn scope_of_stream(&mut self, line: &Line) -> Option<ScopeId> {
        let stream = line.prefix.as_ref()?.stream.as_deref()?;
        let before = line.text.get(..line.body as usize).unwrap_or("");
        if before.contains("[pod/") {
            return Some(self.scopes.get(ScopeKind::Pod, stream));
        }
        before.contains('|').then(|| self.scopes.get(ScopeKind::Container, stream))
    }

    fn scope_of(&mut self, line: &Line, kind: Kind) -> ScopeId {
        let kernel = kind == Kind::Dmesg || line.prefix.as_ref().is_some_and(|p| p.unit.as_deref() == Some("kernel"));
        let continued = kind == Kind::Journal && self.kind == kind && line.message().trim_start().starts_with("NVRM:");
        if kernel || continued {
            return self.scopes.machine();
        }
        if let Some(scope) = self.scope_of_stream(line) {
            return scope;
        }
        // What docker itself says, it says on the host.
        if kind == Kind::Docker && by_docker(line.message()) {
            return self.shell;
        }
        self.block.as_ref().map_or(self.shell, |block| block.scope)
    }
}

/// Docker could not even start the program.
fn by_docker(message: &str) -> bool {
    message.contains("rror response from daemon")
}

/// The program could not run, or was not allowed to look: what it does not show is not absent.
fn failed(kind: Kind, message: &str) -> bool {
    static FAILURES: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
        AhoCorasick::new(["command not found", "not permitted", "ermission denied", "未找到命令", "is not recognized as"]).ok()
    });
    kind != Kind::DeviceNodes && FAILURES.as_ref().is_some_and(|f| f.is_match(message))
}

fn has_unit(line: &Line) -> bool {
    line.prefix.as_ref().is_some_and(|p| p.unit.is_some())
}

/// A logger's level stood among the prefixes.
pub fn has_level(line: &Line) -> bool {
    let before = line.text.get(..line.body as usize).unwrap_or("");
    ["INFO ", "WARNING ", "ERROR ", "DEBUG "].iter().any(|level| before.contains(level))
}

fn is_kernel_journal(command: &str) -> bool {
    command.split_whitespace().any(|word| matches!(word, "-k" | "--dmesg" | "-kb" | "-bk"))
}

/// Lines whose prefix says what they are: the kernel's, and those of the system's daemons.
fn of_prefix(line: &Line) -> Option<Kind> {
    const DAEMONS: &[&str] = &[
        "systemd",
        "dockerd",
        "containerd",
        "kubelet",
        "sshd",
        "CRON",
        "sudo",
        "systemd-logind",
        "NetworkManager",
        "dbus-daemon",
        "nvidia-persistenced",
        "slurmd",
        "nv-fabricmanager",
        "rsyslogd",
    ];
    let prefix = line.prefix.as_ref()?;
    let unit = prefix.unit.as_deref();
    if unit == Some("kernel") {
        let before = line.text.get(..line.body as usize).unwrap_or("");
        let ring = !["kernel:", "kernel：", "kernel["].iter().any(|tag| before.contains(tag));
        return Some(if ring { Kind::Dmesg } else { Kind::Journal });
    }
    match (unit, prefix.time) {
        (None, Some(Stamp::Uptime(_))) => Some(Kind::Dmesg),
        (Some(unit), _) if DAEMONS.contains(&unit) => Some(Kind::Journal),
        _ => None,
    }
}
