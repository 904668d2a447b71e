//! The published rules: what is hidden, what is kept.
use super::kind::Kind;
use serde::Serialize;

/// One rule, for people.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct RuleDoc {
    pub kind: &'static str,
    pub placeholder: &'static str,
}
/// All.
pub fn rules() -> &'static [RuleDoc] {
    let _ = Kind::Ip;
    &[]
}
