//! Many ranks in one paste: who waits in which collective, who is silent, who failed first.
//!
//! The rank that complains is seldom the one at fault: PyTorch's watchdog speaks on the ranks
//! that wait (ProcessGroupNCCL.cpp), and the launcher kills the rest. So the numbers of the
//! waiting ranks are compared, and echoes are told from first errors.

use super::reader::{caps, first, hits, re};
use super::{Fact, Facts, Subject, Value};
use crate::intake::{Paste, Stamp};
use crate::segment::{Log, Record, ScopeId};
use std::collections::{BTreeMap, BTreeSet};

/// Ranks above this are no ranks of a job but a hostile number.
const MAX_RANK: u32 = 4096;
/// Ranks named in one fact.
const MAX_NAMED: usize = 32;
/// A kernel event this close to the start of the wait belongs to it, in seconds.
const SAME_MINUTE: f64 = 90.0;

/// One rank's watchdog message: the collective it stands in.
#[derive(Clone, Debug, PartialEq)]
struct Wait {
    rank: u32,
    line: u32,
    seq: Option<u64>,
    op: String,
    elements: Option<u64>,
    /// Seconds it waited, and when it gave up.
    waited: f64,
    time: Option<Stamp>,
}

/// What one rank shows of its own end.
#[derive(Clone, Debug)]
struct End {
    line: u32,
    time: Option<Stamp>,
    /// It only reports what another rank did.
    echo: bool,
}

/// Adds the facts about ranks. `facts` holds what the parsers read.
pub fn read(paste: &Paste, log: &Log, facts: &mut Facts) {
    let mut waits: BTreeMap<u32, Wait> = BTreeMap::new();
    let mut ends: BTreeMap<u32, End> = BTreeMap::new();
    let mut root: Option<(u32, u32)> = None;
    let mut scope = 0;
    for record in &log.records {
        let text = log.text_of(record);
        let line = paste.lines.get(record.first_line()).map_or(0, |l| l.number);
        if let Some(wait) = wait(text, record, line) {
            if waits.is_empty() {
                scope = log.segment_of(record).scope;
            }
            waits.entry(wait.rank).or_insert(wait);
        } else if let Some(rank) = record.rank.filter(|rank| *rank < MAX_RANK) {
            end(&mut ends, rank, text, record, line);
        }
        root = root.or_else(|| observed(paste, log, record));
    }
    let mut ranks = Ranks { scope, facts };
    ranks.collectives(&waits);
    let silent = ranks.silence(&waits, &ends);
    ranks.exits();
    ranks.first(root, &waits, &ends, &silent);
    ranks.same_minute(paste, log, &waits);
}

/// Reads `Watchdog caught collective operation timeout: WorkNCCL(SeqNum=…, OpType=…, …)`.
fn wait(text: &str, record: &Record, line: u32) -> Option<Wait> {
    if !text.contains("caught collective operation timeout") {
        return None;
    }
    let own = first(re!(r"[\[ ]Rank (\d+)\]"), text).and_then(|rank| rank.parse().ok());
    let rank = record.rank.or(own).filter(|rank| *rank < MAX_RANK)?;
    let number = |expression: &Option<regex::Regex>| first(expression, text).and_then(|n| n.parse().ok());
    let op = first(re!(r"OpType=([A-Z_0-9]{1,40})"), text).unwrap_or("").to_owned();
    let waited = number(re!(r"ran for (\d{1,12}) milliseconds")).unwrap_or(0) as f64 / 1000.0;
    Some(Wait {
        rank,
        line,
        seq: number(re!(r"SeqNum=(\d{1,15})")),
        op,
        elements: number(re!(r"NumelIn=(\d{1,15})")),
        waited,
        time: record.time,
    })
}

