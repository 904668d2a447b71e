//! Prefixes that collectors, launchers and loggers put before a message.
//!
//! They are read again and again from the left (a quote before a compose name before a rank),
//! each by a small function that looks at the first bytes only. What they say is kept.

use super::Prefix;
use super::Stamp;
use super::heads;
use super::stamp::{self, Wall, Yearless};
use super::votes::Votes;

/// Prefixes on one line, at most.
const MAX_PREFIXES: usize = 8;

/// What the prefixes of one line said, and where its message starts.
#[derive(Debug, Default)]
pub struct Found {
    pub prefix: Prefix,
    /// Something in `prefix` is set.
    pub any: bool,
    pub yearless: Option<Yearless>,
    pub body: usize,
    /// The wall time is that of a syslog line, which kernel uptime behind it does not replace.
    pub syslog: bool,
}

impl Found {
    /// Keeps a wall time; the outermost counts, since every line of a collector has it.
    pub fn wall(&mut self, wall: Wall) {
        if self.prefix.time.is_some() {
            return;
        }
        self.any = true;
        self.prefix.time = Some(match wall {
            Wall::Full(seconds) => Stamp::Wall(seconds),
            Wall::Yearless(moment) => {
                self.yearless = Some(moment);
                Stamp::Wall(moment.in_year(1970))
            }
        });
    }

    /// Keeps the kernel's own time, unless syslog says the wall time.
    pub fn uptime(&mut self, seconds: f64) {
        self.any = true;
        if !self.syslog {
            self.prefix.time = Some(Stamp::Uptime(seconds));
            self.yearless = None;
        }
    }

    pub fn rank(&mut self, rank: Option<u32>) {
        self.prefix.rank = rank.or(self.prefix.rank);
        self.any |= rank.is_some();
    }

    pub fn host(&mut self, host: &str) {
        self.prefix.host = Some(host.to_owned());
        self.any = true;
    }

    pub fn unit(&mut self, unit: &str) {
        self.prefix.unit = Some(unit.to_owned());
        self.any = true;
    }

    pub fn stream(&mut self, stream: &str) {
        self.prefix.stream = Some(stream.to_owned());
        self.any = true;
    }
}

/// Reads the prefixes of a line.
pub fn read(text: &str, votes: &Votes) -> Found {
    let mut found = Found::default();
    for _ in 0..MAX_PREFIXES {
        let Some(rest) = text.get(found.body..).filter(|rest| !rest.is_empty()) else { break };
        let length = one(rest, &mut found, votes);
        if length == 0 {
            if found.prefix.time.is_none() {
                time_of_head(rest, &mut found);
            }
            break;
        }
        found.body += length;
    }
    found
}

/// Bytes of the prefix at the start of `rest`; 0 when there is none.
fn one(rest: &str, found: &mut Found, votes: &Votes) -> usize {
    let bytes = rest.as_bytes();
    let Some(first) = bytes.first() else { return 0 };
    match first {
        b'>' => quote(bytes),
        b'[' => bracket(rest, found),
        b'(' => heads::actor(rest, found),
        b'<' => heads::level_mark(bytes).max(if found.any { 0 } else { named(rest, found, votes) }),
        b' ' => month(rest, found).max(votes.label(rest, found)),
        b'0'..=b'9' => match digits(rest, found) {
            0 => named(rest, found, votes).max(votes.label(rest, found)),
            length => length,
        },
        b if b.is_ascii_alphabetic() || *b >= 0x80 => match month(rest, found) {
            0 => named(rest, found, votes),
            length => length,
        },
        _ => 0,
    }
}

/// `> ` of mail and Markdown; `>>>` is Python's prompt.
fn quote(bytes: &[u8]) -> usize {
    match bytes.get(1) {
        None => 1,
        Some(b' ') => 2,
        _ => 0,
    }
}

