//! Names of accounts and of people (Latin script).

use super::kind::Kind;
use super::rules::{Find, Found, Rule};
use super::scan::{Hit, feature};
use super::words;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "home-folder",
        gate: &["/home", "home/", "users/", "homes/"],
        feature: 0,
        find: Find::Regex(
            r#"(?:^|[^A-Za-z0-9_])(?:home\d*|homes|[Uu]sers)(?:/(?:users?|staff|students?|grad|faculty|people|[a-z]|g[0-9]))?/(?<user>[^/\s:;"'<>|\\,()\[\]{}$*?&#=`！，。；：、）]+)"#,
            home,
        ),
    },
    Rule {
        name: "windows-folder",
        gate: &[":\\", "\\home", "\\users", "documents and settings", ":/users"],
        feature: 0,
        find: Find::Regex(
            r#"(?i)(?:[a-z]:(?:\\{1,4}|/)|\\{1,4})(?:Users|Documents and Settings|[^\\/:*?"<>|\s]{1,40}\\{1,4}home)(?:\\{1,4}|/)(?:(?<user>[^\\/:*?"<>|\r\n\s]+(?: [^\\/:*?"<>|\r\n\s]+){0,2})[\\/]|(?<user2>[^\\/:*?"<>|\r\n\s',;)\]]+))"#,
            home,
        ),
    },
    Rule {
        name: "folder-of-a-user",
        gate: &[
            "torchinductor_",
            "torch_extensions_",
            "/media/",
            "/run/media/",
            "/mail/",
            "/tmp/",
            "crontabs/",
            "/ray_",
            "vscode-",
            "/spool/",
        ],
        feature: 0,
        find: Find::Regex(
            r#"(?:torchinductor_|torch_extensions_|triton_cache_|/run/media/|/media/|/var/(?:spool/)?(?:mail|cron)(?:/crontabs)?/|/tmp/(?:torchinductor_|torch_extensions_|triton_cache_|ray[_-]|tmux-|matplotlib-|hf_|pip-|runs_)?)(?<user>[a-z_][a-z0-9._-]*[a-z0-9])(?:[/\s:"',)]|$)"#,
            temporary,
        ),
    },
    Rule {
        name: "session",
        gate: &["pts/", " tty", "~"],
        feature: 0,
        find: Find::Regex(
            r"(?:^(?<user>[A-Za-z_][A-Za-z0-9_.-]*)\s+(?:pts/\d+|tty\d+)\s|(?:^|[\s'\x22=(])~(?<user2>[a-z_][a-z0-9_.-]*)(?:[/\s'\x22)]|$))",
            account,
        ),
    },
    Rule {
        name: "long-listing",
        gate: &["rw-", "rwx", "r-x", "r--", "--x"],
        feature: 0,
        find: Find::Regex(r"(?:^|[\s>|])[bcdlps-][rwxsStT-]{9}[.+@]?\s+\d+\s+(?<user>[^\s<]+)\s+(?<group>[^\s<]+)\s+[\d,]", account),
    },
    Rule { name: "id", gate: &["uid=", "gid=", "groups=", "groups："], feature: 0, find: Find::Code(ids) },
    Rule {
        name: "prompt",
        gate: &[],
        feature: feature::AT,
        find: Find::Regex(
            r#"(?:^|[\s(\[>│┌─])(?<user>[A-Za-z_][A-Za-z0-9_.-]*)@(?<host>[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)(?::\s?[~/][^\s$#%<>]*|\s+[~/A-Za-z0-9._-]+\]?|[\])]?:?)\s*[$#%>❯λ➜](?:\s|$)"#,
            prompt,
        ),
    },
    Rule {
        name: "short-prompt",
        gate: &[":~", ":/"],
        feature: 0,
        find: Find::Regex(
            r"^(?:\([^)]*\) )?(?<host>[A-Za-z0-9][A-Za-z0-9.-]*):[~/][^\s$#%<>]*(?: (?<user>[a-z_][a-z0-9._-]*))?[$#%>](?:\s|$)",
            prompt,
        ),
    },
    Rule {
        name: "account-at-host",
        gate: &[],
        feature: feature::AT,
        find: Find::Regex(
            r#"(?:^|[\s"'=(\[,`])(?<user>[A-Za-z_][A-Za-z0-9_.-]*)@(?<host>[A-Za-z][A-Za-z0-9-]*(?:\.[A-Za-z0-9-]+)*)(?:[\s:"'),\]`/]|$)"#,
            at_host,
        ),
    },
    Rule {
        name: "environment",
        gate: &[
            "submitter",
            "creator",
            "requester",
            "requestor",
            "invoker",
            "launcher",
            "actor",
            "_by",
            "runas",
            "run_as",
            "user",
            "usuario",
            "benutzer",
            "utilisateur",
            "utente",
            "logname",
            "owner",
            "login",
            "account",
        ],
        feature: 0,
        find: Find::Regex(
            r#"(?i)(?:^|[^A-Za-z0-9])(?:[a-z_]*_?user(?:_?name)?|logname|login(?:_?name)?|user[ _-]?id|uname|account[ _-]?name|owner|run_?as|submitted_by|created_by|started_by|requested_by|launched_by|submitter|creator|requester|requestor|invoker|launcher|actor|usuario|benutzer|utilisateur|utente|User Name|mail-user)["']?\s*[:=：]\s*["']?(?<user>[A-Za-z_][A-Za-z0-9_.\\-]*)"#,
            assigned,
        ),
    },
    Rule {
        name: "slurm-account",
        gate: &["userid=", "groupid="],
        feature: 0,
        find: Find::Regex(r"(?:UserId=(?<user>[^\s()<]+)|GroupId=(?<group>[^\s()<]+))", account),
    },
    Rule {
        name: "sudo",
        gate: &["sudo", "tty="],
        feature: 0,
        find: Find::Regex(
            r"(?:sudo(?:\[\d+\])?:\s+(?<user>[A-Za-z_][A-Za-z0-9_.-]*) : |\bUSER=(?<user2>[a-z_][a-z0-9_.-]*) ;|\[sudo\] password for (?<user3>[A-Za-z_][A-Za-z0-9_.-]*))",
            account,
        ),
    },
    Rule {
        name: "account-in-words",
        gate: &[
            "publickey for",
            "password for",
            "keyboard-interactive",
            "postponed",
            "session opened",
            "session closed",
            "user ",
            "user:",
            "user=",
            "(uid=",
            "submitted by",
            "started by",
            "launched by",
            "requested by",
            "created by",
            "run by",
            "killed by",
            "cancelled by",
            "reported by",
            "approved by",
            "reserved by",
            "used by",
            "held by",
            "triggered by",
            "by user",
            "by uid",
            "logged in",
            "cron[",
            "su:",
            "su[",
            "account ",
            "owned by",
            "用户 ",
        ],
        feature: 0,
        find: Find::Regex(
            concat!(
                r#"(?:(?:Accepted|Failed|Postponed) [a-z/-]+ for (?:invalid user |illegal user )?(?<user>[^\s<]+) from|(?:(?:session (?:opened|closed) for|of|[Ii]nvalid|[Nn]ew|unknown|remove|disconnected by|authenticating|for|as|[Ff]rom) user:?|\b[Uu]ser ID:?|BY UID) ['"`]?(?<user2>[A-Za-z_][A-Za-z0-9_.-]*)"#,
                r#"|\bby (?:user )?['"]?(?<user3>[A-Za-z_][A-Za-z0-9_.-]*)['"]?\((?:uid=)?\d+\)|\bby user:? ['"`]?(?<user4>[A-Za-z_][A-Za-z0-9_.-]*)"#,
                r#"|[Ll]ogged in (?:as|in):? ['"`]?(?<user5>[A-Za-z_][A-Za-z0-9_.-]*)(?: \((?<project>[A-Za-z0-9][A-Za-z0-9_.-]*)\))?|CRON\[\d+\]: \((?<user6>[^)\s]+)\)|\bsu(?:\[\d+\])?: (?:\(to [a-z0-9_.-]+\) )(?<user7>\S+)"#,
                r#"|(?:[Uu]ser|[Aa]ccount|用户) ['"`](?<user8>[A-Za-z_][A-Za-z0-9_.-]*)['"`]|[Oo]wned by (?:user )?['"`]?(?<user9>[A-Za-z_][A-Za-z0-9_.-]*)|[Uu]ser (?<user10>[A-Za-z_][A-Za-z0-9_.-]*) (?:is|has|does|not|cannot|in|from|on|at|\(\d+|tried|ran|logged|started|submitted|exceeded|requested)\b"#,
                r#"|(?:[Ss]ubmitted|[Ss]tarted|[Ll]aunched|[Rr]equested|[Cc]reated|[Rr]un|[Kk]illed|[Cc]ancelled|[Rr]eported|[Aa]pproved|[Rr]eserved|[Uu]sed|[Hh]eld|[Tt]riggered|[Oo]wned) by:? (?<user11>[a-z_][a-z0-9_.-]*\b)(?:[\s,.;)]|$))"#
            ),
            worded,
        ),
    },
    Rule {
        name: "option-of-a-user",
        gate: &[
            "-u ",
            "--user",
            "--owner",
            "--uid",
            "--mail-user",
            "chown",
            "usermod",
            "useradd",
            "adduser",
            "userdel",
            "gpasswd",
            "passwd ",
            "su -",
        ],
        feature: 0,
        find: Find::Regex(
            concat!(
                r#"(?:--(?:user(?:name)?|owner|uid|mail-user)(?:=|\s+)["']?(?<user>[A-Za-z_][A-Za-z0-9_.-]*)|(?:squeue|sacct|scancel|ps|top|htop|pkill|pgrep|killall|lsof|sudo|crontab|quota|sreport|qstat|bjobs|docker run|runuser|journalctl)\b[^|;\n]{0,60}?\s-[uU]\s*(?<user2>[A-Za-z_][A-Za-z0-9_.-]*)"#,
                r#"|\bchown\s+(?:-\S+\s+)*(?<user3>[A-Za-z_][A-Za-z0-9_.-]*)(?::(?<group>[A-Za-z_][A-Za-z0-9_.-]*))?\s|\b(?:usermod|gpasswd)\s+(?:-\S+\s+)*(?:[a-z,]+\s+)?(?<user4>[A-Za-z_][A-Za-z0-9_.-]*)\s*(?:$|[;&|])|\b(?:useradd|adduser|userdel|passwd|su -|su -l)\s+(?:-\S+\s+)*(?<user5>[A-Za-z_][A-Za-z0-9_.-]*)(?:\s|$|[;&|]))"#
            ),
            account,
        ),
    },
    Rule {
        name: "passwd-line",
        gate: &[":x:"],
        feature: 0,
        find: Find::Regex(r"(?:^|\s)(?<user>[a-z_][a-z0-9_.-]*):x:\d+:\d+:(?<person>[^:,]*)[^:]*:", account),
    },
    Rule {
        name: "gpustat",
        gate: &["m)"],
        feature: 0,
        find: Find::Regex(r"\s(?<user>[a-z_][a-z0-9_.-]*)(?::[A-Za-z0-9_.-]+)?(?:/\d+)?\(\d+M\)", account),
    },
    Rule {
        name: "windows-account",
        gate: &["\\"],
        feature: 0,
        find: Find::Regex(
            r#"(?i)(?:account(?: name)?|user(?: ?name)?|logon|domain|security id|owner|whoami|runas)["']?\s*[:=]?\s*["'(]?(?<company>[A-Z][A-Z0-9-]{1,14})\\{1,2}(?<user>[A-Za-z][A-Za-z0-9._-]*)"#,
            windows_account,
        ),
    },
    Rule {
        name: "person-with-mail",
        gate: &["<"],
        feature: 0,
        find: Find::Regex(r"(?:^|[\s:,;\x22'(])(?<person>\p{Lu}[\p{L}'’.-]*(?: \p{L}[\p{L}'’.-]*){0,4}) <[^<>\s@]+@[^<>\s]+>", person),
    },
    Rule {
        name: "person-in-words",
        gate: &[
            "author",
            "committer",
            "signed-off-by",
            "co-authored-by",
            "reported-by",
            "reviewed-by",
            "display name",
            "displayname",
            "full name",
            "fullname",
            "cn=",
            "contact",
            "maintainer",
            "assignee",
            "assigned to",
            "real name",
            "gecos",
            "given name",
            "surname",
            "reporter",
            "responsible",
            "user.name",
            "oncall",
            "on-call",
            "regards",
            "thanks",
            "hi ",
            "hello ",
            "dear ",
            "from:",
            "cc:",
            "ask ",
            "supervisor",
            "pi:",
            "engineer",
            "operator",
            "technician",
            "attn",
            "owner",
            "manager",
            "sincerely",
            "cheers",
            "admin:",
            "mr.",
            "ms.",
            "mrs.",
            "dr.",
            "prof.",
            "approver",
            "approved by",
            "reported by",
            "requester",
            "person",
            "customer",
            "employee",
        ],
        feature: 0,
        find: Find::Regex(
            concat!(
                r#"(?:(?i:author(?:ed[- ]by)?|committer|signed-off-by|co-authored-by|reported[- ]by|reviewed-by|tested-by|approved[- ]by|display[ _]?name|full[ _]?name|real[ _]?name|contact(?: person)?|maintainer|assignee|assigned to|reporter|requester|responsible(?: person)?|gecos|given[ _]?name|surname|last[ _]?name|first[ _]?name|user\.name|from|cc|attn|owner|manager|supervisor|engineer|operator|technician|approver|person|customer|employee(?: name)?|pi|admin|on-?call(?: engineer)?)["']?\s*[:=]?\s*["']?"#,
                r#"|(?i:\bcn=)|(?:Best |Kind |Many )?(?i:regards|thanks|sincerely|cheers|hi|hello|dear),?\s+|(?:Dr|Prof|Mr|Ms|Mrs)\.? )"#,
                r#"(?<person>\p{Lu}[\p{L}'’-]+(?:,? (?:\p{Lu}[\p{Ll}'’][\p{L}'’.-]*|\p{Lu}\.)){0,3})"#
            ),
            person_in_words,
        ),
    },
    Rule {
        name: "person-in-brackets",
        gate: &["oncall", "on-call", "phone", "tel", "call ", "contact"],
        feature: 0,
        find: Find::Regex(r"\((?<person>\p{Lu}\p{Ll}+(?: \p{Lu}[\p{L}'’-]+)?)\)", person),
    },
    Rule {
        name: "blame",
        gate: &[" +0", " -0", " +1"],
        feature: 0,
        find: Find::Regex(
            r"\((?<person>\p{L}[\p{L}'’.-]*(?: \p{L}[\p{L}'’.-]*){0,3})\s+\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4}\s+\d+\)",
            person,
        ),
    },
    Rule {
        name: "possessive",
        gate: &["'s ", "’s ", "s-mac", "s-mbp", "s-imac", "s-pc", "s-laptop", "s-workstation", "s-desktop"],
        feature: 0,
        find: Find::Regex(
            r"(?:^|[^\p{L}])(?<person>\p{Lu}\p{Ll}{2,})(?:['’]s |s-)(?:(?i:workstation|macbook|mac|mbp|imac|pc|laptop|desktop|machine|computer|server|iphone|box|account|run|job|node|gpu))",
            person,
        ),
    },
];

