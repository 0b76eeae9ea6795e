//! How likely drafted tokens are to stand, from how earlier ones fared.

/// Rounds that the prior is worth.
const PRIOR: f64 = 4.0;
/// What is believed of the first position before anything is known.
const BELIEF: f64 = 0.7;
/// Rounds at one position after which older ones count half.
const MEMORY: f64 = 64.0;

/// Running rates of acceptance by position, each given that all positions before it stood (D.6 of the drafters'
/// specification; paper figure 2). A position is believed to fare like the one before it until it shows otherwise.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Acceptance {
    at: Vec<Position>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Position {
    /// Rounds that proposed a token here and accepted all before it.
    reached: f64,
    /// Those that accepted this one too.
    accepted: f64,
}

impl Acceptance {
    /// Takes in a round of `proposed` tokens, of which the first `accepted` stood.
    pub fn learn(&mut self, proposed: usize, accepted: usize) {
        if self.at.len() < proposed {
            self.at.resize(proposed, Position::default());
        }
        for (k, position) in self.at.iter_mut().enumerate().take(proposed.min(accepted + 1)) {
            position.reached += 1.0;
            position.accepted += if k < accepted { 1.0 } else { 0.0 };
            if position.reached >= 2.0 * MEMORY {
                position.reached /= 2.0;
                position.accepted /= 2.0;
            }
        }
    }

    /// The rate of each position, first to last, without end.
    pub fn rates(&self) -> impl Iterator<Item = f64> + '_ {
        let positions = self.at.iter().copied().chain(std::iter::repeat(Position::default()));
        positions.scan(BELIEF, |before, Position { reached, accepted }| {
            *before = (accepted + PRIOR * *before) / (reached + PRIOR);
            Some(*before)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rounds: &[(usize, usize)], want: [f64; 3]) {
        let mut acceptance = Acceptance::default();
        for &(proposed, accepted) in rounds {
            acceptance.learn(proposed, accepted);
        }
        for (rate, want) in acceptance.rates().zip(want) {
            assert!((rate - want).abs() < 1e-12, "{rate} is not {want}");
        }
    }

    #[test]
    fn nothing_known_is_the_prior() {
        check(&[], [0.7; 3]);
    }

    #[test]
    fn a_position_counts_where_all_before_it_stood() {
        // Reached 2, 1, 0 times; stood 1, 0, 0 times.
        let first = (1.0 + 4.0 * 0.7) / 6.0;
        let second = 4.0 * first / 5.0;
        check(&[(3, 1), (3, 0)], [first, second, second]);
    }

    #[test]
    fn many_rounds_outweigh_the_prior_and_the_newest_the_oldest() {
        let mut acceptance = Acceptance::default();
        (0..500).for_each(|_| acceptance.learn(1, 1));
        assert!(acceptance.rates().next().is_some_and(|rate| rate > 0.97));
        (0..300).for_each(|_| acceptance.learn(1, 0));
        assert!(acceptance.rates().next().is_some_and(|rate| rate < 0.15));
    }
}
