//! The steps of a finding, in order, with this user's own safe values in the commands.

use super::analysis::{Fix, Where};
use super::rank::Finding;
use crate::facts::{FactType, Facts, Subject, Value};
use crate::i18n::Lang;
use crate::pattern::Patterns;
use crate::pattern::evaluate::{Context, Tri};
use crate::pattern::file::FixFile;
use crate::pattern::placeholder::{Piece, pieces};
use crate::segment::ScopeKind;

/// Steps on Windows are offered only where the paste shows Windows or WSL, or the cause is one of
/// Windows alone.
///
/// Bypass before check before cure; within a kind as written, which is soft before hard.
pub fn fixes(patterns: &Patterns, context: &Context, finding: &Finding, lang: Lang) -> Vec<Fix> {
    let cause = &patterns.causes()[finding.cause];
    let on_windows = shows_windows(context) || cause.file.fix.iter().all(for_windows);
    let offered = cause.file.fix.iter().zip(&cause.fix_when).filter(|(fix, when)| {
        let holds = when.as_ref().is_none_or(|expr| context.judge(expr, finding.scope).iter().any(|o| o.truth == Tri::True));
        holds && (on_windows || !for_windows(fix)) && fits_system(context, finding, fix)
    });
    let mut fixes: Vec<&FixFile> = offered.map(|(fix, _)| fix).collect();
    fixes.sort_by_key(|fix| fix.kind);
    fixes.into_iter().map(|fix| step(patterns, context, finding, fix, lang)).collect()
}

fn shows_windows(context: &Context) -> bool {
    context.scopes.iter().any(|scope| matches!(scope.kind, ScopeKind::Windows | ScopeKind::Wsl))
}

fn for_windows(fix: &FixFile) -> bool {
    fix.where_ == Where::Windows || (!fix.os.is_empty() && fix.os.iter().all(|os| os == "windows"))
}

fn fits_system(context: &Context, finding: &Finding, fix: &FixFile) -> bool {
    let known = context.find(finding.scope, Subject::None, "os.name").map(|f| &f.value);
    match known {
        Some(Value::Text(name)) => fix.os.is_empty() || fix.os.contains(name),
        _ => true,
    }
}

fn step(patterns: &Patterns, context: &Context, finding: &Finding, fix: &FixFile, lang: Lang) -> Fix {
    let mut first = Vec::new();
    let mut fill = |template: &str| fill(patterns, context, finding, template, &mut first);
    let run = fix.run.as_ref().and_then(|run| fill(run.get_ref()));
    let verify = fix.verify.as_ref().and_then(|verify| fill(verify.get_ref()));
    first.dedup();
    Fix {
        kind: fix.kind,
        text: fix.text.get_ref().get(lang).to_owned(),
        run,
        first,
        where_: fix.where_,
        os: fix.os.clone(),
        needs: fix.needs,
        takes: fix.takes,
        risk: *fix.risk.get_ref(),
        verify,
        expect: fix.expect.as_ref().map(|text| text.get_ref().get(lang).to_owned()),
        undo: fix.undo.as_ref().map(|text| text.get_ref().get(lang).to_owned()),
    }
}

/// Puts safe facts into a command. A fact that is not given is never guessed: its name stays in
/// angle brackets, and the command that obtains it is named first. Where no command obtains it
/// (it is derived from tables), there is no command to copy: `None`.
fn fill(patterns: &Patterns, context: &Context, finding: &Finding, template: &str, first: &mut Vec<String>) -> Option<String> {
    let mut command = String::new();
    for piece in pieces(template) {
        match piece {
            Piece::Text(text) => command.push_str(text),
            Piece::Name(name) => match safe_value(patterns, context, finding, name) {
                Some(value) => command.push_str(&value),
                None => {
                    command.push_str(&format!("<{name}>"));
                    let obtain = patterns.register().get(name).map(|entry| entry.obtain.clone());
                    first.push(obtain.filter(|command| !command.is_empty())?);
                }
            },
        }
    }
    Some(command)
}

/// The value of a safe fact, if its text is harmless in a shell whatever the paste holds.
fn safe_value(patterns: &Patterns, context: &Context, finding: &Finding, name: &str) -> Option<String> {
    let entry = patterns.register().get(name).filter(|entry| entry.safe)?;
    let fact = find(context, finding, name)?;
    let text = text_of(&fact.value);
    // Derived texts (an install line) come from our own tables, not from the paste.
    let harmless = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '+' | ':');
    let from_table = fact.derived && entry.type_ == FactType::Text;
    (from_table || !text.is_empty() && text.len() <= 60 && !text.starts_with('-') && text.chars().all(harmless)).then_some(text)
}

/// The fact that a sentence or command of this finding means: of its card or environment, of its
/// scope, else of whatever subject names it.
pub fn find<'a>(context: &'a Context, finding: &Finding, name: &str) -> Option<&'a crate::facts::Fact> {
    let own = context.find(finding.scope, finding.subject, name);
    own.or_else(|| context.find(finding.scope, Subject::None, name)).or_else(|| last_of(context.facts, finding, name))
}

fn last_of<'a>(facts: &'a Facts, finding: &Finding, name: &str) -> Option<&'a crate::facts::Fact> {
    let named = || facts.facts.iter().rev().filter(move |f| f.name == name);
    named().find(|f| f.scope == finding.scope).or_else(|| named().next())
}

/// A value as text.
pub fn text_of(value: &Value) -> String {
    match value {
        Value::Bool(b) => b.to_string(),
        Value::Int(n) => n.to_string(),
        Value::Float(n) => n.to_string(),
        Value::Version(text) | Value::Text(text) => text.clone(),
        Value::Set(items) => items.join(", "),
    }
}
