//! Names inside a company: pods, namespaces, jobs, packages, experiments, kernel suffixes.

use super::kind::Kind;
use super::rules::{Find, Found, Rule};
use super::scan::{Hit, feature};
use super::words;
use regex::Regex;
use std::sync::LazyLock;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "kubernetes-field",
        gate: &[
            "name:",
            "namespace",
            "pod",
            "controlled by",
            "assigned",
            "sandbox for",
            "container for",
            "binding",
            "deployment",
            "statefulset",
            "daemonset",
            "replicaset",
            "job/",
            "job.",
            "jobs/",
            "service/",
        ],
        feature: 0,
        find: Find::Regex(
            concat!(
                r#"(?:^Name:\s+(?<pod>[a-z0-9][a-z0-9.-]*)|^\s*Namespace:\s+(?<namespace>[a-z0-9][a-z0-9-]*)|(?i:namespace)s?["']?\s*[:=/]\s*["']?(?<namespace2>[a-z0-9][a-z0-9-]*)|namespace \\?["'](?<namespace6>[a-z0-9][a-z0-9-]*)|(?:^|[\s"'(=\[])(?:deployment|statefulset|daemonset|replicaset|job|pytorchjob|mpijob|rayjob|raycluster|service|pod)s?(?:\.[a-z.]+)?/(?<pod6>[a-z0-9][a-z0-9.-]*-[a-z0-9.-]*)"#,
                r#"|(?i:pod(?:[_-]?name)?)["']?\s*[:=]\s*["']?(?:(?<namespace3>[a-z0-9][a-z0-9-]*)/)?(?<pod2>[a-z0-9][a-z0-9.-]*-[a-z0-9.-]*)|\bpods?[ /]["']?(?:(?<namespace4>[a-z0-9][a-z0-9-]*)/)?(?<pod3>[a-z0-9][a-z0-9.]*-[a-z0-9.-]*)"#,
                r#"|(?:Successfully assigned|assigned|Binding|container for|sandbox for)\s+(?:pod )?["']?(?<namespace5>[a-z0-9][a-z0-9-]*)/(?<pod4>[a-z0-9][a-z0-9.-]*)(?: to (?<host>[a-z0-9][a-z0-9.-]*))?|Controlled By:\s+[A-Za-z]+/(?<pod5>[a-z0-9][a-z0-9.-]*))"#
            ),
            object,
        ),
    },
    Rule {
        name: "quoted-object",
        gate: &[
            "secret ",
            "secrets ",
            "configmap",
            "claim ",
            "pvc ",
            "volume ",
            "account ",
            "service ",
            "job ",
            "quota ",
            "queue ",
            "ingress ",
            "workload ",
        ],
        feature: 0,
        find: Find::Regex(
            r#"(?i:secret|configmap|persistentvolumeclaim|claim|pvc|volume|serviceaccount|service account|service|deployment|job|resourcequota|quota|clusterqueue|localqueue|queue|ingress|workload|statefulset)s? \\?["'](?<project>[a-z0-9][a-z0-9.-]*-[a-z0-9.-]*)\\?["']"#,
            quoted_object,
        ),
    },
    Rule {
        name: "kubectl",
        gate: &["kubectl", "oc ", "helm", "k9s", "crictl", "stern", "kubens", "--namespace"],
        feature: 0,
        find: Find::Regex(
            concat!(
                r#"(?:(?:^|[\s"'(=\[`])(?:-n|--namespace)[ =](?<namespace>[a-z0-9][a-z0-9-]*)|(?:kubectl|oc)\b[^|;\n]{0,40}?\s(?:exec|logs|attach|cp|port-forward)\s+(?:-\S+\s+)*(?:pods?/|deploy(?:ment)?/|job/)?(?:(?<namespace2>[a-z0-9][a-z0-9-]*)/)?(?<pod>[a-z0-9][a-z0-9.-]*)"#,
                r#"|(?:kubectl|oc)\b[^|;\n]{0,40}?\s(?:get|describe|delete|edit|label|annotate|debug|top|wait|rollout|scale)\s+(?:-\S+\s+)*(?:pods?|po|deploy(?:ments?)?|jobs?|sts|statefulsets?|pytorchjobs?|mpijobs?|rayclusters?|svc|services?|ns|namespaces?|cm|configmaps?|secrets?|pvc|ds|daemonsets?|vcjobs?|workloads?|queues?|localqueues?)[ /](?<pod2>[a-z0-9][a-z0-9.-]*))"#
            ),
            object,
        ),
    },
    Rule {
        name: "service-name",
        gate: &[".svc"],
        feature: 0,
        find: Find::Regex(
            r"(?:^|[^A-Za-z0-9.-])(?<host>[a-z0-9][a-z0-9-]*(?:\.[a-z0-9-]+){1,4}\.svc(?:\.[a-z0-9-]+)*)(?:[^A-Za-z0-9.-]|\.?$|:)",
            super::hosts::certain,
        ),
    },
    Rule {
        name: "pod-by-form",
        gate: &[],
        feature: feature::DASHES,
        find: Find::Regex(
            r#"(?:^|[\s"'=/(\[,:])(?<pod>[a-z][a-z0-9]*(?:-[a-z0-9]+)*-[0-9a-f]{7,10}-[bcdfghjklmnpqrstvwxz2456789]{5})(?:[^A-Za-z0-9-]|$)"#,
            object,
        ),
    },
    Rule {
        name: "job",
        gate: &[
            "job",
            "account=",
            "account ",
            "account\"",
            "account:",
            "project",
            "entity",
            "-a ",
            "-j ",
            "experiment",
            "run_name",
            "run-name",
            "runname",
            "wandb_",
            "syncing run",
            "reservation",
            "wckey",
            "team",
            "organi",
            "--org",
            "workspace=",
            "workspace\"",
        ],
        feature: 0,
        find: Find::Regex(
            concat!(
                r#"(?:(?:JobName=|--job[-_]name[= ]|job[_-]?name["']?\s*[:=]\s*["']?|#SBATCH\s+-J\s+|SLURM_JOB_NAME=|run[_-]?name["']?\s*[:=]\s*["']?|experiment(?:[_-]?name)?["']?\s*[:=]\s*["']?|WANDB_(?:NAME|RUN_GROUP)=|Syncing run )(?<job>[A-Za-z0-9][A-Za-z0-9_.-]*)"#,
                r#"|(?:\bAccount=|--account[= ]|#SBATCH\s+-A\s+|SLURM_JOB_ACCOUNT=|\b(?:SB|S)?ATCH_ACCOUNT=|WANDB_(?:PROJECT|ENTITY)=|(?:wandb[_-])?(?i:project|entity|workspace)(?i:[_-]?(?:name|id))?["']?\s*[:=]\s*["']?|--(?:wandb[_-])?(?:project|entity|team|org)(?:[_-]name)?[= ]|Reservation=|ReservationName=|WCKey=|\bteam["']?\s*[:=]\s*["']?|organi[sz]ation["']?\s*[:=]\s*["']?)(?<project>[A-Za-z0-9][A-Za-z0-9_.-]*)(?:/(?<project2>[A-Za-z0-9][A-Za-z0-9_.-]*))?)"#
            ),
            job,
        ),
    },
    Rule {
        name: "run-folder",
        gate: &["wandb/", "run-20", "mlruns/"],
        feature: 0,
        find: Find::Regex(
            r"(?:(?:run|offline-run)-\d{8}_\d{6}-(?<project>[a-z0-9]{6,10})|mlruns/\d+/(?<uuid>[0-9a-f]{32}))",
            super::rules::always,
        ),
    },
    Rule {
        name: "kernel-suffix",
        gate: &[
            "linux",
            "kernel version",
            "kernel release",
            "kernel: 3",
            "kernel: 4",
            "kernel: 5",
            "kernel: 6",
            "kernel: 7",
            "kernel: linux",
            "kernel 3",
            "kernel 4",
            "kernel 5",
            "kernel 6",
            "kernel 7",
            "lib/modules",
            "vermagic",
            "uname",
            "running",
            "vmlinuz",
            "for kernel",
        ],
        feature: 0,
        find: Find::Code(kernel),
    },
    Rule {
        name: "frozen-package",
        gate: &["==", "~=", ">=", "<="],
        feature: 0,
        find: Find::Regex(
            r"(?:^(?:\s{0,8}(?:[-*•+~] )?|.*[Cc]ollecting |.*already satisfied: )(?<package>[A-Za-z][A-Za-z0-9._-]*)==\d|(?:^|[\s\x22'`,])(?<package2>[A-Za-z][A-Za-z0-9._-]*)(?:\[[a-z0-9,_-]+\])?(?:==|~=|>=|<=)\d+\.\d)",
            package,
        ),
    },
    Rule {
        name: "wheel",
        gate: &[".whl", "-py3-", ".tar.gz"],
        feature: 0,
        find: Find::Regex(
            r"(?:^|[\s/'\x22(])(?<package>[A-Za-z][A-Za-z0-9._]*)-\d[A-Za-z0-9.+!_]*(?:-(?:\d\w*-)?(?:py|cp)\d|\.tar\.gz)",
            package,
        ),
    },
    Rule {
        name: "installed",
        gate: &["successfully installed", "would install", "installing collected"],
        feature: 0,
        find: Find::Code(installed),
    },
    Rule {
        name: "package-in-words",
        gate: &[
            "no matching distribution",
            "satisfies the requirement",
            "building wheel for",
            "failed to build",
            "existing installation",
            "uninstalling",
            "required by",
            "no module named",
            "collecting ",
            "build wheels for",
            "metadata for",
            "not installed",
            "pip install",
            "uv add",
            "poetry add",
            "is not a supported wheel",
            "editable",
        ],
        feature: 0,
        find: Find::Regex(
            concat!(
                r#"(?:(?:[Nn]o matching distribution found for|satisfies the requirement|[Bb]uilding (?:editable |wheel )?for|[Ww]heels? for(?: collected packages:)?|[Ff]ailed to build(?: installable wheels for)?|[Ee]xisting installation:|Uninstalling|metadata for|[Rr]equired by|Collecting|(?:pip|uv pip) install (?:-[A-Za-z-]+ )*|(?:uv|poetry) add) ['"`]?(?<package>[A-Za-z][A-Za-z0-9_.-]*[A-Za-z0-9])"#,
                r#"|No module named ['"]?(?<package2>[A-Za-z][A-Za-z0-9_]*)['"]?)"#
            ),
            package_in_words,
        ),
    },
    Rule {
        name: "egg",
        gate: &["#egg=", "git+"],
        feature: 0,
        find: Find::Regex(
            r"(?:#egg=(?<package>[A-Za-z][A-Za-z0-9._-]*)|^(?<package2>[A-Za-z][A-Za-z0-9._-]*) @ (?:git\+ssh|file:))",
            package,
        ),
    },
    Rule {
        name: "directory-entry",
        gate: &["ou=", "dc="],
        feature: 0,
        find: Find::Regex(
            r"(?i)\b(?:(?:OU|O)=(?<company>[^,;=\n]+)|DC=(?<company2>[^,;=\n\s]+)|uid=(?<user>[A-Za-z_][A-Za-z0-9._-]*),)",
            directory,
        ),
    },
    Rule {
        name: "company-by-word",
        gate: &[
            " inc",
            " ltd",
            " gmbh",
            " corp",
            " llc",
            " ag",
            " plc",
            " pty",
            "公司",
            "company",
            "customer",
            "tenant",
            "organisation",
            "organization",
            "集团",
        ],
        feature: 0,
        find: Find::Regex(
            r#"(?:(?<company>\p{Lu}[\p{L}\d&-]+(?: \p{Lu}[\p{L}\d&-]+){0,3}),? (?:Inc|Ltd|GmbH|LLC|Corp|AG|B\.V|S\.A|Pty|PLC|Co\., Ltd)\b|(?i:company|customer|tenant|organisation|organization)(?:[_ -]?name)?["']?\s*[:=]\s*["']?(?<company2>[A-Za-z][A-Za-z0-9&.-]*)|(?:^|[^\p{Han}])(?<company3>\p{Han}{2,10})(?:有限公司|股份有限公司|科技公司|集团))"#,
            company,
        ),
    },
];

