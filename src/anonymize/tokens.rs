//! Tokens that are known by their shape.

use super::kind::Kind;
use super::rules::{Find, Found, Rule, always};
use super::scan::{Hit, feature};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "prefixed-token",
        gate: &[
            "ghp_",
            "gho_",
            "ghu_",
            "ghs_",
            "ghr_",
            "github_pat_",
            "glpat-",
            "gldt-",
            "glrt-",
            "glcbt-",
            "glptt-",
            "glsoat-",
            "hf_",
            "api_org_",
            "nvapi-",
            "dckr_pat_",
            "dckr_oat_",
            "pypi-ag",
            "npm_",
            "dapi",
            "dop_v1_",
            "doo_v1_",
            "rubygems_",
            "hvs.",
            "hvb.",
            "sg.",
            "figd_",
            "pul-",
            "shpat_",
            "shpss_",
            "sq0",
            "whsec_",
            "rk_live",
            "sk_live",
            "pk_live",
            "sk_test",
            "rk_test",
            "pk_test",
            "gsk_",
            "xai-",
            "r8_",
            "pplx-",
            "tvly-",
            "lin_api_",
            "ntn_",
            "sgp_",
            "sntrys_",
            "glsa_",
            "eyJrIjoi",
            "NRAK-",
            "phc_",
            "phx_",
            "jina_",
            "bce-v3",
            "ms-0",
            "ms-1",
            "ms-2",
            "ms-3",
            "ms-4",
            "ms-5",
            "ms-6",
            "ms-7",
            "ms-8",
            "ms-9",
            "ms-a",
            "ms-b",
            "ms-c",
            "ms-d",
            "ms-e",
            "ms-f",
            "1//0",
            "oauth2:",
            "gloas-",
            "glimt-",
            "ATATT3",
            "ATBB",
            "sk-",
            "lsv2_",
            "AGE-SECRET-KEY-",
            "fio-u-",
            "dckr_",
            "tskey-",
            "EAAC",
            "ya29.",
            "GOCSPX-",
            "r_v1_",
            "sbp_",
            "atlasv1.",
            "CFPAT-",
            "PMAK-",
            "dp.pt.",
        ],
        feature: 0,
        find: Find::Regex(
            concat!(
                r"(?:^|[^A-Za-z0-9])(?<token>",
                r"gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{20,255}",
                r"|gl(?:pat|dt|rt|cbt|ptt|soat|oas|imt|agent|ft)-[A-Za-z0-9_=.-]{16,}",
                r"|(?:hf|api_org)_[A-Za-z0-9]{16,}|nvapi-[A-Za-z0-9_-]{20,}",
                r"|dckr_[po]at_[A-Za-z0-9_-]{16,}|pypi-[A-Za-z0-9_-]{30,}|npm_[A-Za-z0-9]{20,}",
                r"|dapi[0-9a-f]{32}(?:-\d)?|do[opr]_v1_[0-9a-f]{40,}|rubygems_[0-9a-f]{40,}|hv[sb]\.[A-Za-z0-9_-]{20,}",
                r"|figd_[A-Za-z0-9_-]{20,}|pul-[0-9a-f]{40}|shp(?:at|ss|ca|pa)_[0-9a-fA-F]{32}|sq0[a-z]{3}-[A-Za-z0-9_-]{22,}",
                r"|whsec_[A-Za-z0-9+/=]{20,}|[srp]k_(?:live|test)_[A-Za-z0-9]{16,}",
                r"|(?:gsk|xai|pplx|tvly|jina|fw|cpk|r8|sgp|glsa|sntrys|sntryu|phc|phx|lin_api|ntn|rnd|sbp|nf)[_-][A-Za-z0-9_-]{20,}",
                r"|secret_[A-Za-z0-9]{30,}|NRAK-[A-Z0-9]{20,}|ATATT3[A-Za-z0-9_=-]{20,}|ATBB[A-Za-z0-9]{20,}",
                r"|sk-(?:proj-|ant-|svcacct-|admin-|or-v1-|lf-)?[A-Za-z0-9_-]{16,}|lsv2_(?:pt|sk)_[A-Za-z0-9_]{20,}",
                r"|AGE-SECRET-KEY-1[A-Z0-9]{40,}|tskey-[a-z]+-[A-Za-z0-9-]{16,}|EAAC[A-Za-z0-9]{30,}",
                r"|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|ya29\.[A-Za-z0-9_-]{20,}|1//0[A-Za-z0-9_-]{30,}|GOCSPX-[A-Za-z0-9_-]{20,}",
                r"|[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,}|CFPAT-[A-Za-z0-9_-]{30,}|PMAK-[0-9a-f-]{30,}|dp\.pt\.[A-Za-z0-9]{30,}",
                r"|bce-v3/[A-Za-z0-9/_-]{20,}|ms-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{20,})"
            ),
            shaped,
        ),
    },
    Rule {
        name: "cloud-key",
        gate: &["akia", "apka", "agpa", "anpa", "asia", "aroa", "aida", "abia", "acca", "aiza", "ltai", "akid", "aklt"],
        feature: 0,
        find: Find::Regex(
            concat!(
                r"(?:^|[^A-Za-z0-9])(?<token>(?:AKIA|APKA|AGPA|ANPA|ASIA|AROA|AIDA|ABIA|ACCA)[A-Z0-9]{12,20}|AIza[A-Za-z0-9_-]{30,}",
                r"|LTAI[A-Za-z0-9]{12,24}|AKID[A-Za-z0-9_-]{13,40}|AKLT[A-Za-z0-9_-]{16,60})"
            ),
            shaped,
        ),
    },
    Rule {
        name: "chat-token",
        gate: &["xox", "xapp-", "hooks.slack.com", "discord", ":aa", "access_token=", "/hook/", "webhook"],
        feature: 0,
        find: Find::Regex(
            concat!(
                r"(?:^|[^A-Za-z0-9])(?:(?<token>xox[a-z]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{10,})",
                r"|hooks\.slack\.com/(?:services|workflows)/(?<token2>[A-Za-z0-9/_-]{10,})",
                r"|discord(?:app)?\.com/api/webhooks/(?<token3>[A-Za-z0-9/_-]{10,})",
                r"|(?:bot)?(?<token4>\d{8,10}:[A-Za-z0-9_-]{30,})",
                r"|(?<token5>[MNO][A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40})",
                r"|open-apis/bot/v2/hook/(?<token6>[A-Za-z0-9-]{10,})",
                r"|webhook/send\?key=(?<token7>[A-Za-z0-9-]{10,})",
                r"|robot/send\?access_token=(?<token8>[A-Za-z0-9]{10,})",
                r"|webhook\.office\.com/webhookb2/(?<token9>[A-Za-z0-9@/-]{10,}))"
            ),
            always,
        ),
    },
    Rule {
        name: "jwt",
        gate: &["eyJ"],
        feature: 0,
        find: Find::Regex(r"(?:^|[^A-Za-z0-9])(?<token>eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_.-]*)?)", always),
    },
    Rule {
        name: "launcher-world-info",
        gate: &["world_info"],
        feature: 0,
        find: Find::Regex(r#"world_info["']?[=:\s]\s*["']?(?<token>[A-Za-z0-9+/_=-]{16,})"#, world_info),
    },
    Rule {
        name: "azure-key",
        gate: &["accountkey", "sharedaccess", "sig="],
        feature: 0,
        find: Find::Regex(r"(?i)(?:AccountKey|SharedAccessKey|SharedAccessSignature|[?&;]sig)=(?<token>[^\s;&\x22']{8,})", always),
    },
    Rule {
        name: "hex-key-of-a-tracker",
        gate: &[
            "wandb",
            "comet",
            "kaggle",
            "neptune",
            "clearml",
            "api.key",
            "apikey",
            "api_key",
            "api-key",
            "dashscope",
            "swanlab",
            "datadog",
            "dd_",
            "sentry",
        ],
        feature: 0,
        find: Find::Code(tracker_keys),
    },
    Rule { name: "pem-in-line", gate: &["-----begin ", "---- begin "], feature: 0, find: Find::Code(pem_in_line) },
    Rule {
        name: "public-key",
        gate: &["ssh-rsa", "ssh-ed25519", "ssh-dss", "ecdsa-sha2", "sk-ssh", "sha256:"],
        feature: 0,
        find: Find::Regex(
            r"(?:(?:ssh-(?:rsa|ed25519|dss)|ecdsa-sha2-\S+|sk-ssh-\S+) (?<pem>AAAA[A-Za-z0-9+/=]{20,}(?: \S+@\S+)?)|SHA256:(?<token>[A-Za-z0-9+/]{43}))",
            always,
        ),
    },
    Rule {
        name: "hash-of-a-password",
        gate: &["$1$", "$2a$", "$2b$", "$2y$", "$5$", "$6$", "$y$", "$argon2", "$pbkdf2", "$apr1$"],
        feature: 0,
        find: Find::Regex(r"(?<password>\$(?:1|2[aby]|5|6|y|apr1|argon2id?|pbkdf2[a-z0-9-]*)\$[./A-Za-z0-9$=,+-]{8,})", always),
    },
    Rule {
        name: "vault-token",
        gate: &[],
        feature: feature::LONG,
        find: Find::Regex(r"(?:^|[^A-Za-z0-9_.])(?<token>s\.[A-Za-z0-9]{24}|secret_[A-Za-z0-9]{30,})(?:[^A-Za-z0-9]|$)", shaped),
    },
    Rule { name: "long-secret-alone", gate: &[], feature: feature::LONG, find: Find::Code(alone) },
];

