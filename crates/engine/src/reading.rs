//! From a prompt to its rows in the session.

use std::ops::ControlFlow;

use chat::PromptOptions;
use decode::Token;
use nn::{Sampler, Vocabulary};

use crate::{Cancel, Error, Event, Prompt, Request, Result, models::Target, session::Session};

/// Rows of the prompt that go through the target at once.
pub(crate) const CHUNK: usize = 512;

/// What the target reads: the prompt, and what the answer says already.
pub(crate) struct Reading {
    pub(crate) ids: Vec<Token>,
    /// How many of them are the prompt's.
    prompt: usize,
    /// Where the model's turn begins.
    turn: usize,
}

impl Reading {
    /// Their ids; `notes` hears what the user should know of how they came about.
    pub(crate) fn new(request: &Request, target: &Target, notes: &mut Vec<String>) -> Result<Self> {
        let (mut ids, turn) = match (&request.begun, &request.prompt) {
            (Some(begun), _) => (begun.prompt_ids.clone(), usize::MAX),
            (None, Prompt::Raw(text)) => (target.codec.complete(text)?, usize::MAX),
            (None, Prompt::Chat(messages)) => {
                let options = PromptOptions { enable_thinking: request.controls.thinking, ..PromptOptions::default() };
                let prompt = target.codec.prompt(messages, options)?;
                notes.extend(prompt.notes.iter().map(ToString::to_string));
                (prompt.ids, prompt.turn)
            }
        };
        let prompt = ids.len();
        ids.extend(request.written());
        let vocabulary = usize::try_from(target.model.size()).unwrap_or(0);
        match ids.iter().find(|&&id| id as usize >= vocabulary) {
            Some(&id) => Err(Error::Vocabulary { id, vocabulary }),
            None => Ok(Self { turn: turn.min(prompt.saturating_sub(1)), ids, prompt }),
        }
    }

    /// The prompt's alone.
    pub(crate) fn prompt(&self) -> &[Token] {
        &self.ids[..self.prompt]
    }

    /// Its last token, the first anchor.
    pub(crate) fn anchor(&self) -> Token {
        self.ids.last().copied().unwrap_or_default()
    }

    /// Reads what the session does not hold of it, but for the last token, the first anchor. On the way the session
    /// remembers where the model's turn begins. Returns whether to go on.
    ///
    /// Attention scores grow with each chunk, and MLX keeps every size that they have had: what it keeps is given back
    /// once all that it holds is more than the answer was said to `need`, bytes, and when the prompt is read.
    pub(crate) fn read(
        &self,
        session: &mut Session,
        sampler: &Sampler,
        need: u64,
        cancel: &Cancel,
        sink: &mut dyn FnMut(Event),
    ) -> Result<bool> {
        let (held, end) = (session.position(), self.ids.len().saturating_sub(1));
        let total = end.saturating_sub(held);
        let mut progress = |position: usize| {
            if position == end || nn::memory_held() > need {
                nn::release_memory();
            }
            if total > 0 {
                sink(Event::Prefill { done: position - held, total });
            }
            if cancel.is_asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        for stop in [self.turn.max(held), end] {
            let from = session.position();
            let (mut verifier, mut proposer) = session.sides(sampler);
            let rows = &self.ids[from..stop];
            if !decode::prefill(&mut verifier, proposer.as_mut(), rows, CHUNK, &mut |done| progress(from + done))? {
                return Ok(false);
            }
            drop(proposer);
            if stop == self.turn {
                session.remember(self.prompt - stop)?;
            }
        }
        Ok(progress(end).is_continue())
    }
}
