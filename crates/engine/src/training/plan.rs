//! What a training takes, told before it begins.

use std::path::Path;

use gemma4::{Config, Needs, Passes, Survey};
use training::SHARD_ROWS;

use super::{Design, answers::Asking, blueprint::Blueprint, held_out, settings};
use crate::{
    Error, Precision, Prompt, Result, Room,
    memory::{dtype, exists},
    reading::CHUNK,
};

/// Copies of a drafter's numbers while it learns: its own, their gradients, and two moments, each before and after a step.
const COPIES: u64 = 8;

/// Copies of a row of logits while a loss is computed and differentiated.
const LOGITS: u64 = 8;

/// Copies of a row of the drafter's widest part, a layer, that differentiation keeps.
const KEPT: u64 = 24;

/// What a training takes.
#[derive(Debug, Clone)]
pub struct LessonPlan {
    config: Config,
    needs: Needs,
    taps: u64,
    numbers: u64,
    gamma: usize,
}

impl LessonPlan {
    /// The most tokens of an answer that a drafter learns from.
    pub const ANSWER: usize = Asking::NOW.answer;

    /// Looks at the target's files; no weights are read.
    ///
    /// # Errors
    /// When the folder holds no target, or no drafter of this design can be made for it.
    pub fn of(target: &Path, precision: Precision, design: Design) -> Result<Self> {
        exists(target)?;
        let survey = Survey::of(target)?;
        let blueprint = Blueprint::new(design, String::new(), &survey.config, 0, 0)?;
        let taps = training::captured(blueprint.taps(), survey.config.layers.len()).len() as u64;
        let needs = survey.needs(dtype(precision))?;
        Ok(Self { needs, taps, numbers: blueprint.numbers()?, gamma: design.gamma, config: survey.config })
    }

    /// The target's weights in memory, bytes.
    pub(super) fn weights(&self) -> u64 {
        self.needs.weights
    }

    /// What it takes of memory at most, bytes: the target, and the answers or the steps, whichever is more.
    #[must_use]
    pub fn memory(&self) -> u64 {
        let passes = Passes { chunk: CHUNK, block: 1, taps: usize::try_from(self.taps).unwrap_or(1) };
        let context = Asking::NOW.longest + Asking::NOW.answer;
        let answering = self.needs.caches(context, passes).saturating_add(self.needs.working(context, passes));
        let (hidden, vocabulary) = (number(self.config.hidden_size), number(self.config.vocab_size));
        let rows = (settings::SEQUENCES * settings::ANCHORS * self.gamma) as u64;
        let seen = (settings::SEQUENCES * settings::CONTEXT) as u64 + rows;
        let steps = [
            self.numbers.saturating_mul(4 * COPIES),
            rows.saturating_mul(vocabulary).saturating_mul(4 * LOGITS),
            seen.saturating_mul(hidden).saturating_mul(4 * KEPT),
        ];
        let steps = steps.into_iter().fold(0, u64::saturating_add);
        // A shard fills until a sequence makes it whole, and is there twice while it is written.
        let captured = self.row().saturating_mul(2 * (SHARD_ROWS + context) as u64);
        self.weights().saturating_add(self.needs.loading.max(answering).max(steps)).saturating_add(captured)
    }

    /// What it takes of the disk at most while it lasts, bytes, with these prompts.
    #[must_use]
    pub fn disk(&self, prompts: &[Prompt]) -> u64 {
        let tokens =
            prompts.iter().map(|prompt| longest(prompt).min(Asking::NOW.longest) + Asking::NOW.answer).sum::<usize>();
        let captured = self.row().saturating_mul(tokens as u64);
        // The state and its successor while that is written, the best numbers likewise, and the best drafter likewise.
        captured.saturating_add(self.numbers.saturating_mul(4 * 3 * 2 + 4 * 2 + 2 * 2))
    }

    /// Refuses too few prompts, or those of one conversation only.
    ///
    /// # Errors
    /// Likewise.
    pub fn enough(prompts: &[Prompt]) -> Result<()> {
        Asking::NOW.enough(prompts.len())?;
        held_out::last(prompts.iter().collect(), |prompt| prompt).map(|_| ())
    }

    /// Refuses what does not fit.
    ///
    /// # Errors
    /// When there is not enough memory.
    pub fn check(&self, room: Room) -> Result<()> {
        let need = self.memory();
        if need <= room.bytes() { Ok(()) } else { Err(Error::NoRoomToTeach { need, room }) }
    }

    /// A captured row, bytes.
    fn row(&self) -> u64 {
        self.taps * number(self.config.hidden_size) * 2
    }
}

/// Tokens of a prompt at most: hardly any text has more than one in two bytes, and a message has some around it.
fn longest(prompt: &Prompt) -> usize {
    match prompt {
        Prompt::Raw(text) => text.len() / 2 + 2,
        Prompt::Chat(messages) => {
            messages.iter().map(|message| message.content.text().len() / 2 + 16).sum::<usize>() + 16
        }
    }
}

fn number(measure: i32) -> u64 {
    u64::from(measure.unsigned_abs())
}
