//! Secrets that are known by what stands around them: headers, options, key blocks.

use super::kind::Kind;
use super::rules::{Find, Found, Rule, always};
use super::scan::Hit;
use regex::Regex;
use std::sync::LazyLock;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "element",
        gate: &["password>", "passwd>", "secret>", "token>", "apikey>", "api_key>", "-data:"],
        feature: 0,
        find: Find::Regex(
            r"(?i)(?:(?:password|passwd|secret|token|api_?key)>(?<password>[^<>\s][^<]*)</|(?:client-key|client-certificate|certificate-authority|ca)-data:\s*(?<pem>[A-Za-z0-9+/=]{16,}))",
            always,
        ),
    },
    Rule {
        name: "dsn",
        gate: &["@tcp(", "@unix(", "@udp("],
        feature: 0,
        find: Find::Regex(
            r"(?:^|[\s\x22'=])(?<user>[A-Za-z0-9_.-]+):(?<password>[^\s@]+)@(?:tcp|udp|unix)\((?<host>[A-Za-z][A-Za-z0-9.-]*)?",
            always,
        ),
    },
    Rule {
        name: "auth-header",
        gate: &["authorization", "bearer ", "basic ", "x-api-key", "private-token", "job-token", "cookie:", "-token:", "-key:", "x-auth"],
        feature: 0,
        find: Find::Regex(
            concat!(
                r#"(?i)(?:(?:proxy-)?authorization["']?\s*[:=]\s*["']?(?:(?:bearer|basic|token|digest|negotiate|apikey|aws4-hmac-sha256|oauth|ntlm|key)\s+)?(?<token>[^\s"',;\\]+(?:[ ,;]+[A-Za-z_-]+=[^\s"'\\]+)*)"#,
                r#"|\bbearer\s+(?<token2>[A-Za-z0-9_.~+/=:-]{8,})"#,
                r#"|\bbasic\s+(?<token3>[A-Za-z0-9+/]{8,}={0,2})"#,
                r#"|(?:private-token|job-token|deploy-token|x-[a-z-]*(?:token|key|auth|secret)[a-z-]*|api-key|apikey|ocp-apim-subscription-key)["']?\s*:\s*["']?(?<token4>[^\s"',;\\]+)"#,
                r#"|^[\s<>]*(?:set-)?cookie:\s*(?<token6>[^\s\r\n][^\r\n]*)|(?:^|[\s"'<>])(?:set-)?cookie["']?\s*:\s*["']?(?<token5>[^"'\r\n]+))"#
            ),
            header,
        ),
    },
    Rule {
        name: "option",
        gate: &["-pass", "password", "passwd", "-token", "-api", "-secret", "-access", "-auth", "-bearer", "-cred"],
        feature: 0,
        find: Find::Regex(
            concat!(
                r#"(?i)(?:^|[\s"'(=\[`])--?(?:[a-z-]*(?:password|passwd|passphrase)|pass|passin|passout)(?:=|\s+)(?:"(?<password>[^"]+)"|'(?<password2>[^']+)'|(?<password3>[^\s"'-][^\s"']*))"#,
                r#"|(?:^|[\s"'(=\[`])--?[a-z-]*(?:token|api[-_]?key|secret(?:-key)?|access[-_]key(?:-id)?|auth|secret[-_]access[-_]key|bearer|credentials?)(?:=|\s+)(?:"(?<token>[^"]+)"|'(?<token2>[^']+)'|(?<token3>[^\s"'-][^\s"']*))"#
            ),
            option,
        ),
    },
    Rule {
        name: "client-option",
        gate: &[
            "mysql",
            "mariadb",
            "sqlcmd",
            "osql",
            "bcp ",
            "redis-cli",
            "sshpass",
            "curl ",
            "login",
            "ldap",
            "smbclient",
            "mongo",
            "ipmitool",
            "zip ",
        ],
        feature: 0,
        find: Find::Code(client_options),
    },
    Rule {
        name: "piped-password",
        gate: &["echo ", "printf ", "<<<"],
        feature: 0,
        find: Find::Regex(
            r#"(?:echo|printf)\s+(?:-[a-z]+\s+)?(?:"(?<password>[^"$]+)"|'(?<password2>[^']+)'|(?<password3>[^\s"'|$]+))\s*\|\s*(?:sudo\s+-S|docker login|podman login|helm registry|kinit|su\b|passwd|chpasswd|gpg|openssl|cryptsetup)"#,
            piped,
        ),
    },
    Rule {
        name: "netrc",
        gate: &["password ", "login "],
        feature: 0,
        find: Find::Regex(
            r"(?:(?:^|\s)login\s+(?<user>\S+)\s+password\s+(?<password>\S+)|^\s*password\s+(?<password2>\S+)\s*$|^\s*login\s+(?<user2>\S+)\s*$|machine\s+\S+\s+login\s+(?<user3>\S+))",
            netrc,
        ),
    },
    Rule {
        name: "pgpass",
        gate: &[":5432:", ":5433:", ":6432:", ":3306:"],
        feature: 0,
        find: Find::Regex(r"^(?<host>[A-Za-z0-9.-]+):\d{4}:[^:\s]+:(?<user>[^:\s]+):(?<password>\S+)$", always),
    },
    Rule {
        name: "sql-password",
        gate: &["identified by", "identified with", "password '", "requirepass", "masterauth", "auth "],
        feature: 0,
        find: Find::Regex(
            r#"(?i)(?:identified (?:by|with \S+ (?:by|as)) (?:password )?'(?<password>[^']+)'|password '(?<password2>[^']+)'|(?:requirepass|masterauth)\s+"?(?<password3>[^\s"]+)|"AUTH" "(?<password4>[^"]+)")"#,
            always,
        ),
    },
    Rule {
        name: "spoken-password",
        gate: &[
            "password is",
            "password for",
            "password to",
            "password of",
            "net use",
            "password was",
            "passphrase is",
            "token is",
            "密码",
            "口令",
            "key is",
            "incorrect api key",
            "invalid token",
            "api key",
        ],
        feature: 0,
        find: Find::Regex(
            r#"(?i)(?:(?:password|passphrase|passcode) (?:for|to|of) [a-z0-9 ._-]{1,40}? (?:is|was|=|:)\s*["'`]?(?<password3>[^\s"'`,;]*[0-9!@#$%^&*_-][^\s"'`,;]*)|net use [^\n]*/user:\S+\s+(?<password4>[^\s/]\S*)|(?:password|passphrase|passcode) (?:is|was)\s+["'`]?(?<password>[^\s"'`,;]+)|(?:密码|口令)(?:是|为|：|:|\s)\s*["'`]?(?<password2>[^\s"'`,;，。；]+)|(?:token|key)(?: is| was| provided)?:?\s+["'`]?(?<token>[A-Za-z0-9_*-]{16,}))"#,
            spoken,
        ),
    },
];