fn bracket(rest: &str, found: &mut Found) -> usize {
    let bytes = rest.as_bytes();
    match bytes.get(1) {
        Some(b' ' | b'0'..=b'9') => {
            let kernel = heads::kernel_time(bytes, found);
            if kernel > 0 {
                return kernel;
            }
            let tag = heads::mpi_tag(bytes, found);
            if tag > 0 { tag } else { bracketed_iso(rest, found) }
        }
        Some(b'r' | b'd' | b't' | b'w') => heads::rank_tag(bytes, found),
        Some(b'p') => heads::pod_tag(rest, found),
        Some(b) if b.is_ascii_alphabetic() || *b >= 0x80 => bracketed_weekday(rest, found),
        _ => 0,
    }
}

/// `[2026-04-22 21:34:12] `, also with `: ` behind it (talos).
fn bracketed_iso(rest: &str, found: &mut Found) -> usize {
    let bytes = rest.as_bytes();
    let Some((wall, length)) = stamp::iso(bytes.get(1..).unwrap_or_default()) else { return 0 };
    if bytes.get(length + 1) != Some(&b']') {
        return 0;
    }
    let end = after_gap(bytes, length + 2);
    if end >= bytes.len() {
        return 0;
    }
    found.wall(wall);
    end
}

/// `[Wed Aug 30 16:29:31 2023] ` of `dmesg -T`.
fn bracketed_weekday(rest: &str, found: &mut Found) -> usize {
    let Some((wall, length)) = rest.get(1..).and_then(stamp::weekday_form) else { return 0 };
    let bytes = rest.as_bytes();
    if bytes.get(length + 1) != Some(&b']') {
        return 0;
    }
    found.wall(wall);
    if found.prefix.unit.is_none() {
        found.unit("kernel");
    }
    after_gap(bytes, length + 2)
}

/// Skips `:` and one blank.
fn after_gap(bytes: &[u8], at: usize) -> usize {
    let at = at + usize::from(bytes.get(at) == Some(&b':'));
    at + usize::from(matches!(bytes.get(at), Some(b' ' | b'\t')))
}

/// A line that starts with digits: an ISO time, or a month such as `11月`.
fn digits(rest: &str, found: &mut Found) -> usize {
    let bytes = rest.as_bytes();
    let Some((wall, length)) = stamp::iso(bytes) else { return month(rest, found) };
    if !matches!(bytes.get(length), Some(b' ' | b'\t' | b':')) {
        return 0;
    }
    let body = after_gap(bytes, length);
    let behind = rest.get(body..).unwrap_or("");
    if behind.trim().is_empty() {
        return 0;
    }
    found.wall(wall);
    let more = heads::cri_tag(behind, found)
        .or_else(|| heads::model_worker(behind, found))
        .or_else(|| heads::known_tag(behind, found))
        .or_else(|| behind.starts_with("- ").then_some(2));
    body + more.unwrap_or(0)
}

/// `Nov 24 10:14:02 host kernel: `, and without the host.
fn month(rest: &str, found: &mut Found) -> usize {
    let Some((wall, length)) = stamp::syslog(rest) else { return 0 };
    let behind = rest.get(length..).and_then(|b| b.strip_prefix(' ')).unwrap_or("");
    if behind.trim().is_empty() {
        return 0;
    }
    found.wall(wall);
    let tag = heads::any_tag(behind, found).unwrap_or(0);
    found.syslog = tag > 0;
    length + 1 + tag
}

/// Prefixes that start with a name.
fn named(rest: &str, found: &mut Found, votes: &Votes) -> usize {
    heads::leveled(rest, found)
        .or_else(|| heads::facility(rest, found))
        .or_else(|| heads::nccl(rest, found))
        .or_else(|| votes.compose(rest, found))
        .unwrap_or(0)
}

/// A logger's head that stays in the message still tells the time.
fn time_of_head(rest: &str, found: &mut Found) {
    let bytes = rest.as_bytes();
    let wall = match bytes.first() {
        Some(b'[') => stamp::glog(bytes).or_else(|| stamp::iso(bytes.get(1..).unwrap_or_default()).map(|(wall, _)| wall)),
        Some(b'I' | b'W' | b'E' | b'F') => stamp::glog(bytes),
        _ => None,
    };
    if let Some(wall) = wall {
        found.wall(wall);
    }
}
