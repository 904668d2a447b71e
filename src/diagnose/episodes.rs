//! Which events belong to the failure at hand, and which are history.
//!
//! A node's journal holds weeks. Kernel events of an earlier boot, or of more than a day before
//! the failure, are history wherever something current was found; without that, the last
//! episode that has a failure is the one at hand.

use crate::intake::{Paste, Stamp};
use crate::pattern::Patterns;
use crate::pattern::compile::Owner;
use crate::pattern::matcher::Hits;
use crate::segment::{Kind, Log, Record};
use std::collections::HashMap;

/// Events further apart than this belong to different episodes, in seconds.
const DAY: f64 = 86_400.0;
/// Wall times before 1980 come from lines without a year; they compare only among themselves.
const WITH_YEAR: f64 = 315_532_800.0;

/// For every record: does it belong to an earlier episode?
#[derive(Debug, Default)]
pub struct Episodes {
    old: Vec<bool>,
    /// Record of each kernel line, by line number.
    record_of_line: HashMap<u32, u32>,
    kernel: Vec<bool>,
}

impl Episodes {
    /// Splits by boot and by time.
    pub fn new(paste: &Paste, log: &Log, hits: &Hits, patterns: &Patterns) -> Episodes {
        let mut record_of_line = HashMap::new();
        for (index, record) in log.records.iter().enumerate().filter(|(_, r)| is_kernel(log, r)) {
            for (_, line) in &record.pieces {
                record_of_line.extend(paste.lines.get(*line as usize).map(|line| (line.number, index as u32)));
            }
        }
        let kernel: Vec<bool> = log.records.iter().map(|r| is_kernel(log, r)).collect();
        let mut episodes = Episodes { old: vec![false; log.records.len()], record_of_line, kernel };
        let evidence: Vec<u32> = evidence(hits, patterns);
        let boots = boots(log, &episodes.kernel);
        let failure = episodes.failure_time(log, &evidence);
        for (at, record) in log.records.iter().enumerate() {
            episodes.old[at] = episodes.kernel[at] && episodes.earlier(record.time, failure, boots[at]);
        }
        episodes.promote(log, &evidence, &boots);
        episodes
    }

    pub fn is_old(&self, record: u32) -> bool {
        self.old.get(record as usize).copied().unwrap_or(false)
    }

    /// True where every kernel line among `lines` (1-based) is of an earlier episode.
    pub fn all_old(&self, lines: &[u32]) -> bool {
        let mut kernel = lines.iter().filter_map(|number| self.record_of_line.get(number).copied()).peekable();
        kernel.peek().is_some() && kernel.all(|r| self.is_old(r))
    }

    /// The time of the failure: the last evidence outside the kernel's log, if it has a time; in
    /// a paste with kernel evidence only, the last of that.
    fn failure_time(&self, log: &Log, evidence: &[u32]) -> Option<f64> {
        let job = evidence.iter().any(|at| !self.kernel[*at as usize]);
        let of_failure = evidence.iter().filter(|at| self.kernel[**at as usize] != job);
        of_failure.filter_map(|at| wall(log.records[*at as usize].time)).max_by(f64::total_cmp)
    }

    fn earlier(&self, time: Option<Stamp>, failure: Option<f64>, last_boot: bool) -> bool {
        match (wall(time), failure) {
            (Some(time), Some(failure)) if (time > WITH_YEAR) == (failure > WITH_YEAR) => {
                let near = (failure - time).abs() <= DAY;
                failure - time > DAY || (!last_boot && !near)
            }
            _ => !last_boot,
        }
    }

    /// Where all kernel evidence is old and nothing else was found, the latest boot that has
    /// evidence is the episode at hand.
    fn promote(&mut self, log: &Log, evidence: &[u32], boots: &[bool]) {
        if evidence.is_empty() || evidence.iter().any(|at| !self.is_old(*at)) {
            return;
        }
        let Some(last) = evidence.iter().max() else { return };
        let segment = log.records[*last as usize].segment;
        let time = wall(log.records[*last as usize].time);
        for at in (0..=*last as usize).rev() {
            let record = &log.records[at];
            let near = match (time, wall(record.time)) {
                (Some(a), Some(b)) => (a - b).abs() <= DAY,
                _ => true,
            };
            let crossed = is_boot(log.text_of(record)) && (at as u32) < *last;
            if record.segment != segment || boots[at] || !near {
                break;
            }
            self.old[at] = false;
            if crossed {
                break;
            }
        }
    }
}

fn evidence(hits: &Hits, patterns: &Patterns) -> Vec<u32> {
    let strong = hits.hits.iter().filter(|hit| {
        let signature = &patterns.matcher().signatures()[hit.signature as usize];
        matches!(signature.owner, Owner::Cause(_)) && signature.strength >= super::analysis::Strength::Supports
    });
    strong.map(|hit| hit.record).collect()
}

fn is_kernel(log: &Log, record: &Record) -> bool {
    matches!(log.segment_of(record).kind, Kind::Dmesg | Kind::Journal)
}

fn wall(time: Option<Stamp>) -> Option<f64> {
    match time {
        Some(Stamp::Wall(seconds)) => Some(seconds),
        _ => None,
    }
}

fn is_boot(text: &str) -> bool {
    text.starts_with("-- Boot ")
        || text.starts_with("-- Reboot --")
        || text.starts_with("Linux version ")
        || text.contains(" kernel: Linux version ")
}

/// For every record: does it stand in the last boot of its segment?
fn boots(log: &Log, kernel: &[bool]) -> Vec<bool> {
    let mut boot = vec![0u32; log.records.len()];
    let mut current = 0;
    let mut previous: Option<&Record> = None;
    let mut last_uptime = 0.0;
    for (at, record) in log.records.iter().enumerate().filter(|(at, _)| kernel[*at]) {
        let new_segment = previous.is_none_or(|p| p.segment != record.segment);
        let uptime = match record.time {
            Some(Stamp::Uptime(seconds)) => Some(seconds),
            _ => None,
        };
        let fell_back = uptime.is_some_and(|now| now + 60.0 < last_uptime);
        if new_segment {
            current = 0;
        } else if is_boot(log.text_of(record)) || fell_back {
            current += 1;
        }
        if new_segment || uptime.is_some() {
            last_uptime = uptime.unwrap_or(0.0);
        }
        boot[at] = current;
        previous = Some(record);
    }
    let mut last = std::collections::HashMap::new();
    for (at, record) in log.records.iter().enumerate().filter(|(at, _)| kernel[*at]) {
        last.insert(record.segment, boot[at]);
    }
    log.records.iter().enumerate().map(|(at, r)| last.get(&r.segment).is_none_or(|l| *l == boot[at])).collect()
}
