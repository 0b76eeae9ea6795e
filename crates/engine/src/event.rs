//! What happens while an answer is made.

use calibration::Spent;
use chat::Codec;
use decode::{Bound, Finish, Probabilities, Provenance, Token, Turn};
use serde::{Deserialize, Serialize};

use crate::{
    Controls, Cost, Course, Error, Reuse, Scheduling,
    writing::{Unfinished, Written},
};

/// Something that happened, in order. The last is always [`Event::End`] or [`Event::Failed`].
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "rounds are what nearly all of them are")]
pub enum Event {
    /// A checkpoint is being loaded.
    Loading {
        /// Its folder's name.
        name: String,
    },
    /// The answer goes on: what it says before its first round, as far as that is certain.
    Written {
        /// What the model thought.
        thought: String,
        /// What it answered.
        text: String,
    },
    /// The prompt is being read, as far as the session does not hold it.
    Prefill {
        /// Rows done.
        done: usize,
        /// Rows to read in all.
        total: usize,
    },
    /// Rounds are tried and timed, as nobody knows yet what they cost here.
    Measuring,
    /// Decoding begins; says whether drafts will be made.
    Decoding {
        /// What runs.
        speculation: Speculation,
    },
    /// A round is over.
    Round(Round),
    /// The answer is over.
    End(Box<Answer>),
    /// It came to nothing.
    #[serde(skip)]
    Failed(Error),
}

/// Whether drafts are made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "speculation", rename_all = "snake_case")]
pub enum Speculation {
    /// Drafts of at most `limit` tokens.
    On {
        /// The most tokens a round (γ).
        limit: usize,
        /// What settles how long each is; a plan of the user's that leaves it open has been settled here.
        #[serde(default = "before_there_was_a_choice")]
        schedule: Scheduling,
        /// Whether a calibration scales the drafter's confidences.
        #[serde(default)]
        calibrated: bool,
    },
    /// Plain decoding.
    Off {
        /// Why, in a sentence.
        reason: String,
    },
}

impl Speculation {
    /// The most tokens a round (γ).
    pub(crate) fn limit(&self) -> usize {
        match self {
            Self::On { limit, .. } => *limit,
            Self::Off { .. } => 0,
        }
    }
}

/// What ran in records that do not say.
fn before_there_was_a_choice() -> Scheduling {
    Scheduling::Thresholds
}

/// One round of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// The tokens emitted, in order.
    pub ids: Vec<u32>,
    /// Where each of them comes from.
    pub provenance: Vec<Provenance>,
    /// What each of them says by itself: a control token its name, bytes that are no whole character U+FFFD.
    #[serde(default)]
    pub pieces: Vec<String>,
    /// What the model thought before the answer, as far as it became certain.
    pub thought: String,
    /// The text that became certain; half characters and possible stop strings wait for the next round.
    pub text: String,
    /// How many drafted tokens the target judged.
    pub proposed: usize,
    /// How many of them were emitted.
    pub accepted: usize,
    /// The drafted tokens that did not stand.
    pub rejected: Vec<u32>,
    /// What each of them says.
    #[serde(default)]
    pub rejected_pieces: Vec<String>,
    /// The drafter's confidence in each proposed token, as the drafter says it; empty if it has none.
    pub confidences: Vec<f32>,
    /// The same as the calibration scales them, which is what the schedule saw; empty without one.
    #[serde(default)]
    pub calibrated: Vec<f32>,
    /// The target's probability (p) of each proposed token, given that those before it stand; empty unless the
    /// [request](crate::Request::observe) asks for it.
    #[serde(default)]
    pub p: Vec<f32>,
    /// The drafter's (q), likewise.
    #[serde(default)]
    pub q: Vec<f32>,
    /// The target's probability of its own token, the last that was emitted; `None` likewise, or if the answer ended
    /// before it.
    #[serde(default)]
    pub own_p: Option<f32>,
    /// How many tokens the schedule dropped before the target saw them.
    pub cut: usize,
    /// Why no more than those left were sent to the target.
    pub bound: Bound,
    /// Why it drafted, or did not.
    pub course: Course,
    /// Whether drafting was parked or resumed by what this round took; never if the user has settled how much to draft.
    pub turn: Option<Turn>,
    /// Seconds, wall clock.
    pub seconds: f64,
    /// Seconds of them until the draft was there; `None` if nothing was drafted, or the host did not wait for the draft,
    /// which it does only to read confidences: then drafting and verifying cannot be told apart.
    pub draft_s: Option<f64>,
    /// The other seconds, of verifying, choosing tokens and committing; `None` likewise.
    pub verify_s: Option<f64>,
    /// Seconds in which the device had something to do. The rest is the host's own work: beginning the passes, reading
    /// tokens, writing text.
    pub device_s: f64,
    /// How often the host waited for the device.
    pub waits: u64,
}

