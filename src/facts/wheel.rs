//! The newest torch, torchvision and torchaudio that run on a given machine.

use super::chips;
use super::version::{compare_versions, head};
use crate::pattern::Tables;
use crate::pattern::tables::Row;
use std::cmp::Ordering;

/// A set of wheels that fits, and why it is this one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wheel {
    pub torch: &'static str,
    /// Empty where the table names no exact partner.
    pub torchvision: &'static str,
    pub torchaudio: &'static str,
    /// `cu126`.
    pub build: &'static str,
    /// `12.6`.
    pub cuda: String,
    /// Lowest Linux driver of this build.
    pub driver_min: &'static str,
    /// Why nothing newer was taken.
    pub pins: Vec<Pin>,
}

/// What kept the choice from the newest set.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pin {
    /// Newer builds need at least this driver.
    Driver { need: String },
    /// Newer builds carry no code for this chip (`sm_61`).
    Arch { arch: String },
    /// Newer versions do not support this Python.
    Python { version: String },
    /// For newer versions it is not known which chips their wheels carry code for.
    Unknown,
}

/// Why no set fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WhyNot {
    /// The driver is older than the first branch that knows the chip.
    DriverTooOldForChip { arch: String, need: String },
    /// The driver is newer than the last branch that knows the chip.
    DriverDroppedChip { arch: String, last: String },
    /// No known wheel passes all of these.
    NoWheel { pins: Vec<Pin> },
}

impl Wheel {
    /// The command that installs the set.
    pub fn command(&self) -> String {
        let mut command = format!("pip install torch=={}", self.torch);
        for (name, version) in [("torchvision", self.torchvision), ("torchaudio", self.torchaudio)] {
            if !version.is_empty() {
                command += &format!(" {name}=={version}");
            }
        }
        command + &format!(" --index-url https://download.pytorch.org/whl/{}", self.build)
    }
}

/// Chooses the newest set whose lowest driver is not above `driver`, whose wheels carry code for
/// each of `capabilities` (`8.9`), and whose Python range holds `python` (`3.11`). What is `None`
/// (or empty) is not checked. Source: `torch-compat.tsv`, `framework-arch.tsv`,
/// `compute-capability.tsv`; for Linux on x86_64.
///
/// # Errors
/// [`WhyNot`] with the reasons.
pub fn best(tables: &Tables, driver: Option<&str>, capabilities: &[&str], python: Option<&str>) -> Result<Wheel, WhyNot> {
    if let Some(driver) = driver {
        capabilities.iter().try_for_each(|capability| chip_and_driver(tables, driver, capability))?;
    }
    let mut pins = Vec::new();
    for row in tables.torch_compat().rows() {
        if let Some(python) = python
            && !python_fits(row.get("python"), python)
        {
            pin(&mut pins, Pin::Python { version: python.to_owned() });
            continue;
        }
        for (build, floor) in in_order(tables, builds(row), driver) {
            if let Some(driver) = driver
                && compare_versions(driver, floor).is_none_or(Ordering::is_lt)
            {
                pin(&mut pins, Pin::Driver { need: floor.to_owned() });
                continue;
            }
            match carried(tables, row, build, capabilities) {
                Ok(()) => return Ok(wheel(row, build, floor, pins)),
                Err(reason) => pin(&mut pins, reason),
            }
        }
    }
    Err(WhyNot::NoWheel { pins })
}

/// The builds of one version, best first: the newest CUDA that the driver itself offers, then the
/// lowest of those that it runs by minor-version compatibility (without PTX just in time).
fn in_order(tables: &Tables, builds: Vec<(&'static str, &'static str)>, driver: Option<&str>) -> Vec<(&'static str, &'static str)> {
    let row = driver.and_then(|driver| tables.driver_branch().find("driver_branch", &head(driver, 1)));
    let Some(offered) = row.map(|row| row.get("max_cuda_shown_by_nvidia_smi")) else { return builds };
    let (mut native, newer): (Vec<_>, Vec<_>) =
        builds.into_iter().partition(|(build, _)| compare_versions(&cuda(build), offered).is_some_and(Ordering::is_le));
    native.extend(newer.into_iter().rev());
    native
}

fn pin(pins: &mut Vec<Pin>, reason: Pin) {
    if !pins.contains(&reason) {
        pins.push(reason);
    }
}