/// Keeps the first error of a rank; an own error replaces an echo.
fn end(ends: &mut BTreeMap<u32, End>, rank: u32, text: &str, record: &Record, line: u32) {
    let exception = hits(
        re!(
            r"^(?:[A-Za-z_][\w.]*\.)?[A-Z]\w*(?:Error|Exception)(?::|$)|\b(?:device-side assert triggered|CUDA error: |CUDA out of memory)"
        ),
        text,
    );
    if !exception || text.contains("ChildFailedError") {
        return;
    }
    let echo = hits(
        re!(
            r"remote process exited|ncclRemoteError|[Cc]onnection (?:closed|reset)|Broken pipe|caught collective operation timeout|Socket Timeout|recvValue failed|failed to recv|heartbeat"
        ),
        text,
    );
    let end = End { line, time: record.time, echo };
    match ends.get(&rank) {
        Some(known) if !known.echo || echo => {}
        _ => {
            ends.insert(rank, end);
        }
    }
}

/// The rank of torchrun's `Root Cause (first observed failure)`, and its line.
fn observed(paste: &Paste, log: &Log, record: &Record) -> Option<(u32, u32)> {
    if !log.text_of(record).contains("Root Cause (first observed failure)") {
        return None;
    }
    let at =
        record.pieces.iter().map(|p| p.1 as usize).find(|at| paste.lines.get(*at).is_some_and(|l| l.message().contains("Root Cause")))?;
    let below = paste.lines.iter().skip(at).take(8);
    below.filter_map(|l| Some((first(re!(r"^\s*rank\s+: (\d{1,5})"), l.message())?.parse().ok()?, l.number))).next()
}

struct Ranks<'f> {
    scope: ScopeId,
    facts: &'f mut Facts,
}

