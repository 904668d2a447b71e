//! The fast gate: which literals stand where, in one pass over the bytes.
//!
//! Of each literal one rare four-byte fragment is hashed into a bit table; every position of the
//! text is looked up, and the few that pass are compared exactly. The table does not grow with
//! the number of literals, so the speed hardly depends on it (a property test holds the hits
//! against aho-corasick's).

use std::collections::HashMap;

const BITS: u32 = 17;
const FRAGMENT: usize = 4;

/// Literals prepared for searching. Literals shorter than four bytes are not found.
#[derive(Debug, Default)]
pub struct Gate {
    literals: Vec<Box<[u8]>>,
    table: Vec<u64>,
    /// Fragment → (literal, offset of the fragment in it).
    fragments: HashMap<u32, Vec<(u32, u32)>>,
}

/// A literal found in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Found {
    /// Byte offset where the literal starts.
    pub at: usize,
    /// Index of the literal as given to [`Gate::new`].
    pub literal: u32,
}

impl Gate {
    /// Prepares the literals; equal ones are all reported.
    pub fn new<L: AsRef<[u8]>>(literals: &[L]) -> Gate {
        let literals: Vec<Box<[u8]>> = literals.iter().map(|l| l.as_ref().into()).collect();
        let mut uses: HashMap<u32, u32> = HashMap::new();
        for fragment in literals.iter().flat_map(|l| l.windows(FRAGMENT)).map(value) {
            *uses.entry(fragment).or_default() += 1;
        }
        let mut gate = Gate { table: vec![0; 1 << (BITS - 6)], literals, fragments: HashMap::new() };
        for (index, literal) in gate.literals.iter().enumerate() {
            let rarest = literal.windows(FRAGMENT).enumerate().min_by_key(|(_, window)| cost(window, &uses));
            if let Some((offset, window)) = rarest {
                let fragment = value(window);
                let bit = hash(fragment);
                gate.table[bit >> 6] |= 1 << (bit & 63);
                gate.fragments.entry(fragment).or_default().push((index as u32, offset as u32));
            }
        }
        gate
    }

    /// The literals as text, in the order given.
    pub fn literals(&self) -> impl Iterator<Item = &str> {
        self.literals.iter().filter_map(|literal| std::str::from_utf8(literal).ok())
    }

    /// Calls `see` for every occurrence of every literal, by position of its rare fragment.
    pub fn scan(&self, text: &[u8], mut see: impl FnMut(Found)) {
        for (position, window) in text.windows(FRAGMENT).enumerate() {
            let fragment = value(window);
            let bit = hash(fragment);
            if self.table[bit >> 6] >> (bit & 63) & 1 == 0 {
                continue;
            }
            let Some(literals) = self.fragments.get(&fragment) else { continue };
            for (literal, offset) in literals {
                let Some(at) = position.checked_sub(*offset as usize) else { continue };
                if text[at..].starts_with(&self.literals[*literal as usize]) {
                    see(Found { at, literal: *literal });
                }
            }
        }
    }
}

fn value(window: &[u8]) -> u32 {
    u32::from_le_bytes([window[0], window[1], window[2], window[3]])
}

fn hash(fragment: u32) -> usize {
    (fragment.wrapping_mul(0x9E37_79B1) >> (32 - BITS)) as usize
}

/// How often a fragment is to be expected in logs: letters that English and programs use most
/// cost most, so that digits, capitals and signs are preferred.
fn cost(window: &[u8], uses: &HashMap<u32, u32>) -> u32 {
    let common = |byte: &u8| match byte {
        b' ' | b'e' | b't' | b'a' | b'o' | b'i' | b'n' | b'r' | b's' => 8,
        b'l' | b'd' | b'c' | b'u' | b'm' | b'p' | b'h' | b'g' | b'/' | b'.' | b'_' | b'0' => 5,
        b'a'..=b'z' | b'1'..=b'9' | b'-' | b':' | b',' => 3,
        b'A'..=b'Z' => 2,
        _ => 1,
    };
    let letters: u32 = window.iter().map(common).sum();
    letters + uses.get(&value(window)).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn plain(literals: &[String], text: &str) -> Vec<Found> {
        let automaton = aho_corasick::AhoCorasick::new(literals).expect("literals build");
        let found = automaton.find_overlapping_iter(text).map(|m| Found { at: m.start(), literal: m.pattern().as_u32() });
        let mut found: Vec<Found> = found.collect();
        found.sort();
        found
    }

    proptest! {
        #[test]
        fn finds_what_aho_corasick_finds(literals in prop::collection::vec("[abcX]{4,8}", 1..20), text in "[abcX ]{0,200}") {
            let mut found = Vec::new();
            Gate::new(&literals).scan(text.as_bytes(), |f| found.push(f));
            found.sort();
            prop_assert_eq!(found, plain(&literals, &text));
        }
    }
}
