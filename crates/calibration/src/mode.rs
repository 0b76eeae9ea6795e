//! The ways of drafting that are compared, and what recorded rounds say of each before it runs.

use std::fmt;

use decode::{Fixed, Schedule, Thresholds};
use serde::{Deserialize, Serialize};

use crate::{Auto, Calibration, Cost, Recording, reliability::number};

/// A way of drafting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "mode", rename_all = "snake_case")]
pub enum Mode {
    /// None.
    Plain,
    /// Always as many tokens.
    Fixed {
        /// How many (γ).
        gamma: usize,
    },
    /// As many as can be, ended by the fitted thresholds.
    Thresholds,
    /// As long as is worth the time.
    Auto,
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain => f.write_str("plain"),
            Self::Fixed { gamma } => write!(f, "γ {gamma}"),
            Self::Thresholds => f.write_str("thresholds"),
            Self::Auto => f.write_str("auto"),
        }
    }
}

impl Mode {
    /// All of them, with a drafter that proposes up to `limit` tokens.
    #[must_use]
    pub fn all(limit: usize) -> Vec<Self> {
        let fixed = (1..=limit).map(|gamma| Self::Fixed { gamma });
        [Self::Plain].into_iter().chain(fixed).chain([Self::Thresholds, Self::Auto]).collect()
    }

    /// Tokens per second that rounds which nothing cut let expect of it, with what rounds cost. Where drafts are shorter
    /// others follow, so that it is an estimate; auto, which parks what loses, does no worse than plain decoding. `None` if
    /// nothing is known of the cost.
    #[must_use]
    pub fn simulate(
        self,
        recordings: &[&Recording],
        limit: usize,
        calibration: &Calibration,
        cost: &Cost,
    ) -> Option<f64> {
        let (mut tokens, mut seconds) = (0, 0.0);
        for Recording { context, rounds } in recordings {
            let mut schedule = self.schedule(limit, *context, calibration, cost);
            for round in rounds {
                let mut schedule = calibration.over(&mut *schedule);
                let asked = schedule.limit().min(round.confidences.len());
                let confidences = round.confidences[..asked].iter().enumerate();
                let kept = confidences.take_while(|&(at, &confidence)| schedule.keep(at, confidence)).count();
                seconds += match (asked, schedule.reads_confidence()) {
                    (0, _) => cost.verify(*context, 1)?,
                    (_, true) => cost.draft(*context, asked)? + cost.verify(*context, 1 + kept)?,
                    (_, false) => cost.round(*context, asked)?,
                };
                let accepted = round.accepted.min(kept);
                schedule.learn(kept, accepted);
                tokens += 1 + accepted;
            }
        }
        let speed = (seconds > 0.0).then(|| number(tokens) / seconds)?;
        let plain = if self == Self::Auto { Self::Plain.simulate(recordings, limit, calibration, cost) } else { None };
        Some(plain.map_or(speed, |plain| plain.max(speed)))
    }

    fn schedule(self, limit: usize, context: usize, calibration: &Calibration, cost: &Cost) -> Box<dyn Schedule> {
        match self {
            Self::Plain => Box::new(Fixed(0)),
            Self::Fixed { gamma } => Box::new(Fixed(gamma)),
            Self::Thresholds => {
                Box::new(Thresholds { limit, thresholds: calibration.scaled_thresholds(), min_conf: None })
            }
            Self::Auto => {
                let mut auto = Auto::new(limit, true, cost.clone());
                auto.stand_at(context);
                Box::new(auto)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Recorded, Spent};

    /// Plain steps of 10 ms; each row more takes 1 ms, and drafting 2 tokens 4 ms.
    fn cost() -> Cost {
        let mut cost = Cost::default();
        cost.measure(0, 0, 1, Spent::Plain(0.010));
        cost.measure(0, 2, 3, Spent::Apart { draft_s: 0.004, verify_s: 0.012 });
        cost
    }

    fn recording(rounds: &[(f32, usize)]) -> Recording {
        let round = |&(confidence, accepted)| Recorded { confidences: vec![confidence; 2], accepted };
        Recording { context: 5, rounds: rounds.iter().map(round).collect() }
    }

    fn check(mode: Mode, expected: f64) {
        let recording = recording(&[(0.9, 2), (0.1, 0)]);
        let calibration = Calibration { temperatures: vec![], thresholds: vec![0.0, 0.5] };
        let simulated = mode.simulate(&[&recording], 2, &calibration, &cost());
        assert!(simulated.is_some_and(|speed| (speed - expected).abs() < 1e-9), "{mode:?}: {simulated:?}");
    }

    #[test]
    fn each_way_of_drafting_is_worth_its_tokens_in_its_time() {
        check(Mode::Plain, 2.0 / 0.020);
        check(Mode::Fixed { gamma: 2 }, 4.0 / 0.032);
        check(Mode::Fixed { gamma: 1 }, 3.0 / 0.030);
        check(Mode::Thresholds, 4.0 / 0.031);
        check(Mode::Auto, 4.0 / 0.031);
    }

    #[test]
    fn without_a_cost_nothing_is_expected() {
        let recording = recording(&[(0.9, 2)]);
        assert_eq!(Mode::Auto.simulate(&[&recording], 2, &Calibration::default(), &Cost::default()), None);
    }
}
