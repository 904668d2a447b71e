//! The layer board: fine, faulty or not known, each with the lines that say so.

use super::analysis::{Condition, Confidence, Layer};
use super::rank::Finding;
use crate::pattern::Patterns;
use crate::pattern::evaluate::{Context, Tri};
use crate::segment::ScopeId;

/// The state of all eight layers.
pub fn layers(patterns: &Patterns, context: &Context, findings: &[Finding]) -> Vec<(Layer, Condition, Vec<u32>)> {
    Layer::ALL.into_iter().map(|layer| state(patterns, context, findings, layer)).collect()
}

fn state(patterns: &Patterns, context: &Context, findings: &[Finding], layer: Layer) -> (Layer, Condition, Vec<u32>) {
    let faulty = findings.iter().find(|f| patterns.causes()[f.cause].layer == layer && f.confidence >= Confidence::Likely);
    if let Some(finding) = faulty {
        let lines = finding.pieces.iter().find(|p| !p.lines.is_empty()).map(|p| p.lines.clone());
        return (layer, Condition::Faulty, lines.unwrap_or_default());
    }
    // A layer that a finding doubts is not called fine.
    let doubted = findings.iter().any(|f| patterns.causes()[f.cause].layer == layer);
    let conditions = patterns.layers().iter().filter(|(of, _)| *of == layer && !doubted);
    for (_, expr) in conditions {
        for scope in 0..context.scopes.len() as ScopeId {
            if let Some(good) = context.judge(expr, scope).into_iter().find(|o| o.truth == Tri::True) {
                return (layer, Condition::Ok, good.lines);
            }
        }
    }
    (layer, Condition::Unknown, Vec::new())
}
