//! The caches of one conversation, and the target that one answer decodes with.

use std::rc::Rc;

use decode::{Pass, Token};
use mlx_rs::{Array, ops::indexing::TryIndexOp};
use nn::{Cache, Draft, Sampler, Vocabulary, block, wait};

use crate::{Error, Model, Result};

/// What one conversation has put into the target's caches.
#[derive(Debug)]
pub struct Conversation {
    model: Rc<Model>,
    caches: Vec<Cache>,
}

impl Conversation {
    /// An empty one.
    #[must_use]
    pub fn new(model: Rc<Model>) -> Self {
        let caches = model.caches();
        Self { model, caches }
    }

    /// The target of one answer: chooses with `sampler`, and hands out the rows of the layers in `taps`, which are
    /// strictly increasing.
    #[must_use]
    pub fn verifier<'a>(&'a mut self, sampler: Sampler, taps: &'a [usize]) -> Verifier<'a> {
        Verifier { conversation: self, sampler, taps }
    }

    fn commit(&mut self, rows: usize) -> Result<()> {
        self.caches.iter_mut().try_for_each(|cache| cache.commit(rows))?;
        Ok(())
    }
}

/// The target as the loop sees it.
#[derive(Debug)]
pub struct Verifier<'a> {
    conversation: &'a mut Conversation,
    sampler: Sampler,
    taps: &'a [usize],
}

impl decode::Target for Verifier<'_> {
    type Draft = Draft;
    type Taps = Array;
    type Error = Error;

    fn prefill(&mut self, tokens: &[Token]) -> Result<Array> {
        let Conversation { model, caches } = &mut *self.conversation;
        let ids = Array::from_slice(tokens, &[1, i32::try_from(tokens.len()).unwrap_or(i32::MAX)]);
        let rows = model.forward(&ids, caches, self.taps)?;
        self.conversation.commit(tokens.len())?;
        // The graph must not grow from chunk to chunk; the head is not computed.
        wait(self.conversation.caches.iter().flat_map(Cache::arrays).chain([&rows.taps]))?;
        Ok(rows.taps)
    }

    fn verify(&mut self, anchor: Token, draft: Option<&Draft>) -> Result<Pass<Array>> {
        let Conversation { model, caches } = &mut *self.conversation;
        let position = caches.first().map_or(0, Cache::position);
        let rows = model.forward(&block(anchor, draft)?, caches, self.taps)?;
        let logits = model.logits(&rows.normed)?.try_index(0)?;
        let judged = self.sampler.judge(&logits, draft, position + 1)?;
        Ok(Pass { draft: judged.draft, confidences: judged.confidences, verdict: judged.verdict, taps: rows.taps })
    }

    fn commit(&mut self, rows: usize) -> Result<()> {
        self.conversation.commit(rows)
    }
}
