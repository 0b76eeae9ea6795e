//! What is asked of drafting, held against what the drafter can do.

use calibration::Calibration;
use decode::{Adaptive, Fixed, Gate, Schedule, Thresholds};
use drafters::Facts;

use crate::{Controls, Error, Result, Sampling, Scheduling, Speculation};

/// Tokens that an adaptive draft begins with, and does not shrink below (mlx-vlm's four rows, the anchor's included).
const ADAPTIVE: usize = 3;

/// How an answer drafts. What was learned with other sampling is worth nothing: other drafts stand.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Settings {
    /// What settles how long a draft is; a choice that leaves it open has been settled here.
    pub(crate) scheduling: Scheduling,
    /// γ, within what the drafter can propose.
    pub(crate) limit: usize,
    /// The scaled confidence that replaces the thresholds.
    pub(crate) min_conf: Option<f32>,
    pub(crate) sampling: Sampling,
    /// What makes the drafter's confidences true, and where they end a draft.
    pub(crate) calibration: Calibration,
}

impl Settings {
    /// What `controls` ask of a drafter, with a calibration that replaces what its files bring, if there is one.
    ///
    /// # Errors
    /// When they ask for a confidence that it does not have, or for thresholds that nobody names.
    pub(crate) fn new(controls: &Controls, facts: &Facts, calibration: Option<&Calibration>) -> Result<Self> {
        let &Controls { schedule, gamma, min_conf, sampling, .. } = controls;
        let calibration = match calibration {
            Some(calibration) if facts.confident => calibration.clone(),
            _ => Calibration { temperatures: facts.temperatures.clone(), thresholds: facts.thresholds.clone() },
        };
        // 0 verifies every token, so no confidence need be read.
        let judges = min_conf.map_or(!calibration.thresholds.is_empty(), |min_conf| min_conf > 0.0);
        let scheduling = match schedule {
            Scheduling::Auto if gamma.is_none() && min_conf.is_none() => Scheduling::Auto,
            Scheduling::Auto if judges => Scheduling::Thresholds,
            Scheduling::Auto => Scheduling::Fixed,
            chosen => chosen,
        };
        if matches!(scheduling, Scheduling::Thresholds | Scheduling::Gate) {
            let name = scheduling.name();
            if !facts.confident {
                let chosen = schedule != Scheduling::Auto;
                let asked = if chosen { format!("the schedule “{name}”") } else { "minConf".into() };
                return Err(Error::NoConfidence { asked, kind: facts.kind.name() });
            }
            if min_conf.is_none() && (scheduling == Scheduling::Gate || !judges) {
                return Err(Error::NoThreshold { schedule: name });
            }
        }
        let limit = gamma.unwrap_or(facts.usual_limit()).min(facts.limit);
        Ok(Self { scheduling, limit, min_conf, sampling: Sampling { seed: 0, ..sampling }, calibration })
    }

    /// Settles what is left to the machine for an answer that shares its rounds with others, by which they cannot be
    /// measured: thresholds decide, if there are any, or else how many of the last drafts stood.
    pub(crate) fn share(&mut self) -> Box<dyn Schedule> {
        if self.scheduling == Scheduling::Auto {
            let none = self.calibration.thresholds.is_empty();
            self.scheduling = if none { Scheduling::Adaptive } else { Scheduling::Thresholds };
        }
        self.settled()
    }

    /// The schedule; `None` if it is left to what rounds cost here.
    pub(crate) fn schedule(&self) -> Option<Box<dyn Schedule>> {
        (self.scheduling != Scheduling::Auto).then(|| self.settled())
    }

    fn settled(&self) -> Box<dyn Schedule> {
        let limit = self.limit;
        match self.scheduling {
            Scheduling::Auto | Scheduling::Adaptive => Box::new(Adaptive::new(limit, ADAPTIVE, ADAPTIVE)),
            Scheduling::Fixed => Box::new(Fixed(limit)),
            Scheduling::Thresholds => Box::new(self.thresholds()),
            Scheduling::Gate => Box::new(Gate { limit, threshold: self.min_conf.unwrap_or(0.0) }),
        }
    }

    /// What the user sets replaces what was fitted; 0 keeps every token, so nothing need be read.
    fn thresholds(&self) -> Thresholds {
        let limit = self.limit;
        match self.min_conf {
            None => Thresholds { limit, thresholds: self.calibration.scaled_thresholds(), min_conf: None },
            Some(least) => Thresholds { limit, min_conf: Some(least).filter(|&c| c > 0.0), ..Thresholds::default() },
        }
    }

    /// That drafts are made like this.
    pub(crate) fn speculation(&self) -> Speculation {
        let calibrated = !self.calibration.is_identity();
        Speculation::On { limit: self.limit, schedule: self.scheduling, calibrated }
    }

