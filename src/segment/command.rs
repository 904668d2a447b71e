//! A typed command line: which program's output follows, in which scope, and how much of it.

use super::commands;
use super::{Command, Kind, ScopeKind};

/// Wrappers within wrappers (`sudo docker exec x bash -c '…'`) that are looked through.
const MAX_DEPTH: usize = 6;

/// What a command line says about the lines after it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parsed {
    pub program: String,
    pub filter: Option<String>,
    /// The kind of its output; `None` for a program that is not known.
    pub kind: Option<Kind>,
    /// The output may be of many kinds (a script, a log): lines are looked at one by one.
    pub carrier: bool,
    /// Not the whole listing is shown: `head`, `tail`, `awk`, `grep -v` and the like.
    pub cut: bool,
    /// The program runs elsewhere than the shell.
    pub scope: Option<ScopeKind>,
}

impl Parsed {
    /// The command of a segment.
    pub fn command(&self, line: &str, status: Option<i32>) -> Command {
        Command { line: line.trim().to_owned(), program: self.program.clone(), filter: self.filter.clone(), status }
    }
}

/// Reads a command line.
pub fn parse(line: &str) -> Parsed {
    let statements = statements(line);
    let mut telling = statements.iter().filter(|s| !is_trivial(s));
    let first = telling.next();
    let mixed = telling.next().is_some();
    let Some(statement) = first.or(statements.last()) else { return Parsed::default() };
    let mut parsed = pipeline(statement);
    if mixed {
        parsed.carrier = true;
        parsed.cut = true;
    }
    parsed
}

/// True where the line starts with a program that is known, which tells a root prompt from a
/// comment: `# nvidia-smi`, but `# inside the container`.
pub fn is_known(line: &str) -> bool {
    let parsed = parse(line);
    let word = parsed.program.split_whitespace().next().unwrap_or("");
    parsed.kind.is_some() || commands::PLAIN.contains(&base(word))
}

/// `cd x`, `export A=b`: nothing is printed.
fn is_trivial(statement: &[String]) -> bool {
    let words = statement.first().map(|stage| words(stage)).unwrap_or_default();
    let first = words.first().map(String::as_str).unwrap_or("");
    let only_assigned = !words.is_empty() && words.iter().all(|w| is_assignment(w));
    only_assigned
        || matches!(
            first,
            "cd" | "source" | "." | "set" | "sleep" | "clear" | "module" | "ml" | "unset" | "alias" | "umask" | "ulimit" | "export"
        )
        || (matches!(first, "conda" | "mamba" | "micromamba") && words.get(1).is_some_and(|w| w == "activate"))
}

fn pipeline(stages: &[String]) -> Parsed {
    let Some(first) = stages.first() else { return Parsed::default() };
    let mut parsed = look_through(first);
    for stage in stages.iter().skip(1) {
        filter_stage(&words(stage), &mut parsed);
    }
    parsed
}

/// Reads one stage after the first: does it cut, filter or only reorder?
fn filter_stage(words: &[String], parsed: &mut Parsed) {
    let Some(program) = words.first() else { return };
    match base(program) {
        "sort" | "less" | "more" | "cat" | "tee" | "column" | "nl" | "uniq" | "ts" | "bat" | "fold" => {}
        "grep" | "egrep" | "fgrep" | "zgrep" | "rg" | "findstr" | "Select-String" | "sls" => drop(grep(words, parsed)),
        "wc" => count_only(parsed),
        _ => parsed.cut = true,
    }
}

/// A number instead of the listing.
fn count_only(parsed: &mut Parsed) {
    parsed.kind = Some(Kind::Other);
    parsed.carrier = false;
    parsed.cut = true;
}

