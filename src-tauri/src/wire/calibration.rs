//! Calibrations of a drafter's confidence.

use serde::{Deserialize, Serialize};
use specta::Type;

use super::controls::Precision;
use super::training::Suite;
use super::{CalibrationAdvice, Failure, sentence};
use crate::chosen::Chosen;

/// What somebody wants calibrated.
#[derive(Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CalibrationOrder {
    /// The target's id.
    target: String,
    /// The id of a drafter with a confidence.
    drafter: String,
    /// Whether the target thinks before it answers.
    thinking: bool,
    /// Built-in suites, by id.
    suites: Vec<String>,
    /// Also the questions of the newest conversations.
    conversations: bool,
    /// Also a file of prompts that the user chose in the dialog.
    file: Option<String>,
    /// At most so many prompts of each of these.
    prompts: u32,
    /// The most tokens of each answer.
    tokens: u32,
}

impl CalibrationOrder {
    /// For the app, with models that compute in this number type; of files, only those that the user chose.
    pub(crate) fn with(self, precision: app::Precision, files: &Chosen) -> Result<app::CalibrationOrder, Failure> {
        if let Some(file) = self.file.as_ref().filter(|file| !files.has(file)) {
            return Err(Failure::new(&format!("{file} was not chosen here; choose the file of prompts again")));
        }
        let Self { target, drafter, thinking, suites, conversations, file, prompts, tokens } = self;
        let file = file.map(Into::into);
        Ok(app::CalibrationOrder { target, drafter, precision, thinking, suites, conversations, file, prompts, tokens })
    }
}

/// What there is to choose from, and what is chosen until somebody does.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CalibrationChoices {
    suites: Vec<Suite>,
    /// The most prompts of each suite, of the conversations, and of a file.
    prompts: u32,
    /// The most tokens of each answer.
    tokens: u32,
}

impl CalibrationChoices {
    /// Of this release.
    pub(crate) fn here() -> Self {
        let suites = app::Suite::ALL.map(Suite::from).into();
        Self { suites, prompts: app::CalibrationOrder::PROMPTS, tokens: app::CalibrationOrder::TOKENS }
    }
}

/// What a calibration would take, about.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CalibrationEstimate {
    /// Prompts that are asked.
    prompts: usize,
    /// Those of them that are answered in every way of drafting.
    held_out: usize,
    /// How long the answers take, about; null before the target wrote anything here.
    seconds: Option<f64>,
}

impl From<app::CalibrationEstimate> for CalibrationEstimate {
    fn from(estimate: app::CalibrationEstimate) -> Self {
        let app::CalibrationEstimate { prompts, held_out, seconds } = estimate;
        Self { prompts, held_out, seconds }
    }
}

/// Whether a calibration is under way.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum CalibrationState {
    /// It waits for its turn.
    Waiting,
    Running,
    Paused,
    Done,
    Failed,
}

impl From<app::CalibrationState> for CalibrationState {
    fn from(state: app::CalibrationState) -> Self {
        match state {
            app::CalibrationState::Waiting => Self::Waiting,
            app::CalibrationState::Running => Self::Running,
            app::CalibrationState::Paused => Self::Paused,
            app::CalibrationState::Done => Self::Done,
            app::CalibrationState::Failed => Self::Failed,
        }
    }
}

/// What a calibration does, in this order.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum CalibrationPhase {
    /// Rounds are recorded.
    Collect,
    /// Temperatures and thresholds are fitted.
    Fit,
    /// Rounds of each length are timed.
    Cost,
    /// The ways of drafting are compared.
    Measure,
}

impl From<app::CalibrationPhase> for CalibrationPhase {
    fn from(phase: app::CalibrationPhase) -> Self {
        match phase {
            app::CalibrationPhase::Collect => Self::Collect,
            app::CalibrationPhase::Fit => Self::Fit,
            app::CalibrationPhase::Cost => Self::Cost,
            app::CalibrationPhase::Measure => Self::Measure,
        }
    }
}

