//! Prompt lines and the collector's marker: lines that say what the next ones are.

use super::Kind;
use super::ScopeKind;
use super::command::{self, Parsed};
use regex::Regex;
use std::sync::LazyLock;

/// A line that names the command whose output follows.
#[derive(Clone, Debug)]
pub struct Cue {
    pub parsed: Parsed,
    /// The command as typed.
    pub line: String,
    pub status: Option<i32>,
    /// `user@host` of the prompt.
    pub host: Option<String>,
    /// The prompt or marker says where the shell itself runs.
    pub scope: Option<ScopeKind>,
    /// Nothing was typed.
    pub empty: bool,
    /// A trace of `set -x` or Python's own prompt: no listing can be called complete.
    pub loose: bool,
}

/// `user@host:dir$ `, `[user@host dir]# `, `(env) user@host:~$ `, placeholders included.
static USER_HOST: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"^(?:\([^()]{1,40}\)\s*)*(?:(?P<b>\[)(?:[\w.-]+|<[\w-]+>|I have no name!)@(?P<h1>[\w.-]+|<[\w-]+>)(?:[ :][^\]]*)?\]|(?:[\w.-]+|<[\w-]+>|I have no name!)@(?P<h2>[\w.-]+|<[\w-]+>)(?::\s?(?:[~/]|<)(?:[^$#%>]|<[\w-]+>)*| [~/][^$#%>\s]* ?| [\w.-]+ ))(?P<s>[$#%>❯])\s*(?P<c>.*)$",
    )
    .ok()
});

/// `wren:~> `, `node:/data # `, `bash-5.1$ `, `/workspace # `, `❯ `, `➜  dir git:(main) ✗ `.
static HOST_ONLY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^(?:\([^()]{1,40}\)\s*)*(?:(?P<h>[\w.-]+):(?:~|/[\w./-]+|~/[\w./-]+) ?[$#>%]|(?:bash|sh|zsh|ash)-[\d.]+[$#]|/[\w./-]* [#$]|~ [#$]|[❯λ»]|➜\s+\S+(?: git:\(\S+\))?(?: ✗)?)(?:\s+(?P<c>.*))?$").ok()
});

/// Reads a line as a prompt or marker.
pub fn read(text: &str) -> Option<Cue> {
    let first = text.chars().next()?;
    match first {
        '$' | '#' | '%' => marker(text).or_else(|| bare(text, first)),
        '+' => trace(text),
        '>' => python(text),
        _ => windows(text).or_else(|| shell(text)),
    }
}

/// `#faultbook 1 <kind> rc=<n> scope=<s> :: <command>` of the collector.
fn marker(text: &str) -> Option<Cue> {
    let (head, line) = text.strip_prefix("#faultbook 1 ")?.split_once(" :: ")?;
    let mut words = head.split_whitespace();
    let kind = Kind::from_name(words.next()?)?;
    let mut cue = cue(line, None);
    cue.empty = false;
    cue.parsed.kind = Some(kind);
    cue.parsed.carrier = matches!(kind, Kind::Other | Kind::PythonLog);
    for word in words {
        if let Some(status) = word.strip_prefix("rc=") {
            cue.status = status.parse().ok();
        } else if let Some(scope) = word.strip_prefix("scope=") {
            cue.scope = scope_named(scope);
        }
    }
    Some(cue)
}

fn scope_named(name: &str) -> Option<ScopeKind> {
    use ScopeKind::{Container, Host, Pod, Vm, Windows, Wsl};
    [Host, Container, Pod, Wsl, Vm, Windows].into_iter().find(|kind| kind.name() == name)
}

/// `$ cmd`; `# cmd` and `% cmd` only with a program that is known (else it is a comment).
fn bare(text: &str, sigil: char) -> Option<Cue> {
    let rest = text.get(1..)?;
    let line = rest.trim();
    if sigil == '$' {
        return (line.is_empty() || rest.starts_with(' ')).then(|| cue(line, None));
    }
    let typed = rest.starts_with(' ') && command::is_known(line);
    typed.then(|| cue(line, None))
}

/// `+ nvidia-smi` of `set -x`, where the program's listing is known.
fn trace(text: &str) -> Option<Cue> {
    let line = text.trim_start_matches('+').strip_prefix(' ')?;
    let parsed = command::parse(line);
    let tells = parsed.kind.is_some() && parsed.kind != Some(Kind::Other) && !line.contains(" | ");
    tells.then(|| Cue { loose: true, ..cue(line, None) })
}

/// `>>> torch.cuda.is_available()`.
fn python(text: &str) -> Option<Cue> {
    let line = text.strip_prefix(">>> ").or_else(|| (text == ">>>").then_some(""))?;
    let mut cue = cue(line, None);
    cue.parsed = Parsed { program: "python".to_owned(), kind: Some(Kind::Probe), carrier: true, cut: true, ..Parsed::default() };
    cue.loose = true;
    Some(cue)
}

/// `PS C:\Users\x> cmd`, `C:\Users\x>cmd`, `(venv) C:\x>cmd`.
fn windows(text: &str) -> Option<Cue> {
    let mut path = text;
    if path.starts_with('(') {
        path = path.split_once(") ").filter(|(env, _)| env.len() < 40)?.1;
    }
    path = path.strip_prefix("PS ").unwrap_or(path);
    let drive = path.as_bytes();
    if !drive.first()?.is_ascii_alphabetic() || drive.get(1) != Some(&b':') || drive.get(2) != Some(&b'\\') {
        return None;
    }
    let end = path.bytes().take(260).position(|b| b == b'>')?;
    let folder = path.get(2..end)?;
    if folder.contains([':', '"', '|', '*', '?', ';']) {
        return None;
    }
    let mut cue = cue(path.get(end + 1..)?.trim(), None);
    cue.scope = Some(ScopeKind::Windows);
    Some(cue)
}