/// Takes the expression of a grep; gives the files that it reads.
fn grep(words: &[String], parsed: &mut Parsed) -> Vec<String> {
    let basic = !matches!(words.first().map(|w| base(w)), Some("egrep" | "rg" | "fgrep"));
    let (mut expressions, mut plain, mut files) = (Vec::new(), Vec::new(), Vec::new());
    let (mut ignore_case, mut extended, mut skip) = (false, !basic, false);
    for (index, word) in words.iter().enumerate().skip(1) {
        if std::mem::take(&mut skip) {
            continue;
        }
        match word.as_str() {
            "-e" | "--regexp" => {
                expressions.extend(words.get(index + 1).cloned());
                skip = true;
            }
            "-A" | "-B" | "-C" | "-m" | "-d" | "--context" => skip = true,
            "--ignore-case" => ignore_case = true,
            "--extended-regexp" | "--perl-regexp" => extended = true,
            "--invert-match" => parsed.cut = true,
            "--count" => count_only(parsed),
            flags if flags.starts_with("--") => parsed.cut |= flags.starts_with("--max"),
            flags if flags.len() > 1 && (flags.starts_with('-') || flags.starts_with("/i")) => {
                ignore_case |= flags.contains(['i', 'y']);
                extended |= flags.contains(['E', 'P']);
                parsed.cut |= flags.contains(['v', 'm', 'o', 'q', 'l']);
                if flags.contains('c') {
                    count_only(parsed);
                }
                if flags.ends_with('e') {
                    expressions.extend(words.get(index + 1).cloned());
                    skip = true;
                }
            }
            _ => plain.push(word.clone()),
        }
    }
    if expressions.is_empty() && !plain.is_empty() {
        expressions.push(plain.remove(0));
    }
    files.append(&mut plain);
    let joined = expressions.join("|");
    let expression = if extended { joined } else { joined.replace("\\|", "|") };
    let cased = if ignore_case { format!("(?i){expression}") } else { expression };
    // A second grep shows less than either expression says.
    parsed.cut |= parsed.filter.is_some();
    if !cased.is_empty() {
        parsed.filter = Some(cased);
    }
    files
}

/// Steps through `sudo`, assignments, `docker exec NAME` and the like to the program itself.
fn look_through(stage: &str) -> Parsed {
    let mut parsed = Parsed::default();
    let mut words = words(stage);
    for _ in 0..MAX_DEPTH {
        words = match unwrap(&words, &mut parsed) {
            Some(inner) => inner,
            None => break,
        };
    }
    parsed.program = words.join(" ");
    let Some(first) = words.first() else { return parsed };
    let name = base(first).trim_end_matches(".exe").to_owned();
    if first.ends_with(".exe") && matches!(name.as_str(), "nvidia-smi") {
        parsed.scope = Some(ScopeKind::Windows);
    }
    if words.iter().any(|w| matches!(w.as_str(), ">" | ">>") || (w.starts_with('>') && w.len() > 1)) {
        parsed.cut = true;
    }
    if matches!(name.as_str(), "grep" | "egrep" | "fgrep" | "zgrep" | "rg") {
        let files = grep(&words, &mut parsed);
        if parsed.kind.is_none() {
            parsed.kind = files.iter().find_map(|f| commands::kind_of_path(f));
        }
        parsed.carrier = parsed.kind.is_none();
        return parsed;
    }
    let known = commands::find(&name, words.get(1..).unwrap_or_default());
    parsed.kind = known.kind;
    parsed.carrier = known.carrier;
    parsed.cut |= known.cut;
    parsed.scope = known.scope.or(parsed.scope);
    parsed
}

