//! What every parser works with: the lines of one segment, and a place to put facts.

use super::{Facts, Subject, Value};
use crate::intake::Paste;
use crate::segment::{Command, Kind, Log, ScopeId, ScopeKind, Segment};
use std::collections::{BTreeMap, HashMap};

/// A static regular expression, compiled once.
macro_rules! re {
    ($text:expr) => {{
        static RE: std::sync::LazyLock<Option<regex::Regex>> = std::sync::LazyLock::new(|| regex::Regex::new($text).ok());
        &*RE
    }};
}
pub(super) use re;

/// The groups of the first match.
pub(super) fn caps<'t>(re: &Option<regex::Regex>, text: &'t str) -> Option<regex::Captures<'t>> {
    re.as_ref()?.captures(text)
}

/// The first group of the first match.
pub(super) fn first<'t>(re: &Option<regex::Regex>, text: &'t str) -> Option<&'t str> {
    caps(re, text)?.get(1).map(|m| m.as_str())
}

/// True where the expression matches somewhere.
pub(super) fn hits(re: &Option<regex::Regex>, text: &str) -> bool {
    re.as_ref().is_some_and(|re| re.is_match(text))
}

/// Most facts that are kept of one paste; a listing beyond that says nothing new.
const MAX_FACTS: usize = 10_000;
/// Most lines that one fact names.
const MAX_LINES: usize = 8;
/// Most cards of one paste.
const MAX_GPUS: usize = 256;
/// Most Python environments of one paste.
const MAX_ENVS: u16 = 16;

/// One line: its 1-based number, and its message without prefixes.
#[derive(Clone, Copy, Debug)]
pub struct Line<'p> {
    pub number: u32,
    pub text: &'p str,
}

/// What is remembered from segment to segment.
#[derive(Debug, Default)]
pub struct Memo {
    /// Where a fact of this name stands, so that repeats only add their line.
    given: HashMap<(ScopeId, Subject, String), usize>,
    /// The card that nvidia-smi of a scope calls by this index.
    cards: HashMap<(ScopeId, u32), Subject>,
    /// The Python environment that is spoken of in a scope.
    envs: BTreeMap<ScopeId, u16>,
    next_env: u16,
    /// `pip show` has named this package; its version follows.
    pub shown: String,
    /// Parts of cuDNN's version as its header gives them, line by line.
    pub cudnn: Vec<String>,
    /// The scopes of which a frame in the user's own code was taken; true: its traceback raised.
    pub user_frame: BTreeMap<ScopeId, bool>,
    /// Xids by scope and PCI address.
    pub xids: BTreeMap<(ScopeId, String), super::xids::Events>,
}

/// One segment being read.
pub struct Reader<'p, 'f> {
    pub paste: &'p Paste,
    pub log: &'p Log,
    pub segment: &'p Segment,
    pub facts: &'f mut Facts,
    pub state: &'f mut Memo,
}

