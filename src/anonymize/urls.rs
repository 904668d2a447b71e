//! Addresses of the web, of stores, of image registries and of repositories.

use super::company;
use super::hosts;
use super::kind::Kind;
use super::rules::{Find, Found, Rule};
use super::scan::Hit;
use super::words;
use regex::Regex;
use std::sync::LazyLock;

pub(super) const RULES: &[Rule] = &[
    Rule { name: "address-of-the-web", gate: &["://"], feature: 0, find: Find::Code(web) },
    Rule {
        name: "bucket",
        gate: &[
            "://",
            "arn:aws:s3:::",
            ".database.",
            ".servicebus",
            ".redis.cache",
            ".documents.azure",
            ".search.windows",
            ".openai.",
            ".cognitive",
            ".azurewebsites",
            ".rds.",
            ".elb.",
            ".s3",
            "s3.",
            "oss-",
            ".cos.",
            "obs.",
            "blob.core",
            "storage.googleapis",
            "dfs.core",
            "bucket",
            "file.core",
            "queue.core",
            "table.core",
            "vault.azure",
            "azurecr",
        ],
        feature: 0,
        find: Find::Regex(
            concat!(
                r#"(?i)(?:^|[^a-z0-9])(?:(?:s3|s3a|s3n|gs|oss|cos|obs|tos|bos|az|adl|r2|b2|swift|juicefs|jfs|minio|ks3)://(?<bucket>[a-z0-9][a-z0-9._-]*)"#,
                r#"|(?:abfss?|wasbs?)://(?:(?<bucket2>[a-z0-9][a-z0-9._-]*)@)?(?<bucket3>[a-z0-9-]+)\.(?:dfs|blob)\.core"#,
                r#"|arn:aws[a-z-]*:s3:::(?<bucket4>[a-z0-9][a-z0-9._-]*)"#,
                r#"|(?<bucket5>[a-z0-9][a-z0-9.-]*[a-z0-9])\.(?:s3[a-z0-9.-]*\.amazonaws\.com|oss-[a-z0-9-]+\.aliyuncs\.com|cos\.[a-z0-9-]+\.myqcloud\.com|obs\.[a-z0-9-]+\.myhuaweicloud\.com|storage\.googleapis\.com|r2\.cloudflarestorage\.com|tos-[a-z0-9-]+\.volces\.com)"#,
                r#"|(?<bucket6>[a-z0-9-]+)\.(?:blob|dfs|file|queue|table)\.core\.windows\.net"#,
                r#"|(?<registry>[a-z0-9-]+)\.azurecr\.io|(?<bucket7>[a-z0-9-]+)\.vault\.azure\.net"#,
                r#"|(?:s3[a-z0-9.-]*\.amazonaws\.com|storage\.(?:googleapis|cloud\.google)\.com)/(?<bucket8>[a-z0-9][a-z0-9._-]*)"#,
                r#"|(?<host>[a-z0-9-]+)\.(?:database|servicebus|redis\.cache|documents|search|openai|cognitiveservices|azurewebsites)\.(?:windows\.net|azure\.com|net)|(?<host2>[a-z0-9][a-z0-9.-]*)\.(?:rds|elb|es|cache)\.amazonaws\.com|bucket [a-z ]{0,40}: (?<bucket11>[a-z0-9][a-z0-9._-]{2,62})|bucket(?:[_-]?name)?["']?\s*[:=]\s*["']?(?<bucket9>[a-z0-9][a-z0-9._-]{2,62})|(?:bucket|container) ['"](?<bucket10>[a-z0-9][a-z0-9._-]{2,62})['"])"#
            ),
            bucket,
        ),
    },
    Rule {
        name: "query-secret",
        gate: &["?", "&", "x-amz", "x-goog"],
        feature: 0,
        find: Find::Regex(
            concat!(
                r"(?i)[?&;](?:x-(?:amz|goog|oss|cos|obs)-(?:credential|signature|security-token)|credential|sig|signature|token|access[_-]?token|auth|auth_token|",
                r"key|api[_-]?key|apikey|password|passwd|pwd|secret|client_secret|code|awsaccesskeyid|ossaccesskeyid|googleaccessid|key-pair-id|accesskeyid|",
                r"q-ak|q-signature|security-token|sessionid|session|ticket|st|jwt|refresh_token|private_token|hmac|policy|skoid|sktid)=(?<token>[^\s&;\x22'<>)\]}]{4,})"
            ),
            query,
        ),
    },
    Rule {
        name: "image",
        gate: &[
            ".io/",
            ".com/",
            ".cn/",
            ".org/",
            ".net/",
            ".dev/",
            ".ai/",
            ".example",
            ".local",
            ".internal",
            ".corp",
            ".lan",
            "image",
            "docker",
            "pull",
            "registry",
            "harbor",
            "podman",
            "containerd",
            ".de/",
            ".fr/",
            ".edu/",
            ".cloud/",
            ":5000/",
            ":443/",
            "@sha256",
        ],
        feature: 0,
        find: Find::Regex(
            r#"(?:^|[\s"'=(\[,`])(?<registry>[a-z0-9][a-z0-9-]*(?:\.[a-z0-9-]+)+(?::\d{2,5})?|[a-z0-9][a-z0-9-]*:\d{2,5})(?<path>(?:/[a-z0-9][a-z0-9._-]*)+)(?::[A-Za-z0-9_][A-Za-z0-9_.-]*|@sha256:[0-9a-f]+)"#,
            image,
        ),
    },
    Rule {
        name: "git-over-ssh",
        gate: &["git@", "hg@", "gitea@", "gerrit@", "svn@"],
        feature: 0,
        find: Find::Regex(
            r#"(?:git|hg|gitea|gitlab|gerrit|svn)@(?<host>[A-Za-z0-9][A-Za-z0-9.-]*)(?::\d+)?[:/](?<project>[A-Za-z0-9~][A-Za-z0-9._~/-]*)"#,
            repository,
        ),
    },
    Rule {
        name: "cluster-store",
        gate: &["hdfs://", "viewfs://", "alluxio://", "nfs://", "lustre", "@tcp:", "@o2ib", "ceph", ":/"],
        feature: 0,
        find: Find::Regex(
            r"(?:^|[\s,])(?:(?<host>[A-Za-z0-9][A-Za-z0-9.-]*)(?:@(?:tcp|o2ib)\d*)?:(?:[A-Za-z0-9.-]+@(?:tcp|o2ib)\d*:)?/[A-Za-z0-9._/-]*(?:\s|$))",
            mount,
        ),
    },
];

