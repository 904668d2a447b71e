//! Word lists: what is too common or too public to be a secret.

use std::collections::HashSet;
use std::sync::LazyLock;

type Set = LazyLock<HashSet<&'static str>>;

fn set(text: &'static str) -> HashSet<&'static str> {
    text.lines().filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace).collect()
}

static SYSTEM: Set = LazyLock::new(|| set(include_str!("words/system.txt")));
static COMMON: Set = LazyLock::new(|| set(include_str!("words/common.txt")));
static PACKAGES: Set = LazyLock::new(|| set(include_str!("words/packages.txt")));
static PUBLIC_HOSTS: Set = LazyLock::new(|| set(include_str!("words/hosts.txt")));
static TENANTS: Set = LazyLock::new(|| set(include_str!("words/tenants.txt")));
static ORGANISATIONS: Set = LazyLock::new(|| set(include_str!("words/organisations.txt")));

/// An account or group that systems and stock images bring along; numbers count as such.
pub(super) fn is_system(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    SYSTEM.contains(lower.as_str()) || lower.starts_with("systemd-") || name.bytes().all(|b| b.is_ascii_digit())
}

/// A word of ordinary English, of code or of logs.
pub(super) fn is_common(word: &str) -> bool {
    if word.len() < 3 {
        return true;
    }
    let lower = word.to_ascii_lowercase();
    COMMON.contains(lower.as_str()) || SYSTEM.contains(lower.as_str())
}

/// A package that can be had from a public index.
pub(super) fn is_public_package(name: &str) -> bool {
    let lower = name.to_ascii_lowercase().replace(['_', '.'], "-");
    PACKAGES.contains(lower.as_str())
        || ["nvidia-", "lib", "cuda-", "py", "types-", "opencv-", "tensorrt"].iter().any(|start| lower.starts_with(start))
}

/// A public server, or a name under the domain of one.
pub(super) fn is_public_host(host: &str) -> bool {
    if !host.contains('.') {
        return host.eq_ignore_ascii_case("localhost");
    }
    let lower = host.trim_end_matches('.').to_ascii_lowercase();
    let mut rest = lower.as_str();
    if is_tenant(rest) {
        return false;
    }
    loop {
        if PUBLIC_HOSTS.contains(rest) {
            return true;
        }
        match rest.split_once('.') {
            Some((_, parent)) => rest = parent,
            None => return false,
        }
    }
}

/// A name under a domain whose sub-domains belong to customers: `acme.mongodb.net`.
fn is_tenant(host: &str) -> bool {
    let shared = ["www", "api", "docs", "app", "hub", "cloud", "status", "help", "login", "support", "console", "community"];
    let first = host.split('.').next().unwrap_or("");
    let mut rest = host;
    while let Some((_, parent)) = rest.split_once('.') {
        if TENANTS.contains(parent) {
            return !shared.contains(&first);
        }
        rest = parent;
    }
    false
}

/// A public organisation on code and image hosts.
pub(super) fn is_public_organisation(name: &str) -> bool {
    ORGANISATIONS.contains(name.to_ascii_lowercase().as_str())
}

/// Made only of common words, single letters and numbers: `llama-2-70b-hf`, `step_4000`.
pub(super) fn is_plain(name: &str) -> bool {
    let mut parts = 0;
    for part in pieces(name) {
        parts += 1;
        if part.len() > 2 && !is_common(part) && !PACKAGES.contains(part.to_ascii_lowercase().as_str()) {
            return false;
        }
    }
    // A short word alone (an "hq" folder) names nobody.
    parts == 0 || name.is_ascii()
}

/// Runs of letters, also cut where a small letter meets a capital: `PersonaLive` is two.
fn pieces(name: &str) -> impl Iterator<Item = &str> {
    name.split(|c: char| !c.is_alphabetic()).flat_map(humps).filter(|part| !part.is_empty())
}

