//! The prefix scheduler: how long a draft is worth verifying.

use std::iter;

use decode::{Bound, Schedule};

use crate::{Acceptance, Cost};

/// Algorithm 1 of the `DSpark` paper for one request: a draft of `j` tokens is expected to write
///
/// ```text
/// theta_j = (1 + a_1 + … + a_j) / (t_draft + S_(1+j))
/// ```
///
/// tokens per second. `a_j` is the survival of position `j`, the product of the confidences up to it; `t_draft` and `S`
/// are measured ([`Cost`]). The paper ends a draft where `theta` first does not increase. Here it goes on if some longer
/// one is expected to be worth more, with running rates of acceptance in place of the confidences behind: where a row more
/// makes a machine take another kernel, `theta` falls once and rises again. No decision looks at a confidence behind it.
///
/// A drafter with confidences is asked for all it can propose and cut as they are read. For one without, the rates stand
/// for all of them, and the length is settled before the round: the best of all. It drafts at least one token: not to
/// draft at all is [`decode::Parking`]'s decision, which compares with real plain steps. The first rounds, and some later
/// ones, draft everything, for what is never drafted never shows that it stands.
///
/// As long as nothing was measured it keeps everything.
#[derive(Debug, Clone)]
pub struct Auto {
    ceiling: usize,
    confident: bool,
    cost: Cost,
    context: usize,
    acceptance: Acceptance,
    /// Rounds that `acceptance` has learned from.
    rounds: usize,
    growth: Growth,
}

/// Rounds without confidences that draft everything to begin with, and how many there are from one that does to the next.
const FIRST: usize = 8;
const EVERY: usize = 16;

/// A draft while it grows.
#[derive(Debug, Clone)]
struct Growth {
    /// `a_j`.
    survival: f64,
    /// `1 + a_1 + … + a_j`.
    tokens: f64,
    /// Of rounds that verify 0, 1, … drafted tokens, as far as the cost is known.
    seconds: Vec<f64>,
    /// How likely each position is to stand if all before it did, whatever its confidence.
    rates: Vec<f64>,
}

impl Growth {
    /// The empty draft.
    fn new(seconds: Vec<f64>, rates: Vec<f64>) -> Self {
        Self { survival: 1.0, tokens: 1.0, seconds, rates }
    }

    /// Takes the token at `position`, if with it, or with some that may follow, `theta` increases.
    fn grow(&mut self, position: usize, confidence: f64) -> bool {
        let survival = self.survival * confidence;
        let tokens = self.tokens + survival;
        let grows = match self.seconds.get(position + 1..) {
            None | Some([]) => true,
            Some(seconds) => {
                let longer = self.rates[position + 1..].iter().scan((survival, tokens), |(survival, tokens), rate| {
                    *survival *= rate;
                    *tokens += *survival;
                    Some(*tokens)
                });
                let theta = self.tokens / self.seconds[position];
                iter::once(tokens).chain(longer).zip(seconds).any(|(tokens, seconds)| tokens / seconds > theta)
            }
        };
        if grows {
            (self.survival, self.tokens) = (survival, tokens);
        }
        grows
    }
}

impl Auto {
    /// For a drafter that proposes up to `ceiling` tokens, with what is known of its rounds.
    #[must_use]
    pub fn new(ceiling: usize, confident: bool, cost: Cost) -> Self {
        let (acceptance, growth) = (Acceptance::default(), Growth::new(Vec::new(), Vec::new()));
        Self { ceiling, confident, cost, context: 0, acceptance, rounds: 0, growth }
    }

    /// The same for drafts of up to `ceiling` tokens.
    #[must_use]
    pub fn up_to(self, ceiling: usize) -> Self {
        Self { ceiling, ..self }
    }

    /// What is known of its rounds.
    #[must_use]
    pub fn cost(&self) -> &Cost {
        &self.cost
    }

    /// The same, to be learned.
    pub fn cost_mut(&mut self) -> &mut Cost {
        &mut self.cost
    }

    /// Tells it how many tokens stand before the next round.
    pub fn stand_at(&mut self, context: usize) {
        self.context = context;
    }

    /// Seconds of a round that drafts all it can and verifies `drafted` tokens of it.
    fn seconds(&self, drafted: usize) -> Option<f64> {
        let draft_s = self.cost.draft(self.context, self.ceiling)?;
        Some(draft_s + self.cost.verify(self.context, 1 + drafted)?)
    }
}

impl Schedule for Auto {
    fn limit(&self) -> usize {
        if self.confident || self.rounds < FIRST || self.rounds.is_multiple_of(EVERY) {
            return self.ceiling;
        }
        let (mut survival, mut tokens) = (1.0, 1.0);
        let theta = |(drafted, rate): (usize, f64)| {
            survival *= rate;
            tokens += survival;
            Some((drafted, tokens / self.cost.round(self.context, drafted)?))
        };
        let lengths = (1..=self.ceiling).zip(self.acceptance.rates()).map_while(theta);
        let best = lengths.reduce(|best, longer| if longer.1 > best.1 { longer } else { best });
        best.map_or(self.ceiling, |(drafted, _)| drafted)
    }

    fn ceiling(&self) -> usize {
        self.ceiling
    }

    fn reads_confidence(&self) -> bool {
        self.confident
    }

    fn keep(&mut self, position: usize, confidence: f32) -> bool {
        if position == 0 {
            let seconds = (0..=self.ceiling).map_while(|drafted| self.seconds(drafted)).collect();
            self.growth = Growth::new(seconds, self.acceptance.rates().take(self.ceiling).collect());
        }
        self.growth.grow(position, confidence.into())
    }

    fn why(&self) -> Bound {
        Bound::Cost
    }

    fn learn(&mut self, proposed: usize, accepted: usize) {
        self.acceptance.learn(proposed, accepted);
        self.rounds += 1;
    }
}

#[cfg(test)]
mod tests;