/// Words of code that happen to begin like a token have no digit and no capital.
fn shaped(found: &Found) -> Option<Kind> {
    let value = found.value();
    let digits = value.bytes().any(|b| b.is_ascii_digit());
    let upper = value.bytes().any(|b| b.is_ascii_uppercase());
    let lower = value.bytes().any(|b| b.is_ascii_lowercase());
    // `hf_hub_download`, `sk-learn-contrib`: words joined by dashes.
    let words = value
        .split(['_', '-', '.'])
        .filter(|part| !part.is_empty())
        .all(|part| part.bytes().all(|b| b.is_ascii_lowercase()) && part.len() < 16);
    ((digits || (upper && lower)) && !words).then_some(found.kind)
}

/// DeepSpeed's `--world_info`: base64 of host names; kept where it only names `localhost`.
fn world_info(found: &Found) -> Option<Kind> {
    let local = found.value().starts_with("eyJsb2NhbGhvc3Qi");
    (!local).then_some(found.kind)
}

/// 32 to 40 hex digits or a long mixed word in a line of an experiment tracker.
fn tracker_keys(text: &str, out: &mut Vec<Hit>) {
    let lower = text.to_ascii_lowercase();
    let keyed = ["key", "login", "token", "relogin", "auth"].iter().any(|word| lower.contains(word));
    if !keyed || lower.contains("commit") || lower.contains("sha256") {
        return;
    }
    for (start, word) in words(text) {
        let hex = word.bytes().all(|b| b.is_ascii_hexdigit()) && [32, 40, 64].contains(&word.len());
        let mixed = word.len() >= 24 && is_mixed(word);
        if hex && word.bytes().any(|b| b.is_ascii_digit()) || mixed {
            out.push(Hit { start, end: start + word.len(), kind: Kind::Token });
        }
    }
}

