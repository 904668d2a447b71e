//! What only neighbouring lines tell: key blocks, pairs of name and value, tables with a
//! heading, the answer to `hostname`.

use super::kind::Kind;
use super::rewrite::{Hits, is_name};
use super::rules::{Find, Found, Rule};
use super::scan::Hit;
use super::tables::Table;
use super::{hosts, names, secrets};
use crate::intake::Paste;
use crate::segment::{Kind as SegmentKind, Log};

/// What a line may be the beginning of.
pub(super) mod note {
    pub const PEM: u8 = 1;
    pub const PAIR: u8 = 1 << 1;
    pub const COMMAND: u8 = 1 << 2;
    pub const LETTER: u8 = 1 << 3;
    pub const TABLE: u8 = 1 << 4;
}

pub(super) const RULES: &[Rule] = &[
    Rule { name: "key-block", gate: &["-----begin ", "---- begin "], feature: 0, find: Find::Note(note::PEM) },
    Rule { name: "name-and-value", gate: &["name:", "name\"", "name'", "name="], feature: 0, find: Find::Note(note::PAIR) },
    Rule {
        name: "answer",
        gate: &["hostname", "whoami", "logname", "id -un", "id -gn", "$user", "groups", "users"],
        feature: 0,
        find: Find::Note(note::COMMAND),
    },
    Rule {
        name: "letter",
        gate: &["regards", "best", "thanks", "cheers", "sincerely", "thank you", "此致", "谢谢"],
        feature: 0,
        find: Find::Note(note::LETTER),
    },
    Rule {
        name: "table",
        gate: &[
            " pid",
            "pid ",
            "jobid",
            "nodelist",
            "namespace ",
            " ready ",
            " roles ",
            " age",
            "serial",
            "package ",
            "# name",
            "list of devices",
            " from  ",
            "user|",
            "|user",
            "| user",
            "user,",
            ",user",
            "host,",
            ",host",
            "node,",
            "nodelist|",
            "user\t",
            "user ",
            "username",
            "owner",
            "names",
        ],
        feature: 0,
        find: Find::Note(note::TABLE),
    },
];

/// State carried from line to line.
#[derive(Default)]
pub(super) struct Context {
    in_pem: bool,
    /// A `name: SECRET` whose `value:` is still to come, and for how many more lines.
    pending: Option<u8>,
    /// The whole next line is a value of this kind: the answer to a command.
    answer: Option<Kind>,
    table: Option<Table>,
    /// A letter's end was read: a name may follow.
    signed: bool,
    /// A secret ran to the end of the line before: its rest may stand at the beginning of this one.
    wrapped: Option<Kind>,
}

impl Context {
    /// Looks at the next line.
    pub fn read(&mut self, text: &str, notes: u8, out: &mut Vec<Hit>) {
        self.rest_of_a_secret(text, out);
        if self.in_pem || notes & note::PEM != 0 {
            self.pem(text, out);
        }
        if self.pending.is_some() || notes & note::PAIR != 0 {
            self.pair(text, out);
        }
        if self.answer.is_some() || notes & note::COMMAND != 0 {
            self.command(text, out);
        }
        if self.signed || notes & note::LETTER != 0 {
            self.signature(text, out);
        }
        if self.table.is_some() || notes & note::TABLE != 0 {
            self.rows(text, out);
        }
    }

