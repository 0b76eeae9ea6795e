//! Sequential temperature scaling (`DSpark` paper 3.2.1, `drafters.md` F.2).

use crate::{Recorded, Reliability, scaling::sigmoid};

/// Rounds that [came](Recorded::comes_to) to a position without which it keeps the temperature 1. Where a token before it
/// fell it fell as well, whatever its confidence, so that only they tell it from the positions before.
pub const ENOUGH_ROUNDS: usize = 100;

/// Temperatures on either side of 1, which forty of them halve or double.
const SIDE: i32 = 80;
const PER_DOUBLING: f64 = 40.0;

/// How far from 0 and 1 a prediction stays.
const EDGE: f64 = 1e-8;

/// For each of `limit` positions, from left to right, the temperature out of 161 between 1/4 and 4 with which the survival
/// up to there, the positions before it scaled already, has the least expected calibration error; of equal ones that
/// nearest to 1. Where fewer than `enough` rounds came to a position it is 1. The order of the rounds changes nothing.
#[must_use]
pub fn temperatures(rounds: &[&Recorded], limit: usize, enough: usize) -> Vec<f64> {
    let mut rounds = rounds.iter().map(|round| Standing { round, survival: 1.0 }).collect::<Vec<_>>();
    // Sums of the same numbers in another order differ in the last digits, and those could decide between two.
    rounds.sort_by(Standing::order);
    (0..limit).map(|position| fit(&mut rounds, position, enough)).collect()
}

/// A round, and how likely it is to stand up to where the fit has come.
struct Standing<'a> {
    round: &'a Recorded,
    survival: f64,
}

impl Standing<'_> {
    fn order(&self, other: &Self) -> std::cmp::Ordering {
        let bits =
            |round: &Recorded| round.confidences.iter().map(|confidence| confidence.to_bits()).collect::<Vec<_>>();
        (bits(self.round), self.round.accepted).cmp(&(bits(other.round), other.round.accepted))
    }

    /// The logit of the confidence at `position`, if there is one.
    fn logit(&self, position: usize) -> Option<f64> {
        let confidence = f64::from(*self.round.confidences.get(position)?);
        confidence.is_finite().then(|| (confidence / (1.0 - confidence)).ln())
    }
}

fn fit(rounds: &mut Vec<Standing<'_>>, position: usize, enough: usize) -> f64 {
    rounds.retain(|standing| standing.logit(position).is_some());
    let logits = rounds.iter().filter_map(|standing| standing.logit(position)).collect::<Vec<_>>();
    let error = |temperature: f64| {
        let survivals = rounds.iter().zip(&logits).map(|(standing, logit)| {
            let survival = standing.survival * sigmoid(logit / temperature);
            (survival.clamp(EDGE, 1.0 - EDGE), standing.round.accepted > position)
        });
        Reliability::of(survivals).ece
    };
    let (mut best, mut least) = (1.0, f64::INFINITY);
    if rounds.iter().filter(|standing| standing.round.comes_to(position)).count() >= enough.max(1) {
        for temperature in grid() {
            if let Some(error) = error(temperature).filter(|&error| error < least) {
                (best, least) = (temperature, error);
            }
        }
    }
    for (standing, logit) in rounds.iter_mut().zip(&logits) {
        standing.survival *= sigmoid(logit / best);
    }
    best
}

