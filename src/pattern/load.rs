//! Loading a pattern set: the embedded files, with a folder laid over them.

use super::compile::{self, Condition, Owner};
use super::condition::Expr;
use super::fault::{Fault, SourceFile};
use super::file::{CauseFile, CauseKind, LayerSet, NoiseSet, Want};
use super::lint::{self, Lint};
use super::matcher::Matcher;
use super::{Cause, Patterns, Tables};
use crate::diagnose::analysis::{Effect, Layer, Strength};
use crate::error::Error;
use crate::facts::Register;
use crate::i18n::Text;
use crate::intake::{self, Limits, Part};
use include_dir::{Dir, include_dir};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use toml::Spanned;

static EMBEDDED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/patterns");

/// The embedded file at `path` (below `patterns/`), empty where there is none.
pub fn embedded(path: &str) -> &'static str {
    EMBEDDED.get_file(path).and_then(|file| file.contents_utf8()).unwrap_or("")
}

impl Patterns {
    /// The set that is part of the program.
    ///
    /// # Errors
    /// [`Error::Patterns`] where the program was built with a faulty file; the tests prevent it.
    pub fn builtin() -> Result<Arc<Patterns>, Error> {
        let (patterns, faults) = read(embedded_files(), Trust::Checked);
        refuse(&faults)?;
        Ok(Arc::new(patterns))
    }

    /// As [`Patterns::with_overlay`], but the examples are not run: while patterns are written,
    /// their figures on a corpus are wanted before every example holds.
    ///
    /// # Errors
    /// As [`Patterns::with_overlay`], failing examples excepted.
    pub fn with_draft(folder: &Path) -> Result<Arc<Patterns>, Error> {
        let (patterns, faults) = lay_over(&read_folder(folder)?);
        refuse(&faults)?;
        Ok(Arc::new(patterns))
    }

    /// The built-in set with the files of `folder` laid over it: a file replaces the embedded
    /// one of the same path, and adds to the set otherwise. The examples of the folder's files
    /// are run.
    ///
    /// # Errors
    /// [`Error::Unreadable`] for the folder, [`Error::Patterns`] for faults in the set.
    pub fn with_overlay(folder: &Path) -> Result<Arc<Patterns>, Error> {
        let (patterns, faults) = check_overlay(folder)?;
        refuse(&faults)?;
        Ok(Arc::new(patterns))
    }
}

fn refuse(faults: &[Fault]) -> Result<(), Error> {
    if faults.is_empty() {
        return Ok(());
    }
    let report: Vec<String> = faults.iter().map(Fault::to_string).collect();
    Err(Error::Patterns { report: report.join("\n\n") })
}

/// Loads the built-in set with `folder` over it and says all that is wrong with the result,
/// failing examples of the folder's files included.
///
/// # Errors
/// [`Error::Unreadable`] where the folder cannot be read.
pub fn check_overlay(folder: &Path) -> Result<(Patterns, Vec<Fault>), Error> {
    let own = read_folder(folder)?;
    let (patterns, mut faults) = lay_over(&own);
    if faults.is_empty() {
        faults.extend(run_examples(&patterns, &own));
    }
    Ok((patterns, faults))
}

fn lay_over(own: &[SourceFile]) -> (Patterns, Vec<Fault>) {
    let paths: BTreeSet<&str> = own.iter().map(|f| f.path.as_str()).collect();
    let mut files: Vec<SourceFile> = embedded_files().into_iter().filter(|f| !paths.contains(f.path.as_str())).collect();
    files.extend(own.iter().cloned());
    load(files)
}

/// The embedded pattern files (not the tables, not the register of facts).
pub fn embedded_files() -> Vec<SourceFile> {
    let mut files = Vec::new();
    let mut folders = vec![&EMBEDDED];
    while let Some(folder) = folders.pop() {
        folders.extend(folder.dirs());
        for file in folder.files() {
            let path = file.path().to_string_lossy().replace('\\', "/");
            if is_pattern(&path) {
                files.push(SourceFile { path, text: file.contents_utf8().unwrap_or("").to_owned() });
            }
        }
    }
    files
}

fn is_pattern(path: &str) -> bool {
    path.ends_with(".toml") && path != "facts.toml"
}

fn read_folder(root: &Path) -> Result<Vec<SourceFile>, Error> {
    let unreadable = |path: &Path, e: std::io::Error| Error::Unreadable { path: path.display().to_string(), reason: e.kind().to_string() };
    let mut files = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).map_err(|e| unreadable(&folder, e))? {
            let entry = entry.map_err(|e| unreadable(&folder, e))?.path();
            let path = entry.strip_prefix(root).unwrap_or(&entry).to_string_lossy().replace('\\', "/");
            if entry.is_dir() {
                folders.push(entry);
            } else if is_pattern(&path) {
                let text = std::fs::read_to_string(&entry).map_err(|e| unreadable(&entry, e))?;
                files.push(SourceFile { path, text });
            }
        }
    }
    Ok(files)
}

