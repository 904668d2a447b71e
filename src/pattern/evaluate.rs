//! Conditions over the facts of one paste.
//!
//! A comparison binds within one scope. Inside a container, machine-wide facts (driver, cards,
//! modules, kernel) that the container does not give itself are those of the only host around it.

use super::condition::{Expr, Name, Op, Operand};
use crate::facts::{Class, Fact, FactType, Facts, Register, State, Subject, Value, version::compare_versions};
use crate::segment::{Scope, ScopeId};
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// True, false, or not to be judged from what was pasted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tri {
    True,
    False,
    Unknown,
}

impl Tri {
    fn of(known: bool) -> Tri {
        if known { Tri::True } else { Tri::False }
    }

    fn not(self) -> Tri {
        match self {
            Tri::True => Tri::False,
            Tri::False => Tri::True,
            Tri::Unknown => Tri::Unknown,
        }
    }
}

/// The outcome for one binding of subjects.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub truth: Tri,
    /// The card, rank or environment for which it holds.
    pub subject: Subject,
    /// Line numbers of the facts that were used, in order, each once.
    pub lines: Vec<u32>,
    /// Facts that would have been needed.
    pub missing: Vec<String>,
}

/// Prefixes of facts that a host and its containers share.
const MACHINE_WIDE: [&str; 6] = ["driver.", "gpu.", "module.", "kernel.", "need.arch", "need.driver_branch"];

/// What a condition is judged in.
pub struct Context<'a> {
    pub facts: &'a Facts,
    pub scopes: &'a [Scope],
    pub register: &'a Register,
}

/// The subjects that quantifiers and the implicit "some card" have bound so far.
#[derive(Clone, Copy, Default)]
struct Binding {
    gpu: Option<Subject>,
    env: Option<Subject>,
    rank: Option<Subject>,
    process: Option<Subject>,
}

impl Binding {
    fn slot(&mut self, class: Class) -> Option<&mut Option<Subject>> {
        match class {
            Class::None => None,
            Class::Gpu => Some(&mut self.gpu),
            Class::Env => Some(&mut self.env),
            Class::Rank => Some(&mut self.rank),
            Class::Process => Some(&mut self.process),
        }
    }

    fn of(mut self, class: Class) -> Option<Subject> {
        self.slot(class).and_then(|slot| *slot)
    }
}

#[derive(Default)]
struct Trail {
    lines: BTreeSet<u32>,
    missing: BTreeSet<String>,
}

