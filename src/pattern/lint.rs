//! What a pattern file must be before it is used.

use super::compile::{compile, normal_literal};
use super::condition::Expr;
use super::fault::{Fault, SourceFile};
use super::file::{AgainstFile, CauseFile, CauseKind, FixFile, NearFile, SignatureFile, Want};
use super::placeholder;
use crate::diagnose::analysis::{Layer, Risk};
use crate::facts::Register;
use crate::i18n::Text;
use crate::segment::Kind;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use toml::Spanned;

/// A literal must be at least this long, or every second line would pass the gate.
const MIN_LITERAL: usize = 4;

/// Collects the faults of one file.
pub struct Lint<'a> {
    pub file: &'a SourceFile,
    pub register: &'a Register,
    pub faults: Vec<Fault>,
}

impl Lint<'_> {
    fn fault(&mut self, span: Range<usize>, what: impl Into<String>, remedy: &str) {
        self.faults.push(Fault::at(self.file, span, what, remedy));
    }

    /// Checks everything that one cause file shows by itself.
    pub fn cause(&mut self, cause: &CauseFile, folder: &str) {
        self.place(cause, folder);
        if cause.sources.get_ref().is_empty() {
            self.fault(
                cause.sources.span(),
                "no source is named",
                "say where the facts come from and when that was checked: sources = [\"…, checked 2026-12-01\"]",
            );
        }
        self.text(&cause.title);
        self.text(&cause.summary);
        cause.signature.iter().for_each(|s| self.signature(s));
        for condition in &cause.condition {
            self.condition(&condition.when);
            condition.why.iter().for_each(|why| self.why(why, None));
        }
        cause.against.iter().for_each(|a| self.against(a));
        cause.fix.iter().for_each(|fix| self.fix(fix));
        for question in &cause.question {
            question.asks.iter().for_each(|name| self.fact(name));
        }
        self.uniqueness(cause);
        self.examples(cause);
    }

    fn place(&mut self, cause: &CauseFile, folder: &str) {
        let id = cause.id.get_ref().clone();
        let stem = self.file.path.rsplit('/').next().and_then(|name| name.strip_suffix(".toml")).unwrap_or("").to_owned();
        if id != stem {
            self.fault(
                cause.id.span(),
                format!("the id is `{id}`, the file is named `{stem}.toml`"),
                "make both the same; an old id goes to `formerly`",
            );
        }
        if !id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-') {
            self.fault(cause.id.span(), "an id holds lower-case letters, digits and hyphens", "rename it");
        }
        let symptom = folder == "symptoms";
        match &cause.layer {
            Some(layer) if Layer::from_name(layer.get_ref()).is_none() => {
                self.fault(
                    layer.span(),
                    "there is no such layer",
                    "layers: hardware driver access runtime framework application distributed host",
                );
            }
            Some(layer) if !symptom => self.fault(layer.span(), "a cause has the layer of its folder", "remove the key"),
            None if symptom => self.fault(cause.id.span(), "a symptom names its layer", "add: layer = \"driver\""),
            _ => {}
        }
        if cause.kind == CauseKind::Symptom && !symptom {
            self.fault(cause.id.span(), "kind and folder do not agree", "symptoms stand in patterns/symptoms and need no kind");
        }
        if !symptom && (cause.stands || !cause.candidate.is_empty()) {
            self.fault(
                cause.id.span(),
                "only symptoms have candidates",
                "move the file to patterns/symptoms, or remove `candidate` and `stands`",
            );
        }
    }

    fn text(&mut self, text: &Spanned<Text>) {
        let Text { en, zh } = text.get_ref();
        if en.trim().is_empty() || zh.trim().is_empty() {
            self.fault(text.span(), "a translation is missing", "write both: { en = \"…\", zh = \"…\" }");
        } else if !zh.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c)) {
            self.fault(text.span(), "the Chinese text holds no Chinese character", "translate it by the terms that the field uses");
        }
    }

    /// A sentence whose name nothing fills is never shown, so every name must be one of the
    /// signature's groups or a fact.
    fn why(&mut self, why: &Spanned<Text>, regex: Option<&Spanned<String>>) {
        self.text(why);
        let groups: BTreeSet<String> = regex
            .and_then(|r| compile(r.get_ref()).ok())
            .map(|r| r.capture_names().flatten().map(str::to_owned).collect())
            .unwrap_or_default();
        let Text { en, zh } = why.get_ref();
        let names: BTreeSet<String> = [en, zh]
            .into_iter()
            .flat_map(|text| placeholder::pieces(text))
            .filter_map(|piece| match piece {
                placeholder::Piece::Name(name) => Some(name.to_owned()),
                placeholder::Piece::Text(_) => None,
            })
            .collect();
        for name in names {
            let group = groups.contains(&name) || groups.contains(&name.replace('.', "__"));
            if !group && self.register.get(&name).is_none() {
                self.fault(
                    why.span(),
                    format!("`{{{name}}}` is neither a group of the expression nor a fact"),
                    "name a group of this signature or a fact of patterns/facts.toml: the sentence would never be shown",
                );
            }
        }
    }

    fn signature(&mut self, signature: &SignatureFile) {
        self.literals(&signature.literal);
        self.regex(signature.regex.as_ref());
        self.kinds(signature.in_.as_ref());
        self.near(&signature.near);
        self.groups(signature.regex.as_ref());
        signature.why.iter().for_each(|why| self.why(why, signature.regex.as_ref()));
    }

    fn against(&mut self, against: &AgainstFile) {
        match (&against.when, &against.literal) {
            (Some(when), None) => self.condition(when),
            (None, Some(literal)) => {
                self.literals(literal);
                self.regex(against.regex.as_ref());
                self.kinds(against.in_.as_ref());
                self.near(&against.near);
            }
            (Some(when), Some(_)) => {
                self.fault(when.span(), "counter-evidence is either a condition or a signature", "split it into two [[against]]")
            }
            (None, None) => {
                let span = against.id.as_ref().or(against.regex.as_ref()).map_or(0..1, Spanned::span);
                self.fault(span, "counter-evidence without `when` and without `literal`", "give it one of both");
            }
        }
        against.why.iter().for_each(|why| self.why(why, against.regex.as_ref()));
    }

    fn literals(&mut self, literals: &Spanned<Vec<String>>) {
        if literals.get_ref().is_empty() {
            self.fault(literals.span(), "a signature has no literal", "name a text that every hit contains: literal = [\"…\"]");
        }
        for literal in literals.get_ref() {
            if normal_literal(literal).len() < MIN_LITERAL {
                self.fault(
                    literals.span(),
                    format!("the literal {literal:?} is too short"),
                    "take a longer part of the message: at least 4 bytes",
                );
            }
        }
    }

    fn regex(&mut self, regex: Option<&Spanned<String>>) {
        let Some(regex) = regex else { return };
        if let Err(error) = compile(regex.get_ref()) {
            let what = error.to_string().lines().last().unwrap_or("").trim().trim_start_matches("error: ").to_owned();
            self.fault(
                regex.span(),
                format!("the expression does not compile: {what}"),
                "the syntax is that of Rust's regex crate: no look-around, no back-references",
            );
        }
    }

    /// A named group `driver__version` gives the fact `driver.version`, which must be declared.
    fn groups(&mut self, regex: Option<&Spanned<String>>) {
        let Some(regex) = regex else { return };
        let Ok(compiled) = compile(regex.get_ref()) else { return };
        for name in compiled.capture_names().flatten().filter(|name| name.contains("__")) {
            let fact = name.replace("__", ".");
            if self.register.get(&fact).is_none() {
                self.fault(
                    regex.span(),
                    format!("the group `{name}` would be the fact `{fact}`, which is not in the register"),
                    "declare it in patterns/facts.toml, or name the group without `__`",
                );
            }
        }
    }

    fn kinds(&mut self, kinds: Option<&Spanned<Vec<String>>>) {
        let Some(kinds) = kinds else { return };
        for kind in kinds.get_ref().iter().filter(|k| *k != "any") {
            if Kind::from_name(kind).is_none() {
                self.fault(kinds.span(), format!("there is no segment kind `{kind}`"), "kinds: see src/segment/kind.rs, or leave `in` out");
            }
        }
    }

    fn near(&mut self, near: &[NearFile]) {
        near.iter().for_each(|n| self.regex(Some(&n.text)));
    }

    fn condition(&mut self, when: &Spanned<String>) {
        if let Err(fault) = Expr::parse(when.get_ref(), self.register) {
            let at = self.inside(when, fault.at);
            self.fault(at, format!("in the condition: {}", fault.what), "see CONTRIBUTING.md for the condition language");
        }
    }

    /// The place in the file of byte `offset` of a string value, quotes skipped.
    fn inside(&self, value: &Spanned<String>, offset: usize) -> Range<usize> {
        let span = value.span();
        let raw = &self.file.text[span.clone()];
        let body = raw.find(value.get_ref().as_str()).unwrap_or(0);
        let start = span.start + body + offset;
        start..start + 1
    }

    fn fact(&mut self, name: &Spanned<String>) {
        if self.register.get(name.get_ref()).is_none() {
            self.fault(name.span(), format!("`{}` is not in the register of facts", name.get_ref()), "declare it in patterns/facts.toml");
        }
    }

    fn fix(&mut self, fix: &FixFile) {
        self.text(&fix.text);
        // An expected output or an undo may be a bare command or value, the same in both.
        let own_words = fix.expect.iter().chain(&fix.undo).filter(|text| text.get_ref().en != text.get_ref().zh);
        own_words.for_each(|text| self.text(text));
        if let Some(when) = &fix.when {
            self.condition(when);
        }
        for command in fix.run.iter().chain(&fix.verify) {
            self.command(command);
        }
        let risk = *fix.risk.get_ref();
        if risk > Risk::ReadOnly && fix.verify.is_none() {
            self.fault(fix.risk.span(), "a fix above read-only has no check", "add: verify = \"a command that shows that it worked\"");
        }
        if risk == Risk::Reversible && fix.undo.is_none() {
            self.fault(fix.risk.span(), "a reversible fix does not say how to undo it", "add: undo = { en = \"…\", zh = \"…\" }");
        }
        if let Some(run) = &fix.run
            && run.get_ref().contains("chmod 666")
        {
            self.fault(run.span(), "chmod 666 opens the device to everyone", "add the user to the group of the device node");
        }
    }

    fn command(&mut self, command: &Spanned<String>) {
        let names = match placeholder::names(command.get_ref()) {
            Ok(names) => names,
            Err(what) => return self.fault(command.span(), what, "write literal braces as {{ and }}"),
        };
        for name in names {
            match self.register.get(&name) {
                None => self.fault(
                    command.span(),
                    format!("`{{{name}}}` is not a fact of the register"),
                    "use a fact of patterns/facts.toml, or write literal braces as {{ and }}",
                ),
                Some(entry) if !entry.safe => self.fault(
                    command.span(),
                    format!("`{{{name}}}` is not a safe fact: a hostile paste could put text into the command"),
                    "use facts marked safe = true only",
                ),
                Some(_) => {}
            }
        }
    }

    fn uniqueness(&mut self, cause: &CauseFile) {
        let mut seen = BTreeSet::new();
        let ids = cause.signature.iter().map(|s| &s.id).chain(cause.against.iter().filter_map(|a| a.id.as_ref()));
        let twice: Vec<&Spanned<String>> = ids.filter(|id| !seen.insert(id.get_ref().clone())).collect();
        for id in twice {
            self.fault(id.span(), format!("the id `{}` is used twice in this file", id.get_ref()), "give each signature an id of its own");
        }
    }

    fn examples(&mut self, cause: &CauseFile) {
        let wants = |positive: bool| cause.example.iter().any(|e| (e.want == Want::This(true)) == positive);
        // A symptom that only lends its weight, or a state, shows itself through another cause.
        let through_other = cause.kind != CauseKind::Cause && cause.example.iter().any(|e| matches!(e.want, Want::Other(_)));
        if !wants(true) && !through_other {
            self.fault(cause.id.span(), "there is no positive example", "add an [[example]] with want = true");
        }
        if !wants(false) && cause.kind != CauseKind::State {
            self.fault(
                cause.id.span(),
                "there is no negative example",
                "add an [[example]] with want = false, or want = \"other-cause\" to show the confuser",
            );
        }
    }
}

