//! Lines to records: the lines of one message, joined.
//!
//! Every line points to the head of its record; joiners move that pointer. Then the texts are
//! built in one pass, in the order of the heads.

use super::detect;
use super::text::push_normal;
use super::trace::key;
use super::wrap::Join;
use super::{Kind, Log, Looks, Record, Segment};
use crate::intake::{Line, Paste, Stamp};

/// Lines that one record may join.
pub const MAX_LINES: usize = 400;
/// Lines that a warning may take until its source line.
const MAX_WARNING: usize = 14;

/// Builds the records of `log.segments`.
pub fn build(paste: &Paste, looks: &Looks<'_>, log: &mut Log) {
    let mut heads: Vec<u32> = (0..paste.lines.len() as u32).collect();
    for (head, tag) in heads.iter_mut().zip(looks.tags) {
        *head = tag.map_or(*head, |tag| tag.head);
    }
    for segment in &log.segments {
        Joiner { paste, segment, looks, heads: &mut heads }.join();
    }
    for segment in log
        .segments
        .iter()
        .filter(|segment| segment.kind == Kind::Other || segment.kind == Kind::NvidiaSmi || detect::runs_on(segment.kind))
    {
        join_wrapped(looks, segment, &mut heads);
    }
    let mut slots: Vec<u32> = vec![u32::MAX; paste.lines.len()];
    let mut next: Vec<u32> = vec![u32::MAX; paste.lines.len()];
    let mut groups: Vec<Group> = Vec::new();
    let mut segment = 0;
    for (index, line) in paste.lines.iter().enumerate() {
        while log.segments.get(segment).is_some_and(|s| s.lines.end <= index) {
            segment += 1;
        }
        if line.message().trim().is_empty() || is_fence(line.message()) {
            continue;
        }
        let head = heads.get(index).copied().unwrap_or(index as u32) as usize;
        let slot = slots.get(head).copied().unwrap_or(u32::MAX);
        let index = index as u32;
        match groups.get_mut(slot as usize).filter(|group| group.count < MAX_LINES) {
            Some(group) => {
                if let Some(link) = next.get_mut(group.last as usize) {
                    *link = index;
                }
                group.last = index;
                group.count += 1;
            }
            None => {
                if let Some(slot) = slots.get_mut(head) {
                    *slot = groups.len() as u32;
                }
                groups.push(Group { segment: segment as u32, first: index, last: index, count: 1 });
            }
        }
    }
    log.records.reserve(groups.len());
    log.text.reserve(paste.lines.iter().map(|line| line.message().len() + 1).sum());
    for group in &groups {
        write(paste, looks, group, &next, log);
    }
}

/// The lines of one record: a chain from `first` to `last`, so that no list is kept for each.
struct Group {
    segment: u32,
    first: u32,
    last: u32,
    count: usize,
}

/// Joins the rest of wrapped lines, outside of listings.
fn join_wrapped(looks: &Looks<'_>, segment: &Segment, heads: &mut [u32]) {
    for index in segment.lines.clone().skip(1) {
        let follows = looks.join(index) != Join::No && looks.tag(index).is_none() && !looks.stop(index - 1) && !looks.stop(index);
        let before = heads.get(index - 1).copied();
        if let (true, Some(before), Some(head)) = (follows, before, heads.get_mut(index)) {
            *head = before;
        }
    }
}

/// A Markdown fence.
pub fn is_fence(message: &str) -> bool {
    let text = message.trim_start();
    (text.starts_with("```") || text.starts_with("~~~")) && !text.trim_end().get(3..).unwrap_or("").contains(' ')
}

