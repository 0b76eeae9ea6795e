//! The prefix scheduler: how long a draft is worth verifying.

use decode::{Bound, Schedule};

use crate::{Acceptance, Cost};

/// Algorithm 1 of the `DSpark` paper for one request: a draft grows while the tokens expected per second,
///
/// ```text
/// theta_j = (1 + a_1 + … + a_j) / (t_draft + S_(1+j)),
/// ```
///
/// increase, and ends where they first do not, whatever comes behind. `a_j` is the survival of position `j`, the product
/// of the confidences up to it; `t_draft` and `S` are measured ([`Cost`]).
///
/// A drafter with confidences is asked for all it can propose and cut as they are read. For one without, running rates
/// of acceptance stand for the confidences, and the length is settled before the round: the best of all, since nothing is
/// looked at that a verification would need. It drafts at least one token: not to draft at all is [`decode::Parking`]'s
/// decision, which compares with real plain steps. The first rounds, and some later ones, draft everything, for what is
/// never drafted never shows that it stands.
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
#[derive(Debug, Clone, Copy)]
struct Growth {
    /// `a_j`.
    survival: f64,
    /// `1 + a_1 + … + a_j`.
    tokens: f64,
    /// `theta_j`, if the cost is known.
    theta: Option<f64>,
}

impl Growth {
    /// The empty draft, whose rounds take `seconds`.
    fn new(seconds: Option<f64>) -> Self {
        Self { survival: 1.0, tokens: 1.0, theta: seconds.map(|seconds| 1.0 / seconds) }
    }

    /// Takes a token of this confidence, with which a round takes `seconds`, if `theta` increases.
    fn grow(&mut self, confidence: f64, seconds: Option<f64>) -> bool {
        let survival = self.survival * confidence;
        let tokens = self.tokens + survival;
        let theta = seconds.map(|seconds| tokens / seconds);
        let grows = theta.zip(self.theta).is_none_or(|(theta, before)| theta > before);
        if grows {
            *self = Self { survival, tokens, theta };
        }
        grows
    }
}

impl Auto {
    /// For a drafter that proposes up to `ceiling` tokens, with what is known of its rounds.
    #[must_use]
    pub fn new(ceiling: usize, confident: bool, cost: Cost) -> Self {
        let (acceptance, growth) = (Acceptance::default(), Growth::new(None));
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
            self.growth = Growth::new(self.seconds(0));
        }
        let seconds = self.seconds(position + 1);
        self.growth.grow(confidence.into(), seconds)
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