impl Context<'_> {
    /// Judges `expr` in `scope`: one outcome for every binding of subjects that makes it true,
    /// or a single outcome that says false or unknown.
    pub fn judge(&self, expr: &Expr, scope: ScopeId) -> Vec<Outcome> {
        let mut classes = BTreeSet::new();
        self.free_classes(expr, &mut classes);
        let mut bindings = vec![(Binding::default(), Subject::None)];
        for class in [Class::Env, Class::Rank, Class::Process, Class::Gpu] {
            if classes.contains(&(class as u8)) {
                bindings = self.widen(bindings, class, scope);
            }
        }
        let mut outcomes: Vec<Outcome> = Vec::new();
        for (binding, subject) in bindings {
            let mut trail = Trail::default();
            let truth = self.truth(expr, scope, binding, &mut trail);
            outcomes.push(Outcome {
                truth,
                subject,
                lines: trail.lines.into_iter().collect(),
                missing: trail.missing.into_iter().collect(),
            });
        }
        if outcomes.iter().any(|o| o.truth == Tri::True) {
            outcomes.retain(|o| o.truth == Tri::True);
        } else {
            outcomes.sort_by_key(|o| o.truth != Tri::Unknown);
            outcomes.truncate(1);
        }
        outcomes
    }

    /// The fact that `name` means in `scope` for `subject`, the container's view included.
    pub fn find(&self, scope: ScopeId, subject: Subject, name: &str) -> Option<&Fact> {
        self.views(scope, name).into_iter().find_map(|scope| self.facts.get(scope, subject, name))
    }

    fn widen(&self, bindings: Vec<(Binding, Subject)>, class: Class, scope: ScopeId) -> Vec<(Binding, Subject)> {
        let subjects = self.subjects(class, scope);
        if subjects.is_empty() {
            return bindings;
        }
        let mut wider = Vec::new();
        for (binding, bound) in &bindings {
            // More than a thousand combinations say no more than the first thousand.
            for subject in subjects.iter().take(1_000 / bindings.len().max(1)) {
                let mut binding = *binding;
                if let Some(slot) = binding.slot(class) {
                    *slot = Some(*subject);
                }
                let shown = if class == Class::Gpu || *bound == Subject::None { *subject } else { *bound };
                wider.push((binding, shown));
            }
        }
        wider
    }

    fn subjects(&self, class: Class, scope: ScopeId) -> Vec<Subject> {
        let visible: BTreeSet<ScopeId> = self.views(scope, "gpu.name").into_iter().collect();
        let fits = |subject: &Subject| {
            matches!(
                (class, subject),
                (Class::Gpu, Subject::Gpu(_))
                    | (Class::Env, Subject::Env(_))
                    | (Class::Rank, Subject::Rank(_))
                    | (Class::Process, Subject::Process(_))
            )
        };
        let seen = self.facts.facts.iter().filter(|f| visible.contains(&f.scope)).map(|f| f.subject);
        let denied = self.facts.absences.iter().filter(|a| visible.contains(&a.scope)).map(|a| a.subject);
        seen.chain(denied).filter(fits).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The scopes in which a name of `scope` is looked for, best first.
    fn views(&self, scope: ScopeId, name: &str) -> Vec<ScopeId> {
        let mut views = vec![scope];
        let inner = self.scopes.get(scope as usize).is_some_and(|s| s.kind.is_inner());
        if inner && MACHINE_WIDE.iter().any(|prefix| name.starts_with(prefix)) {
            let outer: Vec<ScopeId> = (0..self.scopes.len() as ScopeId).filter(|id| !self.scopes[*id as usize].kind.is_inner()).collect();
            if let [host] = outer.as_slice() {
                views.push(*host);
            }
        }
        views
    }

    fn class_of(&self, name: &str) -> Class {
        self.register.get(name).map_or(Class::None, |entry| entry.subject)
    }

    fn free_classes(&self, expr: &Expr, into: &mut BTreeSet<u8>) {
        match expr {
            Expr::And(parts) | Expr::Or(parts) => parts.iter().for_each(|p| self.free_classes(p, into)),
            Expr::Not(inner) => self.free_classes(inner, into),
            Expr::Each { all: false, class, body } => {
                // `any gpu:` at the outside is what is done anyway, and tells which card it was.
                into.insert(*class as u8);
                self.free_classes(body, into);
            }
            Expr::Each { class, body, .. } => {
                let mut inner = BTreeSet::new();
                self.free_classes(body, &mut inner);
                inner.remove(&(*class as u8));
                into.extend(inner);
            }
            Expr::Compare { .. } | Expr::State { .. } => expr.names(&mut |name| {
                into.insert(self.class_of(&name.fact) as u8);
            }),
        }
    }

    fn truth(&self, expr: &Expr, scope: ScopeId, binding: Binding, trail: &mut Trail) -> Tri {
        match expr {
            Expr::And(parts) => self.join(parts, scope, binding, trail, Tri::False),
            Expr::Or(parts) => self.join(parts, scope, binding, trail, Tri::True),
            Expr::Not(inner) => self.truth(inner, scope, binding, trail).not(),
            Expr::Each { all: false, body, .. } => self.truth(body, scope, binding, trail),
            Expr::Each { class, body, .. } => self.for_all(*class, body, scope, binding, trail),
            Expr::State { name, state, negate } => {
                let found = self.state(name, scope, binding, trail);
                if found == State::Unknown && *state != State::Unknown {
                    trail.missing.insert(name.fact.clone());
                    return Tri::Unknown;
                }
                Tri::of((found == *state) != *negate)
            }
            Expr::Compare { left, op, right } => self.compare(left, *op, right, scope, binding, trail),
        }
    }

    /// `and` stops at the first false, `or` at the first true; else unknown wins over the rest.
    fn join(&self, parts: &[Expr], scope: ScopeId, binding: Binding, trail: &mut Trail, stop: Tri) -> Tri {
        let mut unknown = false;
        for part in parts {
            let truth = self.truth(part, scope, binding, trail);
            if truth == stop {
                return stop;
            }
            unknown |= truth == Tri::Unknown;
        }
        if unknown { Tri::Unknown } else { stop.not() }
    }

    fn for_all(&self, class: Class, body: &Expr, scope: ScopeId, binding: Binding, trail: &mut Trail) -> Tri {
        let subjects = self.subjects(class, scope);
        if subjects.is_empty() {
            return Tri::Unknown;
        }
        let mut worst = Tri::True;
        for subject in subjects {
            let mut binding = binding;
            if let Some(slot) = binding.slot(class) {
                *slot = Some(subject);
            }
            match self.truth(body, scope, binding, trail) {
                Tri::False => return Tri::False,
                Tri::Unknown => worst = Tri::Unknown,
                Tri::True => {}
            }
        }
        worst
    }

    fn lookup(&self, name: &Name, scope: ScopeId, binding: Binding) -> Option<&Fact> {
        let subject = match self.class_of(&name.fact) {
            Class::None => Subject::None,
            class => binding.of(class).unwrap_or(Subject::None),
        };
        match name.scope {
            None => self.find(scope, subject, &name.fact),
            Some(kind) => {
                let of_kind = (0..self.scopes.len()).filter(|id| self.scopes[*id].kind == kind);
                of_kind.map(|id| id as ScopeId).find_map(|id| self.facts.get(id, subject, &name.fact))
            }
        }
    }

    fn state(&self, name: &Name, scope: ScopeId, binding: Binding, trail: &mut Trail) -> State {
        if let Some(fact) = self.lookup(name, scope, binding) {
            trail.lines.extend(&fact.lines);
            return State::Given;
        }
        let scopes: Vec<ScopeId> = match name.scope {
            None => self.views(scope, &name.fact),
            Some(kind) => (0..self.scopes.len() as ScopeId).filter(|id| self.scopes[*id as usize].kind == kind).collect(),
        };
        let bound = binding.of(self.class_of(&name.fact)).unwrap_or(Subject::None);
        let denied = self
            .facts
            .absences
            .iter()
            .find(|a| a.name == name.fact && scopes.contains(&a.scope) && (a.subject == bound || a.subject == Subject::None));
        match denied {
            Some(absence) => {
                trail.lines.extend(&absence.lines);
                State::Absent
            }
            None => State::Unknown,
        }
    }

    fn compare(&self, left: &Name, op: Op, right: &Operand, scope: ScopeId, binding: Binding, trail: &mut Trail) -> Tri {
        let Some(fact) = self.lookup(left, scope, binding) else {
            // A fact that is known to be absent equals nothing.
            if self.state(left, scope, binding, trail) == State::Absent {
                return Tri::of(matches!(op, Op::Ne | Op::NotIn) || *right == Operand::Bool(false) && op == Op::Eq);
            }
            trail.missing.insert(left.fact.clone());
            return Tri::Unknown;
        };
        trail.lines.extend(&fact.lines);
        let type_ = self.register.get(&left.fact).map_or(FactType::Text, |entry| entry.type_);
        let other;
        let right = match right {
            Operand::Fact(name) => match self.lookup(name, scope, binding) {
                Some(fact) => {
                    trail.lines.extend(&fact.lines);
                    other = operand_of(&fact.value);
                    &other
                }
                None => {
                    trail.missing.insert(name.fact.clone());
                    return Tri::Unknown;
                }
            },
            literal => literal,
        };
        compare_values(&fact.value, op, right, type_).map_or(Tri::Unknown, Tri::of)
    }
}

