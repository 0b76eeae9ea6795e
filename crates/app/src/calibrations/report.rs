//! What comes of a calibration: what was fitted, how true that is, what drafting costs, and how fast each way of it ran.

use calibration::{
    Advice, CalibrationError, CostRow, ENOUGH_ROUNDS, ENOUGH_SAMPLES, Measured, Mode, PRECISION, Recorded, Recording,
    Reliability, Timed, recommend, speed, survivals, temperatures, thresholds, times, worth,
};
use engine::{Calibration, Cost};
use serde::{Deserialize, Serialize};
use store::CalibrationPrompt;

use super::phases::Runs;
use crate::{Error, Result};

/// What came of a calibration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CalibrationReport {
    /// What was fitted.
    pub fitted: Calibration,
    /// The share of kept tokens that the thresholds were fitted to.
    pub precision: f64,
    /// What it was fitted on.
    pub fitted_on: Counts,
    /// What all that follows is said of: prompts that the fit has not seen.
    pub held_out: Counts,
    /// By position in the draft.
    pub positions: Vec<CalibrationPosition>,
    /// The calibration error (ECE) of all of them together; nothing if no round judged any.
    #[serde(default)]
    pub error: Option<CalibrationError>,
    /// Held-out prompts for which every way of drafting wrote the same tokens.
    pub alike: usize,
    /// What rounds cost.
    pub cost: Vec<CostRow>,
    /// How each way of drafting did.
    pub together: Vec<Measured>,
    /// The same suite by suite; empty if there is only one.
    pub suites: Vec<MeasuredSuite>,
    /// How many times as fast auto should be with what was fitted as without it, as these rounds simulate it; nothing if
    /// the cost is not known.
    #[serde(default)]
    pub gain: Option<f64>,
    /// What to do.
    pub advice: Advice,
}

/// How much was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Prompts with rounds that drafted.
    pub prompts: usize,
    /// Those rounds.
    pub rounds: usize,
}

/// What is known of a position in the draft.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CalibrationPosition {
    /// Rounds that it was fitted on.
    pub samples: usize,
    /// Those of them in which all tokens before it stood.
    #[serde(default)]
    pub reached: usize,
    /// Whether so few came to it that it has no temperature but 1.
    pub thin: bool,
    /// How true the survival up to it is as the drafter says it.
    pub raw: Reliability,
    /// And calibrated.
    pub calibrated: Reliability,
}

/// How each way of drafting did in one suite.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MeasuredSuite {
    /// What people call it.
    pub title: String,
    /// By way of drafting.
    pub modes: Vec<Measured>,
}

/// What was recorded of a prompt, if anything was.
pub(super) fn recording(prompt: &CalibrationPrompt) -> Option<Recording> {
    serde_json::from_str(prompt.recording.as_deref()?).ok()
}

/// What a report is made from.
pub(super) struct Evidence {
    answered: Vec<Answered>,
    limit: usize,
}

struct Answered {
    suite: String,
    held_out: bool,
    recording: Recording,
    runs: Runs,
}

impl Evidence {
    /// Of drafts of up to `limit` tokens.
    pub(super) fn new(prompts: &[CalibrationPrompt], limit: usize) -> Self {
        let answered = prompts.iter().filter_map(|prompt| {
            let recording = recording(prompt).filter(|recording| !recording.rounds.is_empty())?;
            let runs = prompt.runs.as_deref().and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default();
            Some(Answered { suite: prompt.suite.clone(), held_out: prompt.held_out, recording, runs })
        });
        Self { answered: answered.collect(), limit }
    }

    /// Temperatures and thresholds.
    pub(super) fn fit(&self) -> Result<Calibration> {
        if [false, true].iter().any(|&held_out| self.counts(held_out).rounds == 0) {
            return Err(Error::NothingRecorded);
        }
        let rounds = self.rounds(false);
        let samples = rounds.iter().flat_map(|round| round.samples()).collect::<Vec<_>>();
        let temperatures = temperatures(&rounds, self.limit, ENOUGH_ROUNDS);
        #[expect(clippy::cast_possible_truncation, reason = "one of a grid of 161")]
        let temperatures = temperatures.into_iter().map(|temperature| temperature as f32).collect();
        Ok(Calibration { temperatures, thresholds: thresholds(&samples, self.limit, PRECISION, ENOUGH_SAMPLES) })
    }

