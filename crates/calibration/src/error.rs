//! The calibration error of all positions of a draft together, and whether a calibration surely made it smaller.

use serde::{Deserialize, Serialize};

use crate::{
    Calibration, Interval, Recorded,
    reliability::{BINS, number, place},
    speed::interval,
    survivals,
};

/// The expected calibration error (ECE) of all positions, each for as many rounds as it was judged by.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CalibrationError {
    /// Of confidences as the drafter says them.
    pub raw: f64,
    /// Of calibrated ones.
    pub calibrated: f64,
    /// How many times the first is the second; `None` if the first is 0.
    #[serde(default)]
    pub times: Option<Interval>,
}

/// What a prompt adds to every bin of every position: how much more was said to stand than stood.
struct Distances {
    raw: Vec<f64>,
    calibrated: Vec<f64>,
    /// Predictions of either kind.
    count: usize,
}

impl CalibrationError {
    /// By the rounds of each prompt, whose drafts had up to `limit` tokens; `None` if they judged none.
    #[must_use]
    pub fn of(prompts: &[&[Recorded]], limit: usize, calibration: &Calibration) -> Option<Self> {
        let prompts = prompts.iter().map(|rounds| Distances::of(rounds, limit, calibration)).collect::<Vec<_>>();
        let all = (0..prompts.len()).collect::<Vec<_>>();
        let raw = error(&prompts, &all, |prompt| &prompt.raw)?;
        let calibrated = error(&prompts, &all, |prompt| &prompt.calibrated)?;
        let times = interval(prompts.len(), |drawn| {
            let raw = error(&prompts, drawn, |prompt| &prompt.raw).filter(|&raw| raw > 0.0)?;
            Some(error(&prompts, drawn, |prompt| &prompt.calibrated)? / raw)
        });
        Some(Self { raw, calibrated, times })
    }

    /// Whether calibrated confidences are truer, as far as that is sure.
    #[must_use]
    pub fn sentence(&self) -> String {
        let [raw, calibrated] = [self.raw, self.calibrated].map(|error| format!("{error:.3}"));
        match self.times {
            Some(Interval { high: Some(high), .. }) if high < 1.0 => {
                format!("Calibrated, its confidence is truer: the error (ECE) of {raw} becomes {calibrated}.")
            }
            Some(Interval { low: Some(low), .. }) if low > 1.0 => {
                format!("Calibrated, its confidence is less true: the error (ECE) of {raw} becomes {calibrated}.")
            }
            _ => format!(
                "Whether its confidence is truer calibrated these prompts do not tell: an error (ECE) of {raw} as it says \
                 it, {calibrated} then."
            ),
        }
    }
}

impl Distances {
    fn of(rounds: &[Recorded], limit: usize, calibration: &Calibration) -> Self {
        let rounds = rounds.iter().collect::<Vec<_>>();
        let mut distances = Self { raw: vec![0.0; limit * BINS], calibrated: vec![0.0; limit * BINS], count: 0 };
        for position in 0..limit {
            let bin = |survival| position * BINS + place(survival, BINS);
            let distance = |survival: f64, stood| survival - f64::from(u8::from(stood));
            for (survival, stood) in survivals(&rounds, position, |_, confidence| confidence) {
                distances.raw[bin(survival)] += distance(survival, stood);
                distances.count += 1;
            }
            for (survival, stood) in survivals(&rounds, position, |at, confidence| calibration.scale(at, confidence)) {
                distances.calibrated[bin(survival)] += distance(survival, stood);
            }
        }
        distances
    }
}

/// Of these prompts together, some of them perhaps several times; `None` of no predictions.
fn error(prompts: &[Distances], drawn: &[usize], of: fn(&Distances) -> &Vec<f64>) -> Option<f64> {
    let count = drawn.iter().map(|&at| prompts[at].count).sum::<usize>();
    let bins = prompts.first().map_or(0, |prompt| of(prompt).len());
    let sums = (0..bins).map(|bin| drawn.iter().map(|&at| of(&prompts[at])[bin]).sum::<f64>().abs());
    (count > 0).then(|| sums.sum::<f64>() / number(count))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

    use super::*;
    use crate::Reliability;

    /// Rounds that say `said` of one token each, of which every `stands`th stands.
    fn prompt(said: f32, rounds: usize, stands: usize) -> Vec<Recorded> {
        let round = |at| Recorded { confidences: vec![said], accepted: usize::from(at % stands == 0) };
        (0..rounds).map(round).collect()
    }

    fn halving() -> Calibration {
        Calibration { temperatures: vec![0.25], ..Calibration::default() }
    }

    #[test]
    fn it_is_the_error_that_the_evaluator_finds() {
        let prompts = [prompt(0.3, 40, 4), prompt(0.8, 30, 2)];
        let rounds = prompts.iter().flatten().collect::<Vec<_>>();
        let found = CalibrationError::of(&[&prompts[0], &prompts[1]], 1, &halving()).unwrap();
        let raw = Reliability::of(survivals(&rounds, 0, |_, confidence| confidence)).ece.unwrap();
        let scaled = Reliability::of(survivals(&rounds, 0, |at, confidence| halving().scale(at, confidence))).ece;
        assert!((found.raw - raw).abs() < 1e-12 && (found.calibrated - scaled.unwrap()).abs() < 1e-12, "{found:?}");
        assert_eq!(CalibrationError::of(&[&[]], 1, &halving()), None);
    }

    #[test]
    fn what_prompts_agree_on_is_sure_and_what_they_do_not_is_not() {
        // Of 0.35 hardly anything stands, which a quarter of the temperature says: 0.08.
        let alike = vec![prompt(0.35, 60, 12); 6];
        let split = [vec![prompt(0.35, 60, 12); 3], vec![prompt(0.35, 60, 1); 3]].concat();
        let sentence = |prompts: &[Vec<Recorded>], calibration| {
            let prompts = prompts.iter().map(Vec::as_slice).collect::<Vec<_>>();
            CalibrationError::of(&prompts, 1, &calibration).unwrap().sentence()
        };
        assert!(sentence(&alike, halving()).contains("is truer: the error (ECE) of 0.267 becomes 0.006"));
        let worse = Calibration { temperatures: vec![4.0], ..Calibration::default() };
        assert!(sentence(&alike, worse).contains("is less true"));
        assert!(sentence(&split, halving()).contains("do not tell"));
    }
}
