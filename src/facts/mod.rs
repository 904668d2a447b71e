//! Listings to facts: (scope, subject, name, value, lines), in three states.
//!
//! One parser per listing. A fact is *given*, *absent* (a complete listing does not show it)
//! or *unknown*; unknown is never taken for false.

pub mod chips;
mod cluster;
mod derive;
mod envvars;
mod host;
mod kernel;
mod modules;
mod packages;
mod parsers;
mod probe;
mod ranks;
mod reader;
pub mod register;
mod smi_list;
mod smi_query;
mod smi_table;
mod smi_xml;
mod syspkg;
#[cfg(test)]
mod testing;
mod toolkit;
mod torchenv;
mod traceback;
pub mod version;
pub mod wheel;
pub mod xids;

use crate::intake::Paste;
use crate::pattern::Tables;
use crate::segment::{Log, ScopeId};
use reader::{Memo, Reader};
pub use register::{Class, FactType, Register};
pub use version::compare_versions;

/// One thing that the paste says about the machine, an environment, a rank.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    pub scope: ScopeId,
    pub subject: Subject,
    /// A name of the register (`driver.version`, `package.torchvision`).
    pub name: String,
    pub value: Value,
    /// 1-based line numbers that say so; for a derived fact those of the facts it came from.
    pub lines: Vec<u32>,
    /// Made from a table, not read from the paste.
    pub derived: bool,
}

/// Which card, rank or environment a fact or finding is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Subject {
    #[default]
    None,
    /// Index into [`Facts::gpus`].
    Gpu(u16),
    Rank(u32),
    /// Number of the Python environment within the paste.
    Env(u16),
    Process(u32),
}

/// One card, known by some of its names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gpu {
    /// `0000:41:00.0`: lower case, four digits of domain (more only where not zero).
    pub pci: Option<String>,
    /// nvidia-smi's index.
    pub index: Option<u32>,
    pub uuid: Option<String>,
}

/// A value. Its type is the register's.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Bool(bool),
    /// Counts, bytes, degrees Celsius.
    Int(i64),
    /// Watts.
    Float(f64),
    /// `550.90.07`, `2.4.1+cu124`, `12.4`.
    Version(String),
    /// Words, texts, PCI addresses, times (ISO 8601 without zone).
    Text(String),
    Set(Vec<String>),
}

/// What is known about a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Given,
    Absent,
    Unknown,
}

/// A complete listing that does not show `name`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absence {
    pub scope: ScopeId,
    pub subject: Subject,
    pub name: String,
    pub lines: Vec<u32>,
}

/// All facts of one paste.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    pub facts: Vec<Fact>,
    pub absences: Vec<Absence>,
    /// The cards of the paste; the same card named twice stands here once.
    pub gpus: Vec<Gpu>,
}

impl Facts {
    /// Notes that `name` holds `value`. Later facts of the same scope, subject and name do not
    /// replace earlier ones: both are kept, and the last one counts in conditions.
    pub fn give(&mut self, scope: ScopeId, subject: Subject, name: &str, value: Value, lines: &[u32]) {
        let fact = Fact { scope, subject, name: name.to_owned(), value, lines: lines.to_vec(), derived: false };
        self.facts.push(fact);
    }

    /// Notes that a complete listing does not show `name`.
    pub fn deny(&mut self, scope: ScopeId, subject: Subject, name: &str, lines: &[u32]) {
        self.absences.push(Absence { scope, subject, name: name.to_owned(), lines: lines.to_vec() });
    }

    /// The last value of `name` in `scope` for `subject`.
    pub fn get(&self, scope: ScopeId, subject: Subject, name: &str) -> Option<&Fact> {
        self.facts.iter().rev().find(|f| f.scope == scope && f.subject == subject && f.name == name)
    }

