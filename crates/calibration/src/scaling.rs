//! A confidence on its way to a schedule.

use decode::{Bound, Schedule};
use serde::{Deserialize, Serialize};

/// What was fitted to a drafter's confidence. It decides how much is drafted, never what is written.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Calibration {
    /// By position (0-based), the positive number that the confidence's logit is divided by; 1 beyond its end.
    pub temperatures: Vec<f32>,
    /// By position, the confidence below which a draft ends, as the drafter says it, before it is scaled.
    pub thresholds: Vec<f32>,
}

impl Calibration {
    /// Whether it changes no confidence.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        self.temperatures.iter().all(|&temperature| is_one(temperature))
    }

    /// What a `confidence` at `position` is worth: `sigmoid(ln(c / (1 - c)) / T)`. It keeps the order at each position.
    #[must_use]
    pub fn scale(&self, position: usize, confidence: f32) -> f32 {
        match self.temperatures.get(position) {
            Some(&temperature) if !is_one(temperature) => scaled(confidence, temperature),
            _ => confidence,
        }
    }

    /// The thresholds among scaled confidences: they cut where the others cut among confidences as they are. That which keeps
    /// nothing is beyond all of them, for a scaled confidence may round to 1.
    #[must_use]
    pub fn scaled_thresholds(&self) -> Vec<f32> {
        let scaled = |(position, &threshold)| {
            if threshold < 1.0 { self.scale(position, threshold) } else { f32::INFINITY }
        };
        self.thresholds.iter().enumerate().map(scaled).collect()
    }

    /// A schedule that sees scaled confidences.
    pub fn over<'a>(&'a self, schedule: &'a mut dyn Schedule) -> Scaled<'a> {
        Scaled { calibration: self, schedule }
    }
}

#[expect(clippy::float_cmp, reason = "exactly this changes nothing")]
fn is_one(temperature: f32) -> bool {
    temperature == 1.0
}

#[expect(clippy::cast_possible_truncation, reason = "confidences are single-precision numbers")]
fn scaled(confidence: f32, temperature: f32) -> f32 {
    let confidence = f64::from(confidence);
    let logit = (confidence / (1.0 - confidence)).ln();
    sigmoid(logit / f64::from(temperature)) as f32
}

pub(crate) fn sigmoid(logit: f64) -> f64 {
    1.0 / (1.0 + (-logit).exp())
}

/// A [`Schedule`] whose confidences are scaled before it sees them.
pub struct Scaled<'a> {
    calibration: &'a Calibration,
    schedule: &'a mut dyn Schedule,
}

impl Schedule for Scaled<'_> {
    fn limit(&self) -> usize {
        self.schedule.limit()
    }

    fn ceiling(&self) -> usize {
        self.schedule.ceiling()
    }

    fn reads_confidence(&self) -> bool {
        self.schedule.reads_confidence()
    }

    fn keep(&mut self, position: usize, confidence: f32) -> bool {
        self.schedule.keep(position, self.calibration.scale(position, confidence))
    }

    fn why(&self) -> Bound {
        self.schedule.why()
    }

    fn learn(&mut self, proposed: usize, accepted: usize) {
        self.schedule.learn(proposed, accepted);
    }
}

#[cfg(test)]
mod tests {
    use decode::Thresholds;

    use super::*;

    fn calibration(temperatures: &[f32], thresholds: &[f32]) -> Calibration {
        Calibration { temperatures: temperatures.to_vec(), thresholds: thresholds.to_vec() }
    }

    #[test]
    fn a_logit_is_divided_and_the_ends_the_middle_and_what_was_not_fitted_stay() {
        let halved = calibration(&[2.0], &[]);
        let expected = 1.0 / (1.0 + (-f64::from(0.9_f32 / (1.0 - 0.9_f32)).ln() / 2.0).exp());
        assert!((f64::from(halved.scale(0, 0.9)) - expected).abs() < 1e-6);
        for (position, confidence) in [(0, 0.0), (0, 0.5), (0, 1.0), (1, 0.9_f32)] {
            assert_eq!(halved.scale(position, confidence).to_bits(), confidence.to_bits());
        }
    }

    #[test]
    fn the_order_of_confidences_stays_whatever_the_temperature() {
        let confidences = (0..=10_000_u16).map(|step| f32::from(step) / 10_000.0);
        for temperature in [0.25, 0.7, 1.0, 1.9, 4.0] {
            let calibration = calibration(&[temperature], &[]);
            assert!(confidences.clone().map(|c| calibration.scale(0, c)).is_sorted(), "T {temperature}");
        }
    }

    #[test]
    fn a_scaled_threshold_cuts_where_the_threshold_cuts() {
        let calibration = calibration(&[0.5, 3.0], &[0.0, 0.6]);
        let thresholds = calibration.scaled_thresholds();
        let mut schedule = Thresholds { limit: 2, thresholds, min_conf: None };
        let mut scaled = calibration.over(&mut schedule);
        assert_eq!([0.1, 0.599, 0.6, 0.9].map(|confidence| scaled.keep(1, confidence)), [false, false, true, true]);
    }
}
