//! The condition language of pattern files: comparisons over facts, three-valued.
//!
//! ```text
//! driver.version < need.driver_min and not (module.nouveau == given)
//! any gpu: gpu.temperature >= 90 or gpu.throttle_reasons contains "hw-thermal-slowdown"
//! host:driver.version != container:driver.version
//! ```
//! Names are facts of the register; no functions, no arithmetic. Parsing reports the byte
//! offset of a fault, so that the lint can set a caret under it.

use crate::facts::{Class, FactType, Register, State};
use crate::segment::ScopeKind;

/// A parsed condition.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Not(Box<Expr>),
    /// `any gpu: …` (all = false) or `all gpu: …`.
    Each {
        all: bool,
        class: Class,
        body: Box<Expr>,
    },
    Compare {
        left: Name,
        op: Op,
        right: Operand,
    },
    /// `fact == given|absent|unknown`; `negate` for `!=`.
    State {
        name: Name,
        state: State,
        negate: bool,
    },
}

/// A fact by name, with the scope kind where one is written (`host:driver.version`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    pub scope: Option<ScopeKind>,
    pub fact: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    In,
    NotIn,
    Contains,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    Fact(Name),
    Text(String),
    Number(f64),
    Bool(bool),
    List(Vec<String>),
}

/// A fault in a condition: where (byte offset) and what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub at: usize,
    pub what: String,
}

impl Expr {
    /// Parses and checks a condition against the register.
    ///
    /// # Errors
    /// The first fault with its byte offset in `text`.
    pub fn parse(text: &str, register: &Register) -> Result<Expr, Fault> {
        let tokens = tokenize(text)?;
        let mut parser = Parser { tokens, at: 0, register, end: text.len() };
        let expr = parser.any_of()?;
        match parser.peek() {
            None => Ok(expr),
            Some(token) => Err(Fault { at: token.at, what: "nothing was expected here; write `and` or `or` between conditions".into() }),
        }
    }

    /// Calls `see` for every fact that is named, bound by a quantifier or not.
    pub fn names<'a>(&'a self, see: &mut dyn FnMut(&'a Name)) {
        match self {
            Expr::And(parts) | Expr::Or(parts) => parts.iter().for_each(|p| p.names(see)),
            Expr::Not(inner) | Expr::Each { body: inner, .. } => inner.names(see),
            Expr::Compare { left, right, .. } => {
                see(left);
                if let Operand::Fact(name) = right {
                    see(name);
                }
            }
            Expr::State { name, .. } => see(name),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Lexeme {
    Word(String),
    Text(String),
    Number(f64),
    Op(Op),
    Open,
    Close,
    ListOpen,
    ListClose,
    Comma,
    Colon,
}

#[derive(Clone, Debug)]
struct Token {
    at: usize,
    lexeme: Lexeme,
}

fn tokenize(text: &str) -> Result<Vec<Token>, Fault> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let at = text.len() - rest.len();
        let (lexeme, used) = match first {
            c if c.is_whitespace() => {
                rest = &rest[c.len_utf8()..];
                continue;
            }
            '(' => (Lexeme::Open, 1),
            ')' => (Lexeme::Close, 1),
            '[' => (Lexeme::ListOpen, 1),
            ']' => (Lexeme::ListClose, 1),
            ',' => (Lexeme::Comma, 1),
            ':' => (Lexeme::Colon, 1),
            '"' => match rest[1..].find('"') {
                Some(end) => (Lexeme::Text(rest[1..1 + end].to_owned()), end + 2),
                None => return Err(Fault { at, what: "the quoted text does not end".into() }),
            },
            '=' | '!' | '<' | '>' => operator(rest)
                .ok_or_else(|| Fault { at, what: "no such operator; there are == != < <= > >= in, not in, contains".into() })?,
            c if c.is_ascii_digit() || c == '-' => {
                number(rest).ok_or_else(|| Fault { at, what: "not a number; versions stand in quotes: \"525.60.13\"".into() })?
            }
            c if c.is_ascii_alphabetic() => {
                let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-' | '*'))).unwrap_or(rest.len());
                (Lexeme::Word(rest[..end].to_owned()), end)
            }
            c => return Err(Fault { at, what: format!("the character {c:?} has no meaning here") }),
        };
        tokens.push(Token { at, lexeme });
        rest = &rest[used..];
    }
    Ok(tokens)
}

fn operator(rest: &str) -> Option<(Lexeme, usize)> {
    let two = [("==", Op::Eq), ("!=", Op::Ne), ("<=", Op::Le), (">=", Op::Ge)];
    let one = [("<", Op::Lt), (">", Op::Gt)];
    let found = two.iter().chain(&one).find(|(sign, _)| rest.starts_with(sign))?;
    Some((Lexeme::Op(found.1), found.0.len()))
}

fn number(rest: &str) -> Option<(Lexeme, usize)> {
    let end = rest.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-'))).unwrap_or(rest.len());
    Some((Lexeme::Number(rest[..end].parse().ok()?), end))
}

struct Parser<'r> {
    tokens: Vec<Token>,
    at: usize,
    register: &'r Register,
    end: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn here(&self) -> usize {
        self.peek().map_or(self.end, |token| token.at)
    }

