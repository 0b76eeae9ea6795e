//! Trainings of drafters.

use app::{Design, DesignKind, DesignSize, Precision};
use serde::{Deserialize, Serialize};
use specta::Type;

use super::{Failure, sentence};
use crate::chosen::Chosen;

/// A built-in suite of prompts.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Suite {
    id: String,
    title: String,
    /// How many there are.
    prompts: usize,
}

impl From<app::Suite> for Suite {
    fn from(suite: app::Suite) -> Self {
        Self { id: suite.id.to_owned(), title: suite.title.to_owned(), prompts: suite.prompts().count() }
    }
}

/// A kind of drafter.
#[derive(Clone, Copy, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum TrainingKind {
    Dspark,
    /// Its head carries a state from token to token.
    DsparkRecurrent,
    Dflash,
    Dflash2,
}

impl From<TrainingKind> for DesignKind {
    fn from(kind: TrainingKind) -> Self {
        match kind {
            TrainingKind::Dspark => Self::DSpark,
            TrainingKind::DsparkRecurrent => Self::DSparkRecurrent,
            TrainingKind::Dflash => Self::DFlash,
            TrainingKind::Dflash2 => Self::DFlash2,
        }
    }
}

impl From<DesignKind> for TrainingKind {
    fn from(kind: DesignKind) -> Self {
        match kind {
            DesignKind::DSpark => Self::Dspark,
            DesignKind::DSparkRecurrent => Self::DsparkRecurrent,
            DesignKind::DFlash => Self::Dflash,
            DesignKind::DFlash2 => Self::Dflash2,
        }
    }
}

/// How much of a drafter there is.
#[derive(Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum TrainingSize {
    Small,
    Medium,
}

/// What the target answers, for a drafter to learn from.
#[derive(Deserialize, Type)]
#[serde(tag = "from", rename_all = "camelCase")]
pub(crate) enum TrainingData {
    /// Built-in suites, by id.
    Suites { suites: Vec<String> },
    /// What was said in this app.
    Conversations,
    /// A text file with a prompt in each line, or one of JSON lines, that the user chose in the dialog.
    File { path: String },
}

/// What somebody wants trained.
#[derive(Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TrainingOrder {
    /// The target's id.
    target: String,
    /// What the drafter will be called.
    name: String,
    kind: TrainingKind,
    size: TrainingSize,
    /// Tokens a round (γ).
    gamma: usize,
    data: TrainingData,
    steps: usize,
    /// The same seed gives the same drafter.
    seed: u32,
}

impl TrainingOrder {
    /// For the app, with a target that computes in this number type; of files, only those that the user chose.
    pub(crate) fn with(self, precision: Precision, files: &Chosen) -> Result<app::TrainingOrder, Failure> {
        let size = match self.size {
            TrainingSize::Small => DesignSize::Small,
            TrainingSize::Medium => DesignSize::Medium,
        };
        Ok(app::TrainingOrder {
            target: self.target,
            name: self.name,
            design: Design { kind: self.kind.into(), size, gamma: self.gamma },
            data: match self.data {
                TrainingData::Suites { suites } => app::TrainingData::Suites(suites),
                TrainingData::Conversations => app::TrainingData::Conversations,
                TrainingData::File { path } if files.has(&path) => app::TrainingData::File(path.into()),
                TrainingData::File { path } => {
                    return Err(Failure::new(&format!("{path} was not chosen here; choose the file of prompts again")));
                }
            },
            length: app::TrainingLength::Steps(self.steps),
            precision,
            seed: self.seed.into(),
        })
    }
}

/// What a training would take, about.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TrainingEstimate {
    /// Prompts that the target answers.
    prompts: usize,
    /// How long the answers take; null before any were timed here.
    seconds_answers: Option<f64>,
    /// How long the steps take; likewise.
    seconds_steps: Option<f64>,
    /// What it takes of the disk while it lasts.
    bytes: u64,
    /// What of the disk may be taken, bytes; a training that takes more is refused.
    free: u64,
    /// What it takes of memory, bytes.
    memory: u64,
    /// What is to be had of memory, bytes; a training that takes more is refused.
    room: u64,
}

impl From<app::TrainingEstimate> for TrainingEstimate {
    fn from(estimate: app::TrainingEstimate) -> Self {
        Self {
            prompts: estimate.prompts,
            seconds_answers: estimate.seconds_answers,
            seconds_steps: estimate.seconds_steps,
            bytes: estimate.disk,
            free: estimate.free,
            memory: estimate.memory,
            room: estimate.room,
        }
    }
}

/// How far a training is.
#[derive(Clone, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum TrainingState {
    /// It waits for its turn.
    Waiting,
    /// The target answers the prompts.
    Answering,
    /// The drafter learns.
    Training,
    Paused,
    Done,
    /// Somebody ended it before all steps were done.
    Stopped,
    Failed,
}

impl From<app::TrainingState> for TrainingState {
    fn from(state: app::TrainingState) -> Self {
        match state {
            app::TrainingState::Waiting => Self::Waiting,
            app::TrainingState::Answering => Self::Answering,
            app::TrainingState::Training => Self::Training,
            app::TrainingState::Paused => Self::Paused,
            app::TrainingState::Done => Self::Done,
            app::TrainingState::Stopped => Self::Stopped,
            app::TrainingState::Failed => Self::Failed,
        }
    }
}

/// A training, as far as it is.
#[derive(Clone, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Training {
    id: i64,
    /// What the drafter will be called.
    name: String,
    /// The target's id.
    target: String,
    kind: TrainingKind,
    /// What it learns from, in a few words.
    data: String,
    state: TrainingState,
    /// Answers of the target that are captured.
    answers_done: usize,
    /// Answers in all; 0 before they are counted.
    answers_of: usize,
    step: usize,
    /// Steps in all; 0 before they are known.
    steps: usize,
    /// How long what it does at present will take yet.
    seconds_left: Option<f64>,
    /// Steps, and the loss at each; 200 of them at most.
    loss: Vec<(usize, f64)>,
    /// Steps, the tokens per round that were measured there, and whether none before were more.
    tau: Vec<(usize, f64, bool)>,
    /// The tokens per round before the first step.
    start_tau: Option<f64>,
    /// The most tokens per round so far.
    best_tau: Option<f64>,
    /// The id of the drafter that came of it.
    drafter: Option<String>,
    /// Why it failed, in a sentence.
    failure: Option<String>,
    /// Milliseconds since 1970.
    created_at: i64,
}

impl From<app::Training> for Training {
    fn from(training: app::Training) -> Self {
        Self {
            start_tau: training.at_start(),
            best_tau: training.at_best(),
            id: training.id,
            name: training.name,
            target: training.target,
            kind: training.kind.into(),
            data: training.data,
            state: training.state.into(),
            answers_done: training.answers_done,
            answers_of: training.answers_of,
            step: training.step,
            steps: training.steps,
            seconds_left: training.seconds_left,
            loss: training.loss,
            tau: training.tokens_per_round,
            drafter: training.drafter,
            failure: training.failure.as_deref().map(sentence),
            created_at: training.created_at,
        }
    }
}
