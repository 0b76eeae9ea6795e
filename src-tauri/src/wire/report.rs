//! What came of a calibration.

use serde::{Deserialize, Serialize};
use specta::Type;

/// What came of a calibration.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CalibrationReport {
    /// Prompts that it was fitted on.
    prompts: usize,
    /// Their rounds.
    rounds: usize,
    /// Prompts that the fit has not seen; all that follows is said of them.
    held_out_prompts: usize,
    /// Their rounds.
    held_out_rounds: usize,
    /// Held-out prompts for which every way of drafting wrote the same tokens.
    alike: usize,
    positions: Vec<CalibrationPosition>,
    /// The calibration error of all of them together; null if no round judged any.
    error: Option<CalibrationError>,
    /// What rounds cost, by context.
    cost: Vec<CalibrationCost>,
    /// How each way of drafting did.
    together: Vec<MeasuredMode>,
    /// The same suite by suite; empty if there is only one.
    suites: Vec<MeasuredSuite>,
    recommendation: CalibrationAdvice,
}

/// The expected calibration error of all positions together, each for as many rounds as it was judged by.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CalibrationError {
    /// Of confidences as the drafter says them.
    raw: f64,
    /// Of calibrated ones.
    calibrated: f64,
}

/// What is known of a position in the draft.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CalibrationPosition {
    /// From 1.
    position: usize,
    /// Rounds that it was fitted on.
    samples: usize,
    /// Those of them in which all tokens before it stood.
    reached: usize,
    /// Rounds that it is judged by.
    held_out: usize,
    /// Whether so few came to it that it has no temperature but 1.
    thin: bool,
    /// What the logit of its confidence is divided by.
    temperature: f32,
    /// The confidence, as the drafter says it, below which a draft ends.
    threshold: f32,
    /// How true the survival up to it is as the drafter says it.
    raw: Reliability,
    /// And calibrated.
    calibrated: Reliability,
}

/// What became of predictions; numbers are null where there is nothing to divide by.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Reliability {
    /// Twenty bins of equal width on 0..1.
    bins: Vec<ReliabilityBin>,
    /// Expected calibration error.
    ece: Option<f64>,
    /// Area under the curve.
    auroc: Option<f64>,
    /// Mean squared error.
    brier: Option<f64>,
}

/// Predictions of about the same size.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReliabilityBin {
    count: usize,
    /// Their mean; 0 of none.
    predicted: f64,
    /// The share of them that stood; 0 of none.
    stood: f64,
}

/// What rounds cost in contexts of about one length.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CalibrationCost {
    /// Tokens from which on they count here.
    context: usize,
    /// Tokens that were drafted, and the seconds that took.
    draft_s: Vec<(usize, f64)>,
    /// Rows that were verified, the anchor's included, and the seconds that took; one row is a plain step.
    verify_s: Vec<(usize, f64)>,
}

/// A way of drafting.
#[derive(Serialize, Deserialize, Type)]
#[serde(tag = "mode", rename_all = "camelCase")]
pub(crate) enum CalibrationMode {
    /// None.
    Plain,
    /// Always as many tokens.
    Fixed {
        /// How many (γ).
        gamma: usize,
    },
    /// Ended by the fitted thresholds.
    Thresholds,
    /// As long as is worth the time.
    Auto,
}

/// What to do, and why.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CalibrationAdvice {
    mode: CalibrationMode,
    /// Why, with the numbers.
    sentence: String,
}

/// How each way of drafting did in one suite.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MeasuredSuite {
    title: String,
    modes: Vec<MeasuredMode>,
}

/// How one way of drafting did.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MeasuredMode {
    mode: CalibrationMode,
    /// Prompts that it answered.
    prompts: usize,
    tokens_per_second: Interval,
    /// How many times as fast as plain decoding of the same prompts.
    times_plain: Interval,
    /// Tokens per round, the target's own included.
    tau: f64,
    /// Tokens per second that the recorded rounds and the cost let expect.
    simulated: Option<f64>,
}

