//! Where facts hold: the host, a container, a pod, WSL, Windows.

use super::prompt::Cue;
use super::{Scope, ScopeId, ScopeKind};
use crate::intake::Paste;

/// Scopes are numbered in a byte; further ones share the last number.
const MAX_SCOPES: usize = 32;

/// The scopes of one paste, in order of appearance.
#[derive(Debug)]
pub struct Scopes {
    all: Vec<(Scope, String)>,
    /// The kind of the machine itself: host, or WSL or Windows where the paste shows it.
    machine: ScopeKind,
    base: ScopeId,
}

impl Scopes {
    /// Starts with the machine.
    pub fn new(machine: ScopeKind) -> Scopes {
        let first = Scope { kind: machine, number: 1 };
        Scopes { all: vec![(first, String::new())], machine, base: 0 }
    }

    /// The scope that holds outside of any prompt.
    pub fn base(&self) -> ScopeId {
        self.base
    }

    /// The machine itself, whose kernel every scope shares.
    pub fn machine(&self) -> ScopeId {
        0
    }

    /// A heading such as `# on the host` sets the scope of what follows.
    pub fn set_base(&mut self, kind: ScopeKind) {
        self.base = self.get(kind, "");
    }

    /// The scope of `kind` with this name; an unnamed one is the first of its kind.
    pub fn get(&mut self, kind: ScopeKind, name: &str) -> ScopeId {
        let kind = if kind == ScopeKind::Host { self.machine } else { kind };
        let of_kind = |scope: &Scope| scope.kind == kind;
        if let Some(at) = self.all.iter().position(|(scope, known)| of_kind(scope) && (known == name || name.is_empty())) {
            return at as ScopeId;
        }
        // The first name that turns up is that of the scope that had none.
        if let Some((at, (_, known))) = self.all.iter_mut().enumerate().find(|(_, (scope, known))| of_kind(scope) && known.is_empty()) {
            name.clone_into(known);
            return at as ScopeId;
        }
        if self.all.len() >= MAX_SCOPES {
            return (self.all.len() - 1) as ScopeId;
        }
        let number = self.all.iter().filter(|(scope, _)| of_kind(scope)).count() as u8 + 1;
        self.all.push((Scope { kind, number }, name.to_owned()));
        (self.all.len() - 1) as ScopeId
    }

    /// The scope of the shell that shows this prompt, and of the program that runs in it.
    pub fn of_cue(&mut self, cue: &Cue, current: ScopeId) -> (ScopeId, ScopeId) {
        let shell = match (&cue.scope, &cue.host) {
            (Some(kind), host) => self.get(*kind, host.as_deref().unwrap_or("")),
            (None, Some(host)) if self.machine == ScopeKind::Host => self.get(ScopeKind::Host, host),
            (None, Some(_)) => self.machine(),
            (None, None) => current,
        };
        let inner = match cue.parsed.scope {
            Some(kind) if self.all.get(shell as usize).is_some_and(|(s, _)| s.kind != kind) => self.get(kind, ""),
            _ => shell,
        };
        (shell, inner)
    }

    /// The list for the log.
    pub fn finish(self) -> Vec<Scope> {
        self.all.into_iter().map(|(scope, _)| scope).collect()
    }
}

/// What the machine is: WSL by its kernel and libraries, Windows by prompts and paths.
pub fn machine(paste: &Paste, cues: &[(usize, Cue)]) -> ScopeKind {
    const WSL: &[&str] = &["microsoft-standard-WSL2", "/usr/lib/wsl", "/dev/dxg", "WSL2 ", "GPU access blocked by the operating system"];
    const WINDOWS: &[&str] = &[
        "File \"C:\\",
        "File \"D:\\",
        "File \"E:\\",
        "File \"F:\\",
        "File \"G:\\",
        "WindowsPath(",
        "\\Scripts\\python.exe",
        "Event ID:",
        "[MSC v.",
        "Your device ran into a problem",
        "*** STOP: 0x",
        "Computer: DESKTOP-",
    ];
    let automaton = aho_corasick::AhoCorasick::new(WSL.iter().chain(WINDOWS)).ok();
    let (mut wsl, mut windows) = (false, false);
    for line in &paste.lines {
        for found in automaton.iter().flat_map(|a| a.find_iter(&line.text)) {
            let is_wsl = found.pattern().as_usize() < WSL.len();
            wsl |= is_wsl;
            windows |= !is_wsl;
        }
    }
    if wsl {
        return ScopeKind::Wsl;
    }
    let unix_prompt = cues.iter().any(|(_, cue)| cue.host.is_some());
    let windows_prompt = cues.iter().any(|(_, cue)| cue.scope == Some(ScopeKind::Windows));
    if !unix_prompt && (windows_prompt || windows) { ScopeKind::Windows } else { ScopeKind::Host }
}