fn wheel(row: Row<'_>, build: &'static str, floor: &'static str, pins: Vec<Pin>) -> Wheel {
    Wheel {
        torch: row.get("torch"),
        torchvision: exact(row.get("torchvision")),
        torchaudio: exact(row.get("torchaudio")),
        build,
        cuda: cuda(build),
        driver_min: floor,
        pins,
    }
}

/// The first of several exact versions; empty for `>=0.29.1 (requires …)`.
fn exact(cell: &'static str) -> &'static str {
    let first = cell.split(',').next().unwrap_or("").split_whitespace().next().unwrap_or("");
    if first.starts_with(|c: char| c.is_ascii_digit()) { first } else { "" }
}

/// Fails where the driver does not know the chip, whatever the wheel.
fn chip_and_driver(tables: &Tables, driver: &str, capability: &str) -> Result<(), WhyNot> {
    let branch = head(driver, 1);
    if let Some(need) = chips::first_branch(tables, capability)
        && compare_versions(&branch, need) == Some(Ordering::Less)
    {
        return Err(WhyNot::DriverTooOldForChip { arch: chips::arch(capability), need: need.to_owned() });
    }
    if let Some(last) = chips::last_branch(tables, capability)
        && compare_versions(&branch, last) == Some(Ordering::Greater)
    {
        return Err(WhyNot::DriverDroppedChip { arch: chips::arch(capability), last: last.to_owned() });
    }
    Ok(())
}

/// `cu118:450.80.02; cu126:525.60.13` → newest CUDA first.
pub fn builds(row: Row<'_>) -> Vec<(&'static str, &'static str)> {
    let cell = row.get("min_linux_driver_per_build");
    let mut builds: Vec<_> = cell.split(';').filter_map(|pair| pair.trim().split_once(':')).collect();
    builds.reverse();
    builds
}

/// `cu118` → `11.8`.
pub fn cuda(build: &str) -> String {
    build.strip_prefix("cu").map(chips::dotted).unwrap_or_default()
}

/// `>=3.9, <=3.13 (…)` holds `3.11`.
pub fn python_fits(range: &str, python: &str) -> bool {
    let python = head(python, 2);
    let range = range.split('(').next().unwrap_or(range);
    range.split(',').all(|bound| {
        let bound = bound.trim();
        match (bound.strip_prefix(">="), bound.strip_prefix("<=")) {
            (Some(low), _) => compare_versions(&python, low.trim()).is_some_and(Ordering::is_ge),
            (_, Some(high)) => compare_versions(&python, high.trim()).is_some_and(Ordering::is_le),
            _ => false,
        }
    })
}

fn carried(tables: &Tables, row: Row<'_>, build: &str, capabilities: &[&str]) -> Result<(), Pin> {
    if capabilities.is_empty() {
        return Ok(());
    }
    let archs = arch_list(tables, row.get("torch"), &cuda(build)).ok_or(Pin::Unknown)?;
    for capability in capabilities {
        if !chips::covers(archs.iter().copied(), capability) {
            return Err(Pin::Arch { arch: chips::arch(capability) });
        }
    }
    Ok(())
}

/// The capabilities that torch's wheel of this version and CUDA carries code for: the table's row;
/// else what its nearest older and newer rows of the same CUDA have in common; else the row of the
/// same minor version. `None` where none of these is known.
pub fn arch_list(tables: &Tables, torch: &str, cuda: &str) -> Option<Vec<&'static str>> {
    let torch = torch.split('+').next().unwrap_or(torch);
    let (mut below, mut above): (Option<Row>, Option<Row>) = (None, None);
    for row in tables.framework_arch().rows().filter(|r| r.get("framework") == "torch" && r.get("cuda_build") == cuda) {
        match compare_versions(row.get("version"), torch)? {
            Ordering::Equal => return Some(list(row)),
            Ordering::Less => below = Some(row),
            Ordering::Greater => above = above.or(Some(row)),
        }
    }
    match (below, above) {
        (Some(below), Some(above)) => {
            let above = list(above);
            Some(list(below).into_iter().filter(|arch| above.contains(arch)).collect())
        }
        (Some(row), None) | (None, Some(row)) => (head(row.get("version"), 2) == head(torch, 2)).then(|| list(row)),
        (None, None) => None,
    }
}

