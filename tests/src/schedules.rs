//! One schedule of each kind.

use calibration::{Auto, Cost, Spent};
use decode::{Adaptive, Fixed, Gate, Schedule, Thresholds};

use crate::clocked::Clocked;

/// A way to settle how long drafts are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plan {
    /// Always as long as they may be.
    Fixed,
    /// A threshold for each position, and one for those behind.
    Thresholds,
    /// One threshold for all, so that nothing may be left.
    Gate,
    /// By how the last drafts fared.
    Adaptive,
    /// By what rounds cost, and the drafter's confidences.
    Confident,
    /// By what rounds cost, and how often earlier tokens stood.
    Unconfident,
    /// As [`Confident`](Self::Confident), by a clock that parks it after three rounds.
    Parked,
}

impl Plan {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Fixed, Self::Thresholds, Self::Gate, Self::Adaptive, Self::Confident, Self::Unconfident, Self::Parked];

    /// A new schedule for drafts of up to `limit` tokens.
    #[must_use]
    pub fn schedule(self, limit: usize) -> Box<dyn Schedule> {
        let auto = |confident| Box::new(Auto::new(limit, confident, cost()));
        match self {
            Self::Fixed => Box::new(Fixed(limit)),
            Self::Thresholds => Box::new(Thresholds { limit, thresholds: vec![0.0, 0.9, 0.5], min_conf: Some(0.8) }),
            Self::Gate => Box::new(Gate { limit, threshold: 0.5 }),
            Self::Adaptive => Box::new(Adaptive::new(limit, 1, 3)),
            Self::Confident => auto(true),
            Self::Unconfident => auto(false),
            Self::Parked => Box::new(Clocked::new(auto(true), &|round, _| if round < 3 { 1.0 } else { 30.0 })),
        }
    }

    /// Whether it cuts drafts by their confidences, for which a round waits once more.
    #[must_use]
    pub fn reads_confidence(self) -> bool {
        self.schedule(1).reads_confidence()
    }
}

/// Of a machine on which each row costs so much that drafts of every length are worth it somewhere.
fn cost() -> Cost {
    let mut cost = Cost::default();
    for (rows, verify_s) in [1.0, 1.7, 2.4, 3.0, 3.5, 3.9, 5.0].into_iter().enumerate() {
        cost.measure(0, rows, rows + 1, Spent::Apart { draft_s: 0.2, verify_s });
    }
    cost
}
