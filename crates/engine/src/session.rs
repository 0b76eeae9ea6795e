//! What stays between two answers: the target's caches, the drafter's context, and the tokens that they hold.

use std::rc::Rc;

use decode::{Drafter as _, Token};
use drafters::{Context, Drafter, Proposer};
use gemma4::{Conversation, Model, Verifier};
use mlx_rs::Array;
use nn::{Sampler, Sampling};

use crate::{Result, Reuse, reuse::Held};

/// One session. An answer takes it, and gives it back if all went well.
pub(crate) struct Session {
    target: Rc<Model>,
    conversation: Conversation,
    drafting: Option<Drafting>,
    /// The tokens whose rows the target's caches hold.
    ids: Vec<Token>,
    /// How many tokens open the model's turn, which begins at the place that is remembered.
    opening: usize,
    /// Whether another answer may follow.
    goes_on: bool,
}

/// A drafter and what it has read. Without one the session is the target's alone.
struct Drafting {
    drafter: Drafter,
    /// The layers whose output it reads.
    taps: Vec<usize>,
    context: Box<dyn Context>,
}

impl Session {
    pub(crate) fn new(target: Rc<Model>) -> Self {
        let conversation = Conversation::new(Rc::clone(&target));
        Self { target, conversation, drafting: None, ids: Vec::new(), opening: 0, goes_on: true }
    }

    /// One that no second answer goes on from.
    pub(crate) fn of_one_answer(target: Rc<Model>) -> Self {
        Self { goes_on: false, ..Self::new(target) }
    }

    /// Lets go of the drafter and of what it has read.
    pub(crate) fn drop_drafter(&mut self) {
        self.drafting = None;
    }

    /// Goes back to where both models can go on with `prompt`: that position, and whether more could be hoped for.
    pub(crate) fn resume(&mut self, prompt: &[Token], drafter: Option<&Drafter>) -> Result<(usize, Reuse)> {
        let known = self.drafting.take().filter(|known| drafter.is_some_and(|drafter| known.drafter.is(drafter)));
        self.drafting = match (known, drafter) {
            (None, Some(drafter)) => Some(Drafting::new(drafter, &self.target, &self.conversation, &self.ids)?),
            (known, _) => known,
        };
        let held = Held {
            ids: &self.ids,
            floor: self.floor(),
            remembered: self.remembered(),
            opening: self.opening,
            drafter: self.drafting.as_ref().map(|drafting| drafting.context.position()),
        };
        let (position, reuse) = held.resume(prompt);
        self.conversation.caches_mut().rewind(position)?;
        if let Some(drafting) = &mut self.drafting {
            drafting.context.rewind(position)?;
        }
        Ok((position, reuse))
    }

    /// The first position from which on both models can go back anywhere.
    fn floor(&self) -> usize {
        let drafter = self.drafting.as_ref().map_or(0, |drafting| drafting.context.floor());
        self.conversation.caches().floor().max(drafter)
    }

    /// The one place before it that both can go back to.
    fn remembered(&self) -> Option<usize> {
        let target = self.conversation.caches().remembered()?;
        let drafter = self.drafting.as_ref().map(|drafting| (drafting.context.remembered(), drafting.context.floor()));
        let both = |(remembered, floor)| remembered == Some(target) || floor <= target;
        drafter.is_none_or(both).then_some(target)
    }

    /// How many tokens are held.
    pub(crate) fn position(&self) -> usize {
        self.conversation.caches().position()
    }

    /// Makes the place at hand, where `opening` tokens open the model's turn, one that can be gone back to, whatever
    /// follows.
    pub(crate) fn remember(&mut self, opening: usize) -> Result<()> {
        if !self.goes_on {
            return Ok(());
        }
        self.opening = opening;
        self.conversation.caches_mut().remember()?;
        if let Some(drafting) = &mut self.drafting {
            drafting.context.remember()?;
        }
        Ok(())
    }

    /// The two sides of a round.
    pub(crate) fn sides(&mut self, sampler: &Sampler) -> (Verifier<'_>, Option<Proposer<'_>>) {
        let (taps, proposer) = match &mut self.drafting {
            Some(Drafting { taps, context, .. }) => (&**taps, Some(context.proposer(sampler.clone()))),
            None => (&[][..], None),
        };
        (self.conversation.verifier(sampler.clone(), taps), proposer)
    }

    /// Notes what it holds by now: the beginning of `tokens`, the prompt and what was emitted.
    pub(crate) fn hold(&mut self, tokens: impl Iterator<Item = Token>) {
        self.ids = tokens.take(self.position()).collect();
    }
}

impl Drafting {
    /// A drafter that reads no rows of the target's has read the conversation's `ids` at once; any other must read along.
    fn new(drafter: &Drafter, target: &Rc<Model>, conversation: &Conversation, ids: &[Token]) -> Result<Self> {
        let mut context = drafter.context(Rc::<Model>::clone(target), conversation.donors())?;
        let taps = drafter.taps(target.config().layers.len());
        if taps.is_empty() && !ids.is_empty() {
            let nothing = Array::zeros::<f32>(&[1, i32::try_from(ids.len()).unwrap_or(i32::MAX), 0])?;
            context.proposer(Sampler::new(Sampling::default())).commit(ids, &nothing)?;
        }
        Ok(Self { drafter: drafter.clone(), taps, context })
    }
}