    /// All of it.
    pub(super) fn report(&self, fitted: Calibration, cost: &Cost) -> Result<CalibrationReport> {
        let held_out = self.answered.iter().filter(|answered| answered.held_out).collect::<Vec<_>>();
        let together = self.measured(&held_out, &fitted, cost);
        let mut titles = held_out.iter().map(|answered| &answered.suite).collect::<Vec<_>>();
        titles.dedup();
        let is_one = titles.len() < 2;
        let suite = |title: &String| {
            let of_it = held_out.iter().copied().filter(|answered| answered.suite == *title).collect::<Vec<_>>();
            MeasuredSuite { title: title.clone(), modes: self.measured(&of_it, &fitted, cost) }
        };
        let positions = (0..self.limit).map(|position| self.position(position, &fitted)).collect::<Vec<_>>();
        let rounds = held_out.iter().map(|answered| &*answered.recording.rounds).collect::<Vec<_>>();
        let error = CalibrationError::of(&rounds, self.limit, &fitted);
        let beside = |one, other| times(&runs(&held_out, one), &runs(&held_out, other));
        let mut advice = recommend(&together, beside).ok_or(Error::NothingRecorded)?;
        let gain = self.gain(&held_out, &fitted, cost);
        if positions.iter().all(|position| position.thin) {
            advice.sentence.push_str(" There were too few rounds to make its confidence truer; ask more prompts.");
        } else if let Some(error) = error {
            advice.sentence.extend([" ", &error.sentence()]);
            advice.sentence.extend(gain.map(|gain| format!(" {}", worth(gain))));
        }
        Ok(CalibrationReport {
            precision: PRECISION,
            fitted_on: self.counts(false),
            held_out: self.counts(true),
            positions,
            error,
            alike: held_out.iter().filter(|answered| answered.runs.alike).count(),
            cost: cost.rows(),
            suites: titles.into_iter().filter(|_| !is_one).map(suite).collect(),
            gain,
            advice,
            together,
            fitted,
        })
    }

    fn rounds(&self, held_out: bool) -> Vec<&Recorded> {
        let answered = self.answered.iter().filter(|answered| answered.held_out == held_out);
        answered.flat_map(|answered| &answered.recording.rounds).collect()
    }

    fn counts(&self, held_out: bool) -> Counts {
        let prompts = self.answered.iter().filter(|answered| answered.held_out == held_out).count();
        Counts { prompts, rounds: self.rounds(held_out).len() }
    }

    fn position(&self, position: usize, fitted: &Calibration) -> CalibrationPosition {
        let (fitted_on, held_out) = (self.rounds(false), self.rounds(true));
        let reached = fitted_on.iter().filter(|round| round.comes_to(position)).count();
        CalibrationPosition {
            samples: survivals(&fitted_on, position, |_, confidence| confidence).count(),
            reached,
            thin: reached < ENOUGH_ROUNDS,
            raw: Reliability::of(survivals(&held_out, position, |_, confidence| confidence)),
            calibrated: Reliability::of(survivals(&held_out, position, |at, confidence| fitted.scale(at, confidence))),
        }
    }

    /// How many times as fast auto should be with what was fitted as without it.
    fn gain(&self, answered: &[&Answered], fitted: &Calibration, cost: &Cost) -> Option<f64> {
        let recordings = answered.iter().map(|answered| &answered.recording).collect::<Vec<_>>();
        let speed = |calibration| Mode::Auto.simulate(&recordings, self.limit, calibration, cost);
        Some(speed(fitted)? / speed(&Calibration::default())?)
    }

    /// How each way of drafting did on these prompts.
    fn measured(&self, answered: &[&Answered], fitted: &Calibration, cost: &Cost) -> Vec<Measured> {
        let recordings = answered.iter().map(|answered| &answered.recording).collect::<Vec<_>>();
        let plain = runs(answered, Mode::Plain);
        let measured = Mode::all(self.limit).into_iter().filter_map(|mode| {
            let timed = runs(answered, mode);
            let count = |of: fn(&Timed) -> usize| timed.iter().map(of).sum::<usize>();
            #[expect(clippy::cast_precision_loss, reason = "counts fit a double exactly")]
            let tokens_per_round = count(|run| run.tokens) as f64 / count(|run| run.rounds).max(1) as f64;
            Some(Measured {
                mode,
                prompts: timed.len(),
                tokens_per_s: speed(&timed)?,
                times_plain: times(&timed, &plain)?,
                tokens_per_round,
                simulated: mode.simulate(&recordings, self.limit, fitted, cost),
            })
        });
        measured.collect()
    }
}

/// How long these prompts took in one way of drafting.
fn runs(answered: &[&Answered], mode: Mode) -> Vec<Timed> {
    let of_mode = |answered: &&Answered| answered.runs.timed.iter().find(|run| run.0 == mode).map(|run| run.1);
    answered.iter().filter_map(of_mode).collect()
}