/// Names of objects that every cluster has.
const PUBLIC: &[&str] = &[
    "kube-",
    "nvidia-",
    "gpu-operator",
    "gpu-feature",
    "coredns",
    "etcd",
    "calico",
    "cilium",
    "flannel",
    "weave",
    "default",
    "node-exporter",
    "dcgm",
    "prometheus",
    "grafana",
    "cert-manager",
    "ingress-nginx",
    "metrics-server",
    "kubernetes",
    "istio",
    "knative",
    "kubeflow",
    "volcano",
    "kueue",
    "ray-operator",
    "kuberay",
    "mpi-operator",
    "training-operator",
    "network-operator",
    "rdma-",
    "sriov",
    "multus",
    "local-path",
    "csi-",
    "ebs-csi",
    "aws-node",
    "gke-metrics",
    "fluent",
    "longhorn",
    "rook",
    "openebs",
    "monitoring",
    "operators",
    "openshift",
    "tigera",
    "argocd",
    "cattle",
    "container-toolkit",
];

/// A pod, a namespace, a service of one's own.
pub(super) fn object(found: &Found) -> Option<Kind> {
    let value = found.value();
    if found.kind == Kind::Host {
        return super::hosts::certain(found);
    }
    let public = PUBLIC.iter().any(|start| value.starts_with(start));
    let resource = value.contains('/') || words::is_public_host(value) || value.ends_with(".so") || value.ends_with(".py");
    let node = value.starts_with("ip-") || value.ends_with(".internal");
    let plain = words::is_common(value) || words::is_version(value) || value.len() < 3 || !value.bytes().any(|b| b.is_ascii_alphabetic());
    if public || resource || plain || value.contains(['<', '(', '=']) {
        return None;
    }
    Some(if node { Kind::Host } else { found.kind })
}

