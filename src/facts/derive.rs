//! Facts that follow from tables and from other facts, so that no condition has to compute.

use super::version::{compare_versions, head};
use super::{Fact, Facts, Subject, Value, chips, wheel};
use crate::pattern::Tables;
use crate::segment::{Log, ScopeId, ScopeKind};
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// Adds what the tables say about cards, drivers and environments.
pub fn derive(log: &Log, tables: &Tables, facts: &mut Facts) {
    let mut deriver = Deriver { log, tables, facts };
    deriver.cards();
    deriver.driver();
    deriver.history();
    deriver.visible();
    for (scope, env) in deriver.envs() {
        deriver.environment(scope, env);
    }
}

struct Deriver<'d> {
    log: &'d Log,
    tables: &'d Tables,
    facts: &'d mut Facts,
}

impl Deriver<'_> {
    fn give(&mut self, scope: ScopeId, subject: Subject, name: &str, value: Value, lines: &[u32]) {
        let lines = lines.iter().copied().collect::<BTreeSet<_>>().into_iter().take(8).collect();
        self.facts.facts.push(Fact { scope, subject, name: name.to_owned(), value, lines, derived: true });
    }

    /// A fact of the scope, or, where it has none, of the host around a container or pod.
    fn seen(&self, scope: ScopeId, subject: Subject, name: &str) -> Option<&Fact> {
        self.facts.get(scope, subject, name).or_else(|| {
            let inner = self.log.scopes.get(scope as usize).is_some_and(|s| s.kind.is_inner());
            let hosts = self.log.scopes.iter().enumerate().filter(|(_, s)| s.kind == ScopeKind::Host);
            inner.then(|| hosts.rev().find_map(|(host, _)| self.facts.get(host as ScopeId, subject, name))).flatten()
        })
    }

    fn version(&self, scope: ScopeId, subject: Subject, name: &str) -> Option<(String, Vec<u32>)> {
        text_of(self.seen(scope, subject, name)?)
    }

    /// The same, of this very scope only.
    fn own(&self, scope: ScopeId, subject: Subject, name: &str) -> Option<(String, Vec<u32>)> {
        text_of(self.facts.get(scope, subject, name)?)
    }

    fn is_windows(&self, scope: ScopeId) -> bool {
        let os = self.own(scope, Subject::None, "os.name").map(|(os, _)| os);
        self.log.scopes.get(scope as usize).is_some_and(|s| s.kind == ScopeKind::Windows)
            || matches!(os.as_deref(), Some("windows" | "macos"))
    }

    /// True where the machine is known not to be x86_64.
    fn is_foreign(&self, scope: ScopeId) -> bool {
        self.version(scope, Subject::None, "machine.architecture").is_some_and(|(machine, _)| machine != "x86_64")
    }

    /// Scope and number of every environment.
    fn envs(&self) -> Vec<(ScopeId, Subject)> {
        let all: BTreeSet<_> =
            self.facts.facts.iter().filter(|f| matches!(f.subject, Subject::Env(_))).map(|f| (f.scope, f.subject)).collect();
        all.into_iter().collect()
    }

    /// Capability of each card, what code it needs and which branches know it.
    fn cards(&mut self) {
        let named: BTreeSet<_> =
            self.facts.facts.iter().filter(|f| matches!(f.subject, Subject::Gpu(_))).map(|f| (f.scope, f.subject)).collect();
        for (scope, card) in named {
            if self.facts.get(scope, card, "gpu.capability").is_none()
                && let Some((name, lines)) = self.version(scope, card, "gpu.name")
                && let Some(capability) = chips::capability(self.tables, &name)
            {
                self.give(scope, card, "gpu.capability", Value::Version(capability.to_owned()), &lines);
            }
            let Some((capability, lines)) = self.version(scope, card, "gpu.capability") else { continue };
            self.give(scope, card, "need.arch", Value::Text(chips::arch(&capability)), &lines);
            let branches = [
                ("need.driver_branch_min", chips::first_branch(self.tables, &capability)),
                ("need.driver_branch_max", chips::last_branch(self.tables, &capability)),
            ];
            for (name, branch) in branches {
                if let Some(branch) = branch {
                    self.give(scope, card, name, Value::Version(branch.to_owned()), &lines);
                }
            }
            let open =
                self.tables.compute_capability().find("compute_capability", &capability).map_or("", |r| r.get("open_kernel_modules"));
            if !open.is_empty() {
                self.give(scope, card, "need.open_module", Value::Bool(open.starts_with("required")), &lines);
            }
        }
    }

    /// The newest CUDA of a driver whose header was not pasted, and the driver's branch.
    fn driver(&mut self) {
        for scope in 0..self.log.scopes.len() as ScopeId {
            let own = |name| self.facts.get(scope, Subject::None, name).map(|f| (f.value.clone(), f.lines.clone()));
            let names = ["driver.version", "driver.module_version"];
            let Some((Value::Version(version), lines)) = names.into_iter().find_map(own) else { continue };
            let branch = head(&version, 1);
            self.give(scope, Subject::None, "driver.branch", Value::Version(branch.clone()), &lines);
            if self.facts.get(scope, Subject::None, "driver.version").is_none() {
                self.give(scope, Subject::None, "driver.version", Value::Version(version), &lines);
            }
            if self.facts.get(scope, Subject::None, "driver.cuda_max").is_none()
                && let Some(row) = self.tables.driver_branch().find("driver_branch", &branch)
            {
                let cuda = row.get("max_cuda_shown_by_nvidia_smi").to_owned();
                self.give(scope, Subject::None, "driver.cuda_max", Value::Version(cuda), &lines);
            }
        }
    }

    /// Was the driver or the kernel changed after the last boot?
    fn history(&mut self) {
        for scope in 0..self.log.scopes.len() as ScopeId {
            let Some((boot, boot_lines)) = self.own(scope, Subject::None, "kernel.boot_time") else { continue };
            for (at, name) in [("driver.upgraded_at", "driver.upgraded_after_boot"), ("kernel.upgraded_at", "kernel.upgraded_after_boot")] {
                let Some((time, mut lines)) = self.own(scope, Subject::None, at) else { continue };
                lines.extend(&boot_lines);
                self.give(scope, Subject::None, name, Value::Bool(time > boot), &lines);
            }
        }
    }

    /// What CUDA_VISIBLE_DEVICES leaves: CUDA stops at the first entry that it does not find.
    fn visible(&mut self) {
        for scope in 0..self.log.scopes.len() as ScopeId {
            let Some((value, lines)) = self.own(scope, Subject::None, "env.cuda_visible_devices") else { continue };
            let count = self.seen(scope, Subject::None, "gpu.count").and_then(|f| match f.value {
                Value::Int(count) => Some((count, f.lines.clone())),
                _ => None,
            });
            let cards =
                Cards { count: count.as_ref().map(|(n, _)| *n), uuids: self.facts.gpus.iter().filter_map(|g| g.uuid.clone()).collect() };
            let (visible, invalid, certain) = cut(&value, &cards);
            let mut lines = lines;
            lines.extend(count.iter().flat_map(|(_, lines)| lines));
            if certain {
                self.give(scope, Subject::None, "visible.count", Value::Int(visible.len() as i64), &lines);
            }
            if let Some(invalid) = invalid {
                self.give(scope, Subject::None, "visible.first_invalid", Value::Text(invalid), &lines);
            }
            let mapping: Vec<String> = visible.iter().enumerate().map(|(at, card)| format!("cuda:{at} = {card}")).collect();
            if !mapping.is_empty() {
                self.give(scope, Subject::None, "visible.mapping", Value::Set(mapping), &lines);
            }
        }
    }

    /// What torch's build needs, carries and goes with.
    fn environment(&mut self, scope: ScopeId, env: Subject) {
        self.libraries(scope, env);
        let torch = self.facts.get(scope, env, "torch.version").cloned();
        let Some(Fact { value: Value::Version(torch), lines: torch_lines, .. }) = torch else {
            return self.best(scope, env);
        };
        self.torch_cuda(scope, env, &torch, &torch_lines);
        self.companions(scope, env, &torch, &torch_lines);
        if let Some((cuda, lines)) = self.version(scope, env, "torch.cuda") {
            self.floor(scope, env, &cuda, &lines);
            self.archs(scope, env, &torch, &cuda, &torch_lines);
        }
        self.covers(scope, env);
        self.best(scope, env);
    }

    /// A bare torch from PyPI on Linux is the default build of its version.
    fn torch_cuda(&mut self, scope: ScopeId, env: Subject, torch: &str, lines: &[u32]) {
        let told = self.facts.get(scope, env, "torch.cuda").is_some() || self.facts.get(scope, env, "torch.build").is_some();
        let denied = self.facts.absences.iter().any(|a| a.scope == scope && a.subject == env && a.name == "torch.cuda");
        if told || denied || self.is_windows(scope) || self.is_foreign(scope) || torch.contains('+') {
            return;
        }
        let cell = self.tables.torch_compat().find("torch", torch).map_or("", |row| row.get("pypi_default_cuda"));
        if !cell.is_empty() {
            self.give(scope, env, "torch.cuda", Value::Version(head(cell, 2)), lines);
        }
    }

    /// torchvision and torchaudio that belong to this torch, and whether those installed do.
    fn companions(&mut self, scope: ScopeId, env: Subject, torch: &str, lines: &[u32]) {
        let plain = torch.split('+').next().unwrap_or(torch);
        let Some(row) = self.tables.torch_compat().find("torch", plain) else { return };
        let mut all_lines = lines.to_vec();
        let mut matches: Option<bool> = None;
        for (column, need, package) in
            [("torchvision", "need.torchvision", "package.torchvision"), ("torchaudio", "need.torchaudio", "package.torchaudio")]
        {
            let wanted = row.get(column);
            self.give(scope, env, need, Value::Text(wanted.to_owned()), lines);
            let Some((installed, at)) = self.version(scope, env, package) else { continue };
            if let Some(fits) = companion_fits(wanted, &installed) {
                matches = Some(matches.unwrap_or(true) && fits);
                all_lines.extend(at);
            }
        }
        if let Some(matches) = matches {
            self.give(scope, env, "torch.companions_match", Value::Bool(matches), &all_lines);
        }
    }

    /// The floor of torch's CUDA line for the driver.
    fn floor(&mut self, scope: ScopeId, env: Subject, cuda: &str, lines: &[u32]) {
        let cuda = head(cuda, 2);
        let Some(row) = self.tables.cuda_driver().find("cuda_minor", &cuda) else { return };
        let column = if self.is_windows(scope) { "minor_compat_min_windows" } else { "minor_compat_min_linux" };
        let floor = row.get(column);
        if floor.starts_with(|c: char| c.is_ascii_digit()) {
            self.give(scope, env, "need.driver_min", Value::Version(floor.to_owned()), lines);
        }
    }

    /// The wheel's architectures where they were not printed.
    fn archs(&mut self, scope: ScopeId, env: Subject, torch: &str, cuda: &str, lines: &[u32]) {
        // The table is about wheels for Linux on x86_64; others carry other code.
        if self.facts.get(scope, env, "torch.arch_list").is_some() || self.is_windows(scope) || self.is_foreign(scope) {
            return;
        }
        let Some(archs) = wheel::arch_list(self.tables, torch, &head(cuda, 2)) else { return };
        let list = archs.iter().flat_map(|arch| {
            let (code, ptx) = arch.split_once('+').map_or((*arch, false), |(code, _)| (code, true));
            let digits = code.replace('.', "");
            std::iter::once(format!("sm_{digits}")).chain(ptx.then(|| format!("compute_{digits}")))
        });
        self.give(scope, env, "torch.arch_list", Value::Set(list.collect()), lines);
    }

    /// Does the wheel carry code for every card of the scope?
    fn covers(&mut self, scope: ScopeId, env: Subject) {
        let Some(Fact { value: Value::Set(archs), lines, .. }) = self.facts.get(scope, env, "torch.arch_list").cloned() else { return };
        let cards = self.capabilities(scope);
        if cards.is_empty() || archs.is_empty() {
            return;
        }
        let covered = cards.iter().all(|(capability, _)| chips::covers(archs.iter().map(String::as_str), capability));
        let lines: Vec<u32> = lines.iter().copied().chain(cards.iter().flat_map(|(_, lines)| lines.clone())).collect();
        self.give(scope, env, "torch.covers_gpu", Value::Bool(covered), &lines);
    }

    /// Capabilities of the cards that the scope sees, each once.
    fn capabilities(&self, scope: ScopeId) -> Vec<(String, Vec<u32>)> {
        let mut found: Vec<(String, Vec<u32>)> = Vec::new();
        for at in 0..self.facts.gpus.len() {
            if let Some((capability, lines)) = self.version(scope, Subject::Gpu(at as u16), "gpu.capability")
                && !found.iter().any(|(known, _)| *known == capability)
            {
                found.push((capability, lines));
            }
        }
        found
    }

    /// CUDA major lines among the packages.
    fn libraries(&mut self, scope: ScopeId, env: Subject) {
        let mut majors: BTreeSet<String> = BTreeSet::new();
        let mut lines = Vec::new();
        for fact in self.facts.facts.iter().filter(|f| f.scope == scope && f.subject == env) {
            let Some(name) = fact.name.strip_prefix("package.") else { continue };
            let major = match name.rsplit_once("-cu") {
                Some((_, major)) if name.starts_with("nvidia-") && major.len() == 2 && major.chars().all(|c| c.is_ascii_digit()) => {
                    major.to_owned()
                }
                _ if matches!(name, "cudatoolkit" | "cuda-runtime" | "cuda-cudart" | "nvidia-cuda-runtime") => match &fact.value {
                    Value::Version(version) => head(version, 1),
                    _ => continue,
                },
                _ => continue,
            };
            majors.insert(major);
            lines.extend(&fact.lines);
        }
        if !majors.is_empty() {
            let mixed = majors.len() > 1;
            self.give(scope, env, "library.cuda_majors", Value::Set(majors.into_iter().collect()), &lines);
            self.give(scope, env, "library.cuda_mixed", Value::Bool(mixed), &lines);
        }
    }

    /// The newest set that runs here: only where driver and chips are known, on Linux.
    fn best(&mut self, scope: ScopeId, env: Subject) {
        let wsl = self.log.scopes.get(scope as usize).is_some_and(|s| s.kind == ScopeKind::Wsl);
        let Some((driver, mut lines)) = self.version(scope, Subject::None, "driver.version") else { return };
        let cards = self.capabilities(scope);
        if wsl || self.is_windows(scope) || self.is_foreign(scope) || cards.is_empty() {
            return;
        }
        let python = self.version(scope, env, "python.version").map(|(version, _)| version);
        let capabilities: Vec<&str> = cards.iter().map(|(capability, _)| capability.as_str()).collect();
        if let Ok(wheel) = wheel::best(self.tables, Some(&driver), &capabilities, python.as_deref()) {
            lines.extend(cards.iter().flat_map(|(_, lines)| lines));
            self.give(scope, env, "best.torch_install", Value::Text(wheel.command()), &lines);
        }
    }
}