/// A whole answer with everything needed to run it again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The prompt as the target read it.
    pub prompt_ids: Vec<u32>,
    /// The tokens emitted, a stop token included.
    pub ids: Vec<u32>,
    /// What the model thought before it answered, without the markers around it; often nothing.
    #[serde(default)]
    pub thought: String,
    /// The answer's text: no stop token, no stop string, no control tokens.
    pub text: String,
    /// The tools that the model called, each as it wrote the call; an unfinished call is the last.
    #[serde(default)]
    pub tool_calls: Vec<String>,
    /// What it was still writing instead of the answer when it ended, if anything.
    #[serde(default)]
    pub unfinished: Option<Unfinished>,
    /// What the model really wrote, with its control tokens. Empty in records that are older than this field.
    #[serde(default)]
    pub raw: String,
    /// Why it ended.
    pub finish: Finish,
    /// Whether drafts were made.
    pub speculation: Speculation,
    /// How often drafting was parked and resumed, and why.
    #[serde(default)]
    pub turns: Vec<Turn>,
    /// What rounds cost, to be given to the next request; not part of the record.
    #[serde(skip)]
    pub cost: Cost,
    /// What the user should know of how the prompt was read and how the answer ended, a sentence each.
    pub notes: Vec<String>,
    /// What was asked.
    pub controls: Controls,
    /// What it cost.
    pub stats: Stats,
}

/// What an answer cost. Rates are `None` where there is nothing to divide by.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Stats {
    /// Rows of the prompt, and of what was written before if the answer goes on.
    pub prompt_tokens: usize,
    /// How many of them the session held already.
    #[serde(default)]
    pub reused_tokens: usize,
    /// Whether it could have been more.
    #[serde(default)]
    pub reuse: Reuse,
    /// Tokens of the answer that were written before it went on. Everything else here is of what came behind them.
    #[serde(default)]
    pub written: usize,
    /// Tokens emitted.
    pub tokens: usize,
    /// Rounds, plain steps included.
    pub rounds: usize,
    /// Drafted tokens that the target judged.
    pub proposed: usize,
    /// Drafted tokens that stood.
    pub accepted: usize,
    /// Rounds that proposed a token at each position.
    pub proposed_at: Vec<usize>,
    /// Rounds in which the tokens up to and including each position stood.
    pub accepted_at: Vec<usize>,
    /// Plain steps that were made because drafting was parked.
    #[serde(default)]
    pub parked: usize,
    /// Seconds of a plain step, which drafting was compared with, as far as one is known.
    #[serde(default)]
    pub plain_step_s: Option<f64>,
    /// Tokens per round (τ), the target's own token included.
    pub tokens_per_round: Option<f64>,
    /// How often the host waited for the device while decoding.
    pub waits: u64,
    /// Seconds spent loading; 0 if everything was loaded already.
    pub load_s: f64,
    /// Seconds spent reading the prompt.
    pub prefill_s: f64,
    /// Seconds spent measuring what rounds cost, before the first.
    #[serde(default)]
    pub measuring_s: f64,
    /// Seconds from when it was taken up until its first tokens were there, loading included.
    #[serde(default)]
    pub first_token_s: Option<f64>,
    /// Seconds spent decoding.
    pub decode_s: f64,
    /// Seconds of them spent in rounds that wrote a thought.
    #[serde(default)]
    pub thought_s: f64,
    /// Tokens emitted per second of decoding.
    pub tokens_per_s: Option<f64>,
    /// The most memory that MLX held during this answer, bytes.
    pub peak_memory_bytes: u64,
}

impl Stats {
    /// Why tokens were read that an earlier answer had read before, in a sentence.
    #[must_use]
    pub fn read_again(&self) -> Option<String> {
        self.reuse.sentence(self.reused_tokens)
    }

    /// The same counts, made in `decode_s` seconds of decoding.
    #[expect(clippy::cast_precision_loss, reason = "token counts are small")]
    pub(crate) fn over(self, decode_s: f64) -> Self {
        let tokens_per_s = (decode_s > 0.0 && self.tokens > 0).then(|| self.tokens as f64 / decode_s);
        Self { decode_s, tokens_per_s, ..self }
    }
}

/// What a round took.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Took {
    pub(crate) course: Course,
    pub(crate) turn: Option<Turn>,
    pub(crate) spent: Spent,
    pub(crate) seconds: f64,
    pub(crate) waits: u64,
    pub(crate) device_s: f64,
}

impl Round {
    pub(crate) fn new(round: decode::Round, calibrated: Vec<f32>, written: Written, took: Took, codec: &Codec) -> Self {
        let ids = round.emitted.iter().map(|emitted| emitted.token).collect::<Vec<_>>();
        let pieces = |ids: &[Token]| ids.iter().map(|&id| codec.raw(&[id])).collect();
        let Probabilities { p, q, own } = round.probabilities.unwrap_or_default();
        let (draft_s, verify_s) = match took.spent {
            Spent::Apart { draft_s, verify_s } => (Some(draft_s), Some(verify_s)),
            Spent::Plain(_) | Spent::Together(_) => (None, None),
        };
        Self {
            pieces: pieces(&ids),
            ids,
            provenance: round.emitted.iter().map(|emitted| emitted.provenance).collect(),
            thought: written.thought,
            text: written.text,
            proposed: round.proposed,
            accepted: round.accepted,
            rejected_pieces: pieces(&round.rejected),
            rejected: round.rejected,
            confidences: round.confidences,
            calibrated,
            p,
            q,
            own_p: own,
            cut: round.cut,
            bound: round.bound,
            course: took.course,
            turn: took.turn,
            seconds: took.seconds,
            draft_s,
            verify_s,
            device_s: took.device_s,
            waits: took.waits,
        }
    }
}
