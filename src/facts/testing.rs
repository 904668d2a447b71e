//! A paste of one or several segments, for the tests of the parsers.

use super::{Facts, Subject, Value, read};
use crate::intake::{Line, Paste};
use crate::pattern::Tables;
use crate::segment::{Command, Kind, Log, Scope, ScopeKind, Segment};

/// One segment: kind, the command line (empty: none) and its text.
pub struct Part<'t> {
    pub kind: Kind,
    pub scope: ScopeKind,
    pub command: &'t str,
    pub text: &'t str,
}

/// A complete host listing.
pub fn part<'t>(kind: Kind, command: &'t str, text: &'t str) -> Part<'t> {
    Part { kind, scope: ScopeKind::Host, command, text }
}

/// Facts of one segment without a command line.
pub fn facts(kind: Kind, text: &str) -> Facts {
    facts_of(&[part(kind, "", text)])
}

/// Facts of one complete segment with its command line.
pub fn facts_from(kind: Kind, command: &str, text: &str) -> Facts {
    facts_of(&[part(kind, command, text)])
}

/// Facts of several segments.
pub fn facts_of(parts: &[Part]) -> Facts {
    let mut paste = Paste::default();
    let mut log = Log { scopes: vec![], ..Log::default() };
    for part in parts {
        let first = paste.lines.len();
        let prompt = format!("$ {}", part.command);
        let lines = Some(prompt.as_str()).filter(|_| !part.command.is_empty()).into_iter().chain(part.text.lines());
        for text in lines {
            paste.lines.push(Line { number: paste.lines.len() as u32 + 1, text: text.to_owned(), body: 0, prefix: None });
        }
        let scope = log.scopes.iter().position(|s| s.kind == part.scope).unwrap_or_else(|| {
            log.scopes.push(Scope { kind: part.scope, number: 1 });
            log.scopes.len() - 1
        });
        log.segments.push(Segment {
            kind: part.kind,
            scope: scope as u8,
            lines: first..paste.lines.len(),
            command: (!part.command.is_empty()).then(|| command(part.command)),
            complete: !part.command.is_empty() && !part.command.contains("head") && !part.command.contains("tail"),
        });
    }
    read(&paste, &log, &Tables::default())
}

fn command(line: &str) -> Command {
    let mut pipes = line.split(" | ");
    let program = pipes.next().unwrap_or("").to_owned();
    let filter = pipes.find(|p| p.contains("grep")).and_then(|p| p.rsplit(' ').next()).map(|f| f.trim_matches(['\'', '"']).to_owned());
    Command { line: line.to_owned(), program, filter, status: None }
}

/// The last value of a name, of any scope.
pub fn value(facts: &Facts, subject: Subject, name: &str) -> Option<Value> {
    facts.facts.iter().rev().find(|f| f.subject == subject && f.name == name).map(|f| f.value.clone())
}

/// True where the name is absent.
pub fn absent(facts: &Facts, name: &str) -> bool {
    facts.absences.iter().any(|a| a.name == name)
}