fn humps(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut previous = false;
        let cut = rest.char_indices().find_map(|(at, c)| {
            let edge = previous && c.is_uppercase();
            previous = c.is_lowercase();
            edge.then_some(at)
        });
        let (head, tail) = rest.split_at(cut.unwrap_or(rest.len()));
        rest = tail;
        Some(head)
    })
}

/// A device, rank or interface by its number: `rank0`, `cuda1`, `eth0`, `mlx5_2`, `enp65s0f0`.
pub(super) fn is_device(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let stem = lower.trim_end_matches(|c: char| c.is_ascii_digit());
    let devices = [
        "rank",
        "cuda",
        "gpu",
        "nvidia",
        "eth",
        "ib",
        "eno",
        "mlx5_",
        "mlx4_",
        "bond",
        "docker",
        "veth",
        "wlan",
        "card",
        "renderd",
        "sd",
        "nvme",
        "loop",
        "stream",
        "thread",
        "core",
        "cpu",
        "sm",
        "device",
        "local_rank",
        "nvswitch",
        "nvidia-nvswitch",
        "nvidia-cap",
        "tty",
        "pts/",
        "br-",
        "virbr",
        "tun",
        "tap",
        "usb",
        "hda",
        "sda",
        "dm-",
        "md",
        "gpc",
        "ce",
        "pcie",
        "python",
        "cu",
        "py",
        "rc",
        "fp",
        "bf",
        "int",
        "sm_",
        "compute_",
        "hsi",
        "roce",
        "worker",
        "node",
        "master",
        "slot",
        "stage",
        "layer",
        "step",
        "epoch",
        "task",
    ];
    let predictable = ["enp", "ens", "enx", "wlp", "ibp", "ibs", "irdma"];
    (stem.len() < lower.len() && devices.contains(&stem))
        || predictable.iter().any(|p| lower.strip_prefix(p).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit())))
        || ["lo", "localhost", "stdout", "stderr"].contains(&lower.as_str())
}

/// May a name that was found once be replaced wherever it stands?
pub(super) fn may_be_learnt(name: &str) -> bool {
    let letters = name.chars().filter(|c| c.is_alphabetic()).count();
    let wide = !name.is_ascii();
    if wide {
        return name.chars().count() >= 2;
    }
    name.len() >= 3 && letters >= 1 && !is_common(name) && !is_device(name) && !is_version(name) && !is_plain_word(name)
}

/// One public package's name (`torch` as a user's name must not empty the log).
fn is_plain_word(name: &str) -> bool {
    PACKAGES.contains(name.to_ascii_lowercase().as_str())
}

/// `v2.5.8`, `12.1`, `cu121`: a version, not a name.
pub(super) fn is_version(text: &str) -> bool {
    let rest = text.strip_prefix(['v', 'V', '=']).unwrap_or(text);
    rest.starts_with(|c: char| c.is_ascii_digit()) && rest.bytes().all(|b| b.is_ascii_digit() || b == b'.' || b == b'-' || b == b'+')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_names_are_made_of_common_words() {
        for plain in ["llama-2-70b-hf", "step_4000", "checkpoints", "work", "a"] {
            assert!(is_plain(plain), "{plain}");
        }
        for own in ["nimbus-ads", "mhadley", "wangxm", "项目"] {
            assert!(!is_plain(own), "{own}");
        }
    }

    #[test]
    fn hosts_are_public_with_their_subdomains() {
        assert!(is_public_host("api.wandb.ai"));
        assert!(is_public_host("GitHub.com"));
        assert!(!is_public_host("github.com.acme.example"));
    }

    #[test]
    fn devices_and_common_words_are_not_learnt() {
        for word in ["rank0", "enp65s0f0", "max", "titan", "12", "v2.5.8", "torch"] {
            assert!(!may_be_learnt(word), "{word}");
        }
        for word in ["jbarlow", "dgx-a17", "cn0417", "wren", "李思远"] {
            assert!(may_be_learnt(word), "{word}");
        }
    }
}
