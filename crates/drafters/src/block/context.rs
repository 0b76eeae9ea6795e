//! What a drafter keeps of one conversation, and how it proposes for one answer.

use std::rc::Rc;

use decode::{Ask, Drafter, Token};
use mlx_rs::{Array, ops::indexing::TryIndexOp};
use nn::{Caches, Draft, Error, Result, Sampler, Shares, Vocabulary, begin, joined};

use super::{BlockDrafter, Choose, walk::Block};

/// The projected rows of the tokens so far. The tapped rows themselves are not kept.
pub struct BlockContext {
    drafter: Rc<BlockDrafter>,
    vocabulary: Rc<dyn Vocabulary>,
    caches: Caches,
    /// Context rows `[1, n, D]` behind those of the caches, which the next block takes along: few, and not computed yet.
    unread: Option<Array>,
}

impl BlockContext {
    pub(super) fn new(drafter: Rc<BlockDrafter>, vocabulary: Rc<dyn Vocabulary>) -> Self {
        let caches = drafter.backbone.caches();
        Self { drafter, vocabulary, caches, unread: None }
    }

    /// The drafter of one answer, whose tokens `choose` chooses.
    #[must_use]
    pub fn proposer<C: Choose>(&mut self, choose: C) -> BlockProposer<'_, C> {
        BlockProposer { context: self, choose }
    }

    /// Takes tapped rows `[1, n, m·H]` of the tokens behind those that it has read; nothing is waited for.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn read(&mut self, taps: &Array) -> Result<()> {
        let rows = self.drafter.project(taps)?;
        self.unread = Some(match self.unread.take() {
            Some(unread) => joined(&[unread, rows], 1)?,
            None => rows,
        });
        Ok(())
    }

    /// The context's keys and values, `[1, groups, rows, D]` each, by layer, all of them.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn caches(&mut self) -> Result<&mut Caches> {
        if let Some(rows) = self.unread.take() {
            self.drafter.backbone.extend(&rows, &mut self.caches)?;
        }
        Ok(&mut self.caches)
    }

    fn unread(&self) -> usize {
        self.unread.as_ref().map_or(0, |rows| rows.dim(1).unsigned_abs() as usize)
    }
}

impl crate::Context for BlockContext {
    fn position(&self) -> usize {
        self.caches.position() + self.unread()
    }

    fn floor(&self) -> usize {
        self.caches.floor()
    }

    fn remembered(&self) -> Option<usize> {
        self.caches.remembered()
    }

    fn remember(&mut self) -> Result<()> {
        self.caches()?.remember()
    }

    fn rewind(&mut self, position: usize) -> Result<()> {
        let read = self.caches.position();
        let kept = match &self.unread {
            Some(rows) if position > read => Some(rows.try_index((.., ..size(position - read), ..))?),
            _ => {
                self.caches.rewind(position)?;
                None
            }
        };
        self.unread = kept;
        Ok(())
    }

    fn proposer(&mut self, sampler: Sampler) -> crate::Proposer<'_> {
        crate::Proposer::Block(Self::proposer(self, sampler))
    }
}

/// A drafter as the loop sees it.
pub struct BlockProposer<'a, C> {
    context: &'a mut BlockContext,
    choose: C,
}

impl<C: Choose> BlockProposer<'_, C> {
    /// Whether both draft with the same weights.
    pub(crate) fn shares(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.context.drafter, &other.context.drafter)
    }

    /// The rows behind `anchor` after the last norm, `[B, D]`, and the logits of those that are read to propose `limit`
    /// tokens, `[limit, V_d]` float32, before anything that depends on the tokens chosen.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn block(&mut self, anchor: Token, limit: usize) -> Result<(Array, Array)> {
        let drafter = Rc::clone(&self.context.drafter);
        let (rows, base) = drafter.blocks(&mut [(&mut *self.context, anchor, limit)])?;
        Ok((rows[0].clone(), base[0].clone()))
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

