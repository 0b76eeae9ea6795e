//! Repeated measurements of one thing on a machine that does other things as well.

use serde::{Deserialize, Serialize};

/// Measurements without which their spread says nothing.
const ENOUGH: usize = 6;

/// The median, and two measurements between which that of all measurements there could be lies, with a confidence of 95 % at
/// least.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Half of the measurements lie on either side.
    pub median: f64,
    /// The lower end; `None` of fewer than six measurements.
    pub low: Option<f64>,
    /// The upper end; likewise.
    pub high: Option<f64>,
}

impl Spread {
    /// Of these, in any order; `None` of none. The ends are order statistics, so that nothing is assumed of how
    /// measurements are distributed.
    #[must_use]
    pub fn of(mut measured: Vec<f64>) -> Option<Self> {
        measured.sort_by(f64::total_cmp);
        let count = measured.len();
        let (upper, lower) = (*measured.get(count / 2)?, measured[(count - 1) / 2]);
        let outside = (count >= ENOUGH).then(|| outside(count));
        let [low, high] = [outside, outside.map(|outside| count - 1 - outside)].map(|at| at.map(|at| measured[at]));
        Some(Self { median: f64::midpoint(lower, upper), low, high })
    }
}

/// How many of so many measurements lie outside on each side: the most for which no more than one in forty times as few or
/// fewer fall on one side of the true median. The first term is 2⁻ⁿ, so this is for some hundreds of measurements.
fn outside(count: usize) -> usize {
    let (mut outside, mut chance, mut sum) = (0, 0.5_f64.powi(i32::try_from(count).unwrap_or(i32::MAX)), 0.0);
    loop {
        sum += chance;
        if sum > 0.025 || outside > count / 2 {
            return outside.saturating_sub(1);
        }
        #[expect(clippy::cast_precision_loss, reason = "counts fit a double exactly")]
        let next = (count - outside) as f64 / (outside + 1) as f64;
        chance *= next;
        outside += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_lies_in_the_middle_and_few_measurements_have_no_ends() {
        assert_eq!(Spread::of(vec![]), None);
        assert_eq!(Spread::of(vec![3.0, 1.0, 8.0]), Some(Spread { median: 3.0, low: None, high: None }));
        assert_eq!(Spread::of(vec![4.0, 1.0]).map(|spread| spread.median), Some(2.5));
    }

    #[test]
    fn the_ends_are_those_of_the_binomial_table() {
        // The ranks of the usual tables for 95 %, counted from 1.
        for (count, low, high) in [(6, 1.0, 6.0), (9, 2.0, 8.0), (15, 4.0, 12.0), (25, 8.0, 18.0)] {
            let measured = (1..=count).rev().map(f64::from).collect();
            let spread = Spread::of(measured);
            assert_eq!(spread.map(|spread| (spread.low, spread.high)), Some((Some(low), Some(high))), "{count}");
        }
    }
}