    /// All facts called `name`, in paste order, of any scope and subject.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Fact> {
        self.facts.iter().filter(move |f| f.name == name)
    }

    /// The card with this PCI address, index or UUID: found, or made. A card found by one name
    /// learns the others, and two entries that turn out to be one are joined (facts about the
    /// later one, and about those behind it, get their new number).
    pub fn gpu(&mut self, pci: Option<&str>, index: Option<u32>, uuid: Option<&str>) -> Subject {
        let named = self.position(pci, uuid);
        let at = named.or_else(|| self.by_index(pci, index, uuid)).unwrap_or_else(|| {
            self.gpus.push(Gpu::default());
            self.gpus.len() - 1
        });
        let subject = self.name_card(Subject::Gpu(at as u16), pci, uuid);
        if let Some(index) = index {
            self.number_card(subject, index);
        }
        subject
    }

    /// Where the card with this address or UUID stands.
    fn position(&self, pci: Option<&str>, uuid: Option<&str>) -> Option<usize> {
        let pci = pci.map(normal_pci);
        let by_pci = pci.and_then(|pci| self.gpus.iter().position(|g| g.pci.as_ref() == Some(&pci)));
        by_pci.or_else(|| uuid.and_then(|uuid| self.gpus.iter().position(|g| g.uuid.as_deref() == Some(uuid))))
    }

    /// The card with this index, unless another of its names differs.
    fn by_index(&self, pci: Option<&str>, index: Option<u32>, uuid: Option<&str>) -> Option<usize> {
        let index = index?;
        self.gpus.iter().position(|g| g.index == Some(index) && (pci.is_none() || g.pci.is_none()) && (uuid.is_none() || g.uuid.is_none()))
    }

    fn has_card(&self, pci: Option<&str>, uuid: Option<&str>) -> bool {
        self.position(pci, uuid).is_some()
    }

    /// Gives a card its address or UUID. A name that it holds already stays; where another entry
    /// has the new name, the two are one.
    fn name_card(&mut self, card: Subject, pci: Option<&str>, uuid: Option<&str>) -> Subject {
        let Subject::Gpu(at) = card else { return card };
        let mut at = at as usize;
        let pci = pci.map(normal_pci);
        let conflict = self.gpus.get(at).is_none_or(|g| {
            (pci.is_some() && g.pci.is_some() && g.pci != pci) || (uuid.is_some() && g.uuid.is_some() && g.uuid.as_deref() != uuid)
        });
        if conflict {
            return self.position(pci.as_deref(), uuid).map_or_else(|| self.push_card(pci, uuid), |at| Subject::Gpu(at as u16));
        }
        for name in [(pci.as_deref(), None), (None, uuid)] {
            if let Some(other) = self.position(name.0, name.1)
                && other != at
                && self.agree(at, other)
            {
                at = self.join(at.min(other), at.max(other));
            }
        }
        if let Some(gpu) = self.gpus.get_mut(at) {
            gpu.pci = gpu.pci.take().or(pci);
            gpu.uuid = gpu.uuid.take().or_else(|| uuid.map(str::to_owned));
        }
        Subject::Gpu(at as u16)
    }

    fn push_card(&mut self, pci: Option<String>, uuid: Option<&str>) -> Subject {
        self.gpus.push(Gpu { pci, index: None, uuid: uuid.map(str::to_owned) });
        Subject::Gpu((self.gpus.len() - 1) as u16)
    }

    /// True where no name of the one contradicts the other's.
    fn agree(&self, a: usize, b: usize) -> bool {
        let (Some(a), Some(b)) = (self.gpus.get(a), self.gpus.get(b)) else { return false };
        let apart = |a: &Option<String>, b: &Option<String>| a.is_some() && b.is_some() && a != b;
        !apart(&a.pci, &b.pci) && !apart(&a.uuid, &b.uuid)
    }

    /// Joins the card at `gone` into the one at `kept` (the smaller number), and renumbers.
    fn join(&mut self, kept: usize, gone: usize) -> usize {
        let other = self.gpus.remove(gone);
        if let Some(gpu) = self.gpus.get_mut(kept) {
            gpu.pci = gpu.pci.take().or(other.pci);
            gpu.uuid = gpu.uuid.take().or(other.uuid);
            gpu.index = gpu.index.or(other.index);
        }
        let moved = |subject: Subject| match subject {
            Subject::Gpu(at) if at as usize == gone => Subject::Gpu(kept as u16),
            Subject::Gpu(at) if at as usize > gone => Subject::Gpu(at - 1),
            other => other,
        };
        self.facts.iter_mut().for_each(|fact| fact.subject = moved(fact.subject));
        self.absences.iter_mut().for_each(|absence| absence.subject = moved(absence.subject));
        kept
    }

    /// nvidia-smi's index of a card; the first one that was read stays.
    fn number_card(&mut self, card: Subject, index: u32) {
        if let Subject::Gpu(at) = card
            && let Some(gpu) = self.gpus.get_mut(at as usize)
        {
            gpu.index = gpu.index.or(Some(index));
        }
    }
}

