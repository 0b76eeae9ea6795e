//! What an answer's rounds add up to.

/// Counts over the rounds of one answer. Rates are `None` where there is nothing to divide by.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stats {
    /// Rounds, plain steps included.
    pub rounds: usize,
    /// Tokens emitted.
    pub emitted: usize,
    /// Drafted tokens sent to the target.
    pub proposed: usize,
    /// Drafted tokens that stood.
    pub accepted: usize,
    /// Rounds that proposed a token at each position.
    pub proposed_at: Vec<usize>,
    /// Rounds in which the tokens up to and including each position stood.
    pub accepted_at: Vec<usize>,
}

impl Stats {
    /// Adds a round.
    pub(crate) fn add(&mut self, proposed: usize, accepted: usize, emitted: usize) {
        self.rounds += 1;
        self.emitted += emitted;
        self.proposed += proposed;
        self.accepted += accepted;
        count(&mut self.proposed_at, proposed);
        count(&mut self.accepted_at, accepted);
        self.accepted_at.resize(self.proposed_at.len(), 0);
    }

    /// Tokens per round (τ), the target's own token included.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts of one answer fit a double exactly")]
    pub fn tokens_per_round(&self) -> Option<f64> {
        (self.rounds > 0).then(|| self.emitted as f64 / self.rounds as f64)
    }
}

/// Adds one to each of the first `positions` entries.
fn count(at: &mut Vec<usize>, positions: usize) {
    if at.len() < positions {
        at.resize(positions, 0);
    }
    at[..positions].iter_mut().for_each(|n| *n += 1);
}