fn shell(text: &str) -> Option<Cue> {
    let head = text.get(..text.len().min(240)).unwrap_or(text);
    // Nearly every line ends here.
    let bytes = head.as_bytes();
    let has_sigil = memchr::memchr3(b'$', b'#', b'>', bytes).is_some() || memchr::memchr(b'%', bytes).is_some();
    if !has_sigil && (head.is_ascii() || !head.contains(['❯', '➜', 'λ', '»'])) {
        return None;
    }
    if head.contains('@')
        && let Some(found) = USER_HOST.as_ref()?.captures(text)
    {
        let host = found.name("h1").or(found.name("h2")).map(|m| m.as_str());
        let line = found.name("c").map_or("", |m| m.as_str());
        return Some(cue(line, host));
    }
    let may_be = head.contains(":~")
        || head.contains(":/")
        || head.starts_with(['/', '~', '❯', '➜', 'λ', '»', '('])
        || head.starts_with("bash-")
        || head.starts_with("sh-")
        || head.starts_with("zsh-")
        || head.starts_with("ash-");
    if !may_be {
        return None;
    }
    let found = HOST_ONLY.as_ref()?.captures(text)?;
    Some(cue(found.name("c").map_or("", |m| m.as_str()), found.name("h").map(|m| m.as_str())))
}

fn cue(line: &str, host: Option<&str>) -> Cue {
    let line = line.trim();
    let parsed = command::parse(line);
    Cue {
        parsed,
        line: line.to_owned(),
        status: None,
        scope: host.and_then(scope_of_host),
        host: host.map(str::to_owned),
        empty: line.is_empty(),
        loose: false,
    }
}

/// Docker names a container's host by twelve hex digits, Kubernetes a pod's by its replica set.
fn scope_of_host(host: &str) -> Option<ScopeKind> {
    let hex = |s: &str| s.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    if host.len() == 12 && hex(host) {
        return Some(ScopeKind::Container);
    }
    let (rest, last) = host.rsplit_once('-')?;
    let (_, set) = rest.rsplit_once('-')?;
    let is_pod = last.len() == 5
        && last.bytes().all(|b| b.is_ascii_alphanumeric())
        && (8..=10).contains(&set.len())
        && set.bytes().all(|b| b.is_ascii_alphanumeric())
        && set.bytes().any(|b| b.is_ascii_digit());
    is_pod.then_some(ScopeKind::Pod)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_of_many_shells() {
        for (text, line, host) in [
            ("$ nvidia-smi", "nvidia-smi", None),
            ("$", "", None),
            ("# nvidia-smi -L", "nvidia-smi -L", None),
            ("tmoreau@atelier:~$ nvidia-smi", "nvidia-smi", Some("atelier")),
            ("root@gpuw-b07:~# lspci | grep NVIDIA", "lspci | grep NVIDIA", Some("gpuw-b07")),
            ("[yfischer@gpusrv-02 quant]$ python main.py", "python main.py", Some("gpusrv-02")),
            ("(asp) ikovacs@rtx-desk:~/ASP/apex$ pip install -v", "pip install -v", Some("rtx-desk")),
            ("<user-1>@<host-1>:~$ id", "id", Some("<host-1>")),
            ("mhartley@login22:~/ace> python -m fme", "python -m fme", Some("login22")),
            ("wren:~> boltctl list", "boltctl list", Some("wren")),
            ("PS C:\\Users\\x> nvidia-smi", "nvidia-smi", None),
            ("C:\\Users\\dpark\\sd> python launch.py", "python launch.py", None),
            ("(venv) C:\\sd>pip list", "pip list", None),
            ("❯ uname -r", "uname -r", None),
            ("bash-5.1$ ls", "ls", None),
            ("/ # nvidia-smi", "nvidia-smi", None),
            ("➜  ace git:(main) ✗ ls", "ls", None),
            ("user@mac ~ % ls", "ls", Some("mac")),
            ("ihara@titan:~$", "", Some("titan")),
        ] {
            let cue = read(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((cue.line.as_str(), cue.host.as_deref()), (line, host), "{text}");
        }
    }

    #[test]
    fn what_is_no_prompt() {
        for text in [
            "# inside the container, worked for three days",
            "liwei.ocr@example.com > thanks",
            "C:\\sd\\x.py:12: UserWarning: a -> b",
            "+ set -eu",
            "/home/x/file.py:1132: FutureWarning: `a` -> b # c",
            "$HOME is not set",
            "/dev/nvme0n1p2  1.8T  412G  1.3T  25% /",
            "http://host:8080/x > y",
        ] {
            assert!(read(text).is_none(), "{text}");
        }
    }

    #[test]
    fn the_marker_says_everything() {
        let cue = read("#faultbook 1 lsmod rc=1 scope=container :: lsmod | grep nvidia").unwrap();
        assert_eq!((cue.parsed.kind, cue.status, cue.scope), (Some(Kind::Lsmod), Some(1), Some(ScopeKind::Container)));
        assert_eq!(cue.parsed.filter.as_deref(), Some("nvidia"));
    }
}
