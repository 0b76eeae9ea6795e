//! Comparisons of drafters.

use serde::{Deserialize, Serialize};
use specta::Type;

use super::report::{CalibrationMode, Interval};
use super::sentence;
use super::training::Suite;

/// A drafter, and how it is to draft.
#[derive(Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Contender {
    /// Its id, or `lookup`.
    drafter: String,
    mode: CalibrationMode,
}

impl From<app::Contender> for Contender {
    fn from(app::Contender { drafter, mode }: app::Contender) -> Self {
        Self { drafter, mode: mode.into() }
    }
}

/// What somebody wants compared with plain decoding.
#[derive(Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ComparisonOrder {
    /// The target's id.
    target: String,
    /// Two to four of them.
    contenders: Vec<Contender>,
    /// Whether the target thinks before it answers.
    thinking: bool,
    /// 0 takes the likeliest token.
    temperature: f32,
    /// The same seed draws the same text.
    seed: u64,
    /// The one prompt that is asked; null asks the suites.
    prompt: Option<String>,
    /// Built-in suites, by id.
    suites: Vec<String>,
    /// At most so many prompts of each suite.
    prompts: u32,
    /// The most tokens of each answer.
    tokens: u32,
}

impl ComparisonOrder {
    /// For the app, with models that compute in this number type.
    pub(crate) fn with(self, precision: app::Precision) -> app::ComparisonOrder {
        let Self { target, contenders, thinking, temperature, seed, prompt, suites, prompts, tokens } = self;
        let contender = |Contender { drafter, mode }| app::Contender { drafter, mode: mode.into() };
        app::ComparisonOrder {
            target,
            contenders: contenders.into_iter().map(contender).collect(),
            precision,
            thinking,
            temperature,
            seed,
            prompt,
            suites,
            prompts,
            tokens,
        }
    }
}

/// What there is to choose from, and what is chosen until somebody does.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ComparisonChoices {
    suites: Vec<Suite>,
    /// The most prompts of each suite.
    prompts: u32,
    /// The most tokens of each answer.
    tokens: u32,
}

impl ComparisonChoices {
    /// Of this release.
    pub(crate) fn here() -> Self {
        let suites = app::Suite::ALL.map(Suite::from).into();
        Self { suites, prompts: app::ComparisonOrder::PROMPTS, tokens: app::ComparisonOrder::TOKENS }
    }
}

/// What a comparison would take, about.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ComparisonEstimate {
    /// Prompts that are asked.
    prompts: usize,
    /// Answers in all columns together.
    answers: usize,
    /// How long the answers take, about; null before the target wrote anything here.
    seconds: Option<f64>,
}

impl From<app::ComparisonEstimate> for ComparisonEstimate {
    fn from(app::ComparisonEstimate { prompts, answers, seconds }: app::ComparisonEstimate) -> Self {
        Self { prompts, answers, seconds }
    }
}

/// Whether a comparison is under way.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum ComparisonState {
    /// It waits for its turn.
    Waiting,
    Running,
    Paused,
    Done,
    Failed,
}

impl From<app::ComparisonState> for ComparisonState {
    fn from(state: app::ComparisonState) -> Self {
        match state {
            app::ComparisonState::Waiting => Self::Waiting,
            app::ComparisonState::Running => Self::Running,
            app::ComparisonState::Paused => Self::Paused,
            app::ComparisonState::Done => Self::Done,
            app::ComparisonState::Failed => Self::Failed,
        }
    }
}

/// A comparison, as far as it is.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Comparison {
    id: i64,
    /// The id that the target had when it was ordered.
    target: String,
    /// The columns beside plain decoding; none if the record is damaged.
    contenders: Vec<Contender>,
    /// 0 took the likeliest token; null if the record is damaged.
    temperature: Option<f32>,
    /// What tokens are drawn by above that; null likewise.
    seed: Option<u64>,
    /// What is asked, in a few words.
    data: String,
    state: ComparisonState,
    /// Answers that are done.
    done: usize,
    /// All of them.
    of: usize,
    /// How long it will take yet.
    seconds_left: Option<f64>,
    /// Why it failed, in a sentence.
    failure: Option<String>,
    /// Whether all columns wrote the same, and which is the fastest, in two sentences, once it is done.
    verdict: Option<String>,
    /// Milliseconds since 1970.
    created_at: i64,
}

impl From<app::ComparisonRun> for Comparison {
    fn from(run: app::ComparisonRun) -> Self {
        Self {
            id: run.id,
            target: run.target,
            temperature: run.order.as_ref().map(|order| order.temperature),
            seed: run.order.as_ref().map(|order| order.seed),
            contenders: run.order.into_iter().flat_map(|order| order.contenders).map(Contender::from).collect(),
            data: run.data,
            state: run.state.into(),
            done: run.done,
            of: run.total,
            seconds_left: run.seconds_left,
            failure: run.failure.as_deref().map(sentence),
            verdict: run.verdict,
            created_at: run.created_at,
        }
    }
}