/// An object's name in quotes, where it is not made of everybody's words.
fn quoted_object(found: &Found) -> Option<Kind> {
    (!words::is_plain(found.value())).then(|| object(found)).flatten()
}

/// A job, a project, an account.
pub(super) fn job(found: &Found) -> Option<Kind> {
    let value = found.value();
    let lower = value.to_ascii_lowercase();
    let nothing = ["none", "null", "n/a", "true", "false"].contains(&lower.as_str());
    let file = [".py", ".sh", ".batch", ".extern"].iter().any(|end| lower.ends_with(end)) && words::is_plain(value);
    let plain = words::is_common(value);
    let code = found.after().starts_with(['(', '[']);
    (!nothing && !file && !plain && !code && value.len() >= 2 && !value.bytes().all(|b| b.is_ascii_digit())).then_some(found.kind)
}

fn package(found: &Found) -> Option<Kind> {
    (!words::is_public_package(found.value()) && !words::is_common(found.value())).then_some(Kind::Package)
}

/// A missing module is what a diagnosis turns on: its name goes only where it is a path into a
/// package of one's own (`acme_rank.ops`), and no public one looks like it.
fn package_in_words(found: &Found) -> Option<Kind> {
    let value = found.value().trim_end_matches("-<");
    let module = found.before().trim_end_matches(['\'', '"']).ends_with("named ");
    let inner = value.contains('_') && found.after().starts_with('.');
    let image = !module && found.after().starts_with(['/', ':', '@', '(']);
    let plain = words::is_plain(value) || super::hosts::is_file(value) || image;
    (!plain && (!module || inner)).then(|| package(found)).flatten()
}

