//! Tracebacks and native backtraces, line by line, for each stream of its own.
//!
//! A traceback is two records: the frames, and the exception with its whole message. Ranks
//! that print at the same time are told apart by what their prefixes say.

use super::detect::Hit;
use super::wrap::Join;
use super::{Kind, exception};
use crate::intake::{Line, Paste};
use std::collections::HashMap;
use std::sync::LazyLock;

/// Which part of a trace a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Frames,
    Exception,
    Native,
}

/// A line's trace: all lines with the same `head` (index of the first) are one record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tag {
    pub part: Part,
    pub head: u32,
}

static TRACEBACK: LazyLock<memchr::memmem::Finder<'static>> =
    LazyLock::new(|| memchr::memmem::Finder::new("Traceback (most recent call last)"));

/// How far ahead a doubtful line looks.
const LOOK_AHEAD: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    Plain,
    Boxed,
    Notebook,
}

#[derive(Clone, Copy, Debug)]
enum State {
    Idle,
    Frames {
        head: u32,
        indent: usize,
        style: Style,
    },
    /// `bare`: no frames stood before it, so that only sure continuations are taken.
    Exception {
        head: u32,
        indent: usize,
        bare: bool,
    },
    Native {
        head: u32,
        framed: bool,
    },
}

#[derive(Clone, Copy, Debug)]
struct Stream {
    state: State,
    /// A blank line came last.
    blank: bool,
    /// Prompts and fences end every trace: counted, and compared when the stream goes on.
    epoch: u32,
}

type Key<'a> = (Option<u32>, &'a str, &'a str, &'a str);

/// What prefixes say about the writer of a line.
pub fn key(line: &Line) -> Key<'_> {
    match &line.prefix {
        None => (None, "", "", ""),
        Some(p) => (p.rank, p.stream.as_deref().unwrap_or(""), p.unit.as_deref().unwrap_or(""), p.host.as_deref().unwrap_or("")),
    }
}

/// Tags the lines of traces; `stops` are prompts, markers and fences.
pub fn tag(paste: &Paste, hits: &[Option<Hit>], joins: &[Join], stops: &[bool]) -> Vec<Option<Tag>> {
    let mut tags: Vec<Option<Tag>> = vec![None; paste.lines.len()];
    let mut streams: HashMap<Key<'_>, usize> = HashMap::new();
    let mut states: Vec<Stream> = Vec::new();
    // Mostly the next line is of the same stream.
    let mut last: Option<(Key<'_>, usize)> = None;
    let mut bare = Stream { state: State::Idle, blank: false, epoch: 0 };
    let mut epoch = 0;
    for (index, line) in paste.lines.iter().enumerate() {
        if stops.get(index).copied().unwrap_or(false) {
            epoch += 1;
            continue;
        }
        let before = index.checked_sub(1).and_then(|at| tags.get(at).copied().flatten());
        if let (Some(before), Some(Join::Blank | Join::Glue)) = (before, joins.get(index)) {
            if let Some(slot) = tags.get_mut(index) {
                *slot = Some(before);
            }
            continue;
        }
        let stream = match line.prefix {
            None => &mut bare,
            Some(_) => {
                let own = key(line);
                let at = last.filter(|(key, _)| *key == own).map(|(_, at)| at);
                let at = at.unwrap_or_else(|| *streams.entry(own).or_insert(states.len()));
                last = Some((own, at));
                if at == states.len() {
                    states.push(Stream { state: State::Idle, blank: false, epoch });
                }
                match states.get_mut(at) {
                    Some(stream) => stream,
                    None => &mut bare,
                }
            }
        };
        if stream.epoch != epoch {
            *stream = Stream { state: State::Idle, blank: false, epoch };
        }
        let message = line.message();
        if message.trim().is_empty() {
            stream.blank = true;
            continue;
        }
        let seen = Seen { paste, index, line, message, hit: hits.get(index).copied().flatten() };
        let (state, tag) = seen.step(stream);
        stream.state = state;
        stream.blank = false;
        if let Some(slot) = tags.get_mut(index) {
            *slot = tag;
        }
    }
    tags
}

/// One line, with what is needed to judge it.
struct Seen<'a> {
    paste: &'a Paste,
    index: usize,
    line: &'a Line,
    message: &'a str,
    hit: Option<Hit>,
}

type Step = (State, Option<Tag>);