/// The words inside a wrapper; `None` where there is none.
fn unwrap(words: &[String], parsed: &mut Parsed) -> Option<Vec<String>> {
    let first = words.first()?;
    let rest = words.get(1..)?;
    if is_assignment(first) && !rest.is_empty() {
        return Some(rest.to_vec());
    }
    let after_flags = |takes_value: &str| {
        let mut at = 0;
        while let Some(flag) = rest.get(at).filter(|w| w.starts_with('-')) {
            at += 1 + usize::from(flag.len() == 2 && flag.get(1..).is_some_and(|f| takes_value.contains(f)));
        }
        rest.get(at..).filter(|r| !r.is_empty()).map(<[String]>::to_vec)
    };
    match base(first) {
        "sudo" | "doas" => after_flags("uUgCprt"),
        "env" | "nice" | "stdbuf" | "nohup" | "time" | "exec" | "command" | "watch" | "setsid" | "chroot" | "strace" | "numactl"
            if !rest.is_empty() =>
        {
            after_flags(if base(first) == "watch" { "n" } else { "unio" }).filter(|r| r.iter().any(|w| !is_assignment(w)))
        }
        "timeout" => rest.iter().position(|w| !w.starts_with('-')).and_then(|at| rest.get(at + 1..)).map(<[String]>::to_vec),
        "bash" | "sh" | "zsh" | "cmd" | "cmd.exe" | "powershell" | "powershell.exe" => {
            let at = rest.iter().position(|w| matches!(w.as_str(), "-c" | "-lc" | "-ic" | "/c" | "-Command"))?;
            let inner = statements(rest.get(at + 1)?);
            let chosen = inner.iter().find(|s| !is_trivial(s)).or(inner.last())?;
            for stage in chosen.iter().skip(1) {
                filter_stage(&self::words(stage), parsed);
            }
            Some(self::words(chosen.first()?))
        }
        "srun" | "ssh" | "pdsh" | "clush" => inner_program(rest),
        "docker" | "podman" | "nerdctl" | "docker-compose" | "singularity" | "apptainer" => container(rest, parsed),
        "kubectl" | "oc" | "k" | "microk8s.kubectl" | "k3s" => {
            let exec = rest.iter().any(|w| w == "exec");
            let at = rest.iter().position(|w| w == "--").filter(|_| exec)?;
            parsed.scope = Some(ScopeKind::Pod);
            rest.get(at + 1..).filter(|r| !r.is_empty()).map(<[String]>::to_vec)
        }
        _ => None,
    }
}

/// `exec NAME cmd`, `run … IMAGE cmd`: the inner command where its program is known.
fn container(rest: &[String], parsed: &mut Parsed) -> Option<Vec<String>> {
    let verb = rest.iter().take(3).position(|w| matches!(w.as_str(), "exec" | "run"))?;
    parsed.scope = Some(ScopeKind::Container);
    inner_program(rest.get(verb + 1..)?)
}

/// From the first word on that is a known program and no option's value.
fn inner_program(words: &[String]) -> Option<Vec<String>> {
    let at = words.iter().enumerate().position(|(index, word)| {
        let value_of_flag =
            index > 0 && words.get(index - 1).is_some_and(|w| w.starts_with('-') && w.len() == 2 && !matches!(w.as_str(), "-t" | "-i"));
        let name = base(word);
        let known = commands::is_program(name) || matches!(name, "bash" | "sh");
        known && !value_of_flag && !word.contains(['=', ':'])
    })?;
    words.get(at..).map(<[String]>::to_vec)
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'))
}

/// The file's name of a path, forward or backward slashes.
pub fn base(word: &str) -> &str {
    word.rsplit(['/', '\\']).next().unwrap_or(word)
}

/// Splits at `;`, `&&`, `||` and, within, at pipes, minding quotes.
fn statements(line: &str) -> Vec<Vec<String>> {
    let mut all = vec![vec![String::new()]];
    let mut quote = None;
    let mut chars = line.trim().chars().peekable();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), c) if open == c => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (None, '\\') => {
                push(&mut all, c);
                if let Some(next) = chars.next() {
                    push(&mut all, next);
                }
                continue;
            }
            (None, ';') => {
                all.push(vec![String::new()]);
                continue;
            }
            (None, '&' | '|') if chars.peek() == Some(&c) => {
                chars.next();
                all.push(vec![String::new()]);
                continue;
            }
            (None, '|') => {
                if let Some(last) = all.last_mut() {
                    last.push(String::new());
                }
                continue;
            }
            _ => {}
        }
        push(&mut all, c);
    }
    all.retain(|s| s.iter().any(|stage| !stage.trim().is_empty()));
    all
}

fn push(all: &mut [Vec<String>], c: char) {
    if let Some(stage) = all.last_mut().and_then(|s| s.last_mut()) {
        stage.push(c);
    }
}