/// `Successfully installed torch-2.4.1 acme-core-0.3`.
fn installed(text: &str, out: &mut Vec<Hit>) {
    let Some(start) = text.find("nstall").and_then(|at| text.get(at..).and_then(|rest| rest.find([' ', ':'])).map(|skip| at + skip)) else {
        return;
    };
    let mut at = start;
    for word in text.get(start..).unwrap_or("").split([' ', ',', ':']) {
        let version = word
            .rmatch_indices('-')
            .find(|(place, _)| word.get(place + 1..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit())));
        let name = version.map_or(word, |(place, _)| word.get(..place).unwrap_or(word));
        let found = Found { text, start: at, end: at + name.len(), kind: Kind::Package };
        let shaped = name.len() > 2 && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
        if shaped && package(&found).is_some() {
            out.push(Hit { start: at, end: found.end, kind: Kind::Package });
        }
        at += word.len() + 1;
    }
}

static ROW: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^[\s>|]*([A-Za-z][A-Za-z0-9._-]*)\s+v?(\d[A-Za-z0-9.+!_-]*)").ok());

/// A row of `pip list`: a name that no public index has is a company's. False ends the table.
pub(super) fn package_row(text: &str, out: &mut Vec<Hit>) -> bool {
    if text.trim_start_matches([' ', '>', '|']).starts_with("---") {
        return true;
    }
    let Some(name) = ROW.as_ref().and_then(|regex| regex.captures(text)).and_then(|captures| captures.get(1)) else { return false };
    let found = Found { text, start: name.start(), end: name.end(), kind: Kind::Package };
    if let Some(kind) = package(&found) {
        out.push(Hit { start: found.start, end: found.end, kind });
    }
    true
}

/// A folder's name that tells of its owner: not made of common words only, and no file's.
pub(super) fn is_own_folder(name: &str) -> bool {
    let file = name
        .rsplit_once('.')
        .is_some_and(|(stem, end)| !stem.is_empty() && (1..=11).contains(&end.len()) && end.bytes().all(|b| b.is_ascii_alphanumeric()));
    let digest = name.len() >= 20 && name.bytes().all(|b| b.is_ascii_hexdigit());
    !file
        && !digest
        && name.len() >= 2
        && !name.contains(['<', '>', '*', '$', '{'])
        && !words::is_plain(name)
        && !words::is_public_package(name)
        && !words::is_public_organisation(name)
        && !words::is_device(name)
}

fn directory(found: &Found) -> Option<Kind> {
    let value = found.value();
    let plain =
        words::is_common(value) || ["users", "people", "groups", "example", "com", "local"].contains(&value.to_ascii_lowercase().as_str());
    if found.kind == Kind::User {
        super::names::account(found)
    } else {
        (!plain && !super::clouds::is_authority(value)).then_some(Kind::Company)
    }
}

