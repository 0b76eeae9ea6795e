//! What rounds cost on this machine with one target and one drafter.

use serde::{Deserialize, Serialize};

use crate::curve::Curve;

/// Where the first bucket of contexts ends, tokens; each that follows is four times as long.
const FIRST: usize = 1024;
/// Buckets, the last without an end.
const BUCKETS: usize = 5;

/// What a round took, as far as it can be told apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Spent {
    /// A plain step, seconds.
    Plain(f64),
    /// The host waited between drafting and verifying, so each is known.
    Apart {
        /// Seconds until the draft and its confidences were there.
        draft_s: f64,
        /// Seconds of the rest: the verifying pass, choosing tokens, and committing.
        verify_s: f64,
    },
    /// The host waited once, so only the sum is known, seconds.
    Together(f64),
}

impl Spent {
    /// All of it.
    #[must_use]
    pub fn seconds(self) -> f64 {
        match self {
            Self::Plain(seconds) | Self::Together(seconds) => seconds,
            Self::Apart { draft_s, verify_s } => draft_s + verify_s,
        }
    }
}

/// Seconds of drafting and verifying by size and length of the context. Whoever [does not know](Cost::knows) enough of a
/// context tries rounds of every length; afterwards each real round is one more measurement, so that the newest count.
///
/// One plain step and one round at the limit give a line to begin with, and each other length bends it into the
/// machine's true curve. A context without figures of its own borrows those of the nearest that has some.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Cost {
    /// By bucket.
    contexts: Vec<Curves>,
}

/// The curves of one bucket.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Curves {
    /// Proposing 1, 2, … tokens.
    draft: Curve,
    /// Verifying 1, 2, … rows, the anchor's included.
    verify: Curve,
    /// Whole rounds of 1, 2, … tokens, where the two cannot be told apart.
    round: Curve,
}

/// What was measured in contexts of about one length.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CostRow {
    /// Tokens from which on they count here.
    pub context: usize,
    /// Tokens that were proposed, and the seconds that took.
    pub draft_s: Vec<(usize, f64)>,
    /// Rows that were verified, the anchor's included, and the seconds that took; one row is a plain step.
    pub verify_s: Vec<(usize, f64)>,
}

impl Cost {
    /// Whether nothing was measured yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.contexts.is_empty()
    }

    /// Whether what was measured in contexts about as long as this reaches from a plain step to a round that drafts
    /// `limit` tokens; `apart` asks that drafting and verifying could be told apart.
    #[must_use]
    pub fn knows(&self, context: usize, limit: usize, apart: bool) -> bool {
        self.contexts.get(bucket(context)).is_some_and(|Curves { draft, verify, round }| {
            verify.has(1) && (!apart && round.has(limit) || draft.has(limit) && verify.has(limit + 1))
        })
    }

    /// The length from which on contexts count as about as long as this one, tokens.
    #[must_use]
    pub fn about(context: usize) -> usize {
        begin(bucket(context))
    }

    /// Seconds of a plain step in contexts about as long as this, if one was measured there.
    #[must_use]
    pub fn plain_s(&self, context: usize) -> Option<f64> {
        self.contexts.get(bucket(context))?.verify.seconds(1)
    }

    /// Takes in a round behind `context` tokens that proposed `limit` tokens and verified `rows` rows.
    pub fn measure(&mut self, context: usize, limit: usize, rows: usize, spent: Spent) {
        let bucket = bucket(context);
        if self.contexts.len() <= bucket {
            self.contexts.resize(bucket + 1, Curves::default());
        }
        let curves = &mut self.contexts[bucket];
        match spent {
            Spent::Plain(seconds) => curves.verify.measure(1, seconds),
            Spent::Apart { draft_s, verify_s } => {
                curves.draft.measure(limit, draft_s);
                curves.verify.measure(rows, verify_s);
            }
            Spent::Together(seconds) => curves.round.measure(limit, seconds),
        }
    }

    /// The same, with what `other` knows of contexts of which this knows nothing.
    #[must_use]
    pub fn or(mut self, other: Self) -> Self {
        self.contexts.resize(self.contexts.len().max(other.contexts.len()), Curves::default());
        for (known, other) in self.contexts.iter_mut().zip(other.contexts) {
            if *known == Curves::default() {
                *known = other;
            }
        }
        self
    }

    /// Seconds of a verifying pass over `rows` rows (`S_b`), the anchor's included.
    #[must_use]
    pub fn verify(&self, context: usize, rows: usize) -> Option<f64> {
        self.nearest(context, |curves| curves.verify.seconds(rows))
    }

    /// Seconds of proposing `limit` tokens (`t_draft`).
    #[must_use]
    pub fn draft(&self, context: usize, limit: usize) -> Option<f64> {
        self.nearest(context, |curves| curves.draft.seconds(limit))
    }

    /// Seconds of a round that proposes `limit` tokens and verifies them all.
    #[must_use]
    pub fn round(&self, context: usize, limit: usize) -> Option<f64> {
        let apart = |curves: &Curves| Some(curves.draft.seconds(limit)? + curves.verify.seconds(limit + 1)?);
        self.nearest(context, |curves| curves.round.seconds(limit).or_else(|| apart(curves)))
    }

    /// Everything that was measured, by context.
    #[must_use]
    pub fn rows(&self) -> Vec<CostRow> {
        let row = |(bucket, Curves { draft, verify, .. }): (usize, &Curves)| CostRow {
            context: begin(bucket),
            draft_s: draft.measured(),
            verify_s: verify.measured(),
        };
        let rows = self.contexts.iter().enumerate().map(row);
        rows.filter(|row| !row.draft_s.is_empty() || !row.verify_s.is_empty()).collect()
    }

    /// From the bucket of `context`, or else the nearest one that knows, the longer of two.
    fn nearest(&self, context: usize, read: impl Fn(&Curves) -> Option<f64>) -> Option<f64> {
        let bucket = bucket(context);
        let mut order = (0..self.contexts.len()).collect::<Vec<_>>();
        order.sort_by_key(|&other| (other.abs_diff(bucket), usize::MAX - other));
        order.into_iter().find_map(|other| read(&self.contexts[other]))
    }
}

