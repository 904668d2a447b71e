//! Very long logs: keep what could matter, count the rest.
//!
//! A training log of hundreds of megabytes is mostly progress. It is read in chunks; lines that
//! a scan marks are kept with their surroundings, as are the first and the last lines. Every
//! kept line keeps its number, and the answer says how many were left out.

use super::{Limit, Limits, Part, Paste, read};
use crate::error::Error;
use std::io::{self, Read};

/// Lines kept around a marked line.
const AROUND: usize = 60;
/// Lines kept at the start and at the end.
const EDGE: usize = 400;
/// Bytes read at a time.
const CHUNK: usize = 2 << 20;
/// Bytes kept at most; beyond it only the end is kept.
const MAX_KEPT: usize = 48 << 20;

/// What is left of a long log.
#[derive(Debug, Default)]
pub struct Condensed {
    /// The kept lines, each with its newline.
    pub bytes: Vec<u8>,
    /// 1-based number of each kept line in the whole log.
    pub numbers: Vec<u32>,
    /// Lines that were not kept.
    pub left_out: u64,
}

/// Calls back with the byte offset of everything of interest in a chunk, in any order.
pub type Scan<'a> = &'a dyn Fn(&[u8], &mut dyn FnMut(usize));

/// Reads a long plain text: condensed, decoded and cleaned, with the numbers of the whole log.
///
/// # Errors
/// Those of [`read`]; [`Error::Unreadable`] where the reader fails.
pub fn read_long(name: &str, reader: impl Read, scan: Scan<'_>) -> Result<Paste, Error> {
    let unreadable = |e: io::Error| Error::Unreadable { path: name.to_owned(), reason: e.kind().to_string() };
    let Condensed { bytes, numbers, left_out } = condense(reader, scan).map_err(unreadable)?;
    let part = Part { name: name.to_owned(), bytes };
    let mut paste = read(vec![part], &Limits { max_decoded: u64::MAX })?;
    for (line, number) in paste.lines.iter_mut().zip(&numbers) {
        line.number = *number;
    }
    let last = numbers.last().copied().unwrap_or(0);
    paste.sources.iter_mut().for_each(|source| source.last = last);
    if left_out > 0 {
        paste.limits.push(Limit { what: "limit-condensed", count: left_out });
    }
    Ok(paste)
}

/// Reads `reader` to its end.
///
/// # Errors
/// Those of the reader.
pub fn condense(mut reader: impl Read, scan: Scan<'_>) -> io::Result<Condensed> {
    let mut window = Window { first: 1, ..Window::default() };
    let mut chunk = vec![0; CHUNK];
    loop {
        let got = reader.read(&mut chunk)?;
        let end = got == 0;
        window.buffer.extend_from_slice(&chunk[..got]);
        window.advance(scan, end);
        if end {
            return Ok(window.kept);
        }
    }
}

/// The part of the log in memory: lines already scanned whose fate may still change, and a last
/// line that may be incomplete.
#[derive(Default)]
struct Window {
    buffer: Vec<u8>,
    /// End offset of each scanned line in the buffer, and whether it is kept.
    lines: Vec<(usize, bool)>,
    /// Number of the first line in the buffer.
    first: u32,
    /// Lines still to be kept after the last mark.
    pending: usize,
    kept: Condensed,
}

impl Window {
    fn advance(&mut self, scan: Scan<'_>, end: bool) {
        let scanned = self.lines.last().map_or(0, |line| line.0);
        let known = self.lines.len();
        self.find_lines(scanned, end);
        let upto = self.lines.last().map_or(0, |line| line.0);
        self.mark(scan, scanned..upto, known);
        if end {
            let tail = self.lines.len().saturating_sub(EDGE);
            self.lines[tail..].iter_mut().for_each(|line| line.1 = true);
            self.release(self.lines.len());
        } else {
            self.release(self.lines.len().saturating_sub(EDGE.max(AROUND)));
        }
    }

    fn find_lines(&mut self, from: usize, end: bool) {
        let rest = &self.buffer[from..];
        self.lines.extend(memchr::memchr_iter(b'\n', rest).map(|at| (from + at + 1, false)));
        let last = self.lines.last().map_or(0, |line| line.0);
        if end && last < self.buffer.len() {
            self.buffer.push(b'\n');
            self.lines.push((self.buffer.len(), false));
        }
    }

    /// Marks the new lines that the scan finds, with their surroundings. Lines from index `known` on are new.
    fn mark(&mut self, scan: Scan<'_>, new: std::ops::Range<usize>, known: usize) {
        let edge = (EDGE + 1).saturating_sub(self.first as usize);
        let carried = known + self.pending;
        self.keep(known, carried.max(edge));
        self.pending = carried.saturating_sub(self.lines.len());
        let full = self.kept.bytes.len() > MAX_KEPT;
        let mut marks = Vec::new();
        if !full {
            scan(&self.buffer[new.clone()], &mut |at| marks.push(new.start + at));
        }
        marks.sort_unstable();
        let mut line = known;
        for mark in marks {
            while self.lines.get(line).is_some_and(|l| l.0 <= mark) {
                line += 1;
            }
            self.keep(line.saturating_sub(AROUND), line + AROUND);
            self.pending = self.pending.max((line + AROUND).saturating_sub(self.lines.len()));
        }
    }

    fn keep(&mut self, from: usize, to: usize) {
        let to = to.min(self.lines.len());
        if from < to {
            self.lines[from..to].iter_mut().for_each(|line| line.1 = true);
        }
    }

    /// Takes the first `count` lines out of the buffer, the kept ones to the result.
    fn release(&mut self, count: usize) {
        let mut start = 0;
        for (index, (end, keep)) in self.lines[..count].iter().enumerate() {
            if *keep {
                self.kept.bytes.extend_from_slice(&self.buffer[start..*end]);
                self.kept.numbers.push(self.first + index as u32);
            } else {
                self.kept.left_out += 1;
            }
            start = *end;
        }
        self.buffer.drain(..start);
        self.lines.drain(..count);
        self.lines.iter_mut().for_each(|line| line.0 -= start);
        self.first += count as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find_bad(chunk: &[u8], see: &mut dyn FnMut(usize)) {
        memchr::memmem::find_iter(chunk, b"BAD").for_each(see);
    }

    #[test]
    fn keeps_marked_lines_and_the_edges_with_their_numbers() {
        let mut log = String::new();
        for n in 1..=200_000 {
            log.push_str(&if n == 100_000 { format!("line {n} BAD\n") } else { format!("line {n} and some text to fill it\n") });
        }
        let kept = condense(log.as_bytes(), &find_bad).expect("memory reads");
        let text = String::from_utf8(kept.bytes).expect("text");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), kept.numbers.len());
        for (line, number) in lines.iter().zip(&kept.numbers) {
            assert!(line.starts_with(&format!("line {number} ")), "{line} is not {number}");
        }
        let has = |n: u32| kept.numbers.contains(&n);
        assert!(has(1) && has(400) && has(99_950) && has(100_000) && has(100_050) && has(199_700) && has(200_000));
        assert!(!has(50_000) && !has(150_000));
        assert_eq!(kept.left_out + kept.numbers.len() as u64, 200_000);
        assert!(kept.numbers.windows(2).all(|w| w[0] < w[1]));
    }

    #[test]
    fn a_short_log_is_kept_whole() {
        let kept = condense("a\nb\nc".as_bytes(), &find_bad).expect("memory reads");
        assert_eq!((kept.bytes.as_slice(), kept.numbers.as_slice(), kept.left_out), (b"a\nb\nc\n".as_slice(), [1, 2, 3].as_slice(), 0));
    }
}
