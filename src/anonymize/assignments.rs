//! Passwords, keys and tokens that are assigned to a name.

use super::kind::Kind;
use super::rules::{Find, Found, Rule};
use super::secrets::is_empty_value;

/// Gate literals: each name with the signs that may follow it, and words that stand alone.
macro_rules! keys {
    ($($name:literal),* ; $($word:literal),*) => {
        &[$(
            concat!($name, "="), concat!($name, ":"), concat!($name, "\""), concat!($name, "'"),
            concat!($name, " ="), concat!($name, " :"), concat!($name, "\\"), concat!($name, "  "), concat!($name, "\t"),
        )* $($word),*]
    };
}

/// A value after `=` or `:`: quoted (with escapes), or up to a blank or separator.
macro_rules! value {
    ($kind:literal) => {
        concat!(
            r#"(?:\\?"(?<"#,
            $kind,
            r#">(?:[^"\\]|\\[^"]|\\"[^\s,}\]:])+)\\?"|'(?<"#,
            $kind,
            r#"2>(?:[^'\\]|\\.)+)'|(?<"#,
            $kind,
            r#"3>[^\s"'&;,][^\s"'&;]*))"#
        )
    };
}

const PASSWORD_KEYS: &str = concat!(
    r#"(?i)(?:[A-Za-z0-9_.-]*(?:passw(?:or)?d|passphrase|passwd|passcode|_pass|\bpw|\bpass|pwd|_pw|\bpsk|口令|密码)|密码|口令|密钥)["'\\]{0,2}\s*(?:=>|:=|[:=：])\s*"#,
    value!("password")
);

const SECRET_KEYS: &str = concat!(
    r#"(?i)[A-Za-z0-9_.-]*(?:secret|api[_-]?key|apikey|access[_-]?key(?:[_-]?(?:id|secret))?|secret[_-]?(?:access[_-]?)?key|(?:private|preshared|pre_shared)[_-]?key(?:[_-]?id)?|"#,
    r#"account[_-]?key|encryption[_-]?key|signing[_-]?key|credentials?|auth[_-]?key|service[_-]?key|session[_-]?(?:id|key)|client[_-]?secret|"#,
    r#"accesskey|secretkey|app[_-]?(?:secret|key)|webhook|sendkey|authkey|license[_-]?key|cookie|csrf)["'\\]{0,2}\s*(?:=>|:=|[:=])\s*"#,
    value!("token")
);

const TOKEN_KEYS: &str = concat!(
    r#"(?i)[A-Za-z0-9_.-]*(?:token|authtoken|auth|\bsig|signature|jwt|bearer|\bkey|[a-z]_key)["'\\]{0,2}\s*(?:=>|:=|[:=])\s*"#,
    value!("token")
);

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "password-assignment",
        gate: keys!["password", "passwd", "passphrase", "passcode", "pass", "pwd", "pw", "psk"; "口令", "密码", "密钥"],
        feature: 0,
        find: Find::Regex(PASSWORD_KEYS, password),
    },
    Rule {
        name: "secret-assignment",
        gate: keys!["secret", "api_key", "api-key", "apikey", "access_key", "access-key", "accesskey", "key_id", "keyid", "key-id", "key_secret", "keysecret", "key-secret", "private_key", "private_key_id", "presharedkey", "preshared_key", "pre_shared_key", "private-key", "privatekey", "account_key", "accountkey", "encryption_key", "signing_key", "signing-key", "credential", "credentials", "auth_key", "authkey", "service_key", "session_id", "session-id", "sessionid", "session_key", "secret_key", "secretkey", "secret-key", "app_key", "appkey", "appsecret", "webhook", "sendkey", "license_key", "cookie", "csrf";],
        feature: 0,
        find: Find::Regex(SECRET_KEYS, secret),
    },
    Rule {
        name: "token-assignment",
        gate: keys!["token", "auth", "sig", "signature", "jwt", "bearer", "key";],
        feature: 0,
        find: Find::Regex(TOKEN_KEYS, token),
    },
];

