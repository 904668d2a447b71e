//! The one arithmetic: pieces to a score and a confidence. A pure function, shown as "why this?".

use super::analysis::{Confidence, Effect, Strength};
use super::evidence::{Origin, Piece};
use crate::pattern::file::{CauseKind, Prior};
use std::collections::BTreeMap;

/// From this score on a finding is likely, and from the second on possible.
pub const LIKELY: f64 = 2.0;
pub const POSSIBLE: f64 = 1.0;

/// What a prior adds.
pub fn prior(prior: Prior) -> f64 {
    match prior {
        Prior::Common => 0.0,
        Prior::Uncommon => -1.0,
        Prior::Rare => -2.0,
    }
}

/// The outcome for one cause.
#[derive(Clone, Debug)]
pub struct Score {
    pub score: f64,
    /// `None` below possible: no finding.
    pub confidence: Option<Confidence>,
    /// What each piece adds, in the order of the pieces; zero where its group has a stronger one.
    pub weights: Vec<f64>,
}

/// Weighs the pieces of one cause.
pub fn score(pieces: &[Piece], kind: CauseKind, base: Prior) -> Score {
    let weights = weights(pieces);
    let score = weights.iter().sum::<f64>() + prior(base);
    let own = |p: &&Piece| p.effect == Effect::For && !matches!(p.origin, Origin::Symptom(_));
    let proved = pieces.iter().filter(own).any(|p| p.strength == Strength::Proves);
    let countered = pieces.iter().any(|p| p.effect == Effect::Against && p.strength >= Strength::Strong);
    let only_shared = !pieces.iter().any(|p| own(&p));
    let confidence = if proved && !countered && kind != CauseKind::Symptom {
        Some(Confidence::Certain)
    } else if score >= LIKELY && !only_shared {
        Some(Confidence::Likely)
    } else if score >= POSSIBLE {
        Some(Confidence::Possible)
    } else {
        None
    };
    Score { score, confidence, weights }
}

/// A group counts only its strongest piece, for and against apart.
fn weights(pieces: &[Piece]) -> Vec<f64> {
    let mut best: BTreeMap<(&str, bool), usize> = BTreeMap::new();
    for (at, piece) in pieces.iter().enumerate() {
        let slot = best.entry((&piece.group, piece.effect == Effect::For)).or_insert(at);
        if pieces[*slot].weight < piece.weight {
            *slot = at;
        }
    }
    let mut weights = vec![0.0; pieces.len()];
    for at in best.into_values() {
        let sign = if pieces[at].effect == Effect::For { 1.0 } else { -1.0 };
        weights[at] = sign * pieces[at].weight;
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::evidence::weight;
    use crate::facts::Subject;
    use std::collections::BTreeSet;

    fn piece(group: &str, strength: Strength, effect: Effect) -> Piece {
        Piece {
            origin: Origin::Condition(0),
            effect,
            strength,
            weight: weight(strength),
            group: group.to_owned(),
            lines: vec![1],
            count: 1,
            scope: 0,
            gpus: BTreeSet::new(),
            rank: None,
            ranks: BTreeSet::new(),
            subject: Subject::None,
            time: None,
            segment: None,
            captures: Vec::new(),
            old: false,
        }
    }

    fn of(pieces: &[Piece]) -> (f64, Option<Confidence>) {
        let score = score(pieces, CauseKind::Cause, Prior::Common);
        (score.score, score.confidence)
    }

    #[test]
    fn a_group_counts_its_strongest_piece_only() {
        let twice = [piece("a", Strength::Supports, Effect::For), piece("a", Strength::Strong, Effect::For)];
        assert_eq!(of(&twice), (3.0, Some(Confidence::Likely)));
        let apart = [piece("a", Strength::Supports, Effect::For), piece("b", Strength::Strong, Effect::For)];
        assert_eq!(of(&apart).0, 4.5);
    }

    #[test]
    fn certain_needs_a_proof_and_nothing_strong_against_it() {
        let proved = piece("a", Strength::Proves, Effect::For);
        assert_eq!(of(std::slice::from_ref(&proved)), (6.0, Some(Confidence::Certain)));
        assert_eq!(of(&[proved.clone(), piece("b", Strength::Supports, Effect::Against)]).1, Some(Confidence::Certain));
        assert_eq!(of(&[proved, piece("b", Strength::Strong, Effect::Against)]), (3.0, Some(Confidence::Likely)));
    }

    #[test]
    fn hints_alone_are_no_finding() {
        assert_eq!(of(&[piece("a", Strength::Hints, Effect::For)]).1, None);
        assert_eq!(of(&[piece("a", Strength::Supports, Effect::For)]).1, Some(Confidence::Possible));
    }

    #[test]
    fn a_share_of_a_symptom_stays_possible() {
        let mut shared = piece("a", Strength::Proves, Effect::For);
        shared.origin = Origin::Symptom(0);
        assert_eq!(of(&[shared]).1, Some(Confidence::Possible));
    }
}