impl<'p> Reader<'p, '_> {
    /// The lines of the segment without its command line and without Markdown fences.
    pub fn lines(&self) -> impl DoubleEndedIterator<Item = Line<'p>> + Clone + use<'p> {
        let range = self.segment.lines.clone();
        let lines = self.paste.lines.get(range).unwrap_or(&[]);
        let command = self.segment.command.as_ref().map(|c| c.line.as_str()).filter(|c| !c.is_empty());
        let first = lines.first().map_or(0, |line| line.number);
        lines.iter().filter_map(move |line| {
            let text = line.message();
            let is_command = line.number == first && command.is_some_and(|c| text.trim_end().ends_with(c));
            let is_fence = text.trim_start().starts_with("```") || text.trim_start().starts_with("~~~");
            (!is_command && !is_fence).then_some(Line { number: line.number, text })
        })
    }

    /// The command line's number, else that of the first line.
    pub fn head(&self) -> u32 {
        let at = self.segment.lines.start;
        self.paste.lines.get(at).map_or(0, |line| line.number)
    }

    pub fn scope(&self) -> ScopeId {
        self.segment.scope
    }

    pub fn scope_kind(&self) -> ScopeKind {
        self.log.scopes.get(self.segment.scope as usize).map_or(ScopeKind::Host, |s| s.kind)
    }

    pub fn kind(&self) -> Kind {
        self.segment.kind
    }

    pub fn command(&self) -> Option<&'p Command> {
        self.segment.command.as_ref()
    }

    /// The command as typed, or nothing.
    pub fn command_line(&self) -> &'p str {
        self.segment.command.as_ref().map_or("", |c| c.line.as_str())
    }

    /// True where the listing is whole and its filter, if any, would have shown each of `samples`.
    pub fn shows_all(&self, samples: &[&str]) -> bool {
        if !self.segment.complete || self.failed() {
            return false;
        }
        let Some(filter) = self.command().and_then(|c| c.filter.as_deref()) else { return true };
        let filter = filter.replace("\\|", "|");
        let Ok(filter) = regex::RegexBuilder::new(&filter).case_insensitive(self.ignores_case()).size_limit(1 << 18).build() else {
            return false;
        };
        samples.iter().all(|sample| filter.is_match(sample))
    }

    /// The command did not run, or was not allowed to read: its silence says nothing.
    fn failed(&self) -> bool {
        let status = self.command().and_then(|c| c.status);
        let refused = re!(
            r"^(?:\S+: )+.*(?:not found|[Pp]ermission denied|[Oo]peration not permitted|No such file or directory|[Cc]annot |[Cc]ould not )|未找到命令|权限不够|不允许的操作"
        );
        matches!(status, Some(126 | 127)) || self.lines().take(20).any(|line| hits(refused, line.text.trim()))
    }

    fn ignores_case(&self) -> bool {
        re!(r"grep\s+(?:\S+\s+)*?-[a-zA-Z]*i").as_ref().is_some_and(|re| re.is_match(self.command_line()))
    }

    /// Notes a fact about the scope as a whole.
    pub fn give(&mut self, name: &str, value: Value, line: u32) {
        self.give_to(Subject::None, name, value, &[line]);
    }

    /// Notes a fact. A repeat of the last value adds its lines to the fact that stands there.
    pub fn give_to(&mut self, subject: Subject, name: &str, value: Value, lines: &[u32]) {
        let scope = self.segment.scope;
        let key = (scope, subject, name.to_owned());
        if let Some(&at) = self.state.given.get(&key)
            && let Some(fact) = self.facts.facts.get_mut(at)
            && fact.value == value
        {
            for line in lines {
                if fact.lines.len() < MAX_LINES && !fact.lines.contains(line) {
                    fact.lines.push(*line);
                }
            }
            return;
        }
        if self.facts.facts.len() >= MAX_FACTS {
            return;
        }
        self.state.given.insert(key, self.facts.facts.len());
        let lines = lines.get(..MAX_LINES).unwrap_or(lines);
        self.facts.give(scope, subject, name, value, lines);
    }

    pub fn version(&mut self, name: &str, value: &str, line: u32) {
        self.give(name, Value::Version(value.to_owned()), line);
    }

    pub fn text(&mut self, name: &str, value: &str, line: u32) {
        self.give(name, Value::Text(value.to_owned()), line);
    }

    pub fn int(&mut self, name: &str, value: i64, line: u32) {
        self.give(name, Value::Int(value), line);
    }

    pub fn bool(&mut self, name: &str, value: bool, line: u32) {
        self.give(name, Value::Bool(value), line);
    }

    /// Adds words to a set fact of the scope, keeping what earlier lines gave.
    pub fn add(&mut self, subject: Subject, name: &str, words: &[String], line: u32) {
        let scope = self.segment.scope;
        let key = (scope, subject, name.to_owned());
        if let Some(&at) = self.state.given.get(&key)
            && let Some(fact) = self.facts.facts.get_mut(at)
            && let Value::Set(set) = &mut fact.value
        {
            for word in words {
                if set.len() < 256 && !set.contains(word) {
                    set.push(word.clone());
                }
            }
            if fact.lines.len() < MAX_LINES && !fact.lines.contains(&line) {
                fact.lines.push(line);
            }
            return;
        }
        self.give_to(subject, name, Value::Set(words.to_vec()), &[line]);
    }

    /// Notes that a whole listing does not show `name`.
    pub fn deny(&mut self, name: &str) {
        self.deny_in(Subject::None, name);
    }

    /// Notes that a whole listing of an environment does not show `name`.
    pub fn deny_in(&mut self, subject: Subject, name: &str) {
        let line = self.head();
        let scope = self.segment.scope;
        let known = self.facts.absences.iter().any(|a| a.scope == scope && a.name == name && a.subject == subject);
        if !known {
            self.facts.deny(scope, subject, name, &[line]);
        }
    }

    /// A version that is known of this scope.
    pub fn version_of(&self, subject: Subject, name: &str) -> Option<String> {
        match self.known(subject, name)? {
            Value::Version(version) => Some(version.clone()),
            _ => None,
        }
    }

    /// The lines of a fact of this scope.
    pub fn lines_of(&self, subject: Subject, name: &str) -> Vec<u32> {
        let at = self.state.given.get(&(self.segment.scope, subject, name.to_owned()));
        at.and_then(|at| self.facts.facts.get(*at)).map_or_else(Vec::new, |fact| fact.lines.clone())
    }

    /// The last value of a fact of this scope.
    pub fn known(&self, subject: Subject, name: &str) -> Option<&Value> {
        let at = self.state.given.get(&(self.segment.scope, subject, name.to_owned()))?;
        self.facts.facts.get(*at).map(|fact| &fact.value)
    }

    /// The card with these names. An index binds only within its scope: a container may count
    /// its cards anew.
    pub fn card(&mut self, pci: Option<&str>, index: Option<u32>, uuid: Option<&str>) -> Option<Subject> {
        let scope = self.segment.scope;
        let by_index = index.and_then(|i| self.state.cards.get(&(scope, i)).copied());
        let before = self.facts.gpus.len();
        let subject = match (by_index, pci.is_some() || uuid.is_some()) {
            (Some(card), false) => card,
            (Some(card), true) => self.facts.name_card(card, pci, uuid),
            (None, true) => {
                if before >= MAX_GPUS && !self.facts.has_card(pci, uuid) {
                    return None;
                }
                self.facts.gpu(pci, None, uuid)
            }
            (None, false) => self.card_elsewhere(index?)?,
        };
        self.forget_if_joined(before);
        if let Some(index) = index {
            self.state.cards.insert((scope, index), subject);
            self.facts.number_card(subject, index);
        }
        Some(subject)
    }

    /// The card learns its UUID; two entries that turn out to be one are joined.
    pub fn name_card(&mut self, card: Subject, uuid: &str) -> Subject {
        let before = self.facts.gpus.len();
        let card = self.facts.name_card(card, None, Some(uuid));
        self.forget_if_joined(before);
        card
    }

    /// Subjects moved when cards were joined: what is keyed by them starts anew.
    fn forget_if_joined(&mut self, before: usize) {
        if self.facts.gpus.len() < before {
            self.state.given.clear();
            self.state.cards.clear();
        }
    }

    /// A card of which no name is known: the paste's only one, else an entry without names.
    pub fn some_card(&mut self) -> Option<Subject> {
        match self.facts.gpus.len() {
            1 => Some(Subject::Gpu(0)),
            n if n < MAX_GPUS => {
                let nameless = self.facts.gpus.iter().position(|gpu| *gpu == super::Gpu::default());
                Some(nameless.map_or_else(|| self.facts.gpu(None, None, None), |at| Subject::Gpu(at as u16)))
            }
            _ => None,
        }
    }

    /// A card known by its index alone: the one of that number from another scope, else a new one.
    fn card_elsewhere(&mut self, index: u32) -> Option<Subject> {
        let same = self.facts.gpus.iter().position(|g| g.index == Some(index));
        match same {
            Some(at) => Some(Subject::Gpu(at as u16)),
            None if self.facts.gpus.len() < MAX_GPUS => Some(self.facts.gpu(None, Some(index), None)),
            None => None,
        }
    }

    /// The Python environment that is spoken of in this scope.
    pub fn env(&mut self) -> Subject {
        let scope = self.segment.scope;
        if let Some(env) = self.state.envs.get(&scope) {
            return Subject::Env(*env);
        }
        self.new_env()
    }

    /// A further Python environment of this scope; later listings are about it.
    pub fn new_env(&mut self) -> Subject {
        let env = self.state.next_env.min(MAX_ENVS - 1);
        self.state.next_env = env + 1;
        self.state.envs.insert(self.segment.scope, env);
        Subject::Env(env)
    }

    /// Notes a version in an environment.
    pub fn env_version(&mut self, name: &str, value: &str, line: u32) {
        let env = self.env();
        self.give_to(env, name, Value::Version(value.to_owned()), &[line]);
    }
}

/// The first number in `text`: `12045MiB`, `0x…` gives 0.
pub fn number(text: &str) -> Option<i64> {
    let text = text.trim_start();
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text.get(..end)?.parse().ok()
}

/// A size with its unit in bytes: `79.25 GiB`, `64M`, `16G`, `512 kB`. A bare number is bytes.
pub fn bytes(text: &str) -> Option<i64> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let amount: f64 = text.get(..end)?.parse().ok()?;
    let unit = text.get(end..)?.trim().to_ascii_lowercase();
    let power = match unit.chars().next() {
        None | Some('b') => 0,
        Some('k') => 1,
        Some('m') => 2,
        Some('g') => 3,
        Some('t') => 4,
        _ => return None,
    };
    let bytes = amount * 1024f64.powi(power);
    (bytes.is_finite() && bytes < 9e18).then_some(bytes.round() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_with_their_unit() {
        for (text, want) in [("64M", 64 << 20), ("1.50 GiB", 3 << 29), ("16g", 16 << 30), ("4096", 4096), ("0B", 0), ("12 kB", 12288)] {
            assert_eq!(bytes(text), Some(want), "{text}");
        }
        assert_eq!(bytes("unlimited"), None);
        assert_eq!(bytes("5 watts"), None);
    }
}