impl Ranks<'_> {
    fn give(&mut self, subject: Subject, name: &str, value: Value, lines: &[u32]) {
        let lines = lines.iter().copied().take(8).collect();
        self.facts.facts.push(Fact { scope: self.scope, subject, name: name.to_owned(), value, lines, derived: true });
    }

    fn given(&self, name: &str) -> Option<i64> {
        self.facts.all(name).find_map(|f| match f.value {
            Value::Int(n) => Some(n),
            _ => None,
        })
    }

    /// Are the collectives that the ranks wait in the same?
    fn collectives(&mut self, waits: &BTreeMap<u32, Wait>) {
        if waits.is_empty() {
            return;
        }
        let lines: Vec<u32> = waits.values().map(|w| w.line).collect();
        self.give(Subject::None, "nccl.waiting_ranks", names(waits.keys().copied()), &lines);
        let longest = waits.values().map(|w| w.waited).fold(0.0, f64::max);
        if longest > 0.0 {
            self.give(Subject::None, "nccl.waited_seconds", Value::Int(longest as i64), &lines);
        }
        let mut groups: BTreeMap<(Option<u64>, &str, Option<u64>), Vec<u32>> = BTreeMap::new();
        for wait in waits.values() {
            groups.entry((wait.seq, &wait.op, wait.elements)).or_default().push(wait.rank);
        }
        if waits.len() < 2 || groups.keys().any(|(_, op, _)| op.is_empty()) {
            return;
        }
        let differ = groups.len() > 1;
        self.give(Subject::None, "nccl.collectives_differ", Value::Bool(differ), &lines);
        let shown = groups.iter().take(6).map(|((seq, op, elements), ranks)| {
            let number = |label: &str, n: &Option<u64>| n.map_or_else(String::new, |n| format!(" {label}={n}"));
            format!("rank {}: {op}{}{}", joined(ranks), number("SeqNum", seq), number("NumelIn", elements))
        });
        self.give(Subject::None, "nccl.collectives", Value::Text(shown.collect::<Vec<_>>().join("; ")), &lines);
        let lowest = waits.values().filter_map(|w| w.seq).min();
        let behind: Vec<&Wait> = waits.values().filter(|w| w.seq == lowest).collect();
        if behind.len() < waits.len() && lowest.is_some() {
            self.give(
                Subject::None,
                "nccl.behind_ranks",
                names(behind.iter().map(|w| w.rank)),
                &behind.iter().map(|w| w.line).collect::<Vec<_>>(),
            );
        }
    }

    /// Ranks of the job that neither wait nor report an error. The size of the job is what the
    /// paste says, else at least one more than the highest rank that spoke.
    fn silence(&mut self, waits: &BTreeMap<u32, Wait>, ends: &BTreeMap<u32, End>) -> Vec<u32> {
        let Some(highest) = waits.keys().next_back() else { return Vec::new() };
        let size = self.given("job.world_size").filter(|size| (1..=i64::from(MAX_RANK)).contains(size)).map_or(0, |size| size as u32);
        let silent: Vec<u32> = (0..size.max(highest + 1)).filter(|rank| !waits.contains_key(rank) && !ends.contains_key(rank)).collect();
        // Where most ranks are missing, the paste holds one node's or one rank's log only.
        if silent.is_empty() || silent.len() > waits.len() {
            return Vec::new();
        }
        let lines: Vec<u32> = waits.values().map(|w| w.line).collect();
        self.give(Subject::None, "nccl.silent_ranks", names(silent.iter().copied()), &lines);
        silent
    }

    /// All exit codes with the signal's name.
    fn exits(&mut self) {
        let mut exits: BTreeMap<u32, (i64, u32)> = BTreeMap::new();
        for fact in self.facts.all("rank.exit") {
            if let (Subject::Rank(rank), Value::Int(code)) = (fact.subject, &fact.value) {
                exits.insert(rank, (*code, fact.lines.first().copied().unwrap_or(0)));
            }
        }
        if exits.is_empty() {
            return;
        }
        let shown: Vec<String> =
            exits.iter().take(MAX_NAMED).map(|(rank, (code, _))| format!("rank {rank}: {code}{}", signal(*code))).collect();
        let lines: Vec<u32> = exits.values().map(|(_, line)| *line).collect();
        self.give(Subject::None, "job.exits", Value::Set(shown), &lines);
    }

    /// The rank that failed first: by its own error (the earliest), else the one that was killed,
    /// else the launcher's word, else the only silent one.
    fn first(&mut self, root: Option<(u32, u32)>, waits: &BTreeMap<u32, Wait>, ends: &BTreeMap<u32, End>, silent: &[u32]) {
        let own = ends.iter().filter(|(_, e)| !e.echo).min_by(|a, b| earlier(a.1, b.1)).map(|(rank, e)| (*rank, e.line));
        let killed = self.facts.all("rank.exit").find_map(|f| match (f.subject, &f.value) {
            // A watchdog's abort (-6) and the launcher's SIGTERM (-15) are echoes.
            (Subject::Rank(rank), Value::Int(-4 | -7 | -8 | -9 | -11)) => Some((rank, f.lines.first().copied().unwrap_or(0))),
            _ => None,
        });
        let told = root.filter(|(rank, _)| !waits.contains_key(rank));
        let quiet = match silent {
            [rank] => Some((*rank, 0)),
            _ => None,
        };
        let Some((rank, line)) = own.or(killed).or(told).or(quiet) else { return };
        let lines: Vec<u32> = if line > 0 { vec![line] } else { waits.values().map(|w| w.line).collect() };
        self.give(Subject::None, "job.first_failed_rank", Value::Int(i64::from(rank)), &lines);
    }

    /// Kernel events within a minute and a half of the moment when the waiting began.
    fn same_minute(&mut self, paste: &Paste, log: &Log, waits: &BTreeMap<u32, Wait>) {
        let began = waits.values().filter_map(|w| Some((wall(w.time?)? - w.waited, w.line))).min_by(|a, b| a.0.total_cmp(&b.0));
        let Some((began, line)) = began else { return };
        let mut events = Vec::new();
        let mut lines = vec![line];
        for record in &log.records {
            if record.time.and_then(wall).is_none_or(|time| (time - began).abs() > SAME_MINUTE) {
                continue;
            }
            let Some(event) = event(log.text_of(record)) else { continue };
            if !events.contains(&event) && events.len() < 8 {
                events.push(event);
                lines.extend(paste.lines.get(record.first_line()).map(|l| l.number));
            }
        }
        if let Ok(moment) = jiff::Timestamp::from_second(began as i64) {
            self.give(Subject::None, "job.wait_began", Value::Text(moment.strftime("%H:%M:%S").to_string()), &[line]);
        }
        if !events.is_empty() {
            self.give(Subject::None, "job.wait_events", Value::Set(events), &lines);
        }
    }
}