/// What an unquoted value drags along.
fn is_call(found: &Found) -> bool {
    let value = found.value();
    value.contains("(") && !value.ends_with(')') || value.starts_with("os.") || value.starts_with("self.")
}

fn key_of<'a>(found: &'a Found) -> &'a str {
    let before = found.before().trim_end_matches(['"', '\'', '\\', ' ', '\t', ':', '=', '>', '：']);
    let start = before.rfind(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))).map_or(0, |at| at + 1);
    before.get(start..).or_else(|| before.char_indices().last().and_then(|(at, _)| before.get(at..))).unwrap_or("")
}

fn password(found: &Found) -> Option<Kind> {
    let value = found.value();
    let key = key_of(found).to_ascii_lowercase();
    // The working folder, and options that ask for a password.
    let folder = matches!(key.as_str(), "pwd" | "oldpwd" | "owd") || key.ends_with("_pwd") || key.ends_with(".pwd");
    let path = value.starts_with('/') || value.starts_with('~') || value.get(1..2) == Some(":");
    if is_empty_value(value) || (folder && path) || is_call(found) || key.ends_with("bypass") || key.ends_with("multipass") {
        return None;
    }
    let counted =
        (key.ends_with("pass") || key.ends_with("pw")) && value.bytes().all(|b| b.is_ascii_digit() || b == b'.') && value.len() < 6;
    (!counted).then_some(Kind::Password)
}

fn secret(found: &Found) -> Option<Kind> {
    let value = found.value();
    if is_empty_value(value) || is_call(found) || value.len() < 4 {
        return None;
    }
    let key = key_of(found).to_ascii_lowercase();
    let loose =
        key == "key" || key.ends_with("session-id") || key.ends_with("session_id") || key == "secret" || key.ends_with("credential");
    if loose && value.bytes().all(|b| b.is_ascii_lowercase() || b == b'-' || b == b'.') {
        return None;
    }
    (!value.starts_with('/')).then_some(Kind::Token)
}

/// Language models have tokens of another kind: only what looks like chance counts, unless the
/// name is an environment variable's.
fn token(found: &Found) -> Option<Kind> {
    let value = found.value();
    let key = key_of(found);
    let lower = key.to_ascii_lowercase();
    if is_empty_value(value) || is_call(found) || value.starts_with('/') || value.starts_with('[') || value.starts_with('<') {
        return None;
    }
    let modelled = [
        "bos",
        "eos",
        "pad",
        "unk",
        "cls",
        "sep",
        "mask",
        "image",
        "max",
        "min",
        "num",
        "new",
        "per",
        "added",
        "special",
        "video",
        "audio",
        "prompt",
        "completion",
        "total",
        "first",
        "stop",
        "start",
        "end",
        "decoder",
        "forced",
        "pre",
        "byte",
        "count",
        "n_",
        "use_",
    ];
    if lower.contains("token") && modelled.iter().any(|word| lower.starts_with(word) || lower.contains(&format!("_{word}"))) {
        return None;
    }
    let bytes = value.as_bytes();
    let digit = bytes.iter().any(u8::is_ascii_digit);
    let letter = bytes.iter().any(u8::is_ascii_alphabetic);
    let upper = bytes.iter().any(u8::is_ascii_uppercase);
    let lowered = bytes.iter().any(u8::is_ascii_lowercase);
    let environment =
        key.len() > 5 && key.bytes().all(|b| b.is_ascii_uppercase() || b == b'_' || b.is_ascii_digit()) && key.ends_with("TOKEN");
    let keyed = lower.ends_with("key");
    let least = if keyed { 20 } else { 8 };
    let chance = value.len() >= least && letter && (digit || (upper && lowered && value.len() >= 16));
    let wordy = value.contains(' ') || value.contains("://") || (keyed && value.contains('.'));
    ((environment && value.len() >= 4) || (chance && !wordy)).then_some(Kind::Token)
}