    fn fault<T>(&self, what: &str) -> Result<T, Fault> {
        Err(Fault { at: self.here(), what: what.to_owned() })
    }

    fn word(&self) -> Option<&str> {
        match self.peek().map(|t| &t.lexeme) {
            Some(Lexeme::Word(word)) => Some(word),
            _ => None,
        }
    }

    fn take_word(&mut self, word: &str) -> bool {
        let is = self.word() == Some(word);
        self.at += is as usize;
        is
    }

    fn take(&mut self, lexeme: &Lexeme) -> bool {
        let is = self.peek().is_some_and(|t| t.lexeme == *lexeme);
        self.at += is as usize;
        is
    }

    fn any_of(&mut self) -> Result<Expr, Fault> {
        let mut parts = vec![self.all_of()?];
        while self.take_word("or") {
            parts.push(self.all_of()?);
        }
        Ok(one_or(parts, Expr::Or))
    }

    fn all_of(&mut self) -> Result<Expr, Fault> {
        let mut parts = vec![self.unary()?];
        while self.take_word("and") {
            parts.push(self.unary()?);
        }
        Ok(one_or(parts, Expr::And))
    }

    fn unary(&mut self) -> Result<Expr, Fault> {
        if self.at > 2_000 {
            return self.fault("the condition is too long");
        }
        if self.take_word("not") {
            return Ok(Expr::Not(Box::new(self.unary()?)));
        }
        if self.take(&Lexeme::Open) {
            let inner = self.any_of()?;
            return if self.take(&Lexeme::Close) { Ok(inner) } else { self.fault("a closing bracket is missing") };
        }
        if let Some(all) = self.word().and_then(|w| match w {
            "any" => Some(false),
            "all" => Some(true),
            _ => None,
        }) {
            return self.each(all);
        }
        self.comparison()
    }

    fn each(&mut self, all: bool) -> Result<Expr, Fault> {
        self.at += 1;
        let class = match self.word() {
            Some("gpu") => Class::Gpu,
            Some("rank") => Class::Rank,
            Some("env") => Class::Env,
            Some("process") => Class::Process,
            _ => return self.fault("after any/all stands gpu, rank, env or process"),
        };
        self.at += 1;
        if !self.take(&Lexeme::Colon) {
            return self.fault("a colon is missing: any gpu: …");
        }
        // The quantifier binds as far as it can: to the end of the bracket.
        Ok(Expr::Each { all, class, body: Box::new(self.any_of()?) })
    }

    fn name(&mut self) -> Result<Name, Fault> {
        let Some(word) = self.word().map(str::to_owned) else {
            return self.fault("the name of a fact was expected");
        };
        let next = self.tokens.get(self.at + 1).map(|t| &t.lexeme);
        let scope = if next == Some(&Lexeme::Colon) { scope_kind(&word) } else { None };
        let fact = if scope.is_some() {
            self.at += 2;
            match self.word() {
                Some(word) => word.to_owned(),
                None => return self.fault("after a scope stands the name of a fact"),
            }
        } else {
            word
        };
        if self.register.get(&fact).is_none() {
            return self.fault(&format!("`{fact}` is not in the register of facts (patterns/facts.toml)"));
        }
        self.at += 1;
        Ok(Name { scope, fact })
    }

    fn comparison(&mut self) -> Result<Expr, Fault> {
        let left = self.name()?;
        let op = match self.peek().map(|t| t.lexeme.clone()) {
            Some(Lexeme::Op(op)) => op,
            Some(Lexeme::Word(word)) if word == "in" => Op::In,
            Some(Lexeme::Word(word)) if word == "contains" => Op::Contains,
            Some(Lexeme::Word(word)) if word == "not" => {
                self.at += 1;
                if self.word() != Some("in") {
                    return self.fault("`not` between two values must be `not in`");
                }
                Op::NotIn
            }
            _ => return self.fault("an operator was expected: == != < <= > >= in, not in, contains"),
        };
        self.at += 1;
        if let Some(state) = self.word().and_then(state_word) {
            if !matches!(op, Op::Eq | Op::Ne) {
                return self.fault("given, absent and unknown are compared with == or !=");
            }
            self.at += 1;
            return Ok(Expr::State { name: left, state, negate: op == Op::Ne });
        }
        let at = self.here();
        let right = self.operand()?;
        self.check_types(&left, op, &right, at)?;
        Ok(Expr::Compare { left, op, right })
    }

