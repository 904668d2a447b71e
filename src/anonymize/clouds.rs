//! Names inside a company that clouds, build services, model hubs and certificates show.

use super::company;
use super::kind::Kind;
use super::rules::{Find, Found, Rule};
use super::scan::Hit;
use super::words;

pub(super) const RULES: &[Rule] = &[
    Rule { name: "resource-of-a-cloud", gate: &["arn:aws", "acs:", "qcs::"], feature: 0, find: Find::Code(resource) },
    Rule {
        name: "resource-path",
        gate: &[
            "resourcegroups/",
            "providers/microsoft.",
            "resource group",
            "resource-group",
            "projects/",
            "instances/",
            "clusters/",
            "serviceaccounts/",
            "nodepools/",
            "repositories/",
            "workspaces/",
        ],
        feature: 0,
        find: Find::Regex(
            concat!(
                r#"(?:/(?i:resourceGroups|virtualMachines|virtualMachineScaleSets|managedClusters|storageAccounts|registries|vaults|networkInterfaces|virtualNetworks|subnets|computes|onlineEndpoints|agentPools|disks|servers)/(?<project>[A-Za-z0-9][A-Za-z0-9_.()-]*)"#,
                r#"|(?i:resource[ -]group)s? ['"]?(?<project2>[A-Za-z0-9][A-Za-z0-9_.()-]*)|(?:^|[\s/"'=])(?:projects|instances|clusters|serviceAccounts|nodePools|repositories|workspaces|instanceGroupManagers|instanceTemplates|reservations|networks|subnetworks)/(?<project3>[a-z][a-z0-9_.-]{3,62}))"#
            ),
            own,
        ),
    },
    Rule {
        name: "folder-of-a-build-service",
        gate: &["/work/", "_work/", "/__w/", "/builds/", "workspace/", "\\a\\", "/src/github.com/", "/a/"],
        feature: 0,
        find: Find::Regex(
            concat!(
                r#"(?:(?:/home/[a-z]+/work|/__w|/_work)/(?<project>[A-Za-z0-9][A-Za-z0-9_.-]*)(?:/(?<project2>[A-Za-z0-9][A-Za-z0-9_.-]*))?|/builds/(?<project3>[A-Za-z0-9][A-Za-z0-9_.-]*)/(?<project4>[A-Za-z0-9][A-Za-z0-9_.-]*)(?:/(?<project5>[A-Za-z0-9][A-Za-z0-9_.-]*))?"#,
                r#"|(?i:jenkins[a-z_]*(?:/agent)?/workspace)/(?<job>[A-Za-z0-9][A-Za-z0-9_.-]*)|[A-Z]:[\\/]{1,2}a[\\/]{1,2}(?<project6>[A-Za-z0-9][A-Za-z0-9_.-]*)|/src/(?:github|gitlab)\.com/(?<project7>[A-Za-z0-9][A-Za-z0-9_.-]*)/(?<project8>[A-Za-z0-9][A-Za-z0-9_.-]*))"#
            ),
            own,
        ),
    },
    Rule {
        name: "private-model",
        gate: &[
            "huggingface.co/",
            "hf.co/",
            "hf-mirror.com/",
            "modelscope.cn/",
            "not a local folder",
            "valid model identifier",
            "gated repo",
            "repo_id",
            "repo id",
            "hub_model_id",
            "hub-model-id",
            "couldn't find",
            "private repo",
            "repository not found",
        ],
        feature: 0,
        find: Find::Code(models),
    },
    Rule {
        name: "private-image",
        gate: &[
            "manifest",
            "image",
            "pull",
            "repository",
            "docker",
            "oras:",
            "registry",
            "/v2/",
            "oci ",
            "podman",
            "apptainer",
            "singularity",
            "blob",
            "push",
            "skopeo",
            "crane",
        ],
        feature: 0,
        find: Find::Code(images),
    },
    Rule {
        name: "container-by-name",
        gate: &["docker ", "podman ", "nerdctl ", "nvidia-docker", "enroot "],
        feature: 0,
        find: Find::Regex(
            concat!(
                r"(?:(?:docker|podman|nerdctl|enroot)\b[^|;\n]{0,300}?\s--(?:name|hostname|network-alias|container-name)[ =](?<container>[A-Za-z0-9][A-Za-z0-9_.-]*)",
                r"|(?:docker|podman|nerdctl)(?: container)? (?:exec|logs|stop|start|rm|attach|restart|inspect|kill|top|stats|port|wait)\s+(?:-\S+\s+)*(?<container2>[A-Za-z0-9][A-Za-z0-9_.-]*))"
            ),
            own,
        ),
    },
    Rule {
        name: "repository-by-name",
        gate: &["repository", "repo ", "project "],
        feature: 0,
        find: Find::Regex(
            r#"(?:[Gg]it repository with name or identifier|[Rr]epository(?: named)?|[Pp]roject|[Rr]epo) ['"`]?(?<project>[A-Za-z0-9][A-Za-z0-9_.-]*(?:/[A-Za-z0-9][A-Za-z0-9_.-]*)*)['"`]? (?:does not exist|not found|is private|was not found|could not be found|is archived)"#,
            own,
        ),
    },
    Rule {
        name: "certificate",
        gate: &["subject", "issuer", "organizationname", "organizationalunitname", "commonname", " cn =", " o =", ",o=", "/o=", "ou ="],
        feature: 0,
        find: Find::Regex(
            concat!(
                r#"(?:(?:^|[\s,;/(])(?:OU|O|CN) ?= ?"?(?<company>\p{L}[\p{L}\d&.' -]*[\p{L}\d.])|['"](?:organizationName|organizationalUnitName|commonName)['"],? ?:? ?['"](?<company2>\p{L}[^'"\n]*)['"]"#,
                r#"|\b(?:ST|L) ?= ?"?(?<company3>\p{Lu}[\p{L}' -]*\p{L}),? ?/?(?:O|OU|CN|ST|L) ?=)"#
            ),
            certificate,
        ),
    },
];