fn operand_of(value: &Value) -> Operand {
    match value {
        Value::Bool(b) => Operand::Bool(*b),
        Value::Int(n) => Operand::Number(*n as f64),
        Value::Float(n) => Operand::Number(*n),
        Value::Version(text) | Value::Text(text) => Operand::Text(text.clone()),
        Value::Set(items) => Operand::List(items.clone()),
    }
}

/// `None` where the two cannot be compared (a version that is none).
fn compare_values(left: &Value, op: Op, right: &Operand, type_: FactType) -> Option<bool> {
    match op {
        Op::Contains => match (left, right) {
            (Value::Set(items), Operand::Text(word)) => Some(items.contains(word)),
            (Value::Set(items), Operand::Number(n)) => Some(items.contains(&n.to_string())),
            (Value::Set(items), Operand::List(words)) => Some(words.iter().any(|w| items.contains(w))),
            (Value::Text(text) | Value::Version(text), Operand::Text(part)) => Some(text.contains(part.as_str())),
            _ => None,
        },
        Op::In | Op::NotIn => {
            let Operand::List(items) = right else { return None };
            let inside = match left {
                Value::Set(own) => own.iter().any(|word| items.contains(word)),
                value => items.iter().any(|item| order(value, &Operand::Text(item.clone()), type_) == Some(Ordering::Equal)),
            };
            Some(inside == (op == Op::In))
        }
        Op::Eq | Op::Ne => {
            let equal = match (left, right) {
                (Value::Set(own), Operand::List(other)) => own.iter().collect::<BTreeSet<_>>() == other.iter().collect::<BTreeSet<_>>(),
                _ => order(left, right, type_)? == Ordering::Equal,
            };
            Some(equal == (op == Op::Eq))
        }
        Op::Lt => order(left, right, type_).map(Ordering::is_lt),
        Op::Le => order(left, right, type_).map(Ordering::is_le),
        Op::Gt => order(left, right, type_).map(Ordering::is_gt),
        Op::Ge => order(left, right, type_).map(Ordering::is_ge),
    }
}