/// What the columns of the comparison that runs have written to the prompt at hand.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Race {
    comparison: i64,
    /// The prompt's number, from 1.
    prompt: usize,
    question: String,
    /// Plain decoding first.
    lanes: Vec<Lane>,
}

/// What one column has written.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Lane {
    stage: Stage,
    /// Whether the text is all that it has written; otherwise it goes on from what was told before.
    anew: bool,
    text: String,
    tokens: usize,
    /// Plain steps included.
    rounds: usize,
    /// Of decoding.
    seconds: f64,
}

/// How far a column is.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Stage {
    /// Others are before it.
    Waiting,
    /// Its models are loaded and warmed up, which is not timed.
    WarmingUp,
    Writing,
    Done,
}

impl From<app::Race> for Race {
    fn from(app::Race { comparison, prompt, question, lanes }: app::Race) -> Self {
        Self { comparison, prompt: prompt + 1, question, lanes: lanes.into_iter().map(Lane::from).collect() }
    }
}

impl From<app::Lane> for Lane {
    fn from(app::Lane { stage, anew, text, tokens, rounds, seconds }: app::Lane) -> Self {
        let stage = match stage {
            app::Stage::Waiting => Stage::Waiting,
            app::Stage::WarmingUp => Stage::WarmingUp,
            app::Stage::Writing => Stage::Writing,
            app::Stage::Done => Stage::Done,
        };
        Self { stage, anew, text, tokens, rounds, seconds }
    }
}

/// What came of a comparison, as far as it is.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ComparisonReport {
    /// Whether all columns wrote the same, in a sentence.
    verdict: String,
    /// All prompts together first, if they are of several suites.
    workloads: Vec<Workload>,
    prompts: Vec<ComparedPrompt>,
    /// What it was measured on, a fact each.
    conditions: Vec<String>,
}

/// How each column did with some prompts.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Workload {
    title: String,
    /// Those that answered any of them.
    columns: Vec<MeasuredColumn>,
    /// The column that is surely the fastest.
    winner: Option<usize>,
    /// Which is the fastest.
    sentence: String,
}

/// How a column did.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MeasuredColumn {
    /// 0 is plain decoding.
    column: usize,
    /// Prompts that it answered.
    prompts: usize,
    tokens_per_second: Interval,
    /// Null before plain decoding answered any of them.
    times_plain: Option<Interval>,
    /// Tokens per round, the target's own included.
    tau: f64,
    /// The share of rounds that were plain steps because drafting lost time.
    parked: f64,
    /// Of the rounds that proposed a token at each position, the share in which it stood with all before it; null where
    /// none was.
    acceptance: Vec<Option<f64>>,
    /// The most memory that MLX held, bytes.
    memory: u64,
}

/// A prompt, and what the columns answered.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ComparedPrompt {
    suite: String,
    text: String,
    answers: Vec<ComparedAnswer>,
}

/// What a column answered.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ComparedAnswer {
    /// 0 is plain decoding.
    column: usize,
    text: String,
    tokens: usize,
    tokens_per_second: Option<f64>,
    /// Tokens per round, the target's own included.
    tau: Option<f64>,
    /// Whether it is not what plain decoding wrote.
    differs: bool,
}

impl From<app::ComparisonReport> for ComparisonReport {
    fn from(report: app::ComparisonReport) -> Self {
        Self {
            conditions: report.facts(),
            verdict: report.verdict,
            workloads: report.workloads.into_iter().map(Workload::from).collect(),
            prompts: report.prompts.into_iter().map(ComparedPrompt::from).collect(),
        }
    }
}

impl From<app::Workload> for Workload {
    fn from(app::Workload { title, columns, winner, sentence }: app::Workload) -> Self {
        Self { title, columns: columns.into_iter().map(MeasuredColumn::from).collect(), winner, sentence }
    }
}

impl From<app::MeasuredColumn> for MeasuredColumn {
    fn from(measured: app::MeasuredColumn) -> Self {
        Self {
            acceptance: measured.acceptance(),
            column: measured.column,
            prompts: measured.prompts,
            tokens_per_second: measured.tokens_per_s.into(),
            times_plain: measured.times_plain.map(Interval::from),
            tau: measured.tokens_per_round,
            parked: measured.parked,
            memory: measured.peak_memory_bytes,
        }
    }
}

impl From<app::ComparedPrompt> for ComparedPrompt {
    fn from(app::ComparedPrompt { suite, text, answers }: app::ComparedPrompt) -> Self {
        Self { suite, text, answers: answers.into_iter().map(ComparedAnswer::from).collect() }
    }
}

impl From<app::ComparedAnswer> for ComparedAnswer {
    fn from(answer: app::ComparedAnswer) -> Self {
        Self {
            differs: answer.differs(),
            column: answer.column,
            text: answer.text,
            tokens: answer.stats.tokens,
            tokens_per_second: answer.stats.tokens_per_s,
            tau: answer.stats.tokens_per_round,
        }
    }
}

/// As what a comparison is saved for others.
#[derive(Clone, Copy, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum ComparisonExport {
    /// Every answer, a line each.
    Csv,
    /// All of it.
    Json,
    /// A card for people.
    Markdown,
}
