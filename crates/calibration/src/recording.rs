//! What is seen of a drafter while nothing cuts its drafts.

use serde::{Deserialize, Serialize};

/// A greedy round whose draft was verified as a whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recorded {
    /// How sure the drafter was of each token that the target judged, 0..=1, as it says it.
    pub confidences: Vec<f32>,
    /// How many of them stood.
    pub accepted: usize,
}

/// The rounds of one prompt.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Recording {
    /// Tokens of the prompt.
    pub context: usize,
    /// The rounds behind it.
    pub rounds: Vec<Recorded>,
}

/// One drafted token.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Its position in the draft, 0-based.
    pub position: usize,
    /// How sure the drafter was.
    pub confidence: f32,
    /// Whether it and all before it stood.
    pub accepted: bool,
}

impl Recorded {
    /// Whether it shows what becomes of a token at `position`: it proposed one, and all before it stood.
    #[must_use]
    pub fn comes_to(&self, position: usize) -> bool {
        position < self.confidences.len() && position <= self.accepted
    }

    /// Its tokens, one by one.
    pub fn samples(&self) -> impl Iterator<Item = Sample> {
        let sample = |(position, &confidence)| Sample { position, confidence, accepted: position < self.accepted };
        self.confidences.iter().enumerate().map(sample)
    }
}

/// Whether the prompt of this number (0-based, within its suite) is kept out of the fit, so that what is said of the fit
/// is said of prompts that it has not seen: every fourth, from the second on.
#[must_use]
pub fn is_held_out(number: usize) -> bool {
    number % 4 == 1
}

/// How likely each draft was said to stand up to and including `position`, and whether it did; `scale` makes of a
/// confidence at a position what it is worth. A round that proposed nothing there, or no number, says nothing of it.
pub fn survivals(
    rounds: &[&Recorded],
    position: usize,
    scale: impl Fn(usize, f32) -> f32,
) -> impl Iterator<Item = (f64, bool)> {
    rounds.iter().filter_map(move |round| {
        let confidences = round.confidences.get(..=position)?;
        let scaled = confidences.iter().enumerate().map(|(at, &confidence)| f64::from(scale(at, confidence)));
        Some((scaled.product(), round.accepted > position)).filter(|(survival, _): &(f64, bool)| survival.is_finite())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_that_of_the_whole_prefix() {
        let round = Recorded { confidences: vec![0.5, 0.5, 0.5], accepted: 2 };
        assert_eq!(round.samples().map(|sample| sample.accepted).collect::<Vec<_>>(), [true, true, false]);
        let rounds = [&round];
        let survivals = (0..4).flat_map(|at| survivals(&rounds, at, |_, c| c)).collect::<Vec<_>>();
        assert_eq!(survivals, [(0.5, true), (0.25, true), (0.125, false)]);
    }

    #[test]
    fn every_suite_of_two_prompts_has_one_of_each_kind() {
        assert_eq!((0..8).filter(|&number| is_held_out(number)).collect::<Vec<_>>(), [1, 5]);
    }
}