pub(super) fn company(found: &Found) -> Option<Kind> {
    let value = found.value();
    let lower = value.to_ascii_lowercase();
    let vendors = [
        "nvidia",
        "intel",
        "advanced micro devices",
        "super micro",
        "dell",
        "micron",
        "samsung",
        "american megatrends",
        "red hat",
        "mellanox",
        "hewlett",
        "lenovo",
        "gigabyte",
        "asus",
        "realtek",
        "broadcom",
        "microsoft",
        "google",
        "apple",
        "free software",
        "foundation",
        "meta",
        "facebook",
        "amd",
        "ibm",
        "oracle",
    ];
    let known = vendors.iter().any(|vendor| lower.contains(vendor)) || words::is_public_organisation(value) || words::is_common(value);
    let known = known || super::clouds::is_authority(value);
    (!known && value.chars().count() >= 2).then_some(Kind::Company)
}

static KERNEL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?:Linux \S+|[Kk]ernel(?: version| release)?:?|running(?: kernel)?|lib/modules/|vermagic:?|linux-(?:image|headers|modules|modules-extra)-|uname -r:?|vmlinuz-|for kernel)\s*([2-7]\.\d{1,2}\.\d{1,3}(?:[-+.~_][A-Za-z0-9.+~_-]+)?)").ok()
});

/// `5.15.0-acme7-generic`: the part that is no distribution's.
fn kernel(text: &str, out: &mut Vec<Hit>) {
    let Some(regex) = KERNEL.as_ref() else { return };
    for captures in regex.captures_iter(text) {
        let Some(release) = captures.get(1) else { continue };
        let mut at = release.start();
        for part in release.as_str().split(['-', '+', '~', '_', '.']) {
            let letters = part.trim_matches(|c: char| c.is_ascii_digit());
            if letters.len() >= 3 && !is_stock_suffix(letters) {
                out.push(Hit { start: at, end: at + part.len(), kind: Kind::Kernel });
            }
            at += part.len() + 1;
        }
    }
}

fn is_stock_suffix(part: &str) -> bool {
    let stock = [
        "generic",
        "lowlatency",
        "aws",
        "azure",
        "gcp",
        "gke",
        "oracle",
        "nvidia",
        "tegra",
        "microsoft",
        "standard",
        "wsl",
        "amd64",
        "arm64",
        "x86",
        "cloud",
        "pve",
        "arch",
        "zen",
        "lts",
        "hwe",
        "kvm",
        "ibm",
        "raspi",
        "server",
        "rpi",
        "manjaro",
        "xanmod",
        "liquorix",
        "default",
        "tkg",
        "talos",
        "flatcar",
        "cos",
        "bottlerocket",
        "amzn",
        "uek",
        "el8uek",
        "fc",
        "oem",
        "rt",
        "preempt",
        "realtime",
        "cachyos",
        "hardened",
        "common",
        "unsigned",
        "signed",
        "ubuntu",
        "debian",
        "backports",
        "bpo",
        "deb",
        "dfsg",
        "elrepo",
        "centos",
        "rocky",
        "alma",
        "aarch64",
        "i686",
        "x64",
        "tlinux",
        "anolis",
        "bclinux",
        "openeuler",
        "euler",
        "oe",
        "ky",
        "uos",
        "deepin",
        "git",
        "dirty",
        "rc",
        "stable",
        "mainline",
        "custom",
        "desktop",
        "virtual",
        "largemem",
        "largepage",
        "kernel",
        "android",
        "coreos",
        "rancher",
        "intel",
        "amd",
        "xeon",
        "riscv",
        "ppc64le",
        "s390x",
        "module",
        "modules",
        "sp",
        "suse",
        "longterm",
        "next",
        "gentoo",
        "nixos",
        "void",
        "alpine",
        "grsec",
        "proxmox",
        "unraid",
        "synology",
        "parrot",
        "kali",
        "linuxkit",
        "docker",
        "ti",
        "imx",
        "snapdragon",
        "asahi",
        "fortify",
        "pf",
        "clear",
        "lqx",
        "bore",
        "lto",
        "debug",
    ];
    let lower = part.to_ascii_lowercase();
    stock.contains(&lower.as_str())
        || ["el", "fc", "amzn", "an", "tl", "oe", "rc", "bpo", "deb", "wsl", "ky", "uek", "x86", "tegra"]
            .iter()
            .any(|start| lower.strip_prefix(start).is_some_and(|rest| rest.len() <= 3))
}
