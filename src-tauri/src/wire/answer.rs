//! An answer while it runs, and what it cost.

use app::{Likeness, Record};
use serde::Serialize;
use specta::Type;

use super::{Bound, Controls, Course, Message, Speculation, Standing, sentence};

/// What happened since the last frame. Frames of one answer follow each other without a gap, from its first round on.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Frame {
    /// Where the answer is written.
    pub(crate) conversation: i64,
    /// The message it becomes.
    pub(crate) message: i64,
    /// What the answer says before its first round, if it goes on; once.
    pub(crate) written: Option<Written>,
    /// The number of the first of these rounds, counted from 0.
    pub(crate) first_round: usize,
    /// Whole rounds.
    pub(crate) rounds: Vec<Round>,
    /// How far the answer is by now; phases in between may have been skipped.
    pub(crate) phase: Phase,
}

/// What some of an answer says.
#[derive(Serialize, Type)]
pub(crate) struct Written {
    pub(crate) thought: String,
    pub(crate) text: String,
}

/// How far an answer is.
#[derive(Serialize, Type)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(crate) enum Phase {
    /// The engine has not begun.
    Waiting,
    /// A checkpoint is being loaded.
    Loading {
        /// Its folder's name.
        what: String,
    },
    /// The prompt is being read.
    Prefill {
        /// Tokens read.
        done: usize,
        /// Tokens in all.
        total: usize,
    },
    /// Rounds are tried and timed, as nobody knows yet what they cost here.
    Measuring,
    /// Rounds are coming.
    Decoding {
        /// Whether drafts are made.
        speculation: Speculation,
    },
    /// It is over and stored. The last frame.
    Ended {
        /// The message as it is stored.
        message: Box<Message>,
    },
}

/// What a round did, token by token.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Trace {
    /// What each emitted token says by itself, in order: a control token its name, half a character U+FFFD.
    pieces: Vec<String>,
    /// Where each of them comes from.
    provenance: Vec<Provenance>,
    /// What the drafted tokens say that did not stand, in order.
    rejected: Vec<String>,
    /// The drafter's confidence in each proposed token, as the drafter says it: those that stood, then those that did not;
    /// empty if it has none.
    confidences: Vec<f32>,
    /// The same as the calibration scales them; empty without one.
    calibrated: Vec<f32>,
    /// The target's probability of each proposed token; empty unless the answer was observed.
    p: Vec<f32>,
    /// The drafter's, likewise.
    q: Vec<f32>,
    /// The target's probability of its own token; null likewise, or if the answer ended before it.
    own_p: Option<f32>,
    /// How many drafted tokens the target never saw.
    cut: usize,
    /// Wall clock.
    seconds: f64,
    /// Until the draft was there; null where drafting and verifying cannot be told apart, or nothing was drafted.
    draft_seconds: Option<f64>,
    /// The rest, of verifying and choosing tokens; null likewise.
    verify_seconds: Option<f64>,
    /// In which the device had something to do; what is left is the host's own work.
    device_seconds: f64,
}

impl From<app::Trace> for Trace {
    fn from(trace: app::Trace) -> Self {
        Self {
            pieces: trace.pieces,
            provenance: trace.provenance.into_iter().map(Provenance::from).collect(),
            rejected: trace.rejected,
            confidences: trace.confidences,
            calibrated: trace.calibrated,
            p: trace.p,
            q: trace.q,
            own_p: trace.own_p,
            cut: trace.cut,
            seconds: trace.seconds,
            draft_seconds: trace.draft_s,
            verify_seconds: trace.verify_s,
            device_seconds: trace.device_s,
        }
    }
}

/// Where an emitted token comes from.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Provenance {
    /// Drafted, and the target agreed.
    Accepted,
    /// The target's own, behind a draft that stood as a whole.
    Bonus,
    /// The target's own in place of a drafted one.
    Resampled,
    /// The target's own; nothing was drafted.
    Plain,
}

impl From<app::Provenance> for Provenance {
    fn from(provenance: app::Provenance) -> Self {
        match provenance {
            app::Provenance::Accepted => Self::Accepted,
            app::Provenance::Bonus => Self::Bonus,
            app::Provenance::Resampled => Self::Resampled,
            app::Provenance::Plain => Self::Plain,
        }
    }
}

/// One round.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Round {
    /// What it did.
    #[serde(flatten)]
    trace: Trace,
    /// What the model thought, as far as it became certain.
    thought: String,
    /// The text that became certain.
    text: String,
    /// Tokens emitted, the target's own included.
    tokens: usize,
    /// Drafted tokens that the target judged.
    proposed: usize,
    /// Drafted tokens that stood.
    accepted: usize,
    /// Why no more were sent to the target.
    bound: Bound,
    /// Why it drafted, or did not.
    course: Course,
    /// What drafting was worth, if it was parked or resumed behind this round.
    turn: Option<Standing>,
    /// How often the host waited for the device.
    waits: u64,
}

impl From<app::Round> for Round {
    fn from(round: app::Round) -> Self {
        Self {
            trace: app::Trace::from(&round).into(),
            tokens: round.ids.len(),
            thought: round.thought,
            text: round.text,
            proposed: round.proposed,
            accepted: round.accepted,
            bound: round.bound.into(),
            course: round.course.into(),
            turn: round.turn.map(Standing::from),
            waits: round.waits,
        }
    }
}

