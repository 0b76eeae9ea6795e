//! What to answer, with what, and how.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::{Calibration, Cost, Error, Mode, Result};

pub use chat::{Message, Role};
pub use nn::{Penalties, Rule, Sampling};

/// One answer to make.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The target's checkpoint folder.
    pub target: PathBuf,
    /// Where drafts come from; `None` decodes plainly.
    pub drafter: Option<DraftSource>,
    /// The type to compute in.
    pub precision: Precision,
    /// What to answer.
    pub prompt: Prompt,
    /// What there is of the answer already: it goes on as if it had never stopped.
    pub begun: Option<Begun>,
    /// How much to draft, and how to choose tokens.
    pub controls: Controls,
    /// How much of the machine's memory it may take.
    pub memory: Memory,
    /// What rounds of this target and drafter are known to cost here; empty if nothing is. The answer brings it back with
    /// what was learned.
    pub cost: Cost,
    /// Whether what was learned of these models before is forgotten, and rounds of every length are timed however long that
    /// takes.
    pub afresh: bool,
    /// What was fitted to the drafter's confidence for this target; `None` takes what the drafter's files bring, if they
    /// bring anything.
    pub calibration: Option<Calibration>,
    /// Whether each round tells how probable its tokens were, to the target and to the drafter. No token is another for
    /// it, and no wait is added, but a round takes a little longer.
    pub observe: bool,
    /// Whether no token ends it, so that it is as long as is allowed: answers of one length compare.
    pub endless: bool,
}

impl Request {
    /// An answer by the target alone, as it chooses unless anything is set.
    #[must_use]
    pub fn new(target: impl Into<PathBuf>, prompt: Prompt) -> Self {
        Self {
            target: target.into(),
            drafter: None,
            precision: Precision::default(),
            prompt,
            begun: None,
            controls: Controls::default(),
            memory: Memory::default(),
            cost: Cost::default(),
            afresh: false,
            calibration: None,
            observe: false,
            endless: false,
        }
    }

    /// Whether both are answered by the same loaded models.
    pub(crate) fn shares_models_with(&self, other: &Self) -> bool {
        (&self.target, self.drafting(), self.precision) == (&other.target, other.drafting(), other.precision)
    }

    /// The answer's ids so far.
    pub(crate) fn written(&self) -> &[u32] {
        self.begun.as_ref().map_or(&[], |begun| &begun.ids)
    }

    /// Where drafts come from, if anything is to be drafted.
    pub(crate) fn drafting(&self) -> Option<&DraftSource> {
        self.drafter.as_ref().filter(|_| self.controls.gamma != Some(0))
    }
}

/// The beginning of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Begun {
    /// The prompt as it was read, which is read again whatever the request's own would be by now.
    pub prompt_ids: Vec<u32>,
    /// The answer's ids. They count as written: [`Controls::max_tokens`] is of all.
    pub ids: Vec<u32>,
}

/// Where drafts come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DraftSource {
    /// The drafter in a checkpoint folder.
    Folder(PathBuf),
    /// The text itself: what followed its newest tokens before may follow again. It needs no files and suits any target.
    Lookup,
}

/// How much of the machine's memory an answer may take.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Memory {
    /// What stays free for everything else, bytes; `None` leaves it to [`Machine::usual_reserve`](crate::Machine).
    pub reserve: Option<u64>,
    /// Whether the user insists: what was refused for lack of memory is loaded all the same. It holds until another
    /// target is asked for.
    pub insist: bool,
}

/// What to answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Prompt {
    /// Text to continue as it stands.
    Raw(String),
    /// A conversation, rendered by the checkpoint's chat template; a base model without one continues its text.
    Chat(Vec<Message>),
}

impl Prompt {
    /// The first thing that somebody says in it. Prompts that begin alike are of one conversation, or the same: what one of
    /// them teaches says much about the others.
    #[must_use]
    pub fn beginning(&self) -> String {
        match self {
            Self::Raw(text) => text.clone(),
            Self::Chat(messages) => {
                let first = messages.iter().find(|message| message.role == Role::User).or(messages.first());
                first.map(|message| message.content.text().into_owned()).unwrap_or_default()
            }
        }
    }
}

