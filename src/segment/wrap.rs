//! Lines that a terminal, a mail program or an editor wrapped.
//!
//! Nothing marks such a line, but a wrapped paste gives itself away: no line is longer than
//! its width, and again and again a line is full to the last word that fitted. Only then, and
//! only lines that look like nothing of their own are taken for the rest of the line before.

use super::detect::{self, Hit};
use super::{Kind, exception};
use crate::intake::{Line, Paste, Stamp};

/// Widths that are looked for, in characters.
const MIN_WIDTH: usize = 60;
const MAX_WIDTH: usize = 140;
/// A full line ends at most this far before the width.
const SLACK: usize = 24;
/// Full lines that a paste must have to count as wrapped.
const MIN_FULL: usize = 3;
/// A paste of few lines needs one less.
const FEW_LINES: usize = 15;

/// How a line goes on with the one before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Join {
    #[default]
    No,
    /// Cut between words.
    Blank,
    /// Cut within a word.
    Glue,
}

/// For each line, whether it is the rest of the line before.
pub fn joins(paste: &Paste, hits: &[Option<Hit>], stops: &[bool]) -> Vec<Join> {
    let mut joins = vec![Join::No; paste.lines.len()];
    for source in &sources(paste) {
        let lines = paste.lines.get(source.clone()).unwrap_or_default();
        if lines.len() > super::unwrap::MAX_LINES {
            continue;
        }
        let by_message = lines.iter().filter(|l| l.body > 0).count() * 5 > lines.len() * 4;
        let lengths: Vec<usize> = lines.iter().map(|line| length(line, by_message)).collect();
        let Some(width) = width(lines, &lengths, hits.get(source.clone()).unwrap_or_default()) else { continue };
        let candidate = |index: usize| {
            let at = source.start + index;
            let own = hits.get(at).copied().flatten().is_some_and(|h| !h.weak && !detect::runs_on(h.kind))
                || stops.get(at).copied().unwrap_or(true)
                || stops.get(at - 1).copied().unwrap_or(true);
            !own && goes_on(lines, &lengths, index, width, by_message)
        };
        let found: Vec<usize> = (1..lines.len()).filter(|index| candidate(*index)).collect();
        if found.len() < MIN_FULL - usize::from(lines.len() <= FEW_LINES) {
            continue;
        }
        for index in found {
            let full = lengths.get(index - 1) == Some(&width);
            let led = lines.get(index).is_some_and(|l| l.message().starts_with(' '));
            if let Some(slot) = joins.get_mut(source.start + index) {
                *slot = if full && !led { Join::Glue } else { Join::Blank };
            }
        }
    }
    // Where hardly any cut is exact, a full line is chance: words were kept whole.
    let glued = joins.iter().filter(|j| **j == Join::Glue).count();
    let blank = joins.iter().filter(|j| **j == Join::Blank).count();
    if glued < 2 * blank {
        joins.iter_mut().filter(|j| **j == Join::Glue).for_each(|j| *j = Join::Blank);
    }
    joins
}

fn sources(paste: &Paste) -> Vec<std::ops::Range<usize>> {
    if paste.sources.is_empty() {
        return vec![0..paste.lines.len(); 1];
    }
    paste.sources.iter().map(|s| s.first as usize - 1..s.last as usize).collect()
}

fn length(line: &Line, by_message: bool) -> usize {
    let text = if by_message { line.message() } else { &line.text };
    if text.is_ascii() { text.len() } else { text.chars().count() }
}

/// The longest line that is no table, where it can be the width of a terminal.
fn width(lines: &[Line], lengths: &[usize], hits: &[Option<Hit>]) -> Option<usize> {
    let is_table = |line: &Line, hit: &Option<Hit>| {
        line.message().starts_with(['|', '+', '=', '-']) || hit.is_some_and(|h| matches!(h.kind, Kind::NvidiaSmi | Kind::NvidiaSmiQ))
    };
    // A word that is longer than the width stands on a line of its own.
    let one_word = |line: &Line| !line.message().trim_start().contains(' ');
    let longest = lines
        .iter()
        .zip(lengths)
        .zip(hits)
        .filter(|((line, length), hit)| !(is_table(line, hit) || one_word(line) && **length > MIN_WIDTH))
        .map(|((_, length), _)| *length)
        .max()?;
    (MIN_WIDTH..=MAX_WIDTH).contains(&longest).then_some(longest)
}

/// The line at `index` would not have fitted on the one before, and looks like nothing else.
fn goes_on(lines: &[Line], lengths: &[usize], index: usize, width: usize, by_message: bool) -> bool {
    let (Some(line), Some(before), Some(length)) = (lines.get(index), lines.get(index - 1), lengths.get(index - 1)) else { return false };
    let prefixed = line
        .prefix
        .as_ref()
        .is_some_and(|p| !by_message || p.unit.as_deref() == Some("kernel") || matches!(p.time, Some(Stamp::Uptime(_))));
    let message = line.message();
    let first = message.split(' ').next().unwrap_or("").chars().count();
    // A path that fits nowhere leaves `  File` alone on its line.
    let near = *length + SLACK >= width || before.message().trim_start() == "File";
    let full = near && (*length == width || *length + 1 + first > width);
    let deep = message.starts_with("  ") || message.starts_with('\t');
    let table = message.starts_with(['|', '+']) || before.message().starts_with(['|', '+']);
    let own = exception::is_bare(message)
        || exception::is_frame(message)
        || exception::is_level(message)
        || message.starts_with("Traceback")
        || message.starts_with('[');
    // Rows of a list begin alike; the rest of a sentence does not.
    let alike = message.as_bytes().get(..5).is_some_and(|head| before.message().as_bytes().starts_with(head));
    full && !message.is_empty() && !deep && !table && !own && !prefixed && !alike
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::intake::{Limits, Part, read};

    fn joined(text: &str) -> Vec<Join> {
        let paste = read(vec![Part { name: String::new(), bytes: text.into() }], &Limits::default()).unwrap();
        let hits: Vec<_> = paste.lines.iter().map(|l| super::super::detect::line(l.message())).collect();
        joins(&paste, &hits, &vec![false; paste.lines.len()])
    }

    fn wrapped(text: &str, width: usize) -> String {
        let mut out = String::new();
        for line in text.lines() {
            let chars: Vec<char> = line.chars().collect();
            for part in chars.chunks(width) {
                out.extend(part.iter().chain(&['\n']));
            }
        }
        out
    }

    #[test]
    fn a_wrapped_paste_gives_itself_away() {
        let long =
            "nobody knows why the collective operation on this communicator was never finished by all of its peers in due time\n".repeat(4);
        let joins = joined(&wrapped(&long, 80));
        assert_eq!(joins.iter().filter(|j| **j == Join::Glue).count(), 4);
        assert!(joined(&long).iter().all(|j| *j == Join::No));
    }

    #[test]
    fn tables_and_log_lines_are_not_joined() {
        let table =
            format!("{}\n", "|  0  Tesla T4                         On |   00000000:00:1E.0 Off |                    0 |").repeat(8);
        assert!(joined(&table).iter().all(|j| *j == Join::No));
        let log = "[rank0]: loading the checkpoint shard of layer number seven from the disk\n".repeat(8);
        assert!(joined(&log).iter().all(|j| *j == Join::No));
    }
}
