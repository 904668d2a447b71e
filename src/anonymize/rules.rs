//! The shape of a detector, and the list of all of them.

use super::kind::Kind;
use super::scan::Hit;
use super::{
    accounts, addresses, assignments, chinese, clouds, company, context, domains, host_options, hosts, ids, machines, names, paths, people,
    pinyin, secrets, tokens, urls,
};

/// A value that an expression captured.
pub(super) struct Found<'a> {
    pub text: &'a str,
    pub start: usize,
    pub end: usize,
    pub kind: Kind,
}

/// Says what kind a captured value is, if it is a secret at all.
pub(super) type Accept = fn(&Found) -> Option<Kind>;

/// How a detector looks.
pub(super) enum Find {
    /// Named groups are the values; the name is the kind.
    Regex(&'static str, Accept),
    Code(fn(&str, &mut Vec<Hit>)),
    /// Nothing by itself: tells the reader of neighbouring lines to look (see `context::note`).
    Note(u8),
}

/// One detector. It runs when one of its gate literals (in any case) is in the line, or one of
/// its features.
pub(super) struct Rule {
    #[cfg_attr(not(test), allow(dead_code, reason = "tells which detector a failing test is about"))]
    pub name: &'static str,
    pub gate: &'static [&'static str],
    pub feature: u32,
    pub find: Find,
}

impl Found<'_> {
    pub fn value(&self) -> &str {
        self.text.get(self.start..self.end).unwrap_or("")
    }

    /// What stands before and behind the value.
    pub fn before(&self) -> &str {
        self.text.get(..self.start).unwrap_or("")
    }

    pub fn after(&self) -> &str {
        self.text.get(self.end..).unwrap_or("")
    }

    /// At most `n` bytes of what stands before.
    pub fn before_within(&self, n: usize) -> &str {
        let before = self.before();
        let mut from = before.len().saturating_sub(n);
        while !before.is_char_boundary(from) {
            from += 1;
        }
        before.get(from..).unwrap_or("")
    }
}

/// Takes every value as what its group says.
pub(super) fn always(found: &Found) -> Option<Kind> {
    (!found.value().is_empty()).then_some(found.kind)
}

/// All detectors.
pub(super) fn all() -> impl Iterator<Item = &'static Rule> {
    [
        tokens::RULES,
        assignments::RULES,
        secrets::RULES,
        urls::RULES,
        ids::RULES,
        addresses::RULES,
        names::RULES,
        accounts::RULES,
        people::RULES,
        hosts::RULES,
        host_options::RULES,
        machines::RULES,
        domains::RULES,
        company::RULES,
        clouds::RULES,
        paths::RULES,
        pinyin::RULES,
        chinese::RULES,
        context::RULES,
    ]
    .into_iter()
    .flatten()
}