/// A kernel line that can stop a rank, as one word.
fn event(text: &str) -> Option<String> {
    if let Some(cells) = caps(re!(r"\bXid \(PCI:[0-9A-Fa-f:.]+\): (\d{1,4})"), text) {
        return cells.get(1).map(|code| format!("xid-{}", code.as_str()));
    }
    if hits(re!(r"Out of memory: Kill|oom-kill:|[Mm]emory cgroup out of memory"), text) {
        return Some("oom-kill".to_owned());
    }
    hits(re!(r"\b(?:mlx5_\w+|mlx4_\w+|bnxt_en|ice|i40e|ixgbe|irdma)\b.*(?:[Ll]ink [Dd]own|link state is DOWN|NIC Link is Down)"), text)
        .then(|| "link-down".to_owned())
}

fn wall(time: Stamp) -> Option<f64> {
    match time {
        Stamp::Wall(seconds) => Some(seconds),
        Stamp::Uptime(_) => None,
    }
}

/// By time where both have one of the same clock, else by line.
fn earlier(a: &End, b: &End) -> std::cmp::Ordering {
    match (a.time.and_then(wall), b.time.and_then(wall)) {
        (Some(x), Some(y)) => x.total_cmp(&y).then(a.line.cmp(&b.line)),
        _ => a.line.cmp(&b.line),
    }
}

/// The signal of an exit code: negative codes and those above 128.
fn signal(code: i64) -> &'static str {
    let number = if code < 0 { -code } else { code - 128 };
    match number {
        4 => " SIGILL",
        6 => " SIGABRT",
        7 => " SIGBUS",
        8 => " SIGFPE",
        9 => " SIGKILL",
        11 => " SIGSEGV",
        15 => " SIGTERM",
        _ => "",
    }
}

fn names(ranks: impl Iterator<Item = u32>) -> Value {
    Value::Set(ranks.collect::<BTreeSet<u32>>().into_iter().take(MAX_NAMED).map(|rank| rank.to_string()).collect())
}