    /// A token that a shell's `\` or the width of a terminal cut in two.
    fn rest_of_a_secret(&mut self, text: &str, out: &mut Vec<Hit>) {
        if let Some(kind) = self.wrapped.take() {
            let length =
                text.bytes().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'/' | b'+' | b'=')).count();
            let word = text.get(..length).unwrap_or("");
            let digit = word.bytes().any(|b| b.is_ascii_digit());
            let mixed = word.bytes().any(|b| b.is_ascii_uppercase()) && word.bytes().any(|b| b.is_ascii_lowercase());
            if length >= 4 && (digit || mixed) && !word.contains("://") {
                out.push(Hit { start: 0, end: length, kind });
            }
        }
        let line = text.trim_end();
        let cut = line.trim_end_matches(['\\', '^', '`', '↩', '…']);
        let narrow = line.len() == cut.len() && (line.len() < 72 || line.len() > 240);
        if narrow || cut.ends_with(char::is_whitespace) {
            return;
        }
        let secret = |hit: &&Hit| matches!(hit.kind, Kind::Token | Kind::Password) && hit.end >= cut.len() && hit.start > 0;
        self.wrapped = out.iter().find(secret).map(|hit| hit.kind);
    }

    fn pem(&mut self, text: &str, out: &mut Vec<Hit>) {
        if text.contains("-----BEGIN ") || text.contains("---- BEGIN ") {
            self.in_pem = !text.contains("-----END ");
        } else if self.in_pem {
            if text.contains("-----END ") || text.contains("---- END ") {
                self.in_pem = false;
                return;
            }
            match secrets::pem_body(text) {
                Some((start, end)) => out.push(Hit { start, end, kind: Kind::Pem }),
                None => self.in_pem = secrets::is_pem_header(text),
            }
        }
    }

    /// `- name: HF_TOKEN` and, below it, `value: …`.
    fn pair(&mut self, text: &str, out: &mut Vec<Hit>) {
        if let Some(left) = self.pending {
            if let Some((start, end)) = secrets::value_field(text) {
                out.push(Hit { start, end, kind: Kind::Token });
                self.pending = None;
            } else {
                self.pending = left.checked_sub(1);
            }
        }
        if secrets::names_a_secret(text) {
            self.pending = Some(2);
        }
    }

    /// `$ hostname` and, below it, the name.
    fn command(&mut self, text: &str, out: &mut Vec<Hit>) {
        let trimmed = text.trim();
        if let Some(kind) = self.answer.take() {
            let start = text.len() - text.trim_start().len();
            let words = trimmed.split_whitespace().count();
            let found = Found { text, start, end: start + trimmed.len(), kind };
            let accepted = match kind {
                Kind::Host => hosts::certain(&found),
                _ => names::account(&found),
            };
            if words > 1 && kind == Kind::Group {
                name_list(text, out);
            } else if let Some(kind) = accepted.filter(|_| words == 1) {
                out.push(Hit { start, end: start + trimmed.len(), kind });
            }
        }
        let typed = trimmed.rsplit(['$', '#', '>', '%', '❯']).next().unwrap_or("").trim();
        if typed.len() < trimmed.len() {
            self.answer = match typed.split_whitespace().next() {
                Some("hostname" | "hostnamectl") if !typed.contains(" -I") && !typed.contains(" -i") => Some(Kind::Host),
                Some("whoami" | "logname") => Some(Kind::User),
                Some("groups" | "users") if typed.split_whitespace().count() <= 2 => Some(Kind::Group),
                Some("id") if typed.contains("-Gn") => Some(Kind::Group),
                Some("id") if typed.contains("-un") => Some(Kind::User),
                Some("echo") if typed.ends_with("$USER") || typed.ends_with("$LOGNAME") => Some(Kind::User),
                Some("echo") if typed.ends_with("$HOSTNAME") => Some(Kind::Host),
                Some("cat") if typed.ends_with("/etc/hostname") => Some(Kind::Host),
                _ => None,
            };
        }
    }

    /// `Best regards,` and, below it, the name.
    fn signature(&mut self, text: &str, out: &mut Vec<Hit>) {
        let line = text.trim();
        if self.signed && !line.is_empty() {
            self.signed = false;
            let words: Vec<&str> = line.split(' ').collect();
            let start = text.len() - text.trim_start().len();
            let found = Found { text, start, end: start + line.len(), kind: Kind::Person };
            let capital = words.iter().all(|word| word.starts_with(char::is_uppercase)) && !line.contains([':', '=', '/']);
            if capital && words.len() <= 4 && names::person(&found).is_some() {
                out.push(Hit { start, end: found.end, kind: Kind::Person });
            }
        }
        let lower = line.trim_end_matches([',', '!', '.']).to_ascii_lowercase();
        let ends = ["regards", "best", "thanks", "cheers", "sincerely", "thank you", "br", "此致", "谢谢"];
        self.signed |= ends.iter().any(|end| lower == *end || (lower.len() < 24 && lower.ends_with(&format!(" {end}"))));
    }

    fn rows(&mut self, text: &str, out: &mut Vec<Hit>) {
        if let Some(table) = Table::of(text) {
            self.table = Some(table);
        } else if let Some(table) = &mut self.table
            && !table.row(text, out)
        {
            self.table = None;
        }
    }
}

/// The answer to `groups` or `users`: names between blanks.
fn name_list(text: &str, out: &mut Vec<Hit>) {
    let mut at = 0;
    for name in text.split(' ') {
        let shaped = name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-'));
        let found = Found { text, start: at, end: at + name.len(), kind: Kind::Group };
        if shaped && is_name(name) && names::account(&found).is_some() {
            out.push(Hit { start: at, end: found.end, kind: Kind::Group });
        }
        at += name.len() + 1;
    }
}

/// Host names that intake read from prefixes.
pub(super) fn from_prefixes(paste: &Paste, hits: &mut Hits) {
    let mut last = "";
    for prefix in paste.lines.iter().filter_map(|line| line.prefix.as_deref()) {
        if let Some(host) = prefix.host.as_deref().filter(|host| *host != last) {
            last = host;
            let found = Found { text: host, start: 0, end: host.len(), kind: Kind::Host };
            if let Some(kind) = hosts::certain(&found) {
                hits.add_name(kind, host);
            }
        }
    }
}

/// The answers to commands that the segmenter has found.
pub(super) fn from_segments(paste: &Paste, log: &Log, hits: &mut Hits) {
    for segment in log.segments.iter().filter(|segment| segment.kind == SegmentKind::Other) {
        let program = segment.command.as_ref().map(|command| command.program.as_str()).unwrap_or("");
        let kind = match program.split_whitespace().next() {
            Some("hostname") => Kind::Host,
            Some("whoami") => Kind::User,
            _ => continue,
        };
        let lines = paste.lines.get(segment.lines.clone()).unwrap_or(&[]);
        for name in lines.iter().skip(1).take(1).map(|line| line.message().trim()) {
            if is_name(name) && !name.contains(char::is_whitespace) {
                hits.add_name(kind, name);
            }
        }
    }
}