fn list(row: Row<'_>) -> Vec<&'static str> {
    let cell = row.get("compute_capabilities");
    cell.split('(').next().unwrap_or("").split_whitespace().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRIVERS: [&str; 12] = [
        "390.157",
        "418.226.00",
        "450.80.02",
        "460.106.00",
        "470.256.02",
        "510.108.03",
        "525.60.13",
        "535.183.01",
        "550.120",
        "570.124.06",
        "580.65.06",
        "610.43.02",
    ];
    const CHIPS: [&str; 20] = [
        "2.0", "2.1", "3.0", "3.5", "3.7", "5.0", "5.2", "5.3", "6.0", "6.1", "7.0", "7.5", "8.0", "8.6", "8.9", "9.0", "10.0", "10.3",
        "12.0", "12.1",
    ];
    const PYTHONS: [&str; 6] = ["3.7", "3.8", "3.10", "3.11", "3.13", "3.14"];

    #[test]
    fn no_choice_ever_breaks_a_floor_a_chip_or_a_python() {
        let tables = Tables::default();
        let mut fits = 0;
        for driver in DRIVERS {
            for chip in CHIPS {
                for python in PYTHONS {
                    let Ok(wheel) = best(&tables, Some(driver), &[chip], Some(python)) else { continue };
                    fits += 1;
                    let row = tables.torch_compat().find("torch", wheel.torch).unwrap();
                    let floor = tables.cuda_driver().find("cuda_minor", &wheel.cuda).unwrap().get("minor_compat_min_linux");
                    assert!(compare_versions(driver, wheel.driver_min) != Some(Ordering::Less), "{driver} {wheel:?}");
                    assert!(compare_versions(driver, floor) != Some(Ordering::Less) || wheel.cuda == "11.0", "{driver} {wheel:?}");
                    let archs = arch_list(&tables, wheel.torch, &wheel.cuda).unwrap();
                    assert!(chips::covers(archs, chip), "{chip} {wheel:?}");
                    assert!(python_fits(row.get("python"), python), "{python} {wheel:?}");
                }
            }
        }
        println!(
            "{} combinations of driver, chip and Python: {fits} with a set, the rest with a reason",
            DRIVERS.len() * CHIPS.len() * PYTHONS.len()
        );
        assert!(fits > 300, "{fits}");
    }

    #[test]
    fn known_machines_get_what_people_install_there() {
        let tables = Tables::default();
        for (driver, chip, python, torch, build) in [
            ("470.256.02", "7.5", "3.10", "2.7.1", "cu118"),
            ("535.183.01", "6.1", "3.10", "2.11.0", "cu126"),
            ("550.120", "8.9", "3.10", "2.11.0", "cu126"),
            ("570.124.06", "12.0", "3.12", "2.11.0", "cu128"),
            ("580.65.06", "8.9", "3.11", "2.11.0", "cu130"),
            ("550.120", "8.0", "3.8", "2.4.1", "cu118"),
        ] {
            let wheel = best(&tables, Some(driver), &[chip], Some(python)).unwrap();
            assert_eq!((wheel.torch, wheel.build), (torch, build), "{driver} {chip} {python}");
        }
    }

    #[test]
    fn the_command_names_the_whole_set() {
        let wheel = best(&Tables::default(), Some("470.256.02"), &["7.5"], Some("3.10")).unwrap();
        assert_eq!(
            wheel.command(),
            "pip install torch==2.7.1 torchvision==0.22.1 torchaudio==2.7.1 --index-url https://download.pytorch.org/whl/cu118"
        );
        assert!(wheel.pins.contains(&Pin::Driver { need: "525.60.13".into() }), "{:?}", wheel.pins);
    }

    #[test]
    fn reasons_are_given_where_nothing_fits() {
        let tables = Tables::default();
        let too_old = best(&tables, Some("535.183.01"), &["12.0"], Some("3.12"));
        assert_eq!(too_old, Err(WhyNot::DriverTooOldForChip { arch: "sm_120".into(), need: "570".into() }));
        let dropped = best(&tables, Some("550.120"), &["3.5"], Some("3.8"));
        assert_eq!(dropped, Err(WhyNot::DriverDroppedChip { arch: "sm_35".into(), last: "470".into() }));
        assert!(matches!(best(&tables, Some("550.120"), &["8.0"], Some("2.7")), Err(WhyNot::NoWheel { .. })));
    }

    #[test]
    fn cards_of_two_kinds_need_one_wheel_for_both() {
        let wheel = best(&Tables::default(), Some("580.65.06"), &["6.1", "8.9"], Some("3.11")).unwrap();
        assert_eq!(wheel.build, "cu126");
        assert!(wheel.pins.contains(&Pin::Arch { arch: "sm_61".into() }));
    }
}