fn order(left: &Value, right: &Operand, type_: FactType) -> Option<Ordering> {
    match (left, right) {
        (Value::Bool(a), Operand::Bool(b)) => Some(a.cmp(b)),
        (Value::Int(a), Operand::Number(b)) => (*a as f64).partial_cmp(b),
        (Value::Float(a), Operand::Number(b)) => a.partial_cmp(b),
        (Value::Int(a), Operand::Text(b)) => (*a as f64).partial_cmp(&b.parse().ok()?),
        (Value::Version(a) | Value::Text(a), Operand::Text(b)) if type_ == FactType::Version => compare_versions(a, b),
        (Value::Version(a) | Value::Text(a), Operand::Text(b)) => Some(a.cmp(b)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segment::ScopeKind;

    fn register() -> Register {
        Register::parse(include_str!("../../patterns/facts.toml")).expect("the register parses")
    }

    fn host_and_container() -> Vec<Scope> {
        [ScopeKind::Host, ScopeKind::Container].map(|kind| Scope { kind, number: 1 }).to_vec()
    }

    fn judge(facts: &Facts, scope: ScopeId, condition: &str) -> Vec<Outcome> {
        let register = register();
        let scopes = host_and_container();
        let expr = Expr::parse(condition, &register).expect(condition);
        Context { facts, scopes: &scopes, register: &register }.judge(&expr, scope)
    }

    fn truth(facts: &Facts, scope: ScopeId, condition: &str) -> Tri {
        judge(facts, scope, condition)[0].truth
    }

    fn version(text: &str) -> Value {
        Value::Version(text.to_owned())
    }

    #[test]
    fn unknown_is_not_false() {
        let facts = Facts::default();
        for condition in [
            "driver.version < \"525\"",
            "not driver.version < \"525\"",
            "module.nvidia == absent",
            "module.nvidia != given",
            "module.nvidia == false",
        ] {
            assert_eq!(truth(&facts, 0, condition), Tri::Unknown, "{condition}");
        }
        assert_eq!(truth(&facts, 0, "driver.version == unknown"), Tri::True);
        assert_eq!(judge(&facts, 0, "driver.version < \"525\"")[0].missing, ["driver.version"]);
    }

    #[test]
    fn absence_is_known() {
        let mut facts = Facts::default();
        facts.deny(0, Subject::None, "module.nvidia_uvm", &[4]);
        assert_eq!(truth(&facts, 0, "module.nvidia_uvm == absent"), Tri::True);
        assert_eq!(truth(&facts, 0, "module.nvidia_uvm == true"), Tri::False);
        assert_eq!(judge(&facts, 0, "module.nvidia_uvm == absent")[0].lines, [4]);
    }

    #[test]
    fn a_container_sees_the_hosts_driver_but_not_its_packages() {
        let mut facts = Facts::default();
        facts.give(0, Subject::None, "driver.version", version("470.256.02"), &[1]);
        facts.give(0, Subject::None, "toolkit.version", version("11.4"), &[2]);
        assert_eq!(truth(&facts, 1, "driver.version < \"525.60.13\""), Tri::True);
        assert_eq!(truth(&facts, 1, "toolkit.version == \"11.4\""), Tri::Unknown);
        facts.give(1, Subject::None, "driver.version", version("550.90.07"), &[9]);
        assert_eq!(truth(&facts, 1, "driver.version < \"525.60.13\""), Tri::False);
        assert_eq!(truth(&facts, 0, "host:driver.version != container:driver.version"), Tri::True);
    }

    #[test]
    fn card_facts_bind_to_one_card_and_name_it() {
        let mut facts = Facts::default();
        for (index, heat, width) in [(0, 95, 16), (1, 40, 4)] {
            let card = facts.gpu(None, Some(index), None);
            facts.give(0, card, "gpu.temperature", Value::Int(heat), &[1]);
            facts.give(0, card, "gpu.pcie_width", Value::Int(width), &[2]);
        }
        assert_eq!(truth(&facts, 0, "any gpu: gpu.temperature >= 90 and gpu.pcie_width == 4"), Tri::False);
        assert_eq!(judge(&facts, 0, "gpu.temperature >= 90")[0].subject, Subject::Gpu(0));
        assert_eq!(truth(&facts, 0, "all gpu: gpu.temperature >= 30"), Tri::True);
        assert_eq!(truth(&facts, 0, "all gpu: gpu.pcie_width == 16"), Tri::False);
    }

    #[test]
    fn versions_and_sets_compare_by_their_type() {
        let mut facts = Facts::default();
        facts.give(0, Subject::None, "driver.version", version("550.90.07"), &[1]);
        facts.give(0, Subject::None, "kernel.running", Value::Text("6.8.0-51-generic".into()), &[2]);
        facts.give(0, Subject::None, "dkms.built_for", Value::Set(vec!["6.8.0-48-generic".into()]), &[3]);
        assert_eq!(truth(&facts, 0, "driver.version > \"550.54\""), Tri::True);
        assert_eq!(truth(&facts, 0, "kernel.running not in dkms.built_for"), Tri::True);
        assert_eq!(truth(&facts, 0, "dkms.built_for contains \"6.8.0-48-generic\""), Tri::True);
    }
}
