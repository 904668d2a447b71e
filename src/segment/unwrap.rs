//! Lines that a terminal cut at its width, in the middle of words, put together again.
//!
//! Unlike a wrap between words (see [`super::wrap`]) such a cut spoils every parser: `22.4` and
//! `1 GiB` are two numbers. It gives itself away: no line is longer than the width, lines are
//! full to the last character, and what follows a full line looks like nothing of its own.

use super::{detect, exception, prompt, record};
use crate::intake::{Line, Paste};
use std::ops::Range;

/// Widths that are looked for, in characters.
const MIN_WIDTH: usize = 60;
const MAX_WIDTH: usize = 250;
/// Widths that terminals have by default or in multiples: one cut line is enough there.
const COMMON: &[usize] = &[80, 100, 120, 132, 160, 200, 240];
/// Cut lines that any other width needs.
const MIN_CUTS: usize = 3;
/// A line that was wrapped between words ends at most this far before the width.
const SLACK: usize = 24;

/// Lines of a source that is looked at.
pub const MAX_LINES: usize = 20_000;

/// Which lines go on with the line before them.
pub struct Cuts {
    /// For each line: no rest, the rest, or the rest after a blank that stood at the cut.
    rests: Vec<Rest>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Rest {
    No,
    Glue,
    Blank,
}

/// Looks for cut lines; `None` where there are none.
pub fn find(paste: &Paste) -> Option<Cuts> {
    let mut rests = Vec::new();
    for source in &paste.sources {
        let range = source.first as usize - 1..source.last as usize;
        let lines = paste.lines.get(range.clone()).unwrap_or_default();
        // Nobody copies more out of a terminal.
        if lines.len() > MAX_LINES {
            continue;
        }
        for (index, rest) in Text::new(lines).cuts() {
            rests.resize(paste.lines.len(), Rest::No);
            if let Some(slot) = rests.get_mut(range.start + index) {
                *slot = rest;
            }
        }
    }
    (!rests.is_empty()).then_some(Cuts { rests })
}

impl Cuts {
    /// The lines put together: the numbers of rests are left out. The second value has for each
    /// line that is left its index in `lines`.
    pub fn mend(&self, lines: &[Line]) -> (Vec<Line>, Vec<u32>) {
        let mut whole: Vec<Line> = Vec::with_capacity(lines.len());
        let mut origins = Vec::with_capacity(lines.len());
        for (index, line) in lines.iter().enumerate() {
            let rest = self.rests.get(index).copied().unwrap_or(Rest::No);
            match whole.last_mut().filter(|_| rest != Rest::No) {
                Some(before) => {
                    before.text.push_str(if rest == Rest::Blank { " " } else { "" });
                    before.text.push_str(line.message());
                }
                None => {
                    whole.push(line.clone());
                    origins.push(index as u32);
                }
            }
        }
        (whole, origins)
    }
}

/// The lines of one source, with what is needed to judge them.
struct Text<'a> {
    lines: &'a [Line],
    /// Nearly all lines have a prefix, which was put before them after they had been cut.
    prefixed: bool,
    lengths: Vec<usize>,
    width: usize,
}