/// A number, and where it lies in 95 of a hundred draws of as many prompts; null of fewer than three.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Interval {
    value: f64,
    low: Option<f64>,
    high: Option<f64>,
}

impl From<app::CalibrationReport> for CalibrationReport {
    fn from(report: app::CalibrationReport) -> Self {
        let app::CalibrationReport {
            fitted,
            fitted_on,
            held_out,
            alike,
            positions,
            error,
            cost,
            together,
            suites,
            advice,
            ..
        } = report;
        let positions = positions.into_iter().enumerate().map(|(at, position)| CalibrationPosition {
            position: at + 1,
            samples: position.samples,
            reached: position.reached,
            held_out: position.raw.bins.iter().map(|bin| bin.count).sum(),
            thin: position.thin,
            temperature: fitted.temperatures.get(at).copied().unwrap_or(1.0),
            threshold: fitted.thresholds.get(at).copied().unwrap_or(0.0),
            raw: position.raw.into(),
            calibrated: position.calibrated.into(),
        });
        let cost = cost.into_iter().map(|row| {
            let app::CostRow { context, draft_s, verify_s } = row;
            CalibrationCost { context, draft_s, verify_s }
        });
        let modes = |measured: Vec<app::Measured>| measured.into_iter().map(MeasuredMode::from).collect();
        let suite = |suite: app::MeasuredSuite| MeasuredSuite { title: suite.title, modes: modes(suite.modes) };
        Self {
            alike,
            prompts: fitted_on.prompts,
            rounds: fitted_on.rounds,
            held_out_prompts: held_out.prompts,
            held_out_rounds: held_out.rounds,
            positions: positions.collect(),
            error: error.map(|app::CalibrationError { raw, calibrated, .. }| CalibrationError { raw, calibrated }),
            cost: cost.collect(),
            together: modes(together),
            suites: suites.into_iter().map(suite).collect(),
            recommendation: advice.into(),
        }
    }
}

impl From<app::Reliability> for Reliability {
    fn from(reliability: app::Reliability) -> Self {
        let app::Reliability { bins, ece, auroc, brier, .. } = reliability;
        let bin = |app::Bin { count, predicted, stood }| ReliabilityBin { count, predicted, stood };
        Self { bins: bins.into_iter().map(bin).collect(), ece, auroc, brier }
    }
}

impl From<app::Measured> for MeasuredMode {
    fn from(measured: app::Measured) -> Self {
        Self {
            mode: measured.mode.into(),
            prompts: measured.prompts,
            tokens_per_second: measured.tokens_per_s.into(),
            times_plain: measured.times_plain.into(),
            tau: measured.tokens_per_round,
            simulated: measured.simulated,
        }
    }
}

impl From<app::Interval> for Interval {
    fn from(app::Interval { value, low, high }: app::Interval) -> Self {
        Self { value, low, high }
    }
}

impl From<app::Advice> for CalibrationAdvice {
    fn from(advice: app::Advice) -> Self {
        Self { mode: advice.mode.into(), sentence: advice.sentence }
    }
}

impl From<app::Mode> for CalibrationMode {
    fn from(mode: app::Mode) -> Self {
        match mode {
            app::Mode::Plain => Self::Plain,
            app::Mode::Fixed { gamma } => Self::Fixed { gamma },
            app::Mode::Thresholds => Self::Thresholds,
            app::Mode::Auto => Self::Auto,
        }
    }
}

impl From<CalibrationMode> for app::Mode {
    fn from(mode: CalibrationMode) -> Self {
        match mode {
            CalibrationMode::Plain => Self::Plain,
            CalibrationMode::Fixed { gamma } => Self::Fixed { gamma },
            CalibrationMode::Thresholds => Self::Thresholds,
            CalibrationMode::Auto => Self::Auto,
        }
    }
}
