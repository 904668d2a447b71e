//! Paths outside home: the folders below a mount name a team, a project or a person.

use super::company::is_own_folder;
use super::kind::Kind;
use super::rules::{Find, Rule};
use super::scan::{Hit, feature};

pub(super) const RULES: &[Rule] = &[Rule { name: "path", gate: &[], feature: feature::PATH, find: Find::Code(paths) }];

/// The folders of a system, whose names are everybody's.
const SYSTEM: &[&str] = &[
    "usr",
    "bin",
    "sbin",
    "lib",
    "lib32",
    "lib64",
    "libx32",
    "etc",
    "dev",
    "proc",
    "sys",
    "boot",
    "run",
    "var",
    "tmp",
    "root",
    "snap",
    "lost+found",
    "home",
    "Users",
    "System",
    "Applications",
    "Library",
    "src",
    "",
];
/// Folders that stand in most paths and tell nothing (the look into the word lists is slower).
const USUAL: &[&str] =
    &["opt", "data", "mnt", "scratch", "work", "workspace", "gpfs", "lustre", "nfs", "models", "checkpoints", "train", "src", "logs"];
/// From here on a path is a public package's: what is below stays.
const PUBLIC_BELOW: &[&str] = &[
    "site-packages",
    "dist-packages",
    "miniconda3",
    "anaconda3",
    "miniforge3",
    "mambaforge",
    "conda",
    "envs",
    "venv",
    ".venv",
    "node_modules",
    "lib",
    ".cache",
    "torch",
];

/// Every absolute path of a line.
fn paths(text: &str, out: &mut Vec<Hit>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(start) = memchr::memchr(b'/', bytes.get(at..).unwrap_or(&[])).map(|skip| at + skip) {
        at = start + 1;
        // Inside an address, a fraction or a relative path there is no root.
        let before = start.checked_sub(1).and_then(|place| bytes.get(place));
        let rooted =
            before.is_none_or(|b| !(b.is_ascii_alphanumeric() || matches!(b, b'/' | b'.' | b'_' | b'~' | b'-' | b')' | b'>' | b'}')));
        let address = before == Some(&b':') && text.get(start..).is_some_and(|rest| rest.starts_with("//"));
        if !rooted {
            // The rest of its path is passed over, as it has no root of its own.
            at += text.get(at..).map_or(0, path_length);
            continue;
        }
        let length = text.get(start..).map_or(0, path_length);
        at = at.max(start + length);
        if !address && length > 2 {
            folders(text, start, start + length, out);
        }
    }
}

/// A byte of ASCII that a path goes on with.
fn in_path(byte: u8) -> bool {
    PATH_BYTES[byte as usize]
}

/// A table, as every byte of a path is asked.
static PATH_BYTES: [bool; 256] = {
    let ends = b"\"'<>|;,()[]{}*?&=#:`!$ \t\r\n\x0b\x0c";
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = true;
        byte += 1;
    }
    let mut at = 0;
    while at < ends.len() {
        table[ends[at] as usize] = false;
        at += 1;
    }
    table
};

fn path_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        if in_path(*byte) {
            at += 1;
            continue;
        }
        // Beyond ASCII: marks and wide blanks end a path, letters do not.
        let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()).filter(|c| !c.is_ascii()) else { break };
        if c.is_whitespace() || "，。；：、）（“”".contains(c) {
            break;
        }
        at += c.len_utf8();
    }
    at
}

fn folders(text: &str, start: usize, end: usize, out: &mut Vec<Hit>) {
    let path = text.get(start..end).unwrap_or("");
    let mut at = start;
    let mut place = 0;
    let mut root = "";
    for part in path.split('/') {
        let here = at;
        at += part.len() + 1;
        if part.is_empty() {
            continue;
        }
        place += 1;
        if USUAL.contains(&part) {
            root = if place == 1 { part } else { root };
            continue;
        }
        if place == 1 {
            root = part;
            if SYSTEM.contains(&part) {
                return;
            }
            // A mount of one's own straight below the root: `/acme-data`.
            if !is_own_root(path, part) {
                continue;
            }
        }
        let library = part.starts_with("python3") || (PUBLIC_BELOW.contains(&part) && !(part == "lib" && place < 3));
        if library {
            return;
        }
        let last = at > end;
        // Without an ending the last part may be a program or a folder; below a mount it is own.
        let drive = root == "mnt" && place == 2 && part.len() == 1;
        if drive && path.get(7..).is_some_and(|rest| rest.starts_with("Windows") || rest.starts_with("Program")) {
            return;
        }
        let name = part.trim_end_matches('.');
        if is_own_folder(name) && !(last && place == 1) && !is_build_root(root) {
            out.push(Hit { start: here, end: here + name.len(), kind: Kind::Path });
        }
    }
}

/// A first folder that is neither a usual mount nor a word.
fn is_own_root(path: &str, part: &str) -> bool {
    path.len() > part.len() + 2 && is_own_folder(part)
}

/// Folders of public build farms: `/pytorch/torch/csrc`, `/workspace/…` in stock images.
fn is_build_root(root: &str) -> bool {
    [
        "pytorch",
        "tensorflow",
        "build",
        "__w",
        "croot",
        "rapids",
        "app",
        "vllm",
        "sgl-workspace",
        "home",
        "Users",
        "nix",
        "go",
        "rustc",
        "llvm-project",
        "nccl",
        "croot",
        "tritonserver",
    ]
    .contains(&root)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        let mut hits = Vec::new();
        paths(text, &mut hits);
        hits.iter().map(|hit| &text[hit.start..hit.end]).collect()
    }

    #[test]
    fn folders_of_a_mount_go_the_file_stays() {
        assert_eq!(found(r#"File "/mnt/nimbus-ads/ctr_ranking/train.py", line 41"#), ["nimbus-ads", "ctr_ranking"]);
        assert_eq!(found("/gpfs/work/mhadley/ckpt/step_4000.pt: No space"), ["mhadley"]);
        assert_eq!(found("/data/models/llama-2-70b-hf"), Vec::<&str>::new());
    }

    #[test]
    fn public_paths_stay() {
        for path in [
            "/usr/local/cuda-12.4/targets/x86_64-linux/lib/libcublas.so.12",
            "/opt/conda/lib/python3.10/site-packages/torch/lib/libc10.so",
            "/dev/nvidia-caps/nvidia-cap1",
            "(/pytorch/torch/csrc/distributed/c10d/NCCLUtils.cpp:77)",
            "GET http://x/y and 0/12 nodes",
        ] {
            assert_eq!(found(path), Vec::<&str>::new(), "{path}");
        }
    }
}