/// Words and marks that stand where no secret is given.
pub(super) fn is_empty_value(value: &str) -> bool {
    let lower = value.trim_matches(['"', '\'', '\\', '(', ')', '[', ']', '{', '}', ',', ' ', '.']).to_ascii_lowercase();
    let nothing = [
        "",
        "none",
        "null",
        "nil",
        "true",
        "false",
        "yes",
        "no",
        "unset",
        "undefined",
        "empty",
        "required",
        "string",
        "str",
        "optional",
        "n/a",
        "redacted",
        "hidden",
        "secret",
        "password",
        "token",
        "changed",
        "missing",
        "invalid",
        "not",
        "set",
        "default",
        "error",
        "failed",
        "unknown",
    ];
    nothing.contains(&lower.as_str())
        || is_metavariable(value)
        || lower.bytes().all(|b| matches!(b, b'*' | b'x' | b'.' | b'-'))
        || value.starts_with("${")
        || value.starts_with("$(")
        || value.starts_with("{{")
        || (value.starts_with('$')
            && value.get(1..).is_some_and(|name| name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_' || b.is_ascii_digit())))
}

/// `HF_TOKEN` where a usage line names a value: the word itself, in capitals.
fn is_metavariable(value: &str) -> bool {
    let word = value.trim_matches(['[', ']', '<', '>', '%', '"', '\'', ',']);
    let capitals = word.bytes().all(|b| b.is_ascii_uppercase() || b == b'_');
    let lower = word.to_ascii_lowercase();
    let ends = ["token", "key", "secret", "password", "passwd", "pass", "file", "path", "credentials", "str", "here"];
    let asked = lower.starts_with("your") || lower.starts_with("my-") || lower.starts_with("<");
    (capitals && ends.iter().any(|end| lower.ends_with(end))) || (asked && ends.iter().any(|end| lower.ends_with(end)))
}

fn header(found: &Found) -> Option<Kind> {
    let value = found.value();
    let word = value.to_ascii_lowercase();
    let spoken = ["token", "authentication", "auth", "required", "realm", "header", "failed", "block", "usage", "information"];
    let prose = spoken.iter().any(|start| word.starts_with(start)) || (value.len() < 24 && value.bytes().all(|b| b.is_ascii_lowercase()));
    (!is_empty_value(value) && !prose).then_some(Kind::Token)
}

fn option(found: &Found) -> Option<Kind> {
    let value = found.value();
    let mere_word = found.kind == Kind::Token && value.bytes().all(|b| b.is_ascii_lowercase());
    let number = value.bytes().all(|b| b.is_ascii_digit()) && found.kind == Kind::Token;
    (!is_empty_value(value) && !mere_word && !number).then_some(found.kind)
}

fn piped(found: &Found) -> Option<Kind> {
    (!is_empty_value(found.value())).then_some(Kind::Password)
}

fn netrc(found: &Found) -> Option<Kind> {
    if found.kind == Kind::User {
        return super::names::account(found);
    }
    let word = found.value().to_ascii_lowercase();
    let prose = ["for", "authentication", "required", "is", "was", "expired", "change", "changed", "incorrect", "mismatch", "prompt"];
    (!prose.contains(&word.as_str()) && !is_empty_value(&word)).then_some(Kind::Password)
}

fn spoken(found: &Found) -> Option<Kind> {
    let value = found.value();
    let prose = ["not", "incorrect", "required", "invalid", "expired", "correct", "the", "wrong", "错误", "不", "正确", "过期"];
    let worded = prose.iter().any(|word| value == *word || (!word.is_ascii() && value.starts_with(word)));
    let chance = found.kind != Kind::Token || value.bytes().any(|b| b.is_ascii_digit()) && value.bytes().any(|b| b.is_ascii_alphabetic());
    (!worded && chance && !is_empty_value(value)).then_some(found.kind)
}

const SQL_CLIENT: &str = r#"\s-U\s*["']?(?<user>[^\s"']+)|\s-P\s*(?:"(?<password>[^"]+)"|'(?<password2>[^']+)'|(?<password3>[^\s"']+))"#;

/// Short options mean different things to different programs.
const CLIENTS: [(&str, &str); 14] = [
    ("sqlcmd", SQL_CLIENT),
    ("osql", SQL_CLIENT),
    ("bcp ", SQL_CLIENT),
    ("mysql", r#"\s-u\s*(?<user>[^\s"']+)|\s-p(?:"(?<password>[^"]+)"|'(?<password2>[^']+)'|(?<password3>[^\s"'][^\s"']*))"#),
    ("mariadb", r#"\s-u\s*(?<user>[^\s"']+)|\s-p(?:"(?<password>[^"]+)"|'(?<password2>[^']+)'|(?<password3>[^\s"'][^\s"']*))"#),
    ("mongo", r#"\s-u\s*["']?(?<user>[^\s"']+)|\s-p\s*["']?(?<password3>[^\s"']+)"#),
    ("redis-cli", r#"\s-a\s*(?:"(?<password>[^"]+)"|'(?<password2>[^']+)'|(?<password3>[^\s"']+))"#),
    ("sshpass", r#"\s-p\s*(?:"(?<password>[^"]+)"|'(?<password2>[^']+)'|(?<password3>[^\s"']+))"#),
    (" login", r#"\s-u\s*["']?(?<user>[^\s"']+)|\s-p\s*(?:"(?<password>[^"]+)"|'(?<password2>[^']+)'|(?<password3>[^\s"']+))"#),
    ("curl", r#"\s(?:-u|--user|-U|--proxy-user)\s*=?["']?(?<user>[^\s"':]+):(?<password>[^\s"']+)"#),
    ("ipmitool", r#"\s-U\s*(?<user>\S+)|\s-P\s*(?<password>\S+)|\s-H\s*(?<host>\S+)"#),
    ("ldap", r#"\s-w\s*(?:"(?<password>[^"]+)"|'(?<password2>[^']+)'|(?<password3>[^\s"']+))|\s-D\s*["']?(?<person>[^\s"']+)"#),
    ("smbclient", r#"\s-U\s*["']?(?<user>[^\s"'%]+)%(?<password>[^\s"']+)"#),
    ("zip", r#"\s-P\s*(?<password>\S+)"#),
];

static CLIENT_OPTIONS: LazyLock<Vec<(&str, Option<Regex>)>> =
    LazyLock::new(|| CLIENTS.iter().map(|(program, expression)| (*program, Regex::new(expression).ok())).collect());

fn client_options(text: &str, out: &mut Vec<Hit>) {
    for (program, regex) in CLIENT_OPTIONS.iter() {
        let (Some(at), Some(regex)) = (text.find(program), regex) else { continue };
        for captures in regex.captures_iter(text.get(at..).unwrap_or("")) {
            for name in regex.capture_names().flatten() {
                let (Some(group), Some(kind)) = (captures.name(name), Kind::from_group(name)) else { continue };
                let found = Found { text, start: at + group.start(), end: at + group.end(), kind };
                let kind = if kind == Kind::User { super::names::account(&found) } else { Some(kind) };
                if let Some(kind) = kind.filter(|_| !is_empty_value(found.value())) {
                    out.push(Hit { start: found.start, end: found.end, kind });
                }
            }
        }
    }
}

static BODY: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"[A-Za-z0-9+/]{4,}={0,2}(?:[^A-Za-z0-9+/]*)$").ok());
static VALUE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"^[\s>|-]*["']?value["']?\s*[:=]\s*(?:"([^"]+)"|'([^']+)'|([^\s"',]+))"#).ok());
static NAME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"(?i)["']?name["']?\s*[:=]\s*["']?[A-Za-z0-9_.-]*(?:token|secret|passw(?:or)?d|passwd|api_?key|access_?key(?:_id)?|credentials?|private_?key|dsn|conn(?:ection)?_?str(?:ing)?|database_url|_key|_pass|_pwd)["']?\s*,?\s*$"#).ok()
});

/// The base64 of a line inside a key block.
pub(super) fn pem_body(text: &str) -> Option<(usize, usize)> {
    let found = BODY.as_ref()?.find(text.trim_end())?;
    let body = found.as_str().trim_end_matches(|c: char| !(c.is_ascii_alphanumeric() || "+/=".contains(c)));
    // The line holds a prefix at most; prose ends the block.
    let rest = text.get(..found.start()).unwrap_or("");
    let prose = rest.split_whitespace().count() > 8 || (body.len() < 16 && rest.trim().len() > 2);
    (!prose && !body.is_empty()).then_some((found.start(), found.start() + body.len()))
}

/// `Proc-Type: 4,ENCRYPTED`, an empty line: still inside the block.
pub(super) fn is_pem_header(text: &str) -> bool {
    text.trim().is_empty()
        || text.contains("Proc-Type:")
        || text.contains("DEK-Info:")
        || text.contains("Comment:")
        || text.contains("Version:")
}

/// `- name: HF_TOKEN`.
pub(super) fn names_a_secret(text: &str) -> bool {
    text.len() < 200 && text.contains("ame") && NAME.as_ref().is_some_and(|regex| regex.is_match(text))
}

/// The value of a `value: …` line.
pub(super) fn value_field(text: &str) -> Option<(usize, usize)> {
    let captures = VALUE.as_ref()?.captures(text)?;
    let group = captures.iter().skip(1).flatten().next()?;
    (!is_empty_value(group.as_str())).then_some((group.start(), group.end()))
}
