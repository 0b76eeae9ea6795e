//! A draft's length from how the last drafts fared, for drafters without a confidence.

use std::collections::VecDeque;

use crate::{Bound, Schedule};

/// Rounds that are looked back on.
const WINDOW: usize = 8;

/// Rows (drafted tokens and the anchor) below which a low mean says nothing: so few rows cannot hold more.
const MEAN_NEEDS: usize = 4;

/// Grows and shrinks with the acceptance of the last eight drafts: mlx-vlm 0.7.10's adaptive block size, except that a
/// low mean shrinks no block of fewer than four rows, which it would otherwise never let grow again.
///
/// The choice rests on earlier rounds alone.
#[derive(Debug, Clone)]
pub struct Adaptive {
    ceiling: usize,
    floor: usize,
    initial: usize,
    /// Accepted and drafted tokens of the newest rounds that drafted.
    history: VecDeque<(usize, usize)>,
}

impl Adaptive {
    /// Drafts of at most `ceiling` tokens that begin with `initial` and do not shrink below `floor`.
    #[must_use]
    pub fn new(ceiling: usize, floor: usize, initial: usize) -> Self {
        Self { ceiling, floor, initial, history: VecDeque::new() }
    }

    /// Rows worth verifying, the anchor's included.
    fn rows(&self) -> usize {
        let ceiling = self.ceiling + 1;
        let Some(&(_, newest)) = self.history.back() else { return ceiling.min((self.initial + 1).max(2)) };
        let current = (newest + 1).clamp(2, ceiling);
        let floor = ceiling.min((self.floor + 1).max(2));

        let rounds = self.history.len();
        let (accepted, drafted) = self.history.iter().fold((0, 0), |(a, d), round| (a + round.0, d + round.1));
        let full = self.history.iter().filter(|(accepted, drafted)| accepted >= drafted).count();
        // The rates as whole numbers: no rounding decides.
        let rate_below = |percent: usize| 100 * accepted < percent * drafted;
        let low_mean = accepted < 2 * rounds && current >= MEAN_NEEDS;
        if rate_below(30) || low_mean {
            floor.max(if current >= 8 { current / 2 } else { current - 2 })
        } else if rate_below(50) {
            floor.max(current - 2)
        } else if !rate_below(85) && 4 * full >= 3 * rounds {
            ceiling.min(current + 2)
        } else {
            current
        }
    }
}

impl Schedule for Adaptive {
    fn limit(&self) -> usize {
        if self.ceiling == 0 { 0 } else { self.rows() - 1 }
    }

    fn ceiling(&self) -> usize {
        self.ceiling
    }

    fn reads_confidence(&self) -> bool {
        false
    }

    fn keep(&mut self, _position: usize, _confidence: f32) -> bool {
        true
    }

    fn why(&self) -> Bound {
        Bound::Acceptance
    }

    fn learn(&mut self, proposed: usize, accepted: usize) {
        if proposed > 0 {
            self.history.push_back((accepted, proposed));
            if self.history.len() > WINDOW {
                self.history.pop_front();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The limit after rounds of (proposed, accepted), with drafts of at most 9 that begin with 3 and have 3 or more.
    fn check(rounds: &[(usize, usize)], want: usize) {
        let mut schedule = Adaptive::new(9, 3, 3);
        for &(proposed, accepted) in rounds {
            schedule.learn(proposed, accepted);
        }
        assert_eq!(schedule.limit(), want, "{rounds:?}");
    }

    #[test]
    fn it_begins_as_told() {
        check(&[], 3);
        assert_eq!(Adaptive::new(2, 3, 3).limit(), 2);
        assert_eq!(Adaptive::new(0, 3, 3).limit(), 0);
    }

    #[test]
    fn drafts_that_stand_grow_by_two_up_to_the_ceiling() {
        check(&[(3, 3)], 5);
        check(&[(3, 3), (5, 5), (7, 7)], 9);
        check(&[(9, 9)], 9);
    }

    #[test]
    fn a_rate_below_three_tenths_halves_a_long_draft_and_takes_two_of_a_short_one() {
        check(&[(9, 2)], 4);
        check(&[(6, 1)], 4);
    }

    #[test]
    fn a_rate_below_a_half_takes_two() {
        check(&[(8, 3)], 6);
    }

    #[test]
    fn a_rate_between_changes_nothing() {
        check(&[(6, 4)], 6);
    }

    #[test]
    fn the_floor_holds() {
        check(&[(4, 0), (3, 0), (3, 0)], 3);
    }

    #[test]
    fn a_low_mean_shrinks_no_block_that_cannot_hold_more() {
        let mut schedule = Adaptive::new(9, 1, 2);
        // One token each, and all of them stand: a mean of one, for there is no room for more.
        (0..3).for_each(|_| schedule.learn(1, 1));
        assert_eq!(schedule.limit(), 3);
    }

    #[test]
    fn only_the_newest_eight_drafts_count() {
        let rounds = [[(5, 0); 20].as_slice(), &[(5, 5); 8]].concat();
        check(&rounds, 7);
    }

    #[test]
    fn plain_rounds_say_nothing() {
        check(&[(3, 3), (0, 0), (0, 0)], 5);
    }
}