fn joined(ranks: &[u32]) -> String {
    ranks.iter().take(MAX_NAMED).map(u32::to_string).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::super::testing::value;
    use super::*;
    use crate::intake::{Limits, Part};
    use crate::pattern::Tables;

    fn facts(text: &str) -> Facts {
        let paste = crate::intake::read(vec![Part { name: String::new(), bytes: text.as_bytes().to_vec() }], &Limits::default()).unwrap();
        let log = crate::segment::split(&paste);
        super::super::read(&paste, &log, &Tables::default())
    }

    fn watchdog(rank: u32, seq: u32, op: &str, elements: u32) -> String {
        format!(
            "[rank{rank}]:[E109 02:31:44.402114718 ProcessGroupNCCL.cpp:616] [Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={seq}, OpType={op}, NumelIn={elements}, NumelOut={elements}, Timeout(ms)=600000) ran for 600023 milliseconds before timing out.\n"
        )
    }

    fn set(items: &[&str]) -> Option<Value> {
        Some(Value::Set(items.iter().map(|s| (*s).to_owned()).collect()))
    }

    #[test]
    fn the_silent_rank_failed_first() {
        let text: String = [0, 1, 3].iter().map(|rank| watchdog(*rank, 7, "ALLREDUCE", 10)).collect();
        let facts = facts(&text);
        assert_eq!(value(&facts, Subject::None, "nccl.waiting_ranks"), set(&["0", "1", "3"]));
        assert_eq!(value(&facts, Subject::None, "nccl.silent_ranks"), set(&["2"]));
        assert_eq!(value(&facts, Subject::None, "nccl.collectives_differ"), Some(Value::Bool(false)));
        assert_eq!(value(&facts, Subject::None, "job.first_failed_rank"), Some(Value::Int(2)));
        assert_eq!(value(&facts, Subject::None, "nccl.waited_seconds"), Some(Value::Int(600)));
    }

    #[test]
    fn one_ranks_log_says_nothing_of_the_others() {
        let facts = facts(&watchdog(5, 7, "ALLREDUCE", 10));
        assert_eq!(value(&facts, Subject::None, "nccl.silent_ranks"), None);
        assert_eq!(value(&facts, Subject::None, "nccl.collectives_differ"), None);
        assert_eq!(value(&facts, Subject::None, "job.first_failed_rank"), None);
    }

    #[test]
    fn unequal_collectives_are_told() {
        let text = watchdog(0, 7, "ALLREDUCE", 1) + &watchdog(1, 7, "ALLGATHER", 512);
        let facts = facts(&text);
        assert_eq!(value(&facts, Subject::None, "nccl.collectives_differ"), Some(Value::Bool(true)));
        let Some(Value::Text(shown)) = value(&facts, Subject::None, "nccl.collectives") else { panic!() };
        assert_eq!(shown, "rank 1: ALLGATHER SeqNum=7 NumelIn=512; rank 0: ALLREDUCE SeqNum=7 NumelIn=1");
        assert_eq!(value(&facts, Subject::None, "nccl.behind_ranks"), None);
    }

    #[test]
    fn the_rank_behind_is_named() {
        let text = watchdog(0, 9, "ALLREDUCE", 4) + &watchdog(1, 8, "ALLREDUCE", 4) + &watchdog(2, 9, "ALLREDUCE", 4);
        assert_eq!(value(&facts(&text), Subject::None, "nccl.behind_ranks"), set(&["1"]));
    }

    #[test]
    fn an_own_error_comes_before_echoes() {
        let text = "[rank3]: torch.distributed.DistBackendError: NCCL error in: NCCLUtils.hpp:268, remote process exited or there was a network error, NCCL version 2.21.5\n[rank5]: Traceback (most recent call last):\n[rank5]:   File \"/a/train.py\", line 3, in <module>\n[rank5]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 4.00 GiB.\n";
        assert_eq!(value(&facts(text), Subject::None, "job.first_failed_rank"), Some(Value::Int(5)));
    }

    #[test]
    fn the_killed_rank_comes_before_aborted_ones() {
        let text = "E1030 03:52:14.310000 61802 torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: -6) local_rank: 0 (pid: 61876) of binary: /usr/bin/python3\n  rank      : 0 (local_rank: 0)\n  exitcode  : -6 (pid: 61876)\n  rank      : 1 (local_rank: 1)\n  exitcode  : -9 (pid: 61877)\n";
        let facts = facts(text);
        assert_eq!(value(&facts, Subject::None, "job.first_failed_rank"), Some(Value::Int(1)));
        assert_eq!(value(&facts, Subject::None, "job.exits"), set(&["rank 0: -6 SIGABRT", "rank 1: -9 SIGKILL"]));
    }

    #[test]
    fn a_kernel_event_at_the_start_of_the_wait_is_found() {
        let text = watchdog(0, 7, "ALLREDUCE", 1)
            + &watchdog(1, 7, "ALLREDUCE", 1)
            + "Jan 09 02:21:41 node7 kernel: NVRM: Xid (PCI:0000:41:00): 79, pid=1, name=python, GPU has fallen off the bus.\nJan 09 01:01:00 node7 kernel: NVRM: Xid (PCI:0000:42:00): 31, pid=2, name=python, MMU Fault\n";
        let facts = facts(&text);
        assert_eq!(value(&facts, Subject::None, "job.wait_events"), set(&["xid-79"]));
        assert_eq!(value(&facts, Subject::None, "job.wait_began"), Some(Value::Text("02:21:44".into())));
    }
}
