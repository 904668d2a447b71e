//! Chips: compute capability by marketing name, and what the tables know of a capability.

use crate::pattern::Tables;
use regex::Regex;
use std::sync::OnceLock;

/// `120` → `12.0`, `89` → `8.9`.
pub fn dotted(sm: &str) -> String {
    let (major, minor) = sm.split_at_checked(sm.len().saturating_sub(1)).unwrap_or((sm, ""));
    format!("{major}.{minor}")
}

/// The compute capability of a card by its name, as nvidia-smi, lspci or torch print it.
/// Source: `gpu-names.tsv`. A name cut by nvidia-smi (`NVIDIA GeForce ...`) has none.
pub fn capability(tables: &Tables, name: &str) -> Option<&'static str> {
    static ROWS: OnceLock<Vec<(Regex, &'static str)>> = OnceLock::new();
    let rows = ROWS.get_or_init(|| {
        let rows = tables.gpu_names().rows();
        let compiled = rows.filter_map(|row| Some((Regex::new(row.get("name_regex")).ok()?, row.get("compute_capability"))));
        compiled.collect()
    });
    // `RTX 3070 Laptop GPU`, `A100-SXM4-80GB`, `Tesla V100-SXM2...`: the model stands in front.
    let name = name.trim_end_matches('.');
    rows.iter().find(|(name_of, _)| name_of.is_match(name)).map(|(_, capability)| *capability)
}

/// `8.9` → `sm_89`.
pub fn arch(capability: &str) -> String {
    format!("sm_{}", capability.replace('.', ""))
}

/// First driver branch that knows the chip; `None` where the table has no number.
pub fn first_branch(tables: &Tables, capability: &str) -> Option<&'static str> {
    branch(tables, capability, "first_driver_branch_derived")
}

/// Last driver branch that knows the chip; `None` where it is still supported.
pub fn last_branch(tables: &Tables, capability: &str) -> Option<&'static str> {
    branch(tables, capability, "last_driver_branch")
}

fn branch(tables: &Tables, capability: &str, column: &str) -> Option<&'static str> {
    let cell = tables.compute_capability().find("compute_capability", capability)?.get(column);
    cell.parse::<u32>().is_ok().then_some(cell)
}

/// True where code of one of `archs` (`8.6`, `9.0a`, `12.0+PTX`; `sm_86`, `compute_90` as well)
/// runs on the chip: same major and no higher minor; PTX runs on everything newer.
pub fn covers<'a>(archs: impl IntoIterator<Item = &'a str>, capability: &str) -> bool {
    let Some(chip) = pair(capability) else { return false };
    archs.into_iter().any(|arch| {
        let ptx = arch.contains("PTX") || arch.starts_with("compute_");
        let text = arch.trim_start_matches("sm_").trim_start_matches("compute_");
        let text = text.split('+').next().unwrap_or(text);
        let specific = text.ends_with(['a', 'f']);
        let digits = text.trim_end_matches(['a', 'f']);
        let code = if digits.contains('.') { pair(digits) } else { pair(&dotted(digits)) };
        let Some(code) = code else { return false };
        match (ptx, specific) {
            (true, _) => code <= chip,
            (false, true) => code == chip,
            (false, false) => code.0 == chip.0 && code.1 <= chip.1,
        }
    })
}

fn pair(capability: &str) -> Option<(u32, u32)> {
    let (major, minor) = capability.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_finds_its_own_example() {
        let tables = Tables::default();
        for row in tables.gpu_names().rows() {
            assert!(Regex::new(row.get("name_regex")).is_ok(), "{}", row.get("name_regex"));
            assert_eq!(capability(&tables, row.get("example")), Some(row.get("compute_capability")), "{}", row.get("example"));
            assert!(!row.get("source").is_empty());
        }
    }

    #[test]
    fn names_as_tools_print_them() {
        let tables = Tables::default();
        for (name, want) in [
            ("NVIDIA GeForce RTX 3070 Laptop GPU", Some("8.6")),
            ("NVIDIA GeForce RTX 4060 Ti", Some("8.9")),
            ("NVIDIA GeForce RTX 5070 Ti Laptop GPU", Some("12.0")),
            ("Tesla V100-SXM2...", Some("7.0")),
            ("NVIDIA A100 80GB PCIe", Some("8.0")),
            ("NVIDIA A100-SXM...", Some("8.0")),
            ("NVIDIA H100 NVL", Some("9.0")),
            ("NVIDIA H200", Some("9.0")),
            ("NVIDIA RTX 6000 Ada Generation", Some("8.9")),
            ("NVIDIA RTX 6000 Ada Gene...", Some("8.9")),
            ("NVIDIA RTX A4000", Some("8.6")),
            ("NVIDIA RTX PRO 6000 Blackwell Workstation Edition", Some("12.0")),
            ("NVIDIA GB10", Some("12.1")),
            ("NVIDIA GB200", Some("10.0")),
            ("GeForce GTX 1080 Ti", Some("6.1")),
            ("NVIDIA L4", Some("8.9")),
            ("NVIDIA A10", Some("8.6")),
            ("NVIDIA A40-48Q", Some("8.6")),
            ("Tesla T4", Some("7.5")),
            ("NVIDIA TITAN X (Pascal)", Some("6.1")),
            ("GeForce GTX TITAN X", Some("5.2")),
            ("GeForce GTX 960M", Some("5.0")),
            ("GeForce GTX 970M", Some("5.2")),
            ("NVIDIA GeForce ...", None),
            ("Quadro RTX 6000", Some("7.5")),
        ] {
            assert_eq!(capability(&tables, name), want, "{name}");
        }
    }

    #[test]
    fn code_runs_on_the_same_major_and_ptx_on_newer() {
        assert!(covers(["8.6"], "8.9"));
        assert!(!covers(["9.0"], "8.9"));
        assert!(!covers(["9.0a"], "9.1"));
        assert!(covers(["9.0a"], "9.0"));
        assert!(!covers(["sm_50", "sm_90"], "12.0"));
        assert!(covers(["sm_120"], "12.1"));
        assert!(covers(["sm_90", "compute_90"], "12.0"));
        assert!(covers(["12.0+PTX"], "12.1"));
        assert!(!covers(["12.0+PTX"], "10.0"));
        assert!(!covers([], "8.0"));
    }
}