/// A name of an account: not one that every system has.
pub(super) fn account(found: &Found) -> Option<Kind> {
    let value = found.value();
    if found.kind == Kind::Person {
        return person(found);
    }
    let sane = value.len() >= 2 && !value.contains(['<', '>', '(', '/', '=', '%', '$']) && !value.starts_with('-');
    (sane && !words::is_system(value)).then_some(found.kind)
}

/// The folder below `/home`: accounts, not the trees that clusters put there.
fn home(found: &Found) -> Option<Kind> {
    let value = found.value();
    let tree = [
        "conda",
        "miniconda",
        "miniconda3",
        "anaconda3",
        "linuxbrew",
        "shared",
        "share",
        "data",
        "datasets",
        "models",
        "lib",
        "bin",
        "work",
        "site",
        "src",
        "me",
        "self",
        "api",
        "login",
        "index.html",
        "lost+found",
        "projects",
    ];
    let file = value.starts_with('.') || value.contains("%");
    (!tree.contains(&value) && !file).then_some(())?;
    account(found)
}

/// Below `/tmp` and `/media` ordinary names stay.
fn temporary(found: &Found) -> Option<Kind> {
    let value = found.value();
    let before = found.before();
    let random = value.starts_with("tmp") || value.bytes().filter(u8::is_ascii_digit).count() > 3 || value.contains('.') || value.len() < 3;
    let plain = words::is_plain(value) || words::is_device(value) || words::is_public_package(value);
    let sure = before.ends_with("inductor_") || before.ends_with("extensions_") || before.ends_with("/media/");
    (!plain && (sure || !random)).then(|| account(found)).flatten()
}