impl Seen<'_> {
    fn step(&self, stream: &Stream) -> Step {
        if let Some(at) = TRACEBACK.find(self.message.as_bytes()) {
            return self.begin(at);
        }
        if exception::is_chain(self.text()) {
            return (State::Idle, Some(self.tag(Part::Exception, self.here())));
        }
        match stream.state {
            State::Idle => self.idle(),
            State::Frames { head, indent, style: Style::Plain } => self.frames(head, indent, stream.blank),
            State::Frames { head, indent, style } => self.drawn(head, indent, style),
            State::Exception { head, indent, bare } => self.exception(head, indent, bare, stream.blank),
            State::Native { head, framed } => self.native(head, framed, stream.blank),
        }
    }

    fn text(&self) -> &str {
        self.message.trim_start()
    }

    fn indent(&self) -> usize {
        self.message.len() - self.text().len()
    }

    fn here(&self) -> u32 {
        self.index as u32
    }

    fn tag(&self, part: Part, head: u32) -> Tag {
        Tag { part, head }
    }

    fn begin(&self, at: usize) -> Step {
        let before = self.message.get(..at).unwrap_or("");
        let style = if before.contains(['╭', '─']) {
            Style::Boxed
        } else if before.ends_with("      ") && exception::name(before.trim()).is_some() {
            Style::Notebook
        } else {
            Style::Plain
        };
        // Text before it on the same line is a progress bar that did not end its line.
        let indent = if before.trim_start_matches(['+', '|', ' ']).is_empty() { before.len() } else { 0 };
        let head = self.here();
        (State::Frames { head, indent, style }, Some(self.tag(Part::Frames, head)))
    }

    fn idle(&self) -> Step {
        let (text, head) = (self.text(), self.here());
        if exception::is_frame(text) && self.indent() >= 2 {
            return (State::Frames { head, indent: self.indent() - 2, style: Style::Plain }, Some(self.tag(Part::Frames, head)));
        }
        if exception::is_bare(text) {
            return (State::Exception { head, indent: self.indent(), bare: true }, Some(self.tag(Part::Exception, head)));
        }
        if self.hit.is_some_and(|hit| hit.kind == Kind::CxxBacktrace) {
            return (State::Native { head, framed: exception::is_native_frame(text) }, Some(self.tag(Part::Native, head)));
        }
        (State::Idle, None)
    }

    fn frames(&self, head: u32, indent: usize, blank: bool) -> Step {
        let text = self.text();
        let inside = self.indent() >= indent + 2 && (!blank || exception::is_frame(text));
        let state = State::Frames { head, indent, style: Style::Plain };
        if inside || exception::is_frame(text) {
            return (state, Some(self.tag(Part::Frames, head)));
        }
        if exception::is_level(text) || (self.foreign() && !exception::is_bare(text)) {
            return self.idle();
        }
        let alone = exception::name(text) == Some(text.trim_end());
        if exception::name(text).is_some() && !(alone && self.frames_follow()) {
            let head = self.here();
            return (State::Exception { head, indent: self.indent(), bare: false }, Some(self.tag(Part::Exception, head)));
        }
        // A frame that was wrapped: its end stands at the margin, and frames go on.
        if !blank && self.frames_follow() { (state, Some(self.tag(Part::Frames, head))) } else { self.idle() }
    }

    /// Boxes of rich, and the pages of IPython.
    fn drawn(&self, head: u32, indent: usize, style: Style) -> Step {
        let text = self.text();
        let state = State::Frames { head, indent, style };
        let inside = match style {
            Style::Boxed => text.starts_with(['│', '╭', '╰', '┃', '|', '─']),
            _ => !exception::is_bare(text) || self.indent() > indent,
        };
        if inside && self.index - head as usize <= super::record::MAX_LINES {
            return (state, Some(self.tag(Part::Frames, head)));
        }
        if exception::name(text).is_some() {
            let head = self.here();
            return (State::Exception { head, indent: self.indent(), bare: false }, Some(self.tag(Part::Exception, head)));
        }
        self.idle()
    }

    fn exception(&self, head: u32, indent: usize, bare: bool, blank: bool) -> Step {
        let text = self.text();
        let deeper = self.indent() > indent || self.message.starts_with('\t');
        let known = exception::is_continuation(text);
        let too_long = self.index - head as usize > super::record::MAX_LINES;
        let native = exception::is_native_frame(text) || text.starts_with("Exception raised from");
        let other_clock = self.other_clock(head);
        if native || too_long || other_clock || exception::is_frame(text) || exception::is_process(text) || (self.foreign() && !known) {
            return self.idle();
        }
        // Only the exception itself comes out of torch under `[rank0]:`.
        let sure = !bare || self.line.prefix.as_ref().is_some_and(|p| p.rank.is_some()) || self.after_colon();
        let goes_on = if blank || !sure { deeper || known } else { true };
        if !goes_on || (bare && exception::is_bare(text)) {
            return self.idle();
        }
        (State::Exception { head, indent, bare }, Some(self.tag(Part::Exception, head)))
    }

    fn native(&self, head: u32, framed: bool, blank: bool) -> Step {
        let text = self.text();
        let frame = exception::is_native_frame(text);
        let starts = text.starts_with("terminate called") || text.starts_with("Fatal Python error");
        let own = self.hit.is_some_and(|hit| hit.kind == Kind::CxxBacktrace) || frame;
        let too_long = self.index - head as usize > super::record::MAX_LINES;
        let goes_on =
            own || (!framed && !blank && !self.foreign() && !exception::is_bare(text)) || (!framed && exception::is_continuation(text));
        if starts || too_long || !goes_on || self.other_clock(head) {
            return self.idle();
        }
        // The frames after a message are a record of their own.
        let head = if frame && !framed { self.here() } else { head };
        (State::Native { head, framed: framed || frame }, Some(self.tag(Part::Native, head)))
    }

    /// The line is plainly something else.
    fn foreign(&self) -> bool {
        self.hit.is_some_and(|hit| !hit.weak && !matches!(hit.kind, Kind::Probe | Kind::TorchEnv | Kind::Env | Kind::PipList))
    }

    /// Lines of one message are stamped alike: all with a time, or none.
    fn other_clock(&self, head: u32) -> bool {
        let stamped = |line: &Line| (line.prefix.as_ref().is_some_and(|p| p.time.is_some()), super::walk::has_level(line));
        self.paste.lines.get(head as usize).is_some_and(|first| stamped(first) != stamped(self.line))
    }

    /// The line before, of the same stream, leaves its sentence open: `Last error:`.
    fn after_colon(&self) -> bool {
        let before = self.index.checked_sub(1).and_then(|at| self.paste.lines.get(at));
        before.is_some_and(|line| line.message().ends_with("error:") && key(line) == key(self.line))
    }

    /// Frames stand in the next lines of this stream.
    fn frames_follow(&self) -> bool {
        let own = key(self.line);
        let next = self.paste.lines.iter().skip(self.index + 1).take(LOOK_AHEAD * 4).filter(|line| key(line) == own).take(LOOK_AHEAD);
        next.map(Line::message).any(|m| exception::is_frame(m.trim_start()))
    }
}