/// Runs of letters, digits and `_`.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter_map(move |word| {
        let start = at;
        at += word.len();
        // Every separator is one character, of one byte or more: find the word's real place.
        let place = text.get(start..)?.find(word).map(|skip| start + skip)?;
        at = place + word.len();
        (!word.is_empty()).then_some((place, word))
    })
}

/// Small letters, capitals and digits, changing often: chance, not a name.
fn is_mixed(word: &str) -> bool {
    let class = |b: u8| {
        if b.is_ascii_digit() {
            0
        } else if b.is_ascii_uppercase() {
            1
        } else {
            2
        }
    };
    let bytes = word.as_bytes();
    let mut seen = [0usize; 3];
    for byte in bytes.iter().filter(|b| b.is_ascii_alphanumeric()) {
        if let Some(count) = seen.get_mut(class(*byte)) {
            *count += 1;
        }
    }
    let changes = bytes.windows(2).filter(|w| matches!(w, [a, b] if class(*a) != class(*b))).count();
    seen.iter().all(|count| *count > 0) && changes * 4 >= bytes.len()
}

/// A key block written with `\n` in one line: everything between the marks.
fn pem_in_line(text: &str, out: &mut Vec<Hit>) {
    let mut from = 0;
    while let Some(begin) = find_from(text, "-----BEGIN ", from) {
        let Some(body) = find_from(text, "-----", begin + 11).map(|at| at + 5) else { return };
        let end = find_from(text, "-----END ", body).unwrap_or(text.len());
        let inner = text.get(body..end).unwrap_or("");
        let start = body + (inner.len() - inner.trim_start_matches(['\\', 'n', 'r', ' ']).len());
        let stop = start + text.get(start..end).unwrap_or("").trim_end_matches(['n', 'r', '\\', ' ']).len();
        if stop > start + 8 {
            out.push(Hit { start, end: stop, kind: Kind::Pem });
        }
        from = end.max(body);
    }
}

fn find_from(text: &str, needle: &str, from: usize) -> Option<usize> {
    text.get(from..)?.find(needle).map(|at| from + at)
}

/// A line that is nothing but base64 (a key block that lost its marks).
fn alone(text: &str, out: &mut Vec<Hit>) {
    let value = text.trim();
    let start = text.len() - text.trim_start().len();
    let body = value.trim_end_matches('=');
    let base64 = body.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'+' || b == b'/');
    if base64 && (48..=4096).contains(&body.len()) && is_mixed(body) && !body.starts_with('/') {
        out.push(Hit { start, end: start + value.len(), kind: Kind::Token });
    }
}
