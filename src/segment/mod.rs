//! Lines to segments (runs of one kind) and records (the lines of one message).

mod command;
mod commands;
mod detect;
mod exception;
pub mod kind;
mod prompt;
mod record;
mod scope;
mod text;
mod trace;
mod unwrap;
mod walk;
mod wrap;

use crate::intake::{Line, Paste, Stamp};
pub use kind::Kind;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::ops::Range;

/// The paste, cut: segments in order, and the records in which patterns are looked for.
#[derive(Clone, Debug, Default)]
pub struct Log {
    pub segments: Vec<Segment>,
    /// Scopes in order of appearance; `Segment::scope` points here. Never empty for a paste with lines.
    pub scopes: Vec<Scope>,
    pub records: Vec<Record>,
    /// The texts of all records, each followed by a newline; `Record::text` is a range of it.
    pub text: String,
}

/// Index into [`Log::scopes`].
pub type ScopeId = u8;

/// Where facts hold. Several of one kind are numbered from 1: `host`, `container`, `container-2`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Scope {
    pub kind: ScopeKind,
    pub number: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScopeKind {
    Host,
    Container,
    Pod,
    Wsl,
    Vm,
    Windows,
}

impl ScopeKind {
    pub fn name(self) -> &'static str {
        match self {
            ScopeKind::Host => "host",
            ScopeKind::Container => "container",
            ScopeKind::Pod => "pod",
            ScopeKind::Wsl => "wsl",
            ScopeKind::Vm => "vm",
            ScopeKind::Windows => "windows",
        }
    }

    /// True where a host underneath has a kernel and a driver of its own.
    pub fn is_inner(self) -> bool {
        matches!(self, ScopeKind::Container | ScopeKind::Pod)
    }
}

impl Scope {
    /// `host`, `container`, `container-2`.
    pub fn label(&self) -> String {
        match self.number {
            0 | 1 => self.kind.name().to_owned(),
            n => format!("{}-{n}", self.kind.name()),
        }
    }
}

/// A run of lines of one kind.
#[derive(Clone, Debug)]
pub struct Segment {
    pub kind: Kind,
    pub scope: ScopeId,
    /// Indices into `Paste::lines`, the command line included.
    pub lines: Range<usize>,
    /// The command whose output this is, where a prompt line or the collector's marker names it.
    pub command: Option<Command>,
    /// The listing is whole: absence may be concluded from it (within `Command::filter`).
    pub complete: bool,
}

/// The command line that printed a segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// As typed, without the prompt: `lsmod | grep nvidia`.
    pub line: String,
    /// The first program with its arguments, pipes cut off: `lsmod`.
    pub program: String,
    /// The expression of a `| grep X`, when only lines that match it would be shown.
    pub filter: Option<String>,
    /// Exit status, where the collector's marker says it.
    pub status: Option<i32>,
}

/// One message: its lines, and its text with blanks made single.
#[derive(Clone, Debug)]
pub struct Record {
    /// Index into [`Log::segments`].
    pub segment: u32,
    /// Range in [`Log::text`].
    pub text: Range<u32>,
    /// `(offset in Log::text, index into Paste::lines)` of each joined line, in order.
    pub pieces: Vec<(u32, u32)>,
    pub time: Option<Stamp>,
    pub host: Option<String>,
    pub unit: Option<String>,
    pub rank: Option<u32>,
    pub stream: Option<String>,
}

impl Log {
    pub fn text_of(&self, record: &Record) -> &str {
        self.text.get(record.text.start as usize..record.text.end as usize).unwrap_or("")
    }

    pub fn segment_of(&self, record: &Record) -> &Segment {
        &self.segments[record.segment as usize]
    }
}

impl Record {
    /// Index into `Paste::lines` of the first line.
    pub fn first_line(&self) -> usize {
        self.pieces.first().map_or(0, |p| p.1 as usize)
    }

    /// Index into `Paste::lines` of the line that holds offset `at` of [`Log::text`].
    pub fn line_at(&self, at: u32) -> usize {
        let next = self.pieces.partition_point(|p| p.0 <= at);
        self.pieces.get(next.saturating_sub(1)).map_or(0, |p| p.1 as usize)
    }
}

/// Lines of one command that a backslash joins, at most.
const MAX_COMMAND: usize = 60;

