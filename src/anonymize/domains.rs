//! Names with dots that are a machine's or a company's, rather than a module's.

use super::hosts::{certain, is_file};
use super::kind::Kind;
use super::rules::{Find, Found, Rule};
use super::words;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "domain",
        gate: &[
            ".org", ".edu", ".gov", ".mil", ".cn", ".de", ".fr", ".uk", ".jp", ".kr", ".eu", ".nl", ".ch", ".se", ".ru", ".es", ".br",
            ".au", ".ca", ".tw", ".hk", ".sg", ".pl", ".cz", ".at", ".fi", ".dk", ".example", ".lan", ".arpa", ".cloud", ".onion", ".biz",
            ".tech", ".online", ".local", ".test", ".home", ".net", ".io", ".ai", ".app", ".co", ".me", ".in", ".svc", ".cluster", ".priv",
            ".xyz", ".site",
        ],
        feature: 0,
        find: Find::Regex(
            r"(?:^|\*\.|[=,\s]\.|[^A-Za-z0-9_.@/\\-])(?<host>[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9_-]*[A-Za-z0-9])?)+)",
            domain,
        ),
    },
    Rule {
        name: "domain-behind-a-sign",
        gate: &[".example", ".internal", ".corp", ".lan", ".localdomain"],
        feature: 0,
        find: Find::Regex(
            r"[@/\\](?<host>[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9_-]*[A-Za-z0-9])?)+)",
            behind_sign,
        ),
    },
];

/// Top-level names that hardly stand behind a module or an attribute.
const FIRM: &[&str] = &[
    "com",
    "org",
    "edu",
    "gov",
    "mil",
    "cn",
    "de",
    "fr",
    "uk",
    "jp",
    "kr",
    "eu",
    "nl",
    "ch",
    "se",
    "ru",
    "es",
    "br",
    "au",
    "ca",
    "tw",
    "hk",
    "sg",
    "pl",
    "cz",
    "at",
    "fi",
    "dk",
    "example",
    "invalid",
    "localdomain",
    "corp",
    "lan",
    "intra",
    "intranet",
    "arpa",
    "cloud",
    "onion",
    "biz",
    "info",
    "tech",
    "online",
];
/// Those that do: `threading.local`, `model.net`.
const LOOSE: &[&str] = &[
    "internal", "local", "test", "home", "private", "net", "io", "ai", "dev", "app", "co", "me", "in", "svc", "cluster", "priv",
    "localnet", "xyz", "site",
];

/// Is a dotted name a machine's or company's rather than a module's?
pub(super) fn domain_like(value: &str) -> bool {
    let labels: Vec<&str> = value.split('.').collect();
    let lower = value.to_ascii_lowercase();
    let Some(last) = lower.rsplit('.').next() else { return false };
    if labels.len() < 2 || labels.iter().any(|label| label.len() > 63 || label.is_empty()) || is_file(value) && last != "net" {
        return false;
    }
    let first = labels.first().copied().unwrap_or("");
    let marked = labels.iter().rev().skip(1).any(|label| label.contains('-') || label.bytes().any(|b| b.is_ascii_digit()));
    let code = value.contains('_') && !marked
        || labels
            .iter()
            .any(|label| label.bytes().any(|b| b.is_ascii_uppercase()) && label.bytes().any(|b| b.is_ascii_lowercase()) && !marked);
    if FIRM.contains(&last) {
        let module = ["org", "info", "tech", "online", "cloud", "at", "es", "se", "de", "ca", "pl"];
        return !(code || labels.len() == 2 && words::is_public_package(first) && module.contains(&last));
    }
    let service = [
        "www", "api", "git", "gitlab", "registry", "harbor", "pypi", "nexus", "db", "mail", "vpn", "nas", "ldap", "login", "jenkins",
        "minio", "mlflow", "proxy", "ns", "nfs", "ftp",
    ];
    LOOSE.contains(&last)
        && !code
        && (marked
            || service.contains(&first)
            || lower.ends_with(".svc.cluster.local")
            || (labels.len() == 2 && ["local", "internal"].contains(&last) && !words::is_common(first) && !words::is_public_package(first)))
}

fn domain(found: &Found) -> Option<Kind> {
    let after = found.after();
    let longer = after.starts_with(['(', '_', '[', '='])
        || after.strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'));
    let resource = after.starts_with('/') && found.value().ends_with(".com");
    if longer || !domain_like(found.value()) || words::is_public_host(found.value()) {
        return None;
    }
    // `vendor.com/gpu` is a resource's name in Kubernetes.
    let extended = resource && after.get(1..).is_some_and(|rest| ["gpu", "mig", "rdma", "vgpu"].iter().any(|word| rest.starts_with(word)));
    if extended { None } else { certain(found) }
}

fn behind_sign(found: &Found) -> Option<Kind> {
    let firm = found.value().rsplit('.').next().is_some_and(|last| ["example", "internal", "corp", "lan", "localdomain"].contains(&last));
    if firm { domain(found) } else { None }
}
