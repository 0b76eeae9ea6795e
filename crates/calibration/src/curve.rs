//! Seconds by size, as far as they were measured.

use serde::{Deserialize, Serialize};

/// Measurements of one size whose median counts: enough to outvote a pause, few enough to follow the machine.
const NEWEST: usize = 5;

/// Seconds for 1, 2, … rows or tokens.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Curve {
    /// The newest measurements of each size, the oldest first.
    newest: Vec<Vec<f64>>,
}

impl Curve {
    /// Takes in a measurement of `size`, 1 or more.
    pub(crate) fn measure(&mut self, size: usize, seconds: f64) {
        if size == 0 || !seconds.is_finite() {
            return;
        }
        if self.newest.len() < size {
            self.newest.resize(size, Vec::new());
        }
        let newest = &mut self.newest[size - 1];
        newest.push(seconds);
        if newest.len() > NEWEST {
            newest.remove(0);
        }
    }

    /// Whether `size` itself was measured.
    pub(crate) fn has(&self, size: usize) -> bool {
        size.checked_sub(1).and_then(|at| self.newest.get(at)).is_some_and(|newest| !newest.is_empty())
    }

    /// The sizes that were measured, and the seconds of each.
    pub(crate) fn measured(&self) -> Vec<(usize, f64)> {
        (1..).zip(&self.newest).filter_map(|(size, newest)| Some((size, median(newest)?))).collect()
    }

    /// Seconds for `size`: measured, or on the line between its measured neighbours, or those of the only neighbour.
    /// `None` if nothing was measured.
    pub(crate) fn seconds(&self, size: usize) -> Option<f64> {
        let known = |size: usize| median(self.newest.get(size.checked_sub(1)?)?).map(|seconds| (size, seconds));
        let below = (1..=size).rev().find_map(known);
        let above = (size..=self.newest.len()).find_map(known);
        match (below, above) {
            (Some((low, from)), Some((high, to))) if low < high => {
                Some(from + (to - from) * count(size - low) / count(high - low))
            }
            (below, above) => below.or(above).map(|(_, seconds)| seconds),
        }
    }
}

/// The middle one, or the lower of two: what takes long the first time does so once.
fn median(seconds: &[f64]) -> Option<f64> {
    let mut sorted = seconds.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len().checked_sub(1)? / 2).copied()
}

#[expect(clippy::cast_precision_loss, reason = "sizes are small")]
fn count(n: usize) -> f64 {
    n as f64
}

#[cfg(test)]
mod tests {
    use super::Curve;

    fn curve(points: &[(usize, f64)]) -> Curve {
        let mut curve = Curve::default();
        for &(size, seconds) in points {
            curve.measure(size, seconds);
        }
        curve
    }

    #[test]
    fn between_two_sizes_it_is_a_line_and_beyond_them_it_stays() {
        let curve = curve(&[(2, 10.0), (6, 30.0)]);
        let seconds = (1..=8).map(|size| curve.seconds(size).unwrap_or(0.0)).collect::<Vec<_>>();
        assert_eq!(seconds, [10.0, 10.0, 15.0, 20.0, 25.0, 30.0, 30.0, 30.0]);
    }

    #[test]
    fn nothing_is_known_before_a_measurement() {
        assert_eq!(curve(&[]).seconds(3), None);
        assert_eq!(curve(&[(3, f64::NAN), (0, 1.0)]).seconds(3), None);
    }

    #[test]
    fn the_median_of_the_newest_five_counts() {
        let slow_then_fast = [9.0, 9.0, 9.0, 1.0, 2.0, 100.0].map(|seconds| (1, seconds));
        assert_eq!(curve(&slow_then_fast).seconds(1), Some(9.0));
        assert_eq!(curve(&[slow_then_fast.as_slice(), &[(1, 3.0), (1, 2.0)]].concat()).seconds(1), Some(2.0));
    }
}