/// Not a word of everybody's, nor a public project's name.
fn own(found: &Found) -> Option<Kind> {
    let value = found.value();
    let first = value.split('/').next().unwrap_or("");
    let public = words::is_public_organisation(first) || words::is_public_package(value) || words::is_plain(value);
    let placeholder = value.contains(['<', '>', '$', '{', '*']) || value.len() < 2;
    let number = value.bytes().all(|b| b.is_ascii_digit());
    let zone = super::words::is_device(value) || value.starts_with("Microsoft.");
    (!public && !placeholder && !number && !zone).then_some(found.kind)
}

/// Words that say of what type a resource is.
const TYPES: &[&str] = &[
    "role",
    "user",
    "assumed-role",
    "instance",
    "cluster",
    "function",
    "log-group",
    "table",
    "key",
    "secret",
    "stack",
    "policy",
    "training-job",
    "endpoint",
    "model",
    "image",
    "volume",
    "nodegroup",
    "group",
    "instance-profile",
    "service-role",
    "federated-user",
    "repository",
    "task",
    "task-definition",
    "container-instance",
    "loadbalancer",
    "targetgroup",
    "job-queue",
    "job-definition",
    "aws-service-role",
    "endpoint-config",
    "notebook-instance",
    "pipeline",
    "domain",
    "root",
    "certificate",
    "subnet",
    "vpc",
    "snapshot",
    "file-system",
    "db",
];

/// `arn:aws:iam::4829…:role/NAME`: the parts of the resource.
fn resource(text: &str, out: &mut Vec<Hit>) {
    for start in ["arn:aws", "acs:", "qcs::"] {
        let mut from = 0;
        while let Some(at) = text.get(from..).and_then(|rest| rest.find(start)).map(|skip| from + skip) {
            let rest = text.get(at..).unwrap_or("");
            let length = rest.find(|c: char| c.is_whitespace() || "\"'<>,;()[]{}`".contains(c)).unwrap_or(rest.len());
            from = at + length.max(1);
            let whole = rest.get(..length).unwrap_or("");
            let skipped = if start == "arn:aws" { 5 } else { 4 };
            let head: usize = whole.split(':').take(skipped).map(|part| part.len() + 1).sum();
            // S3's buckets and their objects have a rule of their own.
            if whole.get(head..).is_none_or(str::is_empty) || whole.contains(":s3:") {
                continue;
            }
            parts(text, at + head, at + length, out);
        }
    }
}

fn parts(text: &str, start: usize, end: usize, out: &mut Vec<Hit>) {
    let mut at = start;
    let mut kind = Kind::Project;
    for part in text.get(start..end).unwrap_or("").split(['/', ':']) {
        let name = part.trim_end_matches('.');
        let found = Found { text, start: at, end: at + name.len(), kind };
        at += part.len() + 1;
        if TYPES.contains(&part) {
            kind = if part == "user" { Kind::User } else { Kind::Project };
        } else if own(&found).is_some() {
            out.push(Hit { start: found.start, end: found.end, kind });
        }
    }
}

/// Words of a line that tells of a model or data set that could not be had.
const REFUSED: &[&str] = &[
    "401",
    "403",
    "404",
    "not found",
    "not a local folder",
    "valid model identifier",
    "gated",
    "private",
    "denied",
    "restricted",
    "unauthorized",
    "forbidden",
    "couldn't find",
    "hub_model_id",
    "hub-model-id",
];