/// Parses, checks and compiles a set. The set is whole only where no fault is returned.
pub fn load(files: Vec<SourceFile>) -> (Patterns, Vec<Fault>) {
    read(files, Trust::Unchecked)
}

/// The embedded files were linted by the tests; a cold start need not do it again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trust {
    Checked,
    Unchecked,
}

fn read(mut files: Vec<SourceFile>, trust: Trust) -> (Patterns, Vec<Fault>) {
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let register = Register::parse(embedded("facts.toml")).unwrap_or_default();
    let mut set = Patterns { hash: hash(&files), register, tables: Tables::default(), ..Patterns::default() };
    let mut faults = Vec::new();
    let mut causes: Vec<(&SourceFile, CauseFile, Layer)> = Vec::new();
    for file in &files {
        match file.path.as_str() {
            "noise.toml" => match parse::<NoiseSet>(file, &mut faults) {
                Some(noise) => set.noise.extend(noise.noise),
                None => continue,
            },
            "layers.toml" => layers(file, &mut set, &mut faults),
            _ => causes.extend(cause(file, &set.register, trust, &mut faults)),
        }
    }
    let pairs: Vec<(&SourceFile, &CauseFile)> = causes.iter().map(|(file, cause, _)| (*file, cause)).collect();
    if trust == Trust::Unchecked {
        faults.extend(lint::set(&pairs));
    }
    let closure = explains_closure(&pairs);
    causes.sort_by(|a, b| (a.2, a.1.id.get_ref()).cmp(&(b.2, b.1.id.get_ref())));
    for (file, cause, layer) in causes {
        let explains = closure.get(cause.id.get_ref()).cloned().unwrap_or_default();
        set.causes.push(finish(file, cause, layer, explains, &set.register));
    }
    index(&mut set);
    (set, faults)
}

fn hash(files: &[SourceFile]) -> String {
    let mut hasher = Sha256::new();
    for file in files {
        hasher.update(file.path.as_bytes());
        hasher.update([0]);
        hasher.update(file.text.as_bytes());
        hasher.update([0]);
    }
    hasher.finalize().iter().take(6).map(|byte| format!("{byte:02x}")).collect()
}

fn parse<T: serde::de::DeserializeOwned>(file: &SourceFile, faults: &mut Vec<Fault>) -> Option<T> {
    match toml::from_str(&file.text) {
        Ok(value) => Some(value),
        Err(error) => {
            let span = error.span().unwrap_or(0..1);
            faults.push(Fault::at(file, span, error.message(), "see CONTRIBUTING.md for the form of a pattern file"));
            None
        }
    }
}

fn layers(file: &SourceFile, set: &mut Patterns, faults: &mut Vec<Fault>) {
    for ok in parse::<LayerSet>(file, faults).unwrap_or_default().ok {
        let layer = Layer::from_name(ok.layer.get_ref());
        match (layer, Expr::parse(ok.when.get_ref(), &set.register)) {
            (Some(layer), Ok(expr)) => set.layers.push((layer, expr)),
            (None, _) => faults.push(Fault::at(
                file,
                ok.layer.span(),
                "there is no such layer",
                "layers: hardware driver access runtime framework application distributed host",
            )),
            (_, Err(fault)) => faults.push(Fault::at(
                file,
                ok.when.span(),
                format!("in the condition: {}", fault.what),
                "see CONTRIBUTING.md for the condition language",
            )),
        }
    }
}

fn cause<'f>(
    file: &'f SourceFile,
    register: &Register,
    trust: Trust,
    faults: &mut Vec<Fault>,
) -> Option<(&'f SourceFile, CauseFile, Layer)> {
    let mut cause: CauseFile = parse(file, faults)?;
    let folder = file.path.split('/').next().unwrap_or("");
    if folder == "symptoms" {
        cause.kind = CauseKind::Symptom;
    }
    if trust == Trust::Unchecked {
        let mut lint = Lint { file, register, faults: Vec::new() };
        lint.cause(&cause, folder);
        faults.append(&mut lint.faults);
    }
    let layer = match folder {
        "symptoms" => cause.layer.as_ref().and_then(|layer| Layer::from_name(layer.get_ref())),
        _ => Layer::from_name(folder),
    };
    if layer.is_none() {
        faults.push(Fault::at(file, 0..1, "the folder is no layer", "put the file into patterns/<layer>/ or patterns/symptoms/"));
    }
    Some((file, cause, layer?))
}