/// Splits at blanks, minding and dropping quotes; redirections of errors are left out.
fn words(stage: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let (mut word, mut open, mut quote) = (String::new(), false, None);
    for c in stage.chars() {
        match (quote, c) {
            (Some(q), c) if q == c => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                open = true;
            }
            (None, c) if c.is_whitespace() => {
                if open || !word.is_empty() {
                    all.push(std::mem::take(&mut word));
                }
                open = false;
            }
            (_, c) => word.push(c),
        }
    }
    if open || !word.is_empty() {
        all.push(word);
    }
    all.retain(|w| !matches!(w.as_str(), "2>&1" | "2>/dev/null" | "&" | "&>/dev/null" | "2>NUL"));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrappers_are_looked_through() {
        for (line, program, kind, scope) in [
            ("sudo dmesg -T", "dmesg -T", Some(Kind::Dmesg), None),
            ("watch -n 1 nvidia-smi", "nvidia-smi", Some(Kind::NvidiaSmi), None),
            ("CUDA_VISIBLE_DEVICES=0 python -m torch.utils.collect_env", "python -m torch.utils.collect_env", Some(Kind::TorchEnv), None),
            ("docker exec -it web nvidia-smi -L", "nvidia-smi -L", Some(Kind::NvidiaSmiList), Some(ScopeKind::Container)),
            (
                "docker run --rm --gpus all nvidia/cuda:12.4.1-base nvidia-smi",
                "nvidia-smi",
                Some(Kind::NvidiaSmi),
                Some(ScopeKind::Container),
            ),
            ("kubectl exec train-0 -n ml -- bash -c 'pip list | grep torch'", "pip list", Some(Kind::PipList), Some(ScopeKind::Pod)),
            ("cd /x && source venv/bin/activate && pip freeze", "pip freeze", Some(Kind::PipList), None),
            ("cat /proc/driver/nvidia/version", "cat /proc/driver/nvidia/version", Some(Kind::Modinfo), None),
            (
                "/usr/bin/nvidia-smi --query-gpu=index --format=csv",
                "/usr/bin/nvidia-smi --query-gpu=index --format=csv",
                Some(Kind::NvidiaSmiCsv),
                None,
            ),
            ("./launch.sh", "./launch.sh", None, None),
        ] {
            let parsed = parse(line);
            assert_eq!((parsed.program.as_str(), parsed.kind, parsed.scope), (program, kind, scope), "{line}");
        }
    }

    #[test]
    fn filters_and_cuts() {
        for (line, filter, cut, kind) in [
            ("lsmod | grep nvidia", Some("nvidia"), false, Some(Kind::Lsmod)),
            ("lsmod | egrep 'nvidia|nouveau'", Some("nvidia|nouveau"), false, Some(Kind::Lsmod)),
            ("pip list 2>/dev/null | grep -i -E \"torch|numpy\"", Some("(?i)torch|numpy"), false, Some(Kind::PipList)),
            ("dmesg | grep -i -e nvrm -e xid | head -40", Some("(?i)nvrm|xid"), true, Some(Kind::Dmesg)),
            ("ldconfig -p | grep 'cuda\\|nccl'", Some("cuda|nccl"), false, Some(Kind::Ldconfig)),
            ("dmesg | grep -c Xid", Some("Xid"), true, Some(Kind::Other)),
            ("nvidia-smi | head -4", None, true, Some(Kind::NvidiaSmi)),
            ("pip list | grep -v cuda", Some("cuda"), true, Some(Kind::PipList)),
            ("lsmod | grep nv | grep uvm", Some("uvm"), true, Some(Kind::Lsmod)),
            ("grep -h nvidia /var/log/apt/history.log", Some("nvidia"), false, Some(Kind::PackageHistory)),
            ("uname -r; nvidia-smi", None, true, Some(Kind::Uname)),
            ("journalctl -k -b", None, false, Some(Kind::Journal)),
            ("journalctl -u docker --since yesterday", None, true, Some(Kind::Journal)),
        ] {
            let parsed = parse(line);
            assert_eq!((parsed.filter.as_deref(), parsed.cut, parsed.kind), (filter, cut, kind), "{line}");
        }
    }

    #[test]
    fn comments_are_no_commands() {
        assert!(is_known("nvidia-smi -L"));
        assert!(is_known("cat x.log"));
        assert!(!is_known("inside the container, worked for three days"));
        assert!(!is_known("on the host"));
    }
}
