//! Pattern files made ready for matching.

use super::condition::Expr;
use super::file::{CauseFile, NearFile, SignatureFile};
use crate::diagnose::analysis::{Effect, Strength};
use crate::i18n::Text;
use crate::segment::Kind;
use regex::Regex;
use std::sync::OnceLock;

/// A regular expression that is compiled when it is first needed: a cold start meets only the
/// few whose literal stands in the paste. The lint compiles all of them beforehand.
#[derive(Debug)]
pub struct Lazy {
    source: std::borrow::Cow<'static, str>,
    cell: OnceLock<Option<Regex>>,
}

impl Lazy {
    pub fn new(source: &str) -> Lazy {
        Lazy { source: source.to_owned().into(), cell: OnceLock::new() }
    }

    /// One that is part of the program.
    pub const fn late(source: &'static str) -> Lazy {
        Lazy { source: std::borrow::Cow::Borrowed(source), cell: OnceLock::new() }
    }

    /// The compiled expression; `None` where it does not compile (which the lint refuses).
    pub fn get(&self) -> Option<&Regex> {
        self.cell.get_or_init(|| compile(&self.source).ok()).as_ref()
    }
}

/// Compiles an expression with the limits that all patterns share.
pub fn compile(source: &str) -> Result<Regex, regex::Error> {
    regex::RegexBuilder::new(source).size_limit(16 << 20).build()
}

/// A signature, of a cause or of a harmless line.
#[derive(Debug)]
pub struct Signature {
    pub id: String,
    pub owner: Owner,
    pub regex: Option<Lazy>,
    /// Segment kinds it is looked for in; empty: any.
    pub kinds: Vec<Kind>,
    pub effect: Effect,
    pub strength: Strength,
    pub group: Option<String>,
    pub near: Vec<Near>,
    pub why: Option<Text>,
}

/// What a signature speaks for: an index into the set's causes or noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    Cause(usize),
    Noise(usize),
}

/// What must (or must not) stand in the neighbourhood of a hit.
#[derive(Debug)]
pub struct Near {
    pub text: Lazy,
    pub file: NearFile,
}

/// A condition of a cause.
#[derive(Debug)]
pub struct Condition {
    pub id: String,
    /// As written, for "why this?".
    pub when: String,
    pub expr: Expr,
    pub effect: Effect,
    pub strength: Strength,
    pub group: Option<String>,
    pub why: Option<Text>,
}

/// The literal as it stands in records: runs of blanks are one blank there.
pub fn normal_literal(literal: &str) -> String {
    literal.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn kinds(names: Option<&toml::Spanned<Vec<String>>>) -> Vec<Kind> {
    let names = names.map(|n| n.get_ref().as_slice()).unwrap_or_default();
    names.iter().filter(|name| *name != "any").filter_map(|name| Kind::from_name(name)).collect()
}

fn near(files: &[NearFile]) -> Vec<Near> {
    files.iter().map(|file| Near { text: Lazy::new(file.text.get_ref()), file: file.clone() }).collect()
}

/// The literals and signatures of one cause file, `against` included.
pub fn signatures(file: &CauseFile, owner: Owner) -> Vec<(Vec<String>, Signature)> {
    let for_it = file.signature.iter().map(|s| one(s, owner));
    let against = file.against.iter().enumerate().filter_map(|(at, a)| {
        let literal = a.literal.as_ref()?;
        let signature = Signature {
            id: a.id.as_ref().map_or_else(|| format!("against-{}", at + 1), |id| id.get_ref().clone()),
            owner,
            regex: a.regex.as_ref().map(|r| Lazy::new(r.get_ref())),
            kinds: kinds(a.in_.as_ref()),
            effect: Effect::Against,
            strength: a.strength,
            group: a.group.clone(),
            near: near(&a.near),
            why: a.why.as_ref().map(|t| t.get_ref().clone()),
        };
        Some((literal.get_ref().clone(), signature))
    });
    for_it.chain(against).collect()
}

fn one(file: &SignatureFile, owner: Owner) -> (Vec<String>, Signature) {
    let signature = Signature {
        id: file.id.get_ref().clone(),
        owner,
        regex: file.regex.as_ref().map(|r| Lazy::new(r.get_ref())),
        kinds: kinds(file.in_.as_ref()),
        effect: Effect::For,
        strength: file.strength,
        group: file.group.clone(),
        near: near(&file.near),
        why: file.why.as_ref().map(|t| t.get_ref().clone()),
    };
    (file.literal.get_ref().clone(), signature)
}

/// The signature of a harmless line.
pub fn noise(file: &super::file::NoiseFile, at: usize) -> (Vec<String>, Signature) {
    let signature = Signature {
        id: file.id.get_ref().clone(),
        owner: Owner::Noise(at),
        regex: file.regex.as_ref().map(|r| Lazy::new(r.get_ref())),
        kinds: kinds(file.in_.as_ref()),
        effect: Effect::For,
        strength: Strength::Hints,
        group: None,
        near: Vec::new(),
        why: None,
    };
    (file.literal.get_ref().clone(), signature)
}
