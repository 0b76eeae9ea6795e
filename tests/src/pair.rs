//! A target and a drafter in a conversation without meaning, for whoever times or weighs what they do.

use std::{ops::ControlFlow, rc::Rc};

use drafters::{Context, Drafter, Proposer};
use gemma4::{Conversation, Model, Verifier};
use nn::{Sampler, Sampling};

use crate::{Outcome, random::Random};

/// Two models, the same tokens behind both of them.
pub struct Pair {
    /// What the target has read.
    pub conversation: Conversation,
    /// What the drafter has read.
    pub context: Box<dyn Context>,
    taps: Vec<usize>,
    sampler: Sampler,
    random: Random,
}

impl Pair {
    /// Before anything was read; tokens are chosen greedily.
    ///
    /// # Errors
    /// When they do not fit each other.
    pub fn new(model: &Rc<Model>, drafter: &Drafter) -> Outcome<Self> {
        let conversation = Conversation::new(Rc::clone(model));
        Ok(Self {
            context: drafter.context(Rc::<Model>::clone(model), conversation.donors())?,
            conversation,
            taps: drafter.taps(model.config().layers.len()),
            sampler: Sampler::new(Sampling { temperature: 0.0, ..Sampling::default() }),
            random: Random::new(1),
        })
    }

    /// The two sides of a round.
    pub fn sides(&mut self) -> (Verifier<'_>, Proposer<'_>) {
        let verifier = self.conversation.verifier(self.sampler.clone(), &self.taps);
        (verifier, self.context.proposer(self.sampler.clone()))
    }

    /// Reads tokens without meaning until there are so many.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn read_to(&mut self, position: usize) -> Outcome {
        let missing = position - self.context.position();
        // Few enough kinds of tokens that a lookup finds something.
        let tokens = self.random.ids(missing, 16);
        let (mut target, mut drafter) = self.sides();
        decode::prefill(&mut target, Some(&mut drafter), &tokens, 512, &mut |_| ControlFlow::Continue(()))?;
        Ok(())
    }

    /// Makes the place at hand one that [`Self::go_back`] returns to.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn remember(&mut self) -> Outcome {
        self.conversation.caches_mut().remember()?;
        Ok(self.context.remember()?)
    }

    /// Takes back whatever was read behind `position`.
    ///
    /// # Errors
    /// When it cannot go back so far.
    pub fn go_back(&mut self, position: usize) -> Outcome {
        self.conversation.caches_mut().rewind(position)?;
        Ok(self.context.rewind(position)?)
    }
}
