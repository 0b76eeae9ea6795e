//! What a drafter keeps of one conversation, and how it proposes for one answer.

use std::rc::Rc;

use decode::{Drafter, Token};
use mlx_rs::{Array, ops::indexing::TryIndexOp};
use nn::{Caches, Draft, Error, Result, Sampler, Vocabulary, wait};

use super::{BlockDrafter, Choose, walk::Block};

/// The projected rows of the tokens so far. The tapped rows themselves are not kept.
pub struct BlockContext {
    drafter: Rc<BlockDrafter>,
    vocabulary: Rc<dyn Vocabulary>,
    caches: Caches,
}

impl BlockContext {
    pub(super) fn new(drafter: Rc<BlockDrafter>, vocabulary: Rc<dyn Vocabulary>) -> Self {
        let caches = drafter.backbone.caches();
        Self { drafter, vocabulary, caches }
    }

    /// The drafter of one answer, whose tokens `choose` chooses.
    #[must_use]
    pub fn proposer<C: Choose>(&mut self, choose: C) -> BlockProposer<'_, C> {
        BlockProposer { context: self, choose }
    }

    /// The context's keys and values, `[1, groups, rows, D]` each, by layer.
    #[must_use]
    pub fn caches(&self) -> &Caches {
        &self.caches
    }
}

impl crate::Context for BlockContext {
    fn position(&self) -> usize {
        self.caches.position()
    }

    fn floor(&self) -> usize {
        self.caches.floor()
    }

    fn remembered(&self) -> Option<usize> {
        self.caches.remembered()
    }

    fn remember(&mut self) -> Result<()> {
        self.caches.remember()
    }

    fn rewind(&mut self, position: usize) -> Result<()> {
        self.caches.rewind(position)
    }

    fn proposer(&mut self, sampler: Sampler) -> Box<crate::Proposer<'_>> {
        Box::new(Self::proposer(self, sampler))
    }
}

/// A drafter as the loop sees it.
pub struct BlockProposer<'a, C> {
    context: &'a mut BlockContext,
    choose: C,
}

impl<C: Choose> BlockProposer<'_, C> {
    /// The rows behind `anchor` after the last norm, `[B, D]`, and the logits of those that are read to propose `limit`
    /// tokens, `[limit, V_d]` float32, before anything that depends on the tokens chosen.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn block(&mut self, anchor: Token, limit: usize) -> Result<(Array, Array)> {
        let BlockContext { drafter, vocabulary, caches } = &mut *self.context;
        let (slots, vocabulary) = (drafter.slots, &**vocabulary);
        let block = drafter.inputs.block(anchor, slots.built(limit), vocabulary, drafter.dtype)?;
        let rows = drafter.backbone.forward(block, caches)?;
        let base = self.logits(&rows.try_index((size(slots.first)..size(slots.first + limit), ..))?)?;
        Ok((rows, base))
    }

    /// The logits `[n, V_d]`, float32, of rows `[n, D]` of a block, likewise.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn logits(&self, rows: &Array) -> Result<Array> {
        let BlockContext { drafter, vocabulary, .. } = &*self.context;
        drafter.head.logits(rows, &**vocabulary)
    }
}

impl<C: Choose> Drafter for BlockProposer<'_, C> {
    type Draft = Draft;
    type Taps = Array;
    type Error = Error;

    fn limit(&self) -> usize {
        self.context.drafter.slots.limit()
    }

    fn propose(&mut self, anchor: Token, position: usize, limit: usize) -> Result<Draft> {
        let rows = self.context.caches.position();
        if rows != position {
            return Err(Error::Context { rows, position });
        }
        let (rows, base) = self.block(anchor, limit)?;
        let drafter = &self.context.drafter;
        let (first, subset) = (size(drafter.slots.first), drafter.subset.as_ref());
        drafter.walk.draft(&Block { anchor, position, rows, first, base, subset }, &self.choose)
    }

    fn commit(&mut self, tokens: &[Token], taps: &Array) -> Result<()> {
        let BlockContext { drafter, caches, .. } = &mut *self.context;
        let rows = drafter.project(&taps.try_index((.., ..size(tokens.len()), ..))?)?;
        drafter.backbone.extend(&rows, caches)?;
        // A round's few rows, at most the anchor's and those of a whole draft, are computed with the next proposal. A
        // chunk of the prompt is computed now, or the graph would keep every chunk's tapped rows alive until then.
        if tokens.len() > drafter.slots.limit() + 1 {
            wait(caches.arrays())?;
        }
        Ok(())
    }
}

fn size(rows: usize) -> i32 {
    i32::try_from(rows).unwrap_or(i32::MAX)
}