/// `ORGANISATION/MODEL` of no public organisation, where access was refused.
fn models(text: &str, out: &mut Vec<Hit>) {
    let lower = text.to_ascii_lowercase();
    if !REFUSED.iter().any(|word| lower.contains(word)) {
        return;
    }
    let mut at = 0;
    for word in text.split(|c: char| c.is_whitespace() || "\"'`<>(),;=[]{}?".contains(c)) {
        let start = at;
        at += word.len();
        at += text.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        let address = ["huggingface.co/", "hf.co/", "hf-mirror.com/", "modelscope.cn/"].iter().find_map(|server| {
            let place = word.find(server)? + server.len();
            word.get(place..).map(|path| (place, path))
        });
        let (mut place, mut path) = match address {
            Some(found) => found,
            None if word.matches('/').count() == 1 && !word.contains("://") && !word.starts_with(['/', '.', '~']) => (0, word),
            None => continue,
        };
        while let Some(rest) = ["api/", "models/", "datasets/", "spaces/", "studios/"].iter().find_map(|head| path.strip_prefix(head)) {
            place += path.len() - rest.len();
            path = rest;
        }
        let mut names = path.trim_end_matches(['.', ':']).splitn(3, '/');
        let (Some(owner), Some(name)) = (names.next(), names.next()) else { continue };
        let code = super::hosts::is_file(name) && address.is_none() || owner.is_empty() || name.is_empty();
        if code || words::is_public_organisation(owner) || words::is_plain(owner) || owner.parse::<f64>().is_ok() {
            continue;
        }
        let first = start + place;
        out.push(Hit { start: first, end: first + owner.len(), kind: Kind::Project });
        let second = first + owner.len() + 1;
        let found = Found { text, start: second, end: second + name.len(), kind: Kind::Project };
        if own(&found).is_some() {
            out.push(Hit { start: second, end: found.end, kind: Kind::Project });
        }
    }
}

/// `SERVER/GROUP/IMAGE` of a private server, and `/v2/GROUP/IMAGE/manifests/…` of any account's.
fn images(text: &str, out: &mut Vec<Hit>) {
    let mut at = 0;
    for word in text.split(|c: char| c.is_whitespace() || "\"'`<>(),;=[]{}|".contains(c)) {
        let start = at;
        at += word.len();
        at += text.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        let bare = word.rsplit_once("://").map_or(word, |(_, rest)| rest);
        let offset = start + word.len() - bare.len();
        let Some((server, path)) = bare.split_once('/') else { continue };
        let name = server.split(':').next().unwrap_or("");
        let account = name.contains(".dkr.ecr.") || name.ends_with(".azurecr.io") || name.ends_with(".pkg.dev");
        let private = account || (super::domains::domain_like(name) && !words::is_public_host(name));
        let api = path.strip_prefix("v2/");
        let scheme = word.len() > bare.len() && !["docker", "oras", "oci"].iter().any(|kind| word.starts_with(kind));
        if !private || path.is_empty() || (scheme && api.is_none()) {
            continue;
        }
        let from = offset + server.len() + 1 + api.map_or(0, |_| 3);
        let tail = api.unwrap_or(path);
        let end = ["/manifests/", "/blobs/", "/tags/", "@sha256"].iter().filter_map(|mark| tail.find(mark)).min().unwrap_or(tail.len());
        let image = tail.get(..end).unwrap_or("");
        let image = image.rsplit_once(':').map_or(image, |(image, _)| image).trim_end_matches([':', '.', '/']);
        let file = super::hosts::is_file(image.rsplit('/').next().unwrap_or(""));
        let everybodys = !image.contains(['/', '-', '_']) && words::is_plain(image);
        if !image.is_empty() && !file && !everybodys {
            out.push(Hit { start: from, end: from + image.len(), kind: Kind::Project });
        }
    }
}

/// Authorities that everybody's certificates come from.
const AUTHORITIES: &[&str] = &[
    "digicert",
    "let's encrypt",
    "isrg",
    "globalsign",
    "sectigo",
    "amazon",
    "google trust",
    "gts ",
    "entrust",
    "zscaler",
    "baltimore",
    "comodo",
    "geotrust",
    "thawte",
    "cloudflare",
    "usertrust",
    "starfield",
    "godaddy",
    "go daddy",
    "buypass",
    "certum",
    "verisign",
    "identrust",
    "quovadis",
    "swisssign",
    "kubernetes",
    "etcd",
    "fortinet",
    "palo alto",
    "internet widgits",
    "trust",
    "wotrus",
    "cfca",
    "trustasia",
    "netskope",
    "localhost",
    "system:",
    "cisco umbrella",
];

/// One of the public certificate authorities.
pub(super) fn is_authority(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    AUTHORITIES.iter().any(|known| lower.contains(known))
}

fn certificate(found: &Found) -> Option<Kind> {
    let known = is_authority(found.value());
    let machine = found.value().contains('.') && super::domains::domain_like(found.value());
    let single = found.value().len() < 3 || words::is_plain(found.value()) && !found.value().contains(' ');
    (!known && !machine && !single).then(|| company::company(found)).flatten()
}
