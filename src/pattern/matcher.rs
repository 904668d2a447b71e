//! Literals first, then expressions: hits of signatures in records.

use super::compile::{Lazy, Near, Owner, Signature, normal_literal};
use super::file::{Same, Side, Unit};
use super::gate::{Found, Gate};
use crate::intake::{Paste, Stamp};
use crate::segment::{Log, Record};
use std::collections::HashSet;

/// Hits of one signature beyond this many are counted, not kept.
const MAX_HITS: u32 = 200;

/// All signatures of a set behind one gate.
#[derive(Debug, Default)]
pub struct Matcher {
    gate: Gate,
    /// Literal index of the gate → index into `signatures`.
    literal_owner: Vec<u32>,
    signatures: Vec<Signature>,
}

/// A signature that stands in a record.
#[derive(Clone, Debug)]
pub struct Hit {
    /// Index into [`Matcher::signatures`].
    pub signature: u32,
    /// Index into `Log::records`.
    pub record: u32,
    /// Offset in `Log::text` where the match starts.
    pub at: u32,
    /// Named groups.
    pub captures: Vec<(String, String)>,
}

/// What was found, and whether a cap applied.
#[derive(Debug, Default)]
pub struct Hits {
    pub hits: Vec<Hit>,
    /// How many hits were not kept because their signature had too many.
    pub dropped: u64,
    /// Records that a muting noise entry covers.
    pub muted: HashSet<u32>,
}

impl Matcher {
    pub fn new(parts: Vec<(Vec<String>, Signature)>) -> Matcher {
        let mut literals = Vec::new();
        let mut literal_owner = Vec::new();
        let mut signatures = Vec::new();
        for (index, (own, signature)) in parts.into_iter().enumerate() {
            for literal in own {
                literals.push(normal_literal(&literal));
                literal_owner.push(index as u32);
            }
            signatures.push(signature);
        }
        Matcher { gate: Gate::new(&literals), literal_owner, signatures }
    }

    pub fn signatures(&self) -> &[Signature] {
        &self.signatures
    }

    /// The search for all literals: it decides which lines of a very long log are kept.
    pub fn gate(&self) -> &Gate {
        &self.gate
    }

    /// The literals of all signatures, each once.
    pub fn literals(&self) -> impl Iterator<Item = &str> {
        self.gate.literals().collect::<std::collections::BTreeSet<&str>>().into_iter()
    }

    /// Finds all signatures. `mutes` says whether a noise entry silences its record.
    pub fn find(&self, paste: &Paste, log: &Log, mutes: &dyn Fn(usize) -> bool) -> Hits {
        let mut candidates = self.candidates(log);
        // Noise first: a muted record is not looked at again.
        candidates.sort_by_key(|(signature, record, _)| {
            let noise = matches!(self.signatures[*signature as usize].owner, Owner::Noise(_));
            (!noise, *record, *signature)
        });
        let mut hits = Hits::default();
        let mut kept = vec![0u32; self.signatures.len()];
        for (signature, record, literal) in candidates {
            if hits.muted.contains(&record) {
                continue;
            }
            let Some(hit) = self.check(paste, log, signature, record, literal) else { continue };
            if let Owner::Noise(at) = self.signatures[signature as usize].owner
                && mutes(at)
            {
                hits.muted.insert(record);
            }
            kept[signature as usize] += 1;
            if kept[signature as usize] > MAX_HITS {
                hits.dropped += 1;
            } else {
                hits.hits.push(hit);
            }
        }
        hits
    }

    /// `(signature, record, offset of its first literal)`, each pair once.
    fn candidates(&self, log: &Log) -> Vec<(u32, u32, u32)> {
        let mut seen = HashSet::new();
        let mut candidates = Vec::new();
        self.gate.scan(log.text.as_bytes(), |Found { at, literal }| {
            let record = log.records.partition_point(|r| r.text.end as usize <= at) as u32;
            let inside = log.records.get(record as usize).is_some_and(|r| r.text.start as usize <= at);
            let signature = self.literal_owner[literal as usize];
            if inside && seen.insert((signature, record)) {
                candidates.push((signature, record, at as u32));
            }
        });
        candidates
    }