impl<'a> Text<'a> {
    fn new(lines: &'a [Line]) -> Text<'a> {
        let prefixed = lines.iter().filter(|l| l.body > 0).count() * 5 > lines.len() * 4;
        let length = |line: &Line| {
            let text = if prefixed { line.message() } else { &line.text };
            if text.is_ascii() { text.len() } else { text.chars().count() }
        };
        let lengths: Vec<usize> = lines.iter().map(length).collect();
        // A blank at the cut is gone from the end of its line.
        let longest = lengths.iter().copied().max().unwrap_or(0);
        let width = longest + usize::from(COMMON.contains(&(longest + 1)));
        Text { lines, prefixed, lengths, width }
    }

    /// The rests, by index; none where the lines do not look cut.
    fn cuts(&self) -> Vec<(usize, Rest)> {
        if !(MIN_WIDTH..=MAX_WIDTH).contains(&self.width) {
            return Vec::new();
        }
        // A command that fills its line is followed by its output: it shows nothing, and goes on
        // only where others show that lines were cut.
        let typed = |at: &usize| prompt::read(self.message(at - 1)).is_some();
        let (commands, full): (Vec<usize>, Vec<usize>) = self.followed(self.width - 1..self.width + 1).partition(typed);
        let rests: Vec<usize> = full.iter().copied().filter(|at| self.is_rest(*at)).collect();
        let glued = rests.iter().filter(|at| self.rest(**at) == Rest::Glue).count();
        let enough = if COMMON.contains(&self.width) { !rests.is_empty() } else { rests.len() >= MIN_CUTS && glued * 2 >= rests.len() };
        let between_words = self
            .followed(self.width - SLACK..self.width - 1)
            .filter(|at| self.would_not_fit(*at) && self.is_rest(*at) && !typed(at))
            .count();
        if !enough || rests.len() * 2 < full.len() || rests.len() < 2 * between_words {
            return Vec::new();
        }
        let commands = commands.into_iter().filter(|at| self.rest(*at) == Rest::Glue && self.is_rest(*at));
        rests.into_iter().chain(commands).map(|at| (at, self.rest(at))).collect()
    }

    fn rest(&self, at: usize) -> Rest {
        if self.length(at - 1) == self.width { Rest::Glue } else { Rest::Blank }
    }

    /// Lines that come after one of these lengths.
    fn followed(&self, lengths: Range<usize>) -> impl Iterator<Item = usize> {
        (1..self.lines.len()).filter(move |at| lengths.contains(&self.length(at - 1)))
    }

    fn length(&self, at: usize) -> usize {
        self.lengths.get(at).copied().unwrap_or(0)
    }

    fn message(&self, at: usize) -> &str {
        self.lines.get(at).map_or("", Line::message)
    }

    fn would_not_fit(&self, at: usize) -> bool {
        let first = self.message(at).split(' ').next().unwrap_or("").chars().count();
        self.length(at - 1) + 1 + first > self.width
    }

    /// The line has no look of its own.
    fn is_rest(&self, at: usize) -> bool {
        let (message, before) = (self.message(at), self.message(at - 1));
        let stamped = !self.prefixed && self.lines.get(at).is_some_and(|line| line.body > 0);
        let deep = message.starts_with("  ") || message.starts_with('\t');
        let table = message.starts_with(['|', '+']) && before.starts_with(['|', '+']);
        // Rows of a list begin alike; the rest of a sentence does not.
        let alike = message.as_bytes().get(..5).is_some_and(|head| before.as_bytes().starts_with(head));
        let trace =
            exception::is_bare(message) || exception::is_frame(message) || exception::is_level(message) || message.starts_with("Traceback");
        let plain = !(message.trim().is_empty() || stamped || deep || table || alike || trace || record::is_fence(message));
        plain && prompt::read(message).is_none() && detect::line(message).is_none_or(|hit| hit.weak || detect::runs_on(hit.kind))
    }
}

#[cfg(test)]
mod tests {
    use crate::intake::{Limits, Part, Paste, read};

    fn paste(text: &str) -> Paste {
        read(vec![Part { name: String::new(), bytes: text.into() }], &Limits::default()).unwrap()
    }

    fn cut(text: &str, width: usize) -> String {
        let part = |line: &str| line.as_bytes().chunks(width).map(|c| String::from_utf8_lossy(c).into_owned() + "\n").collect::<String>();
        text.lines().map(part).collect()
    }

    fn mended(text: &str) -> Vec<(u32, String)> {
        let paste = paste(text);
        let lines = match super::find(&paste) {
            Some(cuts) => cuts.mend(&paste.lines).0,
            None => paste.lines,
        };
        lines.into_iter().map(|line| (line.number, line.text)).collect()
    }

    const LONG: &str = "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.50 GiB (GPU 0; 23.69 GiB total capacity; 12.10 GiB already allocated; 640.00 MiB free; 22.41 GiB reserved in total by PyTorch)";

    #[test]
    fn cut_lines_are_put_together_and_keep_their_number() {
        for width in [60, 61, 66, 80, 100, 120] {
            let text = format!("started\n{LONG}\ndone\n");
            let lines = mended(&cut(&text, width));
            let texts: Vec<&str> = lines.iter().map(|(_, text)| text.as_str()).collect();
            let found: Vec<&str> = text.lines().collect();
            let enough = LONG.len().div_ceil(width) > 3 || width >= 80;
            assert_eq!(texts == found, enough, "{width}: {texts:#?}");
            assert_eq!(lines.iter().map(|(n, _)| *n).take(2).collect::<Vec<_>>(), [1, 2]);
        }
    }

    #[test]
    fn whole_lines_stay_apart() {
        let log = "loading the checkpoint shard of layer number seven from the disk, 3.75 GiB read";
        let rows: String = (0..8).map(|n| format!("{log}{n}\n")).collect();
        let stamped: String = (0..8).map(|n| format!("2026-11-24 10:12:0{n} {:<60}\n", "x".repeat(60))).collect();
        let words = "the quick brown fox jumps over the lazy dog and then goes on to\nsleep where nobody finds it, not even those who look for it all day\nlong with lanterns and dogs and what else there is to take along in\nsuch a case\n";
        for text in [rows.as_str(), &stamped, words] {
            assert_eq!(mended(text).len(), text.lines().count(), "{text}");
        }
    }
}