/// From 1 outwards, so that the first of equal ones is the nearest to 1.
fn grid() -> impl Iterator<Item = f64> {
    let sides = (1..=SIDE).flat_map(|step| [-step, step]);
    std::iter::once(0).chain(sides).map(|step| (f64::from(step) / PER_DOUBLING).exp2())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Calibration, survivals};

    /// Rounds of a drafter of `known.len()` tokens that says `sigmoid(z)` where `sigmoid(z / T)` is true.
    fn synthetic(known: &[f64], rounds: usize) -> Vec<Recorded> {
        let mut seed = 7_u64;
        let mut uniform = move || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            f64::from(u32::try_from(seed >> 32).unwrap_or(0)) / 4_294_967_296.0
        };
        let round = |_| {
            let (mut confidences, mut accepted, mut stands) = (Vec::new(), 0, true);
            for &temperature in known {
                let logit = 6.0 * uniform() - 2.0;
                #[expect(clippy::cast_possible_truncation, reason = "confidences are single-precision numbers")]
                confidences.push(sigmoid(logit) as f32);
                stands &= uniform() < sigmoid(logit / temperature);
                accepted += usize::from(stands);
            }
            Recorded { confidences, accepted }
        };
        (0..rounds).map(round).collect()
    }

    #[test]
    fn the_grid_is_geometric_and_holds_one_exactly() {
        let mut grid = grid().collect::<Vec<_>>();
        assert_eq!((grid.len(), grid[0]), (161, 1.0));
        grid.sort_by(f64::total_cmp);
        assert_eq!((grid[0], grid[160]), (0.25, 4.0));
        assert!(grid.windows(2).all(|pair| (pair[1] / pair[0] - 16_f64.powf(1.0 / 160.0)).abs() < 1e-12));
    }

    #[test]
    fn a_known_miscalibration_is_found_within_a_seventh_and_mended() {
        for known in [[0.5, 1.0, 0.5], [2.0, 1.5, 2.5]] {
            let rounds = synthetic(&known, 40_000);
            let rounds = rounds.iter().collect::<Vec<_>>();
            let found = temperatures(&rounds, known.len(), ENOUGH_ROUNDS);
            for (found, known) in found.iter().zip(known) {
                assert!((found / known).ln().abs() < 1.0 / 7.0, "{found} for {known}");
            }
            #[expect(clippy::cast_possible_truncation, reason = "about three digits count")]
            let temperatures = found.iter().map(|&found| found as f32).collect();
            let calibration = Calibration { temperatures, ..Calibration::default() };
            for position in 0..known.len() {
                let scaled = survivals(&rounds, position, |at, confidence| calibration.scale(at, confidence));
                let error = Reliability::of(scaled).ece;
                assert!(error.is_some_and(|error| error < 0.01), "{error:?} at {position}");
            }
        }
    }

    #[test]
    fn the_order_of_the_rounds_changes_nothing() {
        let rounds = synthetic(&[2.0, 0.7], 500);
        let (forwards, backwards) = (rounds.iter().collect::<Vec<_>>(), rounds.iter().rev().collect::<Vec<_>>());
        assert_eq!(temperatures(&forwards, 2, 200), temperatures(&backwards, 2, 200));
    }

    #[test]
    fn thin_evidence_keeps_one_and_only_rounds_that_came_to_a_position_count_for_it() {
        let fitted = |rounds: &[Recorded]| temperatures(&rounds.iter().collect::<Vec<_>>(), 2, ENOUGH_ROUNDS);
        let rounds = synthetic(&[2.0, 2.0], 300);
        assert!(fitted(&rounds).iter().all(|&temperature| temperature > 1.0));

        let (mut proposed, mut stood) = (rounds.clone(), rounds);
        proposed.iter_mut().skip(ENOUGH_ROUNDS).for_each(|round| round.confidences.truncate(1));
        stood.iter_mut().skip(ENOUGH_ROUNDS).for_each(|round| round.accepted = 0);
        for rounds in [proposed, stood] {
            let found = fitted(&rounds);
            assert!(found[0] > 1.0);
            assert_eq!(found[1].to_bits(), 1.0_f64.to_bits());
        }
    }

    #[test]
    fn of_equal_errors_the_temperature_nearest_to_one_is_taken() {
        // A confidence of 1/2 is the same whatever divides its logit.
        let rounds = vec![Recorded { confidences: vec![0.5], accepted: 0 }; 300];
        assert_eq!(temperatures(&rounds.iter().collect::<Vec<_>>(), 1, ENOUGH_ROUNDS), [1.0]);
    }
}
