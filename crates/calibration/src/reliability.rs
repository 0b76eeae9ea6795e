//! How true stated probabilities are: `DeepSpec`'s evaluator.

use serde::{Deserialize, Serialize};

/// Bins of equal width on 0..=1, of the expected calibration error.
pub(crate) const BINS: usize = 20;

/// Bins of the histogram behind the area under the curve.
const FINE: usize = 1000;

/// Predictions of about the same size.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Bin {
    /// How many there are.
    pub count: usize,
    /// Their mean; 0 of none.
    pub predicted: f64,
    /// The share of them that came true; 0 of none.
    pub stood: f64,
}

/// What became of predictions. Numbers are `None` where there is nothing to divide by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reliability {
    /// Twenty bins of equal width on 0..=1.
    pub bins: Vec<Bin>,
    /// Expected calibration error: the mean distance between what a bin says and what became of it.
    pub ece: Option<f64>,
    /// The chance that a prediction that came true is larger than one that did not; by a histogram of 1000 bins.
    pub auroc: Option<f64>,
    /// The mean squared error.
    pub brier: Option<f64>,
    /// The mean prediction.
    pub predicted: Option<f64>,
    /// The share that came true.
    pub stood: Option<f64>,
}

impl Reliability {
    /// Of predictions in 0..=1 and whether they came true.
    #[must_use]
    pub fn of(predictions: impl IntoIterator<Item = (f64, bool)>) -> Self {
        let (mut bins, mut fine) = (vec![Bin::default(); BINS], vec![[0.0; 2]; FINE]);
        let (mut count, mut squares) = (0, 0.0);
        for (prediction, stood) in predictions {
            let (bin, outcome) = (&mut bins[place(prediction, BINS)], f64::from(u8::from(stood)));
            bin.count += 1;
            bin.predicted += prediction;
            bin.stood += outcome;
            fine[place(prediction, FINE)][usize::from(stood)] += 1.0;
            squares += (prediction - outcome) * (prediction - outcome);
            count += 1;
        }
        let mean = |sum: f64| (count > 0).then(|| sum / number(count));
        let sum = |of: fn(&Bin) -> f64| bins.iter().map(of).sum::<f64>();
        let (predicted, stood) = (mean(sum(|bin| bin.predicted)), mean(sum(|bin| bin.stood)));
        let ece = mean(sum(|bin| (bin.predicted - bin.stood).abs()));
        for bin in bins.iter_mut().filter(|bin| bin.count > 0) {
            bin.predicted /= number(bin.count);
            bin.stood /= number(bin.count);
        }
        Self { bins, ece, auroc: area(&fine), brier: mean(squares), predicted, stood }
    }
}

/// The bin of a prediction.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates, and is limited")]
pub(crate) fn place(prediction: f64, bins: usize) -> usize {
    ((prediction * number(bins)).floor() as usize).min(bins - 1)
}

/// Half of those in the same bin count as smaller.
fn area(fine: &[[f64; 2]]) -> Option<f64> {
    let (mut below, mut sum, mut positive) = (0.0, 0.0, 0.0);
    for [failed, stood] in fine {
        sum += stood * (below + 0.5 * failed);
        below += failed;
        positive += stood;
    }
    (below > 0.0 && positive > 0.0).then(|| sum / (below * positive))
}

#[expect(clippy::cast_precision_loss, reason = "counts fit a double exactly")]
pub(crate) fn number(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_is_the_mean_distance_between_what_a_bin_says_and_what_became_of_it() {
        let three = [(0.92, true), (0.94, false), (0.11, false), (0.14, false)];
        let reliability = Reliability::of(three);
        let expected = (2.0 * (0.93_f64 - 0.5) + 2.0 * 0.125) / 4.0;
        assert!(reliability.ece.is_some_and(|ece| (ece - expected).abs() < 1e-12), "{reliability:?}");
        assert_eq!((reliability.bins[18].count, reliability.bins[2].count), (2, 2));
    }

    #[test]
    fn one_stands_in_the_last_bin() {
        assert_eq!(Reliability::of([(1.0, true)]).bins[BINS - 1], Bin { count: 1, predicted: 1.0, stood: 1.0 });
    }

    #[test]
    fn predictions_that_part_the_outcomes_have_the_whole_area_and_equal_ones_half_of_it() {
        assert_eq!(Reliability::of([(0.2, false), (0.8, true)]).auroc, Some(1.0));
        assert_eq!(Reliability::of([(0.5, false), (0.5, true)]).auroc, Some(0.5));
        assert_eq!(Reliability::of([(0.5, true)]).auroc, None);
    }

    #[test]
    fn nothing_says_nothing() {
        let nothing = Reliability::of([]);
        assert_eq!((nothing.ece, nothing.brier, nothing.bins.len()), (None, None, BINS));
    }
}
