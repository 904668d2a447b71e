//! System packages and their history: dpkg, rpm, apt's history, dpkg.log.

use super::Subject;
use super::host::{full_time, month};
use super::reader::{Line, Reader, caps, first, hits, re};

/// dpkg -l, apt list, rpm -qa.
pub fn installed(reader: &mut Reader) {
    for line in reader.lines() {
        let text = line.text.trim();
        let dpkg = caps(re!(r"^(?:ii|hi)\s+([a-z0-9][\w.+-]*)(?::\w+)?\s+(\S+)"), text);
        let apt = caps(re!(r"^([a-z0-9][\w.+-]*)/\S+\s+(\d\S*)\s+\w+\s+\[.*(?:installed|已安装)"), text);
        let rpm = caps(re!(r"^([A-Za-z][\w.+]*(?:-[A-Za-z][\w.+]*)*)-(\d[\w.:+~]*-[\w.]+)\.(?:x86_64|noarch|aarch64)$"), text);
        if let Some(cells) = dpkg.or(apt).or(rpm) {
            let cell = |n: usize| cells.get(n).map_or("", |m| m.as_str());
            package(reader, cell(1), cell(2), line);
        } else if hits(re!(r"^(?:rc|iF|iU|iHR?)\s+nvidia-"), text) {
            reader.bool("driver.package_broken", !text.starts_with("rc"), line.number);
        }
    }
    driver_absent(reader);
}

fn driver_absent(reader: &mut Reader) {
    let command = reader.command_line();
    let lists = hits(re!(r"^(?:dpkg (?:-l|--list)|apt list --installed|rpm -qa)"), command);
    if lists && reader.shows_all(&["ii  nvidia-driver-535   535.183.01"]) && reader.known(Subject::None, "driver.package").is_none() {
        reader.deny("driver.package");
    }
}

fn package(reader: &mut Reader, name: &str, version: &str, line: Line) {
    let number = first(re!(r"^(?:\d+:)?(\d+\.[\d.]+)"), version);
    if is_driver(name) {
        reader.text("driver.package", name, line.number);
        if let Some(number) = number {
            reader.version("driver.package_version", number, line.number);
        }
        return;
    }
    let known = match name {
        "nvidia-container-toolkit" | "nvidia-container-toolkit-base" => "container.toolkit",
        "nvidia-fabricmanager" | "nvidia-fabric-manager" => "fabric.version",
        _ if name.starts_with("nvidia-fabricmanager-") => "fabric.version",
        _ => return,
    };
    if let Some(number) = number {
        reader.version(known, number, line.number);
    }
}

/// The packages that are the driver itself, not what goes with it.
fn is_driver(name: &str) -> bool {
    hits(
        re!(
            r"^(?:nvidia-driver(?:-\d+)?(?:-server|-open|-server-open)?|nvidia-open(?:-\d+)?|cuda-drivers(?:-\d+)?|nvidia-headless-\d+\S*|kmod-nvidia\S*|akmod-nvidia\S*|xorg-x11-drv-nvidia(?:-cuda)?|nvidia(?:-open)?(?:-dkms|-lts)?|nvidia-driver-cuda|libnvidia-compute-\d+\S*|nvidia-utils-\d+\S*)$"
        ),
        name,
    )
}

/// apt's history.log, dpkg.log, dnf: when the driver and the kernel were last changed.
pub fn history(reader: &mut Reader) {
    let mut when: Option<String> = None;
    for line in reader.lines() {
        let text = line.text.trim();
        if let Some(cells) = caps(re!(r"^(?:Start-Date: |End-Date: )?(\d{4}-\d{2}-\d{2})[ T]+(\d{2}:\d{2}(?::\d{2})?)"), text) {
            let cell = |n: usize| cells.get(n).map_or("", |m| m.as_str());
            when = Some(format!("{}T{}", cell(1), full_time(cell(2))));
        } else if let Some(time) = dnf_time(text) {
            when = Some(time);
        }
        if let Some(time) = &when {
            change(reader, line, &time.clone());
        }
    }
}

/// dnf: `Begin time     : Tue 14 May 2024 09:01:44 AM UTC`.
fn dnf_time(text: &str) -> Option<String> {
    let cells = caps(re!(r"^Begin time\s*: \w{3} (\d{1,2}) (\w{3}) (\d{4}) (\d{2}):(\d{2}:\d{2})(?: (AM|PM))?"), text)?;
    let cell = |n: usize| cells.get(n).map_or("", |m| m.as_str());
    let hour: u32 = cell(4).parse().ok()?;
    let hour = match cell(6) {
        "AM" => hour % 12,
        "PM" => hour % 12 + 12,
        _ => hour,
    };
    Some(format!("{}-{:02}-{:0>2}T{hour:02}:{}", cell(3), month(cell(2))?, cell(1), cell(5)))
}