/// `44(video)` stays, `1007(name)` goes: names in brackets behind a number.
fn ids(text: &str, out: &mut Vec<Hit>) {
    let mut at = 0;
    let mut first = true;
    while let Some(open) = text.get(at..).and_then(|rest| rest.find('(')).map(|skip| at + skip) {
        let Some(close) = text.get(open..).and_then(|rest| rest.find(')')).map(|skip| open + skip) else { return };
        at = close + 1;
        if !text.get(..open).is_some_and(|before| before.ends_with(|c: char| c.is_ascii_digit())) {
            continue;
        }
        let kind = if first { Kind::User } else { Kind::Group };
        first = false;
        let found = Found { text, start: open + 1, end: close, kind };
        if let Some(kind) = account(&found) {
            out.push(Hit { start: open + 1, end: close, kind });
        }
    }
}

fn prompt(found: &Found) -> Option<Kind> {
    if found.after().starts_with("://") {
        return None;
    }
    if found.kind == Kind::User { account(found) } else { super::hosts::certain(found) }
}

/// `name@node7` outside a prompt: not `image@sha256`, `gcc@11`, `memcpy@GLIBC_2.14`, nor mail.
fn at_host(found: &Found) -> Option<Kind> {
    let (user, host) = if found.kind == Kind::User {
        (found.value(), found.after().get(1..).unwrap_or(""))
    } else {
        (
            found.before().trim_end_matches('@').rsplit(|c: char| !(c.is_ascii_alphanumeric() || "_.-".contains(c))).next().unwrap_or(""),
            found.value(),
        )
    };
    let host = host.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '.')).next().unwrap_or("");
    let shell = ["ssh ", "scp ", "rsync ", "sftp ", "sshfs ", "mosh "].iter().any(|program| found.before().contains(program));
    let named = host.contains('-') || host.bytes().any(|b| b.is_ascii_digit());
    let lower = host.to_ascii_lowercase();
    let version = ["sha256", "glibc", "cxxabi", "latest", "next", "main", "master", "cu1", "rc", "beta", "alpha", "py3", "dev"]
        .iter()
        .any(|start| lower.starts_with(start));
    let unit = [".service", ".socket", ".timer", ".git"].iter().any(|end| lower.ends_with(end))
        || ["git", "hg", "svn"].contains(&user)
        || user.ends_with(".git");
    let mail = host.contains('.') && !shell;
    // Those who build kernels and drivers for everybody.
    let farm = ["buildd", "dvs-builder", "mockbuild", "builder", "abuild", "build", "kbuild", "koji", "linux-kernel"].contains(&user);
    if farm || version || unit || mail || !(shell || named) || words::is_version(host) {
        return None;
    }
    prompt(found)
}