    /// What these confidences of the first positions are worth; empty if they are taken as they are.
    pub(crate) fn calibrated(&self, confidences: &[f32]) -> Vec<f32> {
        if self.calibration.is_identity() {
            return Vec::new();
        }
        confidences.iter().enumerate().map(|(at, &confidence)| self.calibration.scale(at, confidence)).collect()
    }

    /// What `controls` ask for in vain, a sentence each.
    pub(crate) fn notes(&self, controls: &Controls) -> Vec<String> {
        let Self { scheduling, limit, .. } = self;
        let too_many = controls
            .gamma
            .filter(|gamma| gamma > limit)
            .map(|gamma| format!("γ {gamma} is more than this drafter can propose; it drafts {limit} tokens a round."));
        let unread = matches!(scheduling, Scheduling::Fixed | Scheduling::Adaptive)
            && controls.min_conf.is_some_and(|min_conf| min_conf > 0.0);
        let unread = unread.then(|| {
            format!("minConf changes nothing: the schedule “{}” does not look at confidences.", scheduling.name())
        });
        [too_many, unread].into_iter().flatten().collect()
    }
}

impl Scheduling {
    /// What it is called wherever one is chosen.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Fixed => "fixed",
            Self::Thresholds => "thresholds",
            Self::Gate => "gate",
            Self::Adaptive => "adaptive",
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

    use drafters::Drafter;

    use super::*;

    /// A drafter of 8 tokens with a confidence, and perhaps with thresholds.
    fn confident(thresholds: &[f32]) -> Facts {
        Facts { confident: true, thresholds: thresholds.to_vec(), ..Drafter::lookup(8).facts().clone() }
    }

    fn guessing() -> Facts {
        Drafter::lookup(8).facts().clone()
    }

    fn asked(schedule: Scheduling, gamma: Option<usize>, min_conf: Option<f32>) -> Controls {
        Controls { schedule, gamma, min_conf, ..Controls::default() }
    }

    #[test]
    fn a_choice_that_is_left_open_is_settled_by_what_else_is_set() {
        let settled = |facts: &Facts, gamma, min_conf| {
            Settings::new(&asked(Scheduling::Auto, gamma, min_conf), facts, None).unwrap().scheduling
        };
        let (named, unnamed) = (confident(&[0.5]), confident(&[]));
        assert_eq!(settled(&named, None, None), Scheduling::Auto);
        assert_eq!(settled(&named, Some(3), None), Scheduling::Thresholds);
        assert_eq!(settled(&unnamed, Some(3), None), Scheduling::Fixed);
        assert_eq!(settled(&unnamed, None, Some(0.3)), Scheduling::Thresholds);
        assert_eq!(settled(&guessing(), None, Some(0.0)), Scheduling::Fixed);
    }

    #[test]
    fn what_needs_a_confidence_is_refused_where_there_is_none() {
        for (controls, name) in [
            (asked(Scheduling::Auto, None, Some(0.3)), "minConf needs"),
            (asked(Scheduling::Thresholds, None, None), "the schedule “thresholds” needs"),
            (asked(Scheduling::Gate, None, Some(0.3)), "the schedule “gate” needs"),
        ] {
            let refused = Settings::new(&controls, &guessing(), None).unwrap_err().to_string();
            assert!(refused.starts_with(name), "{refused}");
        }
    }

    #[test]
    fn a_threshold_that_nobody_names_is_asked_for() {
        for (schedule, facts, runs) in [
            (Scheduling::Gate, confident(&[0.5]), false),
            (Scheduling::Thresholds, confident(&[]), false),
            (Scheduling::Thresholds, confident(&[0.5]), true),
        ] {
            assert_eq!(Settings::new(&asked(schedule, None, None), &facts, None).is_ok(), runs);
            assert!(Settings::new(&asked(schedule, None, Some(0.3)), &facts, None).is_ok());
        }
    }

    #[test]
    fn more_than_usual_is_drafted_only_if_it_is_asked_for() {
        let assistant = Facts { kind: drafters::Kind::Assistant, ..guessing() };
        let limit = |gamma| Settings::new(&asked(Scheduling::Auto, gamma, None), &assistant, None).unwrap().limit;
        assert_eq!([None, Some(1), Some(7), Some(50)].map(limit), [3, 1, 7, 8]);
    }

    #[test]
    fn what_is_asked_in_vain_is_said() {
        let notes = |controls: &Controls| Settings::new(controls, &confident(&[]), None).unwrap().notes(controls);
        assert_eq!(notes(&asked(Scheduling::Thresholds, Some(8), Some(0.3))), [""; 0]);
        let [too_many, unread] = &notes(&asked(Scheduling::Fixed, Some(9), Some(0.3)))[..] else { unreachable!() };
        assert!(too_many.starts_with("γ 9 is more") && too_many.ends_with("it drafts 8 tokens a round."));
        assert!(unread.contains("the schedule “fixed” does not look"));
    }
}