/// A version or text with its lines.
fn text_of(fact: &Fact) -> Option<(String, Vec<u32>)> {
    match &fact.value {
        Value::Version(version) | Value::Text(version) => Some((version.clone(), fact.lines.clone())),
        _ => None,
    }
}

/// `0.19.1`, `0.11.0, 0.11.1`, `>=0.29.1 (…)`, `0.29.0 (exact pin), 0.29.1+`: does it hold? `None`
/// where the table says something else.
fn companion_fits(wanted: &str, installed: &str) -> Option<bool> {
    let mut known = false;
    for part in wanted.split([',', '/']) {
        let part = part.split('(').next().unwrap_or(part).trim();
        let (low, open) = match (part.strip_prefix(">="), part.strip_suffix('+')) {
            (Some(low), _) | (_, Some(low)) => (low, true),
            _ => (part, false),
        };
        let Some(order) = compare_versions(installed, low) else { continue };
        known = true;
        if order == Ordering::Equal || (open && order == Ordering::Greater) {
            return Some(true);
        }
    }
    known.then_some(false)
}

/// The cards that entries can name.
struct Cards {
    count: Option<i64>,
    uuids: Vec<String>,
}

/// What the variable's value leaves: the entries up to the first invalid one, that one, and
/// whether the number is certain.
fn cut(value: &str, cards: &Cards) -> (Vec<String>, Option<String>, bool) {
    let mut visible: Vec<String> = Vec::new();
    if value.trim().is_empty() || value.trim() == "-1" || value == "NoDevFiles" {
        return (visible, None, true);
    }
    let mut certain = true;
    for entry in value.split(',').map(str::trim).take(256) {
        let valid = match entry.parse::<i64>() {
            Ok(index) if index < 0 => Some(false),
            Ok(index) => cards.count.map(|count| index < count),
            Err(_) if entry.starts_with("GPU-") => {
                let known = cards.uuids.iter().any(|uuid| uuid.starts_with(entry));
                let all_known = cards.count.is_some_and(|count| cards.uuids.len() as i64 >= count);
                if known { Some(true) } else { all_known.then_some(false) }
            }
            Err(_) if entry.starts_with("MIG-") || entry.starts_with('<') || entry.starts_with('$') => None,
            Err(_) => Some(false),
        };
        match valid {
            Some(false) => return (visible, Some(entry.to_owned()), certain),
            // A doubled entry makes CUDA see no device at all.
            Some(true) if visible.iter().any(|known| known == entry) => return (Vec::new(), Some(entry.to_owned()), certain),
            Some(true) => {}
            None => certain = false,
        }
        visible.push(entry.to_owned());
    }
    (visible, None, certain)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Part, facts_of, part, value};
    use super::*;
    use crate::segment::Kind;

    const ENV: Subject = Subject::Env(0);

    fn table(driver: &str, cuda: &str, name: &str) -> String {
        format!(
            "| NVIDIA-SMI {driver}   Driver Version: {driver}   CUDA Version: {cuda}     |\n|===============================+======================+======================|\n|   0  {name}  Off  | 00000000:07:00.0  On |                  N/A |\n|  0%   43C    P8    12W / 170W |    311MiB / 12045MiB |      0%      Default |\n+-------------------------------+----------------------+----------------------+"
        )
    }

    fn version(text: &str) -> Option<Value> {
        Some(Value::Version(text.into()))
    }

    #[test]
    fn the_floor_and_the_best_set_come_from_tables() {
        let smi = table("470.256.02", "11.4", "Tesla T4");
        let facts = facts_of(&[
            part(Kind::NvidiaSmi, "", &smi),
            part(Kind::PipList, "", "torch                    2.4.1+cu124\ntorchvision              0.19.1+cu124"),
        ]);
        assert_eq!(value(&facts, ENV, "need.driver_min"), version("525.60.13"));
        assert_eq!(value(&facts, Subject::Gpu(0), "gpu.capability"), version("7.5"));
        assert_eq!(value(&facts, Subject::Gpu(0), "need.arch"), Some(Value::Text("sm_75".into())));
        assert_eq!(value(&facts, ENV, "torch.companions_match"), Some(Value::Bool(true)));
        let Some(Value::Text(best)) = value(&facts, ENV, "best.torch_install") else { panic!() };
        assert!(best.contains("torch==2.7.1 ") && best.ends_with("cu118"), "{best}");
        assert!(facts.facts.iter().all(|f| !f.lines.is_empty()));
    }

    #[test]
    fn a_wheel_without_code_for_the_card_is_told() {
        let smi = table("570.124.06", "12.8", "NVIDIA GeForce RTX 5090");
        let facts = facts_of(&[part(Kind::NvidiaSmi, "", &smi), part(Kind::PipList, "", "torch==2.6.0+cu124")]);
        assert_eq!(value(&facts, ENV, "torch.covers_gpu"), Some(Value::Bool(false)));
        assert_eq!(value(&facts, Subject::Gpu(0), "need.driver_branch_min"), version("570"));
        let fits = facts_of(&[
            part(Kind::NvidiaSmi, "", &table("550.120", "12.4", "NVIDIA GeForce RTX 4090")),
            part(Kind::PipList, "", "torch==2.6.0+cu124"),
        ]);
        assert_eq!(value(&fits, ENV, "torch.covers_gpu"), Some(Value::Bool(true)));
    }

    #[test]
    fn companions_that_do_not_belong_together() {
        let facts = facts_of(&[part(Kind::PipList, "", "torch                     2.5.1\ntorchvision               0.19.0")]);
        assert_eq!(value(&facts, ENV, "torch.companions_match"), Some(Value::Bool(false)));
        assert_eq!(value(&facts, ENV, "need.torchvision"), Some(Value::Text("0.20.1".into())));
        let cuda = facts.facts.iter().find(|f| f.name == "torch.cuda").unwrap();
        assert!(cuda.derived && cuda.value == Value::Version("12.4".into()));
    }

    #[test]
    fn the_visible_list_is_cut_at_its_first_invalid_entry() {
        let cards = Cards { count: Some(8), uuids: vec![] };
        let names = |v: &[&str]| v.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
        assert_eq!(cut("0,9,1", &cards), (names(&["0"]), Some("9".into()), true));
        assert_eq!(cut("2,3", &cards), (names(&["2", "3"]), None, true));
        assert_eq!(cut("9", &cards), (vec![], Some("9".into()), true));
        assert_eq!(cut("", &cards), (vec![], None, true));
        assert_eq!(cut("1,1", &cards), (vec![], Some("1".into()), true));
        assert_eq!(cut("2,3", &Cards { count: None, uuids: vec![] }), (names(&["2", "3"]), None, false));
        assert_eq!(cut("MIG-7d0f", &cards), (names(&["MIG-7d0f"]), None, false));
    }

    #[test]
    fn a_container_sees_the_hosts_driver_and_cards() {
        let smi = table("535.183.01", "12.2", "NVIDIA GeForce RTX 4090");
        let facts = facts_of(&[
            part(Kind::NvidiaSmi, "", &smi),
            Part { kind: Kind::PipList, scope: ScopeKind::Container, command: "", text: "torch==2.4.1+cu121" },
        ]);
        assert!(value(&facts, ENV, "best.torch_install").is_some());
    }

    #[test]
    fn an_upgrade_after_the_boot_is_told() {
        let facts = facts_of(&[
            part(Kind::Uptime, "uptime -s", "2026-11-20 08:00:01"),
            part(Kind::PackageHistory, "", "2026-11-24 06:11:02 upgrade libnvidia-compute-550:amd64 550.107.02-0ubuntu1 550.120-0ubuntu1"),
        ]);
        assert_eq!(value(&facts, Subject::None, "driver.upgraded_after_boot"), Some(Value::Bool(true)));
    }

    #[test]
    fn two_cuda_lines_in_one_environment() {
        let facts = facts_of(&[part(
            Kind::PipList,
            "",
            "nvidia-nccl-cu11             2.14.3\nnvidia-nccl-cu12             2.27.3\ntorch                        2.8.0",
        )]);
        assert_eq!(value(&facts, ENV, "library.cuda_majors"), Some(Value::Set(vec!["11".into(), "12".into()])));
        assert_eq!(value(&facts, ENV, "library.cuda_mixed"), Some(Value::Bool(true)));
    }
}