fn explains_closure(causes: &[(&SourceFile, &CauseFile)]) -> BTreeMap<String, BTreeSet<String>> {
    let direct: BTreeMap<&str, Vec<&str>> =
        causes.iter().map(|(_, c)| (c.id.get_ref().as_str(), c.explains.iter().map(|e| e.get_ref().as_str()).collect())).collect();
    let follow = |start: &str| {
        let mut open = direct.get(start).cloned().unwrap_or_default();
        let mut all = BTreeSet::new();
        while let Some(id) = open.pop() {
            if all.insert(id.to_owned()) {
                open.extend(direct.get(id).into_iter().flatten());
            }
        }
        all
    };
    direct.keys().map(|id| ((*id).to_owned(), follow(id))).collect()
}

/// A condition ready to be judged; `None` where it does not parse (which the lint refuses).
fn compiled(
    id: String,
    when: &Spanned<String>,
    effect: Effect,
    strength: Strength,
    group: Option<&String>,
    why: Option<&Spanned<Text>>,
    register: &Register,
) -> Option<Condition> {
    let expr = Expr::parse(when.get_ref(), register).ok()?;
    let why = why.map(|why| why.get_ref().clone());
    Some(Condition { id, when: when.get_ref().clone(), expr, effect, strength, group: group.cloned(), why })
}

fn finish(file: &SourceFile, cause: CauseFile, layer: Layer, explains: BTreeSet<String>, register: &Register) -> Cause {
    let for_it = cause.condition.iter().enumerate().filter_map(|(at, c)| {
        let id = c.id.clone().unwrap_or_else(|| format!("condition-{}", at + 1));
        compiled(id, &c.when, Effect::For, c.strength, c.group.as_ref(), c.why.as_ref(), register)
    });
    let against = cause.against.iter().enumerate().filter_map(|(at, a)| {
        let id = a.id.as_ref().map_or_else(|| format!("against-{}", at + 1), |id| id.get_ref().clone());
        compiled(id, a.when.as_ref()?, Effect::Against, a.strength, a.group.as_ref(), a.why.as_ref(), register)
    });
    let conditions = for_it.chain(against).collect();
    let fix_when = cause.fix.iter().map(|fix| fix.when.as_ref().and_then(|when| Expr::parse(when.get_ref(), register).ok()));
    Cause { layer, kind: cause.kind, fix_when: fix_when.collect(), conditions, explains, source: file.text.clone(), file: cause }
}

fn index(set: &mut Patterns) {
    let mut parts = Vec::new();
    for (at, cause) in set.causes.iter().enumerate() {
        parts.extend(compile::signatures(&cause.file, Owner::Cause(at)));
    }
    for (at, noise) in set.noise.iter().enumerate() {
        parts.push(compile::noise(noise, at));
    }
    set.matcher = Matcher::new(parts);
    let formerly = set.causes.iter().enumerate().flat_map(|(at, c)| c.file.formerly.iter().map(move |old| (old.clone(), at)));
    set.by_id = formerly.collect();
    set.by_id.extend(set.causes.iter().enumerate().map(|(at, c)| (c.id().to_owned(), at)));
}

/// Runs the examples of the causes in `files` and says which fail.
pub fn run_examples(patterns: &Patterns, files: &[SourceFile]) -> Vec<Fault> {
    let mut faults = Vec::new();
    for file in files {
        let own = patterns.causes.iter().find(|c| c.source == file.text && file.path.ends_with(&format!("/{}.toml", c.id())));
        for example in own.iter().flat_map(|c| &c.file.example) {
            let found = findings_of(patterns, &example.text);
            let id = own.map_or("", |c| c.id());
            let holds = match &example.want {
                Want::This(true) => found.mentioned.contains(id),
                Want::This(false) => !found.claimed.contains(id),
                Want::Other(other) => found.first.as_deref() == Some(other),
            };
            if !holds {
                let first = found.first.as_deref().unwrap_or("nothing");
                let what = format!("the example {:?} does not hold: found first is {first}", example.name.get_ref());
                faults.push(Fault::at(
                    file,
                    example.name.span(),
                    what,
                    "mend the signatures or the example; `faultbook analyze` shows the weights",
                ));
            }
        }
    }
    faults
}

struct Found {
    first: Option<String>,
    mentioned: BTreeSet<String>,
    claimed: BTreeSet<String>,
}

fn findings_of(patterns: &Patterns, text: &str) -> Found {
    let part = Part { name: String::new(), bytes: text.as_bytes().to_vec() };
    let Ok(paste) = intake::read(vec![part], &Limits::default()) else {
        return Found { first: None, mentioned: BTreeSet::new(), claimed: BTreeSet::new() };
    };
    let diagnosis = crate::analyze(&paste, patterns).diagnosis;
    Found {
        first: diagnosis.first(patterns).map(str::to_owned),
        mentioned: diagnosis.mentioned(patterns),
        claimed: diagnosis.claimed(patterns),
    }
}
