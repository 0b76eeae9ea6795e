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
    /// Whether it is chosen.
    chosen: bool,
}

impl From<app::Suite> for Suite {
    fn from(suite: app::Suite) -> Self {
        Self {
            id: suite.id.to_owned(),
            title: suite.title.to_owned(),
            prompts: suite.prompts().count(),
            chosen: suite.usual,
        }
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
#[derive(Clone, Copy, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum TrainingSize {
    Small,
    Medium,
}

impl From<TrainingSize> for DesignSize {
    fn from(size: TrainingSize) -> Self {
        match size {
            TrainingSize::Small => Self::Small,
            TrainingSize::Medium => Self::Medium,
        }
    }
}

impl From<DesignSize> for TrainingSize {
    fn from(size: DesignSize) -> Self {
        match size {
            DesignSize::Small => Self::Small,
            DesignSize::Medium => Self::Medium,
        }
    }
}

/// What there is to choose from, and what is chosen until somebody does.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TrainingChoices {
    suites: Vec<Suite>,
    kind: TrainingKind,
    size: TrainingSize,
    /// Tokens a round (γ).
    gamma: usize,
    /// The fewest that can be chosen.
    least_gamma: usize,
    /// The most.
    most_gamma: usize,
    /// Whether it learns for some minutes, and not for some steps.
    timed: bool,
    steps: usize,
    minutes: u32,
}

/// How long a drafter learns.
#[derive(Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum TrainingLength {
    Steps(usize),
    /// As many steps as take about so many minutes here, behind the answers.
    Minutes(u32),
}

impl From<TrainingLength> for app::TrainingLength {
    fn from(length: TrainingLength) -> Self {
        match length {
            TrainingLength::Steps(steps) => Self::Steps(steps),
            TrainingLength::Minutes(minutes) => Self::Minutes(minutes),
        }
    }
}

impl TrainingChoices {
    /// Of this release.
    pub(crate) fn here() -> Self {
        let Design { kind, size, gamma } = Design::default();
        Self {
            suites: app::Suite::ALL.map(Suite::from).into(),
            kind: kind.into(),
            size: size.into(),
            gamma,
            least_gamma: *Design::GAMMAS.start(),
            most_gamma: *Design::GAMMAS.end(),
            timed: matches!(app::TrainingLength::default(), app::TrainingLength::Minutes(_)),
            steps: app::TrainingLength::STEPS,
            minutes: app::TrainingLength::MINUTES,
        }
    }
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
    length: TrainingLength,
}

impl TrainingOrder {
    /// For the app, with a target that computes in this number type; of files, only those that the user chose.
    pub(crate) fn with(self, precision: Precision, files: &Chosen) -> Result<app::TrainingOrder, Failure> {
        Ok(app::TrainingOrder {
            design: Design { kind: self.kind.into(), size: self.size.into(), gamma: self.gamma },
            data: match self.data {
                TrainingData::Suites { suites } => app::TrainingData::Suites(suites),
                TrainingData::Conversations => app::TrainingData::Conversations,
                TrainingData::File { path } if files.has(&path) => app::TrainingData::File(path.into()),
                TrainingData::File { path } => {
                    return Err(Failure::new(&format!("{path} was not chosen here; choose the file of prompts again")));
                }
            },
            length: self.length.into(),
            precision,
            ..app::TrainingOrder::usual(self.target, self.name)
        })
    }
}

/// What a training would take, about.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TrainingEstimate {
    /// Prompts that the target answers.
    prompts: usize,
    /// How long the answers take; null before the target wrote anything here.
    seconds_answers: Option<f64>,
    /// Whether that is only reckoned from how fast the target wrote.
    guessed: bool,
    /// How long the steps take; null before any were timed here.
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
            guessed: estimate.guessed,
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
    /// Why it failed, or left no drafter, in a sentence.
    failure: Option<String>,
    /// Whether it keeps a copy of what was said in this app, to go on with.
    keeps_conversations: bool,
    /// Whether it runs, or can go on, and needs its target for that; one that is done can go on for longer.
    open: bool,
    /// Whether it will pause, or stop, as soon as it has done what it does.
    pausing: bool,
    /// Milliseconds since 1970.
    created_at: i64,
}

impl From<app::Training> for Training {
    fn from(training: app::Training) -> Self {
        Self {
            start_tau: training.at_start(),
            best_tau: training.at_best(),
            open: training.is_open(),
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
            keeps_conversations: training.keeps_conversations,
            pausing: training.pausing,
            created_at: training.created_at,
        }
    }
}