/// Writes the record of a group; `next` has for each line the one that goes on with it.
fn write(paste: &Paste, looks: &Looks<'_>, group: &Group, next: &[u32], log: &mut Log) {
    let kind = log.segments.get(group.segment as usize).map_or(Kind::Other, |s| s.kind);
    let start = log.text.len() as u32;
    let mut pieces = Vec::with_capacity(group.count);
    let lines = std::iter::successors(Some(group.first), |index| next.get(*index as usize).copied().filter(|next| *next != u32::MAX));
    for index in lines.take(group.count) {
        let Some(line) = paste.lines.get(index as usize) else { continue };
        let mut message = line.message().trim_start();
        if index != group.first {
            if looks.join(index as usize) != Join::Glue {
                log.text.push(' ');
            }
            if matches!(kind, Kind::Dmesg | Kind::Journal) {
                message = message.strip_prefix("NVRM:").unwrap_or(message);
            }
        }
        pieces.push((log.text.len() as u32, index));
        push_normal(message, &mut log.text);
    }
    let text = start..log.text.len() as u32;
    log.text.push('\n');
    let first = paste.lines.get(group.first as usize).and_then(|line| line.prefix.as_deref());
    let prefix = first.cloned().unwrap_or_default();
    log.records.push(Record {
        segment: group.segment,
        text,
        pieces,
        time: prefix.time,
        host: prefix.host,
        unit: prefix.unit,
        rank: prefix.rank,
        stream: prefix.stream,
    });
}

/// Joins the lines of one segment by the rules of its kind.
struct Joiner<'a> {
    paste: &'a Paste,
    segment: &'a Segment,
    looks: &'a Looks<'a>,
    heads: &'a mut [u32],
}