/// The prompts and markers, and the lines over which their commands go on; all are stops.
fn cues(paste: &Paste, stops: &mut [bool]) -> Vec<(usize, prompt::Cue)> {
    let mut cues = Vec::new();
    for (index, line) in paste.lines.iter().enumerate() {
        // The rest of a command that was read with its first line.
        if stops.get(index).copied().unwrap_or(false) {
            continue;
        }
        let message = line.message();
        let Some(mut cue) = prompt::read(message) else { continue };
        let mut whole = String::new();
        for next in index..paste.lines.len().min(index + MAX_COMMAND) {
            let part = paste.lines.get(next).map_or("", |l| l.message());
            if let Some(stop) = stops.get_mut(next) {
                *stop = true;
            }
            match part.strip_suffix('\\') {
                Some(part) => whole.push_str(part),
                None => {
                    whole.push_str(part);
                    break;
                }
            }
        }
        if message.ends_with('\\') {
            cue = prompt::read(&whole).unwrap_or(cue);
        }
        cues.push((index, cue));
    }
    cues
}

/// What was seen of each line, before segments and records are made of it.
struct Looks<'a> {
    hits: &'a [Option<detect::Hit>],
    tags: &'a [Option<trace::Tag>],
    joins: &'a [wrap::Join],
    /// Prompts, markers and fences, which end every message.
    stops: &'a [bool],
}

impl Looks<'_> {
    fn hit(&self, index: usize) -> Option<detect::Hit> {
        self.hits.get(index).copied().flatten()
    }

    fn tag(&self, index: usize) -> Option<trace::Tag> {
        self.tags.get(index).copied().flatten()
    }

    fn join(&self, index: usize) -> wrap::Join {
        self.joins.get(index).copied().unwrap_or_default()
    }

    fn stop(&self, index: usize) -> bool {
        self.stops.get(index).copied().unwrap_or(true)
    }
}

/// A paste as parsers need it: punctuation made ASCII, lines that a terminal cut made whole.
pub struct Plain<'a> {
    paste: Cow<'a, Paste>,
    /// For each line its index in the paste as it came, where lines were put together.
    origins: Option<Vec<u32>>,
    /// Lines of the paste as it came.
    count: usize,
}

impl Plain<'_> {
    pub fn paste(&self) -> &Paste {
        &self.paste
    }

    /// The log of [`Plain::paste`] with the indices of the paste as it came.
    pub fn restore(&self, mut log: Log) -> Log {
        let Some(origins) = &self.origins else { return log };
        let origin = |index: usize| origins.get(index).map_or(self.count, |at| *at as usize);
        for segment in &mut log.segments {
            segment.lines = origin(segment.lines.start)..origin(segment.lines.end);
        }
        for piece in log.records.iter_mut().flat_map(|record| &mut record.pieces) {
            piece.1 = origin(piece.1 as usize) as u32;
        }
        log
    }
}

/// Cuts a paste into segments and records.
pub fn split(paste: &Paste) -> Log {
    let plain = plain(paste);
    plain.restore(cut(plain.paste()))
}

/// Makes a paste plain, so that `RuntimeError：x` has an exception's shape and a number that
/// the edge of a terminal cut is one number. Lines keep their numbers.
pub fn plain(paste: &Paste) -> Plain<'_> {
    let count = paste.lines.len();
    let ascii = plain_lines(paste);
    let Some(cuts) = unwrap::find(paste) else {
        let paste =
            ascii.map_or(Cow::Borrowed(paste), |lines| Cow::Owned(Paste { lines, sources: paste.sources.clone(), limits: Vec::new() }));
        return Plain { paste, origins: None, count };
    };
    let (lines, origins) = cuts.mend(ascii.as_ref().unwrap_or(&paste.lines));
    // Sources name lines by index, which no longer fit: the lines are looked at as one.
    Plain { paste: Cow::Owned(Paste { lines, ..Paste::default() }), origins: Some(origins), count }
}

/// The lines with ASCII punctuation; `None` where nothing is to be done.
fn plain_lines(paste: &Paste) -> Option<Vec<Line>> {
    let mut lines = None;
    for (index, line) in paste.lines.iter().enumerate() {
        let Some(message) = text::plain_text(line.message()) else { continue };
        let before = line.text.get(..line.body as usize).unwrap_or("");
        let text = format!("{before}{message}");
        if let Some(slot) = lines.get_or_insert_with(|| paste.lines.clone()).get_mut(index) {
            slot.text = text;
        }
    }
    lines
}

/// Cuts a paste that is plain already.
pub fn cut(paste: &Paste) -> Log {
    let looks = |line: &Line| (detect::line(line.message()), record::is_fence(line.message()));
    let (mut hits, mut stops): (Vec<_>, Vec<_>) = paste.lines.iter().map(looks).unzip();
    let cues = cues(paste, &mut stops);
    walk::settle(paste, &mut hits);
    let joins = wrap::joins(paste, &hits, &stops);
    let tags = trace::tag(paste, &hits, &joins, &stops);
    let looks = Looks { hits: &hits, tags: &tags, joins: &joins, stops: &stops };
    let mut log = walk::segments(paste, &looks, &cues);
    record::build(paste, &looks, &mut log);
    log
}

#[cfg(test)]
mod tests;