static WEB: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r#"(?i)(?<scheme>[a-z][a-z0-9+.-]{1,30})://(?:(?<account>(?:<[a-z-]+-\d+>|[^\s/@:"'<>])*)(?::(?<secret>(?:<[a-z-]+-\d+>|[^\s/"'<>])*|[^\s"'<>@]*))?@)?"#,
        r#"(?<server><[a-z0-9-]+-\d+>|\[[0-9a-f:.%]+\]|[^\s/:?#"'<>)\]},;|\\@]+)(?<port>:\d+)?(?<path>/[^\s?#"'<>)\]},;|\\]*)?"#
    ))
    .ok()
});

fn web(text: &str, out: &mut Vec<Hit>) {
    let Some(regex) = WEB.as_ref() else { return };
    for captures in regex.captures_iter(text) {
        let range = |name: &str| captures.name(name).map(|group| (group.start(), group.end()));
        let scheme = captures.name("scheme").map_or("", |group| group.as_str());
        let account = captures.name("account").map_or("", |group| group.as_str());
        let server = captures.name("server").map_or("", |group| group.as_str());
        let secret = captures.name("secret").is_some_and(|group| !group.as_str().is_empty());
        if let Some((start, end)) = range("secret").filter(|_| secret) {
            out.push(Hit { start, end, kind: Kind::Password });
        }
        if let Some((start, end)) = range("account").filter(|_| !account.is_empty() && !["git", "hg", "svn"].contains(&account)) {
            // A token may stand where the user's name does.
            let kind = if !secret && account.len() >= 16 || account.len() >= 24 { Kind::Token } else { Kind::User };
            if kind == Kind::Token || !words::is_system(account) || secret && !words::is_common(account) {
                out.push(Hit { start, end, kind });
            }
        }
        let public = words::is_public_host(server);
        if is_store(scheme) {
            path(text, range("path"), out);
            continue;
        }
        if let Some((start, end)) = range("server").filter(|_| !public) {
            let found = Found { text, start, end, kind: Kind::Host };
            if let Some(kind) = hosts::certain(&found) {
                out.push(Hit { start, end: found.end, kind });
            }
        }
        if let Some(place) = range("path") {
            let private = !account.is_empty() || scheme.contains("ssh");
            public_path(text, server, place, private, out);
        }
    }
}

fn is_store(scheme: &str) -> bool {
    ["s3", "s3a", "s3n", "gs", "oss", "cos", "obs", "tos", "bos", "az", "abfs", "abfss", "wasb", "wasbs"]
        .contains(&scheme.to_ascii_lowercase().as_str())
}