/// A heading that says where the next lines come from.
pub fn heading(text: &str) -> Option<ScopeKind> {
    let line = text.trim();
    let marked = line.starts_with(['#', '=', '-', '*', '(', '（', '[', '【']);
    let titled = line.ends_with([':', '：']);
    if line.len() > 270 || line.chars().count() > 90 || !(marked || titled) {
        return None;
    }
    let words = line.to_lowercase();
    let any = |parts: &[&str]| parts.iter().any(|p| words.contains(p));
    if any(&["outside the container", "outside container", "outside docker", "容器外", "not in the container"]) {
        Some(ScopeKind::Host)
    } else if any(&[
        "in the container",
        "inside the container",
        "inside container",
        "in container",
        "inside the docker",
        "inside docker",
        "in docker",
        "within the container",
        "from the container",
        "container:",
        "容器内",
        "容器里",
        "容器中",
        "docker内",
        "docker 内",
        "docker里",
    ]) || matches!(words.trim_matches(|c: char| !c.is_alphanumeric()), "container" | "docker" | "容器")
    {
        Some(ScopeKind::Container)
    } else if any(&["inside the pod", "in the pod", "inside pod", "in pod", "pod内", "pod 内", "pod 里"])
        || words.trim_matches(|c: char| !c.is_alphanumeric()) == "pod"
    {
        Some(ScopeKind::Pod)
    } else if any(&[
        "on the host",
        "on host",
        "host:",
        "the host ",
        "of the node",
        "on the node",
        "宿主机",
        "主机上",
        "物理机",
        "bare metal",
        "host machine",
        "host side",
        "journal of",
        "kernel log",
    ]) || matches!(words.trim_matches(|c: char| !c.is_alphanumeric()), "host" | "node" | "主机")
    {
        Some(ScopeKind::Host)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_name_the_scope() {
        for (text, kind) in [
            ("# inside the container, worked for three days", Some(ScopeKind::Container)),
            ("# on the host", Some(ScopeKind::Host)),
            ("--- journal of the node ---", Some(ScopeKind::Host)),
            ("=== host ===", Some(ScopeKind::Host)),
            ("(in container)", Some(ScopeKind::Container)),
            ("容器内：", Some(ScopeKind::Container)),
            ("宿主机：", Some(ScopeKind::Host)),
            ("# outside the container", Some(ScopeKind::Host)),
            ("RuntimeError: could not reach the host 10.0.0.1", None),
            ("# 3 epochs", None),
        ] {
            assert_eq!(heading(text), kind, "{text}");
        }
    }

    #[test]
    fn scopes_are_numbered_by_name() {
        let mut scopes = Scopes::new(ScopeKind::Host);
        assert_eq!(scopes.get(ScopeKind::Host, "a"), 0);
        assert_eq!(scopes.get(ScopeKind::Host, "b"), 1);
        assert_eq!(scopes.get(ScopeKind::Host, "a"), 0);
        assert_eq!(scopes.get(ScopeKind::Container, ""), 2);
        assert_eq!(scopes.get(ScopeKind::Container, "web"), 2);
        let labels: Vec<_> = scopes.finish().iter().map(Scope::label).collect();
        assert_eq!(labels, ["host", "host-2", "container"]);
    }
}