    fn operand(&mut self) -> Result<Operand, Fault> {
        match self.peek().map(|t| t.lexeme.clone()) {
            Some(Lexeme::Text(text)) => {
                self.at += 1;
                Ok(Operand::Text(text))
            }
            Some(Lexeme::Number(number)) => {
                self.at += 1;
                Ok(Operand::Number(number))
            }
            Some(Lexeme::ListOpen) => self.list(),
            Some(Lexeme::Word(word)) if word == "true" || word == "false" => {
                self.at += 1;
                Ok(Operand::Bool(word == "true"))
            }
            Some(Lexeme::Word(_)) => Ok(Operand::Fact(self.name()?)),
            _ => self.fault("a fact, a quoted text, a number or a list was expected"),
        }
    }

    fn list(&mut self) -> Result<Operand, Fault> {
        self.at += 1;
        let mut items = Vec::new();
        while !self.take(&Lexeme::ListClose) {
            match self.peek().map(|t| t.lexeme.clone()) {
                Some(Lexeme::Text(text)) => items.push(text),
                Some(Lexeme::Number(number)) => items.push(number.to_string()),
                _ => return self.fault("a list holds quoted texts or numbers: [\"a\", \"b\"]"),
            }
            self.at += 1;
            let more = self.take(&Lexeme::Comma);
            if !more && self.peek().is_none_or(|t| t.lexeme != Lexeme::ListClose) {
                return self.fault("a comma or a closing bracket is missing in the list");
            }
        }
        Ok(Operand::List(items))
    }

    /// Catches comparisons that can never be true: a number against a word, `<` on a set.
    fn check_types(&self, left: &Name, op: Op, right: &Operand, at: usize) -> Result<(), Fault> {
        let Some(entry) = self.register.get(&left.fact) else { return Ok(()) };
        let fault = |what: String| Err(Fault { at, what });
        let order = matches!(op, Op::Lt | Op::Le | Op::Gt | Op::Ge);
        let is_set = matches!(entry.type_, FactType::Set | FactType::List);
        match (entry.type_, right) {
            (FactType::Bool, Operand::Bool(_)) if !order => Ok(()),
            (FactType::Bool, Operand::Fact(_)) => Ok(()),
            (FactType::Bool, _) => fault(format!("{} is true or false", left.fact)),
            (_, Operand::Bool(_)) => fault(format!("{} is not a bool", left.fact)),
            (FactType::Version, Operand::Number(_)) => fault("a version stands in quotes: \"525.60.13\"".into()),
            _ if order && is_set => fault(format!("{} is a set; use contains", left.fact)),
            _ if op == Op::Contains && !is_set && !matches!(entry.type_, FactType::Text | FactType::Word | FactType::Version) => {
                fault(format!("contains asks a set or a text, and {} is neither", left.fact))
            }
            (_, Operand::Text(word)) if !entry.values.is_empty() && !entry.values.contains(word) => {
                fault(format!("{} is one of: {}", left.fact, entry.values.join(", ")))
            }
            _ => Ok(()),
        }
    }
}

fn one_or(mut parts: Vec<Expr>, many: fn(Vec<Expr>) -> Expr) -> Expr {
    match parts.len() {
        1 => parts.remove(0),
        _ => many(parts),
    }
}

fn scope_kind(word: &str) -> Option<ScopeKind> {
    let kinds = [ScopeKind::Host, ScopeKind::Container, ScopeKind::Pod, ScopeKind::Wsl, ScopeKind::Vm, ScopeKind::Windows];
    kinds.into_iter().find(|kind| kind.name() == word)
}

fn state_word(word: &str) -> Option<State> {
    match word {
        "given" => Some(State::Given),
        "absent" => Some(State::Absent),
        "unknown" => Some(State::Unknown),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn register() -> Register {
        Register::parse(include_str!("../../patterns/facts.toml")).expect("the register parses")
    }

    #[test]
    fn precedence_is_not_and_or() {
        let expr = Expr::parse(r#"module.nvidia == absent or module.nouveau == given and not driver.version == unknown"#, &register());
        let Ok(Expr::Or(parts)) = expr else { panic!("{expr:?}") };
        assert_eq!(parts.len(), 2);
        assert!(matches!(&parts[1], Expr::And(inner) if matches!(inner[1], Expr::Not(_))));
    }

    #[test]
    fn quantifiers_scopes_and_lists_parse() {
        for text in [
            r#"any gpu: gpu.temperature >= 90 and gpu.xids contains "79""#,
            r#"host:driver.version != container:driver.version"#,
            r#"os.name in ["ubuntu", "debian"]"#,
            r#"kernel.running not in dkms.built_for"#,
        ] {
            assert!(Expr::parse(text, &register()).is_ok(), "{text}");
        }
    }

    #[test]
    fn faults_name_the_place() {
        for (text, at) in [
            ("driver.versio < \"1\"", 0),
            ("driver.version < 525", 17),
            ("driver.version << \"1\"", 16),
            ("module.nvidia == \"yes\"", 17),
            ("(module.nvidia == true", 22),
            ("os.name == \"windoze\"", 11),
            ("driver.version", 14),
        ] {
            let fault = Expr::parse(text, &register()).expect_err(text);
            assert_eq!(fault.at, at, "{text}: {}", fault.what);
        }
    }
}
