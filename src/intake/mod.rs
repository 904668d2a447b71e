//! Bytes in, clean lines out.
//!
//! Unpacks (gzip, zstd, tar, zip), decodes (UTF-8, UTF-16, GB18030), drops terminal codes and
//! overwritten progress states, and reads the prefixes that collectors put before a message.
//! A line keeps its number: line 7 of the paste is line 7 of everything that follows.

mod clean;
pub mod condense;
mod decode;
mod heads;
mod prefix;
mod stamp;
mod unpack;
mod votes;

use crate::error::Error;
use stamp::Yearless;
use unpack::Budget;

/// One file or body of a case, as it came in.
#[derive(Clone, Debug)]
pub struct Part {
    /// File name as given by the sender; empty for a plain body.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// How much may come in. Going over is an error, never a silent cut.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes after unpacking and decoding, all parts together.
    pub max_decoded: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { max_decoded: 64 << 20 }
    }
}

/// The clean lines of a case, in order, parts one after another.
#[derive(Clone, Debug, Default)]
pub struct Paste {
    pub lines: Vec<Line>,
    pub sources: Vec<Source>,
    /// What was left out or capped on the way, for the answer's `limits`.
    pub limits: Vec<Limit>,
}

impl Paste {
    /// Index into `lines` of the line with this number. Numbers rise, but have gaps where a very
    /// long log was condensed.
    pub fn index_of(&self, number: u32) -> Option<usize> {
        let direct = number.checked_sub(1)? as usize;
        match self.lines.get(direct) {
            Some(line) if line.number == number => Some(direct),
            _ => self.lines.binary_search_by_key(&number, |line| line.number).ok(),
        }
    }
}

/// Where the lines of one part stand: numbers are 1-based and inclusive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    pub name: String,
    pub first: u32,
    pub last: u32,
}

/// One line without terminal codes, carriage returns and trailing blanks.
#[derive(Clone, Debug, Default)]
pub struct Line {
    /// 1-based number in the whole case.
    pub number: u32,
    /// The line as shown and (anonymised) stored.
    pub text: String,
    /// Byte offset in `text` where the message starts, after all prefixes.
    pub body: u32,
    pub prefix: Option<Box<Prefix>>,
}

impl Line {
    /// The message without its prefixes.
    pub fn message(&self) -> &str {
        self.text.get(self.body as usize..).unwrap_or("")
    }
}

/// What the prefixes of a line say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prefix {
    pub time: Option<Stamp>,
    /// Host of a syslog, journald, NCCL or k8s prefix.
    pub host: Option<String>,
    /// Program of a syslog or journald line: `kernel`, `systemd`, `python`.
    pub unit: Option<String>,
    /// Global rank of `[rank3]:`, `[1,3]<stdout>:`.
    pub rank: Option<u32>,
    /// Container, compose service, pod or actor that printed the line.
    pub stream: Option<String>,
}

/// A time as printed. Times compare only within one clock.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub enum Stamp {
    /// Seconds since boot: `[ 9121.104425]`.
    Uptime(f64),
    /// Wall time without zone, seconds since 1970 as if UTC. Lines without a year
    /// (`Nov 24 10:14:02`) get one from the paste where it names one, else the year 1970.
    Wall(f64),
}

/// Something that was capped or left out; `what` is a key of the interface words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    pub what: &'static str,
    pub count: u64,
}

/// Reads the parts of one case.
///
/// # Errors
/// [`Error::EmptyPaste`], [`Error::NotText`], [`Error::DecodedTooLarge`],
/// [`Error::DamagedArchive`], [`Error::EmptyArchive`].
pub fn read(parts: Vec<Part>, limits: &Limits) -> Result<Paste, Error> {
    let mut budget = Budget::new(limits);
    let mut paste = Paste::default();
    let (mut archived, mut texts) = (false, 0);
    for part in parts {
        for member in unpack::unpack(part.name, part.bytes, &mut budget, &mut paste.limits)? {
            archived |= member.archived;
            let before = member.bytes.len();
            let Some(text) = decode::decode(member.bytes) else {
                if !member.archived {
                    return Err(Error::NotText);
                }
                unpack::note(&mut paste.limits, "binary-member", 1);
                continue;
            };
            budget.charge(text.len().saturating_sub(before))?;
            texts += 1;
            add_source(&mut paste, member.name, &text);
        }
    }
    if paste.lines.iter().all(|line| line.text.is_empty()) {
        let nothing_inside = texts == 0 && (archived || !paste.limits.is_empty());
        return Err(if nothing_inside { Error::EmptyArchive } else { Error::EmptyPaste });
    }
    read_prefixes(&mut paste);
    Ok(paste)
}

/// Splits at newlines only, so that line n of the text is line n of the paste.
fn add_source(paste: &mut Paste, name: String, text: &str) {
    let first = paste.lines.len() as u32 + 1;
    let text = text.strip_suffix('\n').unwrap_or(text);
    for line in text.split('\n') {
        let number = paste.lines.len() as u32 + 1;
        paste.lines.push(Line { number, text: clean::clean(line).into_owned(), body: 0, prefix: None });
    }
    paste.sources.push(Source { name, first, last: paste.lines.len() as u32 });
}

fn read_prefixes(paste: &mut Paste) {
    let mut yearless = Vec::new();
    for source in &paste.sources {
        let range = source.first as usize - 1..source.last as usize;
        let lines = paste.lines.get_mut(range).unwrap_or_default();
        let mut votes = votes::Votes::default();
        lines.iter().for_each(|line| votes.count(&line.text));
        for line in lines {
            let found = prefix::read(&line.text, &votes);
            line.body = found.body as u32;
            if let Some(moment) = found.yearless {
                yearless.push((line.number as usize - 1, moment));
            }
            if found.any {
                line.prefix = Some(Box::new(found.prefix));
            }
        }
    }
    give_years(paste, &yearless);
}

/// Lines without a year get the one that the paste names elsewhere; after a December comes
/// the January of the next.
fn give_years(paste: &mut Paste, yearless: &[(usize, Yearless)]) {
    if yearless.is_empty() {
        return;
    }
    let Some(mut year) = paste.lines.iter().find_map(|line| stamp::year_in(&line.text)) else { return };
    let mut last_month = 0;
    for (index, moment) in yearless {
        if last_month == 12 && moment.month == 1 {
            year += 1;
        }
        last_month = moment.month;
        if let Some(prefix) = paste.lines.get_mut(*index).and_then(|line| line.prefix.as_mut()) {
            prefix.time = Some(Stamp::Wall(moment.in_year(year)));
        }
    }
}

#[cfg(test)]
mod tests;