/// Why an answer ended.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Finish {
    /// The target chose a stop token.
    Eos,
    /// A stop string is complete.
    StopString,
    /// The token limit is reached.
    Length,
    /// The same, because no more fits into the context.
    Context,
    /// The target writes only padding; the message's note says what to do.
    Padding,
    /// The user stopped it.
    Cancelled,
}

impl From<app::Finish> for Finish {
    fn from(finish: app::Finish) -> Self {
        match finish {
            app::Finish::Eos => Self::Eos,
            app::Finish::StopString => Self::StopString,
            app::Finish::Length => Self::Length,
            app::Finish::Context => Self::Context,
            app::Finish::Padding => Self::Padding,
            app::Finish::Cancelled => Self::Cancelled,
        }
    }
}

/// What a model was still writing, instead of its answer, when it ended.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Unfinished {
    /// A thought.
    Thought,
    /// The call of a tool.
    ToolCall,
}

impl From<app::Unfinished> for Unfinished {
    fn from(unfinished: app::Unfinished) -> Self {
        match unfinished {
            app::Unfinished::Thought => Self::Thought,
            app::Unfinished::ToolCall => Self::ToolCall,
        }
    }
}

/// How an answer came about.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Outcome {
    finish: Finish,
    /// What it was still writing instead of the answer, if anything; the message's note says so.
    unfinished: Option<Unfinished>,
    /// What the model really wrote, with its control tokens; empty where it was not kept.
    raw: String,
    /// The target's id.
    target: String,
    /// The drafter's id, if one was chosen.
    drafter: Option<String>,
    /// Whether drafts were made.
    speculation: Speculation,
    controls: Controls,
    stats: Stats,
    /// What it has in common with the answer that it was to be again; null if it was not run for that.
    rerun: Option<Rerun>,
}

/// What an answer has in common with the one that it was to be again.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Rerun {
    /// The message of the other one.
    of: i64,
    /// Whether the ids are the same, as far as neither was stopped before.
    same: bool,
    /// How many tokens are the same, and what to think of it where not all are.
    sentence: String,
}

impl From<app::Rerun> for Rerun {
    fn from(app::Rerun { of, likeness }: app::Rerun) -> Self {
        let same = matches!(likeness, Likeness::Same { .. });
        Self { of, same, sentence: sentence(&likeness.to_string()) }
    }
}

impl From<Record> for Outcome {
    fn from(record: Record) -> Self {
        let Record { target, drafter, precision, answer, rerun } = record;
        Self {
            finish: answer.finish.into(),
            unfinished: answer.unfinished.map(Unfinished::from),
            raw: answer.raw,
            target,
            drafter,
            speculation: answer.speculation.into(),
            controls: Controls::new(answer.controls, precision),
            stats: answer.stats.into(),
            rerun: rerun.map(Rerun::from),
        }
    }
}

/// What an answer cost. A rate is null where there is nothing to divide by.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Stats {
    /// Of the prompt, and of the answer as far as it was there before it went on.
    prompt_tokens: usize,
    /// How many of them were held from before.
    reused_tokens: usize,
    /// Why it was not more, in a sentence.
    read_again: Option<String>,
    /// Tokens of the answer that were there before it went on. Everything else here is of what came behind them.
    written: usize,
    /// Tokens emitted.
    tokens: usize,
    /// Rounds, plain steps included.
    rounds: usize,
    /// Drafted tokens that the target judged.
    proposed: usize,
    /// Drafted tokens that stood.
    accepted: usize,
    /// Rounds that proposed a token at each position.
    proposed_at: Vec<usize>,
    /// Rounds in which the tokens up to and including each position stood.
    accepted_at: Vec<usize>,
    /// Plain steps that were made because drafting was parked.
    parked: usize,
    /// A plain step, as it was timed here in contexts about as long; null if none was.
    plain_step_seconds: Option<f64>,
    /// τ, the target's own token included.
    tokens_per_round: Option<f64>,
    /// Tokens emitted per second of decoding.
    tokens_per_second: Option<f64>,
    /// How often the host waited for the device while decoding.
    waits: u64,
    /// 0 if everything was loaded already.
    load_seconds: f64,
    prefill_seconds: f64,
    /// Measuring what rounds cost, before the first; 0 if that was known.
    measuring_seconds: f64,
    /// From when it was taken up until its first tokens were there, loading included; null where it was not kept.
    first_token_seconds: Option<f64>,
    decode_seconds: f64,
    /// Decoding in rounds that wrote a thought.
    thought_seconds: f64,
    /// The most memory that the models held during this answer.
    peak_memory_bytes: u64,
}

impl From<app::Stats> for Stats {
    fn from(stats: app::Stats) -> Self {
        Self {
            read_again: stats.read_again(),
            prompt_tokens: stats.prompt_tokens,
            reused_tokens: stats.reused_tokens,
            written: stats.written,
            tokens: stats.tokens,
            rounds: stats.rounds,
            proposed: stats.proposed,
            accepted: stats.accepted,
            proposed_at: stats.proposed_at,
            accepted_at: stats.accepted_at,
            parked: stats.parked,
            plain_step_seconds: stats.plain_step_s,
            tokens_per_round: stats.tokens_per_round,
            tokens_per_second: stats.tokens_per_s,
            waits: stats.waits,
            load_seconds: stats.load_s,
            prefill_seconds: stats.prefill_s,
            measuring_seconds: stats.measuring_s,
            first_token_seconds: stats.first_token_s,
            decode_seconds: stats.decode_s,
            thought_seconds: stats.thought_s,
            peak_memory_bytes: stats.peak_memory_bytes,
        }
    }
}