/// Whether a calibration is in its drafter's own files.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum CalibrationWriting {
    /// It is not, and has no place there.
    Impossible,
    /// It can be written there.
    Possible,
    /// It was written there, and can be taken back.
    Done,
}

impl From<app::CalibrationWriting> for CalibrationWriting {
    fn from(writing: app::CalibrationWriting) -> Self {
        match writing {
            app::CalibrationWriting::Impossible => Self::Impossible,
            app::CalibrationWriting::Possible => Self::Possible,
            app::CalibrationWriting::Done => Self::Done,
        }
    }
}

/// A calibration, as far as it is.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Calibration {
    id: i64,
    /// The id that the target had when it was ordered.
    target: String,
    /// The id that the drafter had.
    drafter: String,
    precision: Precision,
    /// Whether the target thinks first.
    thinking: bool,
    /// What is asked, in a few words.
    data: String,
    state: CalibrationState,
    phase: CalibrationPhase,
    /// Answers of the phase that are done.
    done: usize,
    /// All of them; 0 before they are counted.
    of: usize,
    /// How long the phase will take yet.
    seconds_left: Option<f64>,
    /// Why it failed, in a sentence.
    failure: Option<String>,
    /// Whether it is in the drafter's own files.
    writing: CalibrationWriting,
    /// When it was put in force; milliseconds since 1970.
    applied_at: Option<i64>,
    /// When it was taken out again; milliseconds since 1970.
    reverted_at: Option<i64>,
    /// Whether chats of these two use it.
    in_force: bool,
    /// Why it does not hold any more, in a sentence.
    stale: Option<String>,
    /// What to do, once it is done.
    recommendation: Option<CalibrationAdvice>,
    /// Milliseconds since 1970.
    created_at: i64,
}

impl From<app::CalibrationRun> for Calibration {
    fn from(run: app::CalibrationRun) -> Self {
        Self {
            id: run.id,
            target: run.target,
            drafter: run.drafter,
            precision: run.precision.into(),
            thinking: run.thinking,
            data: run.data,
            state: run.state.into(),
            phase: run.phase.into(),
            done: run.done,
            of: run.total,
            seconds_left: run.seconds_left,
            failure: run.failure.as_deref().map(sentence),
            writing: run.writing.into(),
            applied_at: run.applied_at,
            reverted_at: run.reverted_at,
            in_force: run.in_force,
            stale: run.stale.as_deref().map(sentence),
            recommendation: run.advice.map(CalibrationAdvice::from),
            created_at: run.created_at,
        }
    }
}

/// How calibration stands for a target and a drafter.
#[derive(Serialize, Type)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub(crate) enum CalibrationStanding {
    /// This one is in force.
    InForce { id: i64 },
    /// None is in force here, but the drafter's own files bring one.
    InFiles,
    /// This one holds for them, and nobody has applied it.
    NotApplied { id: i64 },
    /// This one was in force, and does not hold any more; why, in a sentence.
    Stale { id: i64, why: String },
    /// There is none.
    None,
}

impl From<app::CalibrationStanding> for CalibrationStanding {
    fn from(standing: app::CalibrationStanding) -> Self {
        match standing {
            app::CalibrationStanding::InForce(id) => Self::InForce { id },
            app::CalibrationStanding::InFiles => Self::InFiles,
            app::CalibrationStanding::NotApplied(id) => Self::NotApplied { id },
            app::CalibrationStanding::Stale { id, why } => Self::Stale { id, why: sentence(&why) },
            app::CalibrationStanding::None => Self::None,
        }
    }
}

/// What of a calibration is saved for other programs.
#[derive(Clone, Copy, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum CalibrationExport {
    /// Everything that was recorded, as CSV.
    Samples,
    /// What came of it, as JSON.
    Report,
}