/// The number type that the models compute in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Precision {
    /// The type that the checkpoint stores.
    #[default]
    AsStored,
    /// 32-bit floats, whatever is stored: slower on a GPU, exact to compare, and the fastest on a CPU.
    Float32,
}

/// How long drafts are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scheduling {
    /// As γ and minConf say; where neither says anything, as long as is worth the time measured here, and not at all
    /// while drafting loses.
    #[default]
    Auto,
    /// Always γ tokens.
    Fixed,
    /// γ tokens, or fewer where a confidence lies below its threshold; the first is always verified.
    Thresholds,
    /// γ tokens, or fewer where a confidence lies below minConf; the first is judged like the others, so that nothing may
    /// be left.
    Gate,
    /// Up to γ tokens, by how many of the last drafts stood.
    Adaptive,
}

/// What the user sets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Controls {
    /// How long drafts are.
    pub schedule: Scheduling,
    /// The most tokens to draft a round (γ); `None` takes as many as the drafter is usually asked for, 0
    /// decodes plainly.
    pub gamma: Option<usize>,
    /// The calibrated confidence below which a drafted token is not worth verifying, instead of the thresholds that were
    /// fitted; 0 verifies every token. `None` leaves it to the schedule, and where that is one of thresholds, to those.
    pub min_conf: Option<f32>,
    /// How the target chooses its tokens.
    #[serde(flatten)]
    pub sampling: Sampling,
    /// The most tokens to write.
    pub max_tokens: usize,
    /// The most tokens of prompt and answer together, which bounds the memory; `None` is all that the target can read.
    pub context: Option<usize>,
    /// Texts that end the answer; they are not part of it.
    pub stop: Vec<String>,
    /// Let the model think before it answers, if the checkpoint's template knows how.
    pub thinking: bool,
}

impl Controls {
    /// The same, drafting in this way.
    #[must_use]
    pub fn drafting(self, mode: Mode) -> Self {
        let (schedule, gamma) = match mode {
            Mode::Plain => (Scheduling::Fixed, Some(0)),
            Mode::Fixed { gamma } => (Scheduling::Fixed, Some(gamma)),
            Mode::Thresholds => (Scheduling::Thresholds, None),
            Mode::Auto => (Scheduling::Auto, None),
        };
        Self { schedule, gamma, min_conf: None, ..self }
    }

    /// Refuses values that mean nothing, before they are taken for something else.
    pub(crate) fn check(&self) -> Result<()> {
        let Sampling {
            temperature, top_p, min_p, penalties: Penalties { repetition, presence, frequency, .. }, ..
        } = self.sampling;
        let share = |value| ((0.0..=1.0).contains(&value), "between 0 and 1");
        let penalty = |value| ((-100.0..=100.0).contains(&value), "between -100 and 100");
        let min_conf = self.min_conf.unwrap_or(0.0);
        let checks = [
            ("the temperature", temperature, ((0.0..=100.0).contains(&temperature), "between 0 and 100")),
            ("top-p", top_p, share(top_p)),
            ("min-p", min_p, share(min_p)),
            ("the repetition penalty", repetition, ((0.01..=100.0).contains(&repetition), "between 0.01 and 100")),
            ("the presence penalty", presence, penalty(presence)),
            ("the frequency penalty", frequency, penalty(frequency)),
            ("minConf", min_conf, share(min_conf)),
        ];
        match checks.into_iter().find(|(_, _, (holds, _))| !holds) {
            Some((control, value, (_, wanted))) => Err(Error::Control { control, value, wanted }),
            None => Ok(()),
        }
    }
}

impl Default for Controls {
    fn default() -> Self {
        Self {
            schedule: Scheduling::default(),
            gamma: None,
            min_conf: None,
            sampling: Sampling::default(),
            max_tokens: 1024,
            context: None,
            stop: Vec::new(),
            thinking: false,
        }
    }
}