/// What only the set as a whole shows: ids that are pointed to, and cycles of `explains`.
pub fn set(causes: &[(&SourceFile, &CauseFile)]) -> Vec<Fault> {
    let ids: BTreeSet<&str> = causes.iter().map(|(_, c)| c.id.get_ref().as_str()).collect();
    let mut faults = Vec::new();
    let mut first: BTreeMap<&str, &str> = BTreeMap::new();
    for (file, cause) in causes {
        if let Some(other) = first.insert(cause.id.get_ref(), &file.path) {
            faults.push(Fault::at(file, cause.id.span(), format!("the id stands in {other} as well"), "an id has one file"));
        }
        let pointed = cause.explains.iter().chain(cause.candidate.iter().map(|c| &c.cause));
        for id in pointed.filter(|id| !ids.contains(id.get_ref().as_str())) {
            faults.push(Fault::at(file, id.span(), format!("there is no cause `{}`", id.get_ref()), "name a cause or symptom of the set"));
        }
        for example in &cause.example {
            if let Want::Other(id) = &example.want
                && !ids.contains(id.as_str())
            {
                faults.push(Fault::at(
                    file,
                    example.name.span(),
                    format!("there is no cause `{id}`"),
                    "want is true, false or the id of a cause",
                ));
            }
        }
    }
    faults.extend(cycles(causes));
    faults
}

fn cycles(causes: &[(&SourceFile, &CauseFile)]) -> Vec<Fault> {
    let explains: BTreeMap<&str, Vec<&str>> =
        causes.iter().map(|(_, c)| (c.id.get_ref().as_str(), c.explains.iter().map(|e| e.get_ref().as_str()).collect())).collect();
    let reaches_itself = |start: &str| {
        let mut open: Vec<&str> = explains.get(start).cloned().unwrap_or_default();
        let mut seen = BTreeSet::new();
        while let Some(id) = open.pop() {
            if id == start {
                return true;
            }
            if seen.insert(id) {
                open.extend(explains.get(id).into_iter().flatten());
            }
        }
        false
    };
    let in_cycle = causes.iter().filter(|(_, c)| reaches_itself(c.id.get_ref()));
    in_cycle
        .map(|(file, cause)| {
            let span = cause.explains.first().map_or(cause.id.span(), Spanned::span);
            Fault::at(file, span, "`explains` leads back to this cause", "decide which of both is the root, and remove the other direction")
        })
        .collect()
}