impl Joiner<'_> {
    fn join(&mut self) {
        match self.segment.kind {
            Kind::Dmesg | Kind::Journal => self.kernel(),
            Kind::PythonLog | Kind::TensorflowLog | Kind::JaxLog => {
                self.indented();
                self.notices();
            }
            Kind::Other => self.notices(),
            Kind::PipInstall => self.conflicts(),
            _ => {}
        }
        if !matches!(self.segment.kind, Kind::Dmesg | Kind::PipList | Kind::NvidiaSmiQ | Kind::NvidiaSmi) {
            self.warnings();
        }
    }

    fn line(&self, index: usize) -> Option<&Line> {
        self.paste.lines.get(index)
    }

    fn message(&self, index: usize) -> &str {
        self.line(index).map_or("", Line::message)
    }

    fn free(&self, index: usize) -> bool {
        self.looks.tag(index).is_none() && !self.looks.stop(index)
    }

    fn head(&self, index: usize) -> u32 {
        self.heads.get(index).copied().unwrap_or(index as u32)
    }

    fn set_head(&mut self, index: usize, head: u32) {
        if let Some(slot) = self.heads.get_mut(index) {
            *slot = head;
        }
    }

    /// Continuations of the kernel's messages: without a time of their own, or a sentence that
    /// `NVRM:` goes on with.
    fn kernel(&mut self) {
        for index in self.segment.lines.clone().skip(1) {
            let previous = index - 1;
            if !self.free(index) || !self.free(previous) || self.message(previous).trim().is_empty() {
                continue;
            }
            let joins = if self.is_stamped(index) { self.goes_on(previous, index) } else { self.unstamped(index) };
            if joins {
                self.set_head(index, self.head(previous));
            }
        }
    }

    fn time(&self, index: usize) -> Option<Stamp> {
        self.line(index).and_then(|l| l.prefix.as_ref()).and_then(|p| p.time)
    }

    /// The line has the stamp of its record's head, and not only what a collector put before all.
    fn is_stamped(&self, index: usize) -> bool {
        let unit = |at: usize| self.line(at).and_then(|l| l.prefix.as_ref()).is_some_and(|p| p.unit.is_some());
        let head = self.head(index - 1) as usize;
        match (self.time(head), self.time(index)) {
            (_, None) | (Some(Stamp::Uptime(_)), Some(Stamp::Wall(_))) => false,
            _ => unit(index) || !unit(head),
        }
    }

    /// A line without a time after one with: a continuation, unless it is something of its own.
    fn unstamped(&self, index: usize) -> bool {
        let message = self.message(index);
        let head = self.head(index - 1) as usize;
        let nvrm = message.trim_start().starts_with("NVRM:");
        let indented = message.starts_with([' ', '\t']);
        let known = self.looks.hit(index).is_some();
        !message.trim().is_empty() && self.time(head).is_some() && (nvrm || indented || !known) && !message.starts_with("--")
    }

    fn goes_on(&self, previous: usize, index: usize) -> bool {
        let before = self.message(previous).trim();
        let Some(next) = self.message(index).trim_start().strip_prefix("NVRM:").map(str::trim_start) else { return false };
        if !before.starts_with("NVRM:") || !self.near(previous, index) {
            return false;
        }
        let lower = next.starts_with(|c: char| c.is_ascii_lowercase());
        let ended = before.ends_with(['.', '!', '?', ':', ')']);
        let opened = !ended && (self.head(previous) as usize) < previous;
        let subject = before.contains("The NVIDIA ") && (next.starts_with("installed in") || next.starts_with("supported through"));
        // A continuation's own text is a sentence's part: `version 550.120, but` … `this kernel`.
        (lower && (!ended || subject || before.ends_with(')')) && !is_program(next)) || opened
    }

    /// Printed in one breath.
    fn near(&self, previous: usize, index: usize) -> bool {
        match (self.time(previous), self.time(index)) {
            (Some(Stamp::Uptime(a)), Some(Stamp::Uptime(b))) | (Some(Stamp::Wall(a)), Some(Stamp::Wall(b))) => (b - a).abs() < 1.5,
            _ => false,
        }
    }

    /// Indented lines go on with the line before them.
    fn indented(&mut self) {
        for index in self.segment.lines.clone().skip(1) {
            let previous = index - 1;
            if !self.free(index) || !self.free(previous) {
                continue;
            }
            let (before, message) = (self.message(previous), self.message(index));
            let depth = |m: &str| m.len() - m.trim_start().len();
            let deeper = depth(message) > 0 && (depth(message) > depth(before) || self.head(previous) as usize != previous);
            let plain = || self.looks.hit(index).is_none() && !before.trim().is_empty();
            if deeper && plain() && self.line(previous).map(key) == self.line(index).map(key) {
                self.set_head(index, self.head(previous));
            }
        }
    }

    /// NumPy's notice to those who compiled against its first version: up to a blank line.
    fn notices(&mut self) {
        for index in self.segment.lines.clone() {
            if !self.message(index).trim_start().starts_with("A module that was compiled using NumPy 1.x") {
                continue;
            }
            for next in index + 1..self.segment.lines.end.min(index + MAX_WARNING) {
                if self.message(next).trim().is_empty() || !self.free(next) {
                    break;
                }
                self.set_head(next, index as u32);
            }
        }
    }

    /// `file.py:12: UserWarning: …` up to the source line that Python prints under it.
    fn warnings(&mut self) {
        for index in self.segment.lines.clone() {
            if !self.free(index) || !is_warning(self.message(index)) {
                continue;
            }
            let Some(own) = self.line(index).map(key) else { continue };
            let following =
                (index + 1..(index + MAX_WARNING * 4).min(self.paste.lines.len())).filter(|i| self.line(*i).map(key) == Some(own));
            let mut taken = Vec::new();
            let mut found = false;
            for next in following.take(MAX_WARNING) {
                let message = self.message(next);
                if !self.free(next) || is_warning(message) || super::exception::is_level(message) {
                    break;
                }
                taken.push(next);
                if is_source(message) {
                    found = true;
                    break;
                }
            }
            if found {
                taken.into_iter().for_each(|next| self.set_head(next, index as u32));
            }
        }
    }

    /// The resolver's complaint and the lines that say which packages are at odds.
    fn conflicts(&mut self) {
        let mut head = None;
        for index in self.segment.lines.clone() {
            let text = self.message(index).trim_start();
            let opens = text.starts_with("ERROR: pip's dependency resolver")
                || text.starts_with("The conflict is caused by:")
                || text.starts_with("ERROR: Cannot install");
            let detail = (text.contains(" requires ") || text.contains(" depends on ") || text.contains(" has requirement "))
                && !text.starts_with("ERROR");
            if opens {
                head = Some(index as u32);
            } else if text.is_empty() || !self.free(index) {
                head = None;
            } else if let Some(head) = head.filter(|_| detail || text.starts_with("The user requested")) {
                self.set_head(index, head);
            } else {
                head = None;
            }
        }
    }
}

/// `nvidia: …` starts a message of its own.
fn is_program(text: &str) -> bool {
    text.split_once(' ').is_some_and(|(word, _)| word.ends_with(':'))
}

fn is_warning(message: &str) -> bool {
    let head = message.get(..message.len().min(400)).unwrap_or(message);
    head.contains("Warning: ") || head.ends_with("Warning:")
}

/// A source line under a warning: two blanks, then code.
fn is_source(message: &str) -> bool {
    message.strip_prefix("  ").is_some_and(|code| code.starts_with(|c: char| !c.is_whitespace()))
        || message.trim_start().starts_with("warnings.warn(")
}
