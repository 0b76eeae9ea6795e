//! What drafting was worth, in the time of plain steps.

use serde::{Deserialize, Serialize};

/// What drafting was worth when it was judged.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Standing {
    /// Drafting rounds that were compared.
    pub rounds: usize,
    /// Tokens that they emitted, per round (τ).
    pub tokens_per_round: f64,
    /// Seconds per round.
    pub round_s: f64,
    /// Seconds of a plain step.
    pub plain_s: f64,
}

impl Standing {
    /// How many times as fast as plain decoding.
    #[must_use]
    pub fn speed(&self) -> f64 {
        self.tokens_per_round * self.plain_s / self.round_s
    }
}

/// Drafting rounds, their tokens and their time.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tally {
    rounds: usize,
    tokens: usize,
    seconds: f64,
}

impl Tally {
    /// Takes in a round.
    pub fn add(&mut self, tokens: usize, seconds: f64) {
        self.rounds += 1;
        self.tokens += tokens;
        self.seconds += seconds;
    }

    /// How many rounds.
    #[must_use]
    pub fn rounds(&self) -> usize {
        self.rounds
    }

    /// Against plain steps of `plain_s` seconds.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts of one session fit a double exactly")]
    pub fn standing(&self, plain_s: f64) -> Standing {
        let rounds = self.rounds.max(1) as f64;
        Standing {
            rounds: self.rounds,
            tokens_per_round: self.tokens as f64 / rounds,
            round_s: self.seconds / rounds,
            plain_s,
        }
    }
}