/// `USER=name`; numbers, switches and code are no names.
fn assigned(found: &Found) -> Option<Kind> {
    let value = found.value();
    let lower = value.to_ascii_lowercase();
    let words_of_code = [
        "true",
        "false",
        "none",
        "null",
        "nil",
        "undefined",
        "assistant",
        "bot",
        "string",
        "str",
        "int",
        "yes",
        "no",
        "on",
        "off",
        "empty",
        "self",
        "the",
        "id",
        "name",
        "os",
        "notice",
        "warning",
        "info",
        "err",
        "debug",
        "error",
    ];
    let call = found.after().starts_with('(') || (found.after().starts_with('.') && value.len() < 4);
    // syslog's facility and chat templates: `user: warning:`, `user: Hello`.
    let spoken = found.before().trim_end().ends_with("user:") && (found.after().starts_with(':') || words::is_common(value));
    (!words_of_code.contains(&lower.as_str()) && !call && !spoken && !value.contains("..")).then(|| account(found)).flatten()
}

/// Names out of sentences: an ordinary word is none.
fn worded(found: &Found) -> Option<Kind> {
    let value = found.value();
    if found.kind == Kind::Project {
        return (!words::is_common(value)).then_some(Kind::Project);
    }
    let sure = ["from user ", "for user ", "of user ", "by user ", "'", "(", "`"].iter().any(|end| found.before().ends_with(end))
        || found.after().starts_with(" from ");
    let plain = words::is_common(value) && !(sure && !words::is_system(value) && found.after().starts_with(['\'', '"', '`', '(', ')']));
    let file = value.contains('.') && [".py", ".sh", ".c", ".so", ".service"].iter().any(|end| value.ends_with(end));
    (!plain && !file && !words::is_public_package(value)).then(|| account(found)).flatten()
}