/// The first context of a bucket.
fn begin(bucket: usize) -> usize {
    if bucket == 0 { 0 } else { FIRST << (2 * (bucket - 1)) }
}

fn bucket(context: usize) -> usize {
    (0..BUCKETS - 1).find(|&bucket| context < FIRST << (2 * bucket)).unwrap_or(BUCKETS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contexts_fall_into_buckets_that_quadruple() {
        let contexts = [0, 1023, 1024, 4095, 4096, 16_384, 65_536, 1 << 20];
        assert_eq!(contexts.map(bucket), [0, 0, 1, 1, 2, 3, 4, 4]);
        assert_eq!(contexts.map(Cost::about), [0, 0, 1024, 1024, 4096, 16_384, 65_536, 65_536]);
    }

    #[test]
    fn a_plain_step_and_a_round_at_the_limit_make_a_line() {
        let mut cost = Cost::default();
        cost.measure(0, 0, 1, Spent::Plain(0.030));
        assert_eq!(cost.verify(0, 5), Some(0.030));
        cost.measure(0, 4, 5, Spent::Apart { draft_s: 0.008, verify_s: 0.050 });
        assert_eq!(cost.verify(0, 3), Some(0.040));
        assert_eq!(cost.draft(0, 4), Some(0.008));
        assert_eq!(cost.round(0, 4), Some(0.058));
    }

    #[test]
    fn a_round_that_cannot_be_told_apart_counts_as_a_whole() {
        let mut cost = Cost::default();
        cost.measure(0, 3, 4, Spent::Together(0.050));
        assert_eq!((cost.round(0, 3), cost.verify(0, 4), cost.draft(0, 3)), (Some(0.050), None, None));
    }

    #[test]
    fn it_knows_a_context_once_its_figures_reach_from_a_plain_step_to_the_limit() {
        let (mut apart, mut together) = (Cost::default(), Cost::default());
        for rows in [1, 5] {
            assert!(!apart.knows(0, 4, true) && !together.knows(0, 4, false));
            let (drafted, plain) = (rows - 1, Spent::Plain(0.030));
            let spent = |spent| if drafted == 0 { plain } else { spent };
            apart.measure(
                0,
                if drafted == 0 { 0 } else { 4 },
                rows,
                spent(Spent::Apart { draft_s: 0.1, verify_s: 0.1 }),
            );
            together.measure(0, drafted, rows, spent(Spent::Together(0.2)));
        }
        assert!(apart.knows(0, 4, true) && !together.knows(0, 4, true));
        for cost in [apart, together] {
            assert!(cost.knows(0, 4, false) && cost.knows(1000, 4, false));
            assert!(!cost.knows(0, 5, false) && !cost.knows(2000, 4, false));
        }
    }

    #[test]
    fn what_was_measured_can_be_listed_by_context() {
        let mut cost = Cost::default();
        cost.measure(2000, 0, 1, Spent::Plain(0.030));
        cost.measure(2000, 4, 3, Spent::Apart { draft_s: 0.008, verify_s: 0.050 });
        let row = CostRow { context: 1024, draft_s: vec![(4, 0.008)], verify_s: vec![(1, 0.030), (3, 0.050)] };
        assert_eq!(cost.rows(), [row]);
    }

    #[test]
    fn an_unknown_context_borrows_from_the_nearest() {
        let mut cost = Cost::default();
        assert_eq!(cost.verify(0, 1), None);
        cost.measure(100, 0, 1, Spent::Plain(0.030));
        cost.measure(5000, 0, 1, Spent::Plain(0.040));
        assert_eq!(cost.verify(100_000, 1), Some(0.040));
        assert_eq!(cost.verify(2000, 1), Some(0.040));
        assert_eq!(cost.verify(0, 1), Some(0.030));
    }
}