/// `00000000:41:00.0`, `PCI:0000:41:00`, `41:00.0` → `0000:41:00.0`.
pub fn normal_pci(address: &str) -> String {
    let address = address.trim().trim_start_matches("PCI:").to_ascii_lowercase();
    let parts: Vec<&str> = address.split(':').collect();
    let (domain, bus, rest) = match parts.as_slice() {
        [domain, bus, rest, ..] => (*domain, *bus, *rest),
        [bus, rest] => ("0", *bus, *rest),
        _ => return address,
    };
    let domain = domain.trim_start_matches('0');
    let (device, function) = rest.split_once('.').unwrap_or((rest, "0"));
    format!("{domain:0>4}:{bus:0>2}:{device:0>2}.{function}")
}

/// Reads every listing of the log, then derives what the tables say.
pub fn read(paste: &Paste, log: &Log, tables: &Tables) -> Facts {
    let mut facts = Facts::default();
    let mut state = Memo::default();
    for segment in &log.segments {
        let mut reader = Reader { paste, log, segment, facts: &mut facts, state: &mut state };
        parsers::run(&mut reader);
    }
    xids::give(tables, &mut facts, &state.xids);
    xids::derive(tables, &mut facts);
    ranks::read(paste, log, &mut facts);
    derive::derive(log, tables, &mut facts);
    facts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every fact that a parser names, by the text of the parsers.
    fn named() -> std::collections::BTreeSet<String> {
        let sources = [
            include_str!("cluster.rs"),
            include_str!("derive.rs"),
            include_str!("envvars.rs"),
            include_str!("host.rs"),
            include_str!("kernel.rs"),
            include_str!("modules.rs"),
            include_str!("packages.rs"),
            include_str!("parsers.rs"),
            include_str!("probe.rs"),
            include_str!("ranks.rs"),
            include_str!("smi_list.rs"),
            include_str!("smi_query.rs"),
            include_str!("smi_table.rs"),
            include_str!("syspkg.rs"),
            include_str!("toolkit.rs"),
            include_str!("torchenv.rs"),
            include_str!("traceback.rs"),
            include_str!("xids.rs"),
        ];
        let name = regex::Regex::new(r#""([a-z0-9_]+\.[a-z0-9_]+)""#).unwrap();
        let code = sources.iter().filter_map(|s| s.split("#[cfg(test)]").next());
        let all = code.flat_map(|s| name.captures_iter(s).map(|c| c[1].to_owned()).collect::<Vec<_>>());
        // Columns of nvidia-smi's CSV and torch's own attributes look alike.
        let foreign = ["memory.used", "memory.total", "temperature.gpu", "power.draw", "pci.bus_id", "torch.__version__", "sys.version"];
        all.filter(|name| !foreign.contains(&name.as_str()) && !name.starts_with("package.")).collect()
    }

    #[test]
    fn every_fact_is_in_the_register() {
        let register = Register::parse(include_str!("../../patterns/facts.toml")).unwrap();
        let names = named();
        assert!(names.len() > 100, "{}", names.len());
        for name in &names {
            assert!(register.get(name).is_some(), "{name} is not in patterns/facts.toml");
        }
        for name in register.names().filter(|name| *name != "package.*") {
            assert!(names.contains(name) || name == "memory.total", "no parser gives {name}");
        }
    }

    #[test]
    fn two_entries_that_are_one_card_are_joined() {
        let mut facts = Facts::default();
        let by_pci = facts.gpu(Some("0000:41:00.0"), None, None);
        let other = facts.gpu(Some("0000:42:00.0"), None, None);
        let by_uuid = facts.gpu(None, None, Some("GPU-a"));
        let third = facts.gpu(None, None, Some("GPU-b"));
        for (subject, value) in [(by_pci, 1), (other, 2), (by_uuid, 3), (third, 4)] {
            facts.give(0, subject, "gpu.temperature", Value::Int(value), &[1]);
        }
        let joined = facts.gpu(Some("00000000:41:00.0"), Some(3), Some("GPU-a"));
        assert_eq!(joined, by_pci);
        assert_eq!(facts.gpus.len(), 3);
        assert_eq!(facts.gpus[0], Gpu { pci: Some("0000:41:00.0".into()), index: Some(3), uuid: Some("GPU-a".into()) });
        let subjects: Vec<_> = facts.facts.iter().map(|f| f.subject).collect();
        assert_eq!(subjects, [Subject::Gpu(0), Subject::Gpu(1), Subject::Gpu(0), Subject::Gpu(2)]);
        assert_eq!(facts.gpu(None, Some(3), None), Subject::Gpu(0));
        assert_eq!(facts.gpu(Some("0000:41:00.0"), None, Some("GPU-c")), Subject::Gpu(0));
    }

    #[test]
    fn an_index_binds_only_within_its_scope() {
        use crate::segment::{Kind, ScopeKind};
        use testing::{Part, facts_of};
        let list = |uuid: &str| format!("GPU 0: NVIDIA L40S (UUID: {uuid})");
        let (host, container) = (list("GPU-a") + "\nGPU 1: NVIDIA L40S (UUID: GPU-b)", list("GPU-b"));
        let facts = facts_of(&[
            Part { kind: Kind::NvidiaSmiList, scope: ScopeKind::Host, command: "nvidia-smi -L", text: &host },
            Part { kind: Kind::NvidiaSmiList, scope: ScopeKind::Container, command: "nvidia-smi -L", text: &container },
        ]);
        assert_eq!(facts.gpus.len(), 2);
        assert!(facts.facts.iter().any(|f| f.scope == 1 && f.subject == Subject::Gpu(1) && f.name == "gpu.name"));
    }

    /// Pieces that the parsers look for, so that random text gets past their gates.
    const PIECES: [&str; 40] = [
        "NVIDIA-SMI 550.1",
        "Driver Version: 550.1",
        "| 0 ",
        "|",
        "+---",
        "GPU 00000000:01:00.0",
        " : ",
        "ECC Errors",
        "ERR!",
        "NVRM: Xid (PCI:0000:01:00): 79,",
        "Traceback (most recent call last):",
        "  File \"/a.py\", line 1, in f",
        "RuntimeError: x",
        "Tried to allocate 2.00 GiB.",
        "torch==2.4.1+cu",
        "torch 2.4.1",
        "CUDA_VISIBLE_DEVICES=",
        "0,9,GPU-",
        "print(torch.__version__, [",
        "Capacity:",
        "nvidia.com/gpu:",
        "rank      : 99999999999",
        "exitcode  : -9",
        "Name: torch",
        "Version: ",
        "sm_1",
        "€",
        "显卡",
        "\u{0}",
        "\t",
        "é:é",
        "::::",
        "....",
        "<gpu id=\"1\">",
        "<a>b</a>",
        "ulimit -n",
        "18446744073709551616",
        "99999999999 GiB",
        "2026-11-24 06:11:02",
        "found at least two devices, cuda:2 and cuda:0",
    ];

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]
        #[test]
        fn no_text_makes_a_parser_panic(picks in proptest::collection::vec((0usize..PIECES.len(), proptest::bool::ANY), 1..60), command in 0usize..PIECES.len()) {
            let text: String = picks.iter().map(|(at, newline)| format!("{}{}", PIECES[*at], if *newline { "\n" } else { " " })).collect();
            for (kind, _) in crate::segment::Kind::ALL {
                let facts = testing::facts_of(&[testing::part(*kind, PIECES[command], &text)]);
                proptest::prop_assert!(facts.facts.iter().all(|f| !f.lines.is_empty()), "{kind:?}");
                proptest::prop_assert!(facts.facts.iter().all(|f| !matches!(f.subject, Subject::Gpu(at) if at as usize >= facts.gpus.len())), "{kind:?}");
            }
        }
    }

    #[test]
    fn pci_addresses_are_made_alike() {
        for (given, want) in [
            ("00000000:41:00.0", "0000:41:00.0"),
            ("PCI:0000:41:00", "0000:41:00.0"),
            ("01:00.0", "0000:01:00.0"),
            ("00000018:01:00.0", "0018:01:00.0"),
            ("0000:C1:00.0", "0000:c1:00.0"),
        ] {
            assert_eq!(normal_pci(given), want);
        }
    }
}