fn windows_account(found: &Found) -> Option<Kind> {
    let lower = found.value().to_ascii_lowercase();
    let builtin = ["nt", "authority", "builtin", "system", "workgroup", "hkey", "software", "font", "window"];
    (!builtin.contains(&lower.as_str())).then(|| account(found)).flatten()
}

/// Capitalised words that are a person's name rather than a title.
pub(super) fn person(found: &Found) -> Option<Kind> {
    let value = found.value().trim_end_matches(['.', ',']);
    let plain =
        value.split([' ', ',', '.']).filter(|word| !word.is_empty()).all(|word| words::is_common(word) || words::is_public_package(word));
    (value.chars().count() >= 2 && !plain && !value.contains(['<', '/'])).then_some(Kind::Person)
}

fn person_in_words(found: &Found) -> Option<Kind> {
    let value = found.value();
    let first = value.split([' ', ',']).next().unwrap_or("");
    let letters = first.chars().filter(|c| c.is_lowercase()).count();
    // Constants and class names are written otherwise; words of English begin sentences.
    let camel = first.split('-').any(|part| part.chars().skip(1).any(char::is_uppercase)) && !value.contains(' ');
    let called = found.after().starts_with(['(', '.', '_', '[', '=', '/', ':']) && !found.after().starts_with(". ");
    (letters > 0 && !camel && !called && !words::is_common(first) && !words::is_public_package(first)).then(|| person(found)).flatten()
}