fn change(reader: &mut Reader, line: Line, time: &str) {
    let text = line.text;
    if !hits(
        re!(
            r"^(?:Install|Upgrade|Reinstall):|^\s+(?:Install|Upgrade|Upgraded|Reinstall)\s+\S+-\d|\s(?:install|upgrade|upgraded|Installed:|Upgraded:|SUBCOMMAND)\s|^\S+ \S+ (?:install|upgrade) "
        ),
        text,
    ) {
        return;
    }
    if hits(re!(r"\b(?:nvidia-(?:driver|dkms|kernel|open|headless|utils)|libnvidia-|kmod-nvidia|cuda-drivers)"), text) {
        reader.text("driver.upgraded_at", time, line.number);
        let pair = re!(
            r"(?:nvidia-(?:driver|dkms|utils|kernel-common|compute-utils)|libnvidia-compute)-?[\w-]*(?::\w+)?\s+\(?(\d+\.[\d.]+)[^\s,)]*[\s,]+(\d+\.[\d.]+)"
        );
        if let Some(cells) = caps(pair, text) {
            let cell = |n: usize| cells.get(n).map_or("", |m| m.as_str());
            reader.version("driver.upgraded_from", cell(1), line.number);
            reader.version("driver.upgraded_to", cell(2), line.number);
        }
    }
    if hits(re!(r"\b(?:linux-(?:image|modules)-\d|kernel(?:-core)?-\d)"), text) {
        reader.text("kernel.upgraded_at", time, line.number);
        if let Some(release) = first(re!(r"linux-(?:image|modules)-(?:unsigned-)?(\d+\.\d+\.\d+-\d+-\w+)"), text) {
            reader.text("kernel.installed", release, line.number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{absent, facts, facts_from, value};
    use super::super::{Subject, Value};
    use crate::segment::Kind;

    #[test]
    fn the_driver_package_in_dpkg_and_rpm() {
        for (text, name) in [
            ("ii  nvidia-driver-535   535.183.01-0ubuntu0.22.04.1   amd64   NVIDIA driver metapackage", "nvidia-driver-535"),
            ("kmod-nvidia-latest-dkms-550.90.07-1.el9.x86_64", "kmod-nvidia-latest-dkms"),
        ] {
            let facts = facts(Kind::Packages, text);
            assert_eq!(value(&facts, Subject::None, "driver.package"), Some(Value::Text(name.into())), "{text}");
        }
        assert!(absent(&facts_from(Kind::Packages, "dpkg -l | grep nvidia-driver", ""), "driver.package"));
    }

    #[test]
    fn history_tells_when_the_driver_changed() {
        let apt = "Start-Date: 2026-11-24  06:11:02\nCommandline: /usr/bin/unattended-upgrade\nUpgrade: nvidia-utils-550:amd64 (550.107.02-0ubuntu0.22.04.1, 550.120-0ubuntu0.22.04.1), linux-image-6.8.0-51-generic:amd64 (6.8.0-51.52)\nEnd-Date: 2026-11-24  06:12:40";
        let facts = facts(Kind::PackageHistory, apt);
        assert_eq!(value(&facts, Subject::None, "driver.upgraded_at"), Some(Value::Text("2026-11-24T06:11:02".into())));
        assert_eq!(value(&facts, Subject::None, "driver.upgraded_from"), Some(Value::Version("550.107.02".into())));
        assert_eq!(value(&facts, Subject::None, "driver.upgraded_to"), Some(Value::Version("550.120".into())));
        assert_eq!(value(&facts, Subject::None, "kernel.upgraded_at"), Some(Value::Text("2026-11-24T06:11:02".into())));
    }

    #[test]
    fn dnf_history_is_read() {
        let facts = facts(
            Kind::PackageHistory,
            "Begin time     : Tue 14 May 2024 09:01:44 PM UTC\nPackages Altered:\n    Install nvidia-driver-3:550.54.15-1.el9.x86_64      @cuda-rhel9-x86_64",
        );
        assert_eq!(value(&facts, Subject::None, "driver.upgraded_at"), Some(Value::Text("2024-05-14T21:01:44".into())));
    }

    #[test]
    fn dpkg_log_is_a_history_too() {
        let facts =
            facts(Kind::PackageHistory, "2026-11-20 06:11:02 upgrade libnvidia-compute-550:amd64 550.107.02-0ubuntu1 550.120-0ubuntu1");
        assert_eq!(value(&facts, Subject::None, "driver.upgraded_at"), Some(Value::Text("2026-11-20T06:11:02".into())));
        assert_eq!(value(&facts, Subject::None, "driver.upgraded_to"), Some(Value::Version("550.120".into())));
    }
}
