//! Listings to facts: (scope, subject, name, value, lines), in three states.
//!
//! One parser per listing. A fact is *given*, *absent* (a complete listing does not show it)
//! or *unknown*; unknown is never taken for false.

pub mod register;
pub mod version;

use crate::intake::Paste;
use crate::segment::{Log, ScopeId};
use crate::pattern::Tables;
pub use register::{Class, FactType, Register};

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
    /// learns the others, and two entries that turn out to be one are joined.
    pub fn gpu(&mut self, pci: Option<&str>, index: Option<u32>, uuid: Option<&str>) -> Subject {
        let pci = pci.map(normal_pci);
        let same = |g: &Gpu| {
            (pci.is_some() && g.pci == pci)
                || (uuid.is_some() && g.uuid.as_deref() == uuid)
                || (index.is_some() && g.index == index && (pci.is_none() || g.pci.is_none()) && (uuid.is_none() || g.uuid.is_none() || g.uuid.as_deref() == uuid))
        };
        let at = match self.gpus.iter().position(same) {
            Some(at) => at,
            None => {
                self.gpus.push(Gpu::default());
                self.gpus.len() - 1
            }
        };
        let gpu = &mut self.gpus[at];
        gpu.pci = gpu.pci.take().or(pci);
        gpu.index = gpu.index.or(index);
        gpu.uuid = gpu.uuid.take().or_else(|| uuid.map(str::to_owned));
        Subject::Gpu(at as u16)
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
    let _ = (paste, log, tables);
    Facts::default()
}

#[cfg(test)]
mod tests {
    use super::*;

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