/// Which parts of an address's path name somebody.
fn public_path(text: &str, server: &str, place: (usize, usize), private: bool, out: &mut Vec<Hit>) {
    let lower = server.to_ascii_lowercase();
    let tracker = ["wandb.ai", "comet.com", "comet.ml", "neptune.ai", "clear.ml", "swanlab.cn", "tensorboard.dev", "mlflow"];
    let tenant = ["dev.azure.com", "visualstudio.com", "codeup.aliyun.com", "source.developers.google.com", "coding.net"];
    if tenant.iter().any(|known| lower.ends_with(known)) {
        let views = ["_git", "_packaging", "_apis", "_build", "_artifacts", "pypi", "simple", "p", "r", "results", "v1", "git"];
        return parts(text, place, |part| !views.contains(&part) && !words::is_common(part), Kind::Project, out);
    }
    let code = ["github.com", "gitlab.com", "bitbucket.org", "gitee.com", "codeberg.org", "ghcr.io", "quay.io", "pkg.dev", "gcr.io"];
    if tracker.iter().any(|known| lower.ends_with(known)) {
        let common = [
            "runs",
            "workspace",
            "projects",
            "experiments",
            "reports",
            "groups",
            "sweeps",
            "artifacts",
            "login",
            "authorize",
            "docs",
            "settings",
            "site",
            "support",
            "quickstart",
            "api",
            "e",
            "table",
            "overview",
            "logs",
            "files",
            "home",
            "guides",
            "ref",
        ];
        if !lower.starts_with("docs.") {
            parts(text, place, |part| !common.contains(&part) && !part.is_empty(), Kind::Project, out);
        }
    } else if code.iter().any(|known| lower == *known) {
        let failed = ["Authentication failed", "fatal:", "Permission", "not found", "Could not read", "remote:", "origin"];
        let closed = private || failed.iter().any(|word| text.contains(word));
        let owner = text.get(place.0..place.1).unwrap_or("").split('/').nth(1).unwrap_or("");
        if closed && !words::is_public_organisation(owner) {
            let views = [
                "tree",
                "blob",
                "issues",
                "pull",
                "-",
                "merge_requests",
                "commit",
                "raw",
                "releases",
                "archive",
                "wiki",
                "actions",
                "main",
                "master",
            ];
            parts(text, place, |part| !views.contains(&part), Kind::Project, out);
        }
    } else if !words::is_public_host(server) {
        path(text, Some(place), out);
    }
}

fn path(text: &str, place: Option<(usize, usize)>, out: &mut Vec<Hit>) {
    if let Some(place) = place {
        parts(text, place, company::is_own_folder, Kind::Path, out);
    }
}

/// Adds the parts of a path that a rule picks.
fn parts(text: &str, (start, end): (usize, usize), pick: impl Fn(&str) -> bool, kind: Kind, out: &mut Vec<Hit>) {
    let mut at = start;
    for part in text.get(start..end).unwrap_or("").split('/') {
        let name = part.split(['@', ':']).next().unwrap_or("").trim_end_matches(['.', ',']).trim_end_matches(".git");
        if !name.is_empty() && pick(name) {
            out.push(Hit { start: at, end: at + name.len(), kind });
        }
        at += part.len() + 1;
    }
}

fn bucket(found: &Found) -> Option<Kind> {
    let value = found.value().to_ascii_lowercase();
    let spoken = ["bucket", "name", "none", "null", "s3", "www", "storage"].contains(&value.as_str()) || value.parse::<f64>().is_ok();
    // PyTorch's reducer and compilers have buckets, too.
    let sized = found.before_within(24).contains("bucket_") && !value.contains('-');
    (!spoken && !sized).then_some(found.kind)
}

fn query(found: &Found) -> Option<Kind> {
    let value = found.value();
    (value.len() >= 8 || value.bytes().any(|b| b.is_ascii_digit())).then_some(Kind::Token)
}

fn image(found: &Found) -> Option<Kind> {
    let start = if found.kind == Kind::Registry {
        found.start
    } else {
        found.before().rfind(|c: char| c.is_whitespace() || "\"'=([,`".contains(c)).map_or(0, |at| at + 1)
    };
    let whole = found.text.get(start..found.end).unwrap_or("");
    let server = whole.split('/').next().unwrap_or("");
    let name = server.split(':').next().unwrap_or("");
    let shared =
        ["ghcr.io", "quay.io", "gcr.io", "docker.io"].contains(&name) || name.ends_with("pkg.dev") || name.contains("aliyuncs.com");
    let owner = whole.split('/').nth(1).unwrap_or("");
    let file = words::is_version(name)
        || [".py", ".cpp", ".cc", ".h", ".so", ".c", ".rs", ".go"].iter().any(|end| whole.ends_with(end) || name.ends_with(end));
    let own = name.contains(".dkr.ecr.");
    let known = !own
        && words::is_public_host(name)
        && (!shared || words::is_public_organisation(owner) || owner == "library" || words::is_common(owner));
    if known || file || ["localhost", "127.0.0.1", "0.0.0.0"].contains(&name) {
        return None;
    }
    match found.kind {
        Kind::Registry if words::is_public_host(name) => None,
        Kind::Path => Some(Kind::Project),
        kind => Some(kind),
    }
}

fn repository(found: &Found) -> Option<Kind> {
    if found.kind == Kind::Host {
        return if words::is_public_host(found.value()) { None } else { hosts::certain(found) };
    }
    let owner = found.value().split('/').next().unwrap_or("");
    let spoken = !found.value().contains('/') && !found.value().contains(".git");
    (!words::is_public_organisation(owner) && !spoken).then_some(Kind::Project)
}

fn mount(found: &Found) -> Option<Kind> {
    let value = found.value();
    let drive = value.len() == 1 || value.eq_ignore_ascii_case("file");
    if drive || words::is_common(value) { None } else { hosts::certain(found) }
}