impl BlockDrafter {
    /// The same for an anchor and a limit in each of several conversations.
    fn blocks(&self, asked: &mut [(&mut BlockContext, Token, usize)]) -> Result<(Vec<Array>, Vec<Array>)> {
        let Some(vocabulary) = asked.first().map(|(context, ..)| Rc::clone(&context.vocabulary)) else {
            return Ok((Vec::new(), Vec::new()));
        };
        let built = |limit| self.slots.built(limit);
        let block = |(_, anchor, limit): &(_, Token, usize)| {
            self.inputs.blocks(&[*anchor], built(*limit), &*vocabulary, self.dtype)
        };
        let inputs = asked.iter().map(block).collect::<Result<Vec<_>>>()?;
        let blocks = Shares::new(asked.iter().map(|&(_, _, limit)| built(limit)));
        let limits = asked.iter().map(|&(_, _, limit)| limit).collect::<Vec<_>>();
        let unread = asked.iter_mut().map(|(context, ..)| context.unread.take()).collect::<Vec<_>>();
        let mut caches = asked.iter_mut().map(|(context, ..)| &mut context.caches).collect::<Vec<_>>();
        let rows = self.backbone.forward(joined(&inputs, 1)?, &unread, &mut caches, &blocks)?;
        let rows = blocks.split(&rows, 0)?;

        let first = self.slots.first;
        let read = |(rows, &limit): (&Array, &usize)| Ok(rows.try_index((size(first)..size(first + limit), ..))?);
        let read = rows.iter().zip(&limits).map(read).collect::<Result<Vec<_>>>()?;
        let base = self.head.logits(&joined(&read, 0)?, &*vocabulary)?;
        Ok((rows, Shares::new(limits).split(&base, 0)?))
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
        let mut drafts = together(vec![Ask { drafter: self, anchor, position, limit }])?;
        Ok(drafts.pop().unwrap_or_else(Draft::empty))
    }

    fn commit(&mut self, tokens: &[Token], taps: &Array) -> Result<()> {
        self.context.read(&taps.try_index((.., ..size(tokens.len()), ..))?)?;
        // A round's few rows, at most the anchor's and those of a whole draft, are computed with the next proposal. More of
        // them are computed from now on, or the graph would keep every chunk's tapped rows alive until then.
        if self.context.unread() > self.context.drafter.slots.limit() + 1 {
            begin(self.context.caches()?.arrays())?;
        }
        Ok(())
    }
}

/// Proposes for several conversations with one drafter, in one pass.
pub(crate) fn together<C: Choose>(mut asks: Vec<Ask<'_, BlockProposer<'_, C>>>) -> Result<Vec<Draft>> {
    let Some(drafter) = asks.first().map(|ask| Rc::clone(&ask.drafter.context.drafter)) else {
        return Ok(Vec::new());
    };
    for ask in &asks {
        let (rows, position) = (crate::Context::position(&*ask.drafter.context), ask.position);
        if rows != position {
            return Err(Error::Context { rows, position });
        }
    }
    let asked = asks.iter_mut().map(|ask| (&mut *ask.drafter.context, ask.anchor, ask.limit));
    let (rows, base) = drafter.blocks(&mut asked.collect::<Vec<_>>())?;
    let (first, subset) = (size(drafter.slots.first), drafter.subset.as_ref());
    let blocks = asks.iter().zip(rows).zip(base).map(|((ask, rows), base)| {
        let Ask { drafter, anchor, position, .. } = ask;
        Block { anchor: *anchor, position: *position, rows, first, base, subset, choose: &drafter.choose }
    });
    let drafts = drafter.walk.draft(&blocks.collect::<Vec<_>>())?;
    // The device drafts while the host describes the pass that verifies.
    begin(drafts.iter().flat_map(|draft| [&draft.tokens].into_iter().chain(&draft.confidences)))?;
    Ok(drafts)
}

fn size(rows: usize) -> i32 {
    i32::try_from(rows).unwrap_or(i32::MAX)
}