    fn check(&self, paste: &Paste, log: &Log, index: u32, at: u32, literal: u32) -> Option<Hit> {
        let signature = &self.signatures[index as usize];
        let record = log.records.get(at as usize)?;
        if !signature.kinds.is_empty() && !signature.kinds.contains(&log.segment_of(record).kind) {
            return None;
        }
        let (start, captures) = match &signature.regex {
            None => (literal, Vec::new()),
            Some(regex) => captures(regex, log.text_of(record)).map(|(start, c)| (record.text.start + start, c))?,
        };
        let near = signature.near.iter().all(|near| holds(near, paste, log, at as usize));
        near.then_some(Hit { signature: index, record: at, at: start, captures })
    }
}

fn captures(regex: &Lazy, text: &str) -> Option<(u32, Vec<(String, String)>)> {
    let regex = regex.get()?;
    if regex.captures_len() == 1 {
        return regex.find(text).map(|m| (m.start() as u32, Vec::new()));
    }
    let found = regex.captures(text)?;
    let named = regex.capture_names().flatten();
    let values = named.filter_map(|name| Some((name.to_owned(), found.name(name)?.as_str().to_owned())));
    Some((found.get(0)?.start() as u32, values.collect()))
}

fn holds(near: &Near, paste: &Paste, log: &Log, at: usize) -> bool {
    let Some(regex) = near.text.get() else { return false };
    let own = &log.records[at];
    let fits = |other: &Record| same(near, log, own, other) && regex.is_match(log.text_of(other));
    let before =
        near.file.side != Side::After && log.records[..at].iter().rev().take_while(|other| close(near, paste, own, other)).any(fits);
    let after = near.file.side != Side::Before && log.records[at + 1..].iter().take_while(|other| close(near, paste, own, other)).any(fits);
    (before || after) == near.file.want
}

/// Within the distance. Neighbours are walked outwards, at most 2,000 records each way.
fn close(near: &Near, paste: &Paste, own: &Record, other: &Record) -> bool {
    let line = |record: &Record| record.first_line().min(paste.lines.len()) as i64;
    let lines = (line(own) - line(other)).unsigned_abs();
    match near.file.unit {
        Unit::Lines => lines <= u64::from(near.file.within),
        Unit::Seconds => lines <= 2_000 && seconds(own.time, other.time).is_none_or(|s| s <= f64::from(near.file.within)),
    }
}

fn seconds(a: Option<Stamp>, b: Option<Stamp>) -> Option<f64> {
    match (a?, b?) {
        (Stamp::Uptime(a), Stamp::Uptime(b)) | (Stamp::Wall(a), Stamp::Wall(b)) => Some((a - b).abs()),
        _ => None,
    }
}

fn same(near: &Near, log: &Log, own: &Record, other: &Record) -> bool {
    near.file.same.iter().all(|what| match what {
        Same::Gpu => pci_in(log.text_of(own)).is_some_and(|pci| pci_in(log.text_of(other)) == Some(pci)),
        Same::Rank => own.rank == other.rank,
        Same::Host => own.host == other.host,
    })
}

/// The first PCI address of a message, in the form of the facts; nothing for those of network and
/// storage adapters.
pub fn pci_in(text: &str) -> Option<String> {
    static PCI: Lazy = Lazy::late(r"\b(?:[0-9a-fA-F]{4,8}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}(?:\.[0-7])?\b");
    static NETWORK: Lazy = Lazy::late(
        r"\b(?:mlx[45]_\w+|bnxt_en|irdma|i40e|ice|ixgbe|igb|e1000e|r8169|nvme|ahci|xhci_hcd|iwlwifi) (?:[0-9a-fA-F]{4}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]",
    );
    // The driver's name before the address says that it is no card of ours.
    if NETWORK.get().is_some_and(|regex| regex.is_match(text)) {
        return None;
    }
    let regex = PCI.get()?;
    let found = regex.find_iter(text).find(|m| m.as_str().contains('.') || m.as_str().len() > 8)?;
    Some(crate::facts::normal_pci(found.as_str()))
}
