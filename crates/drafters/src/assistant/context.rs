//! What an assistant keeps of one conversation, and how it proposes for one answer.

use std::rc::Rc;

use decode::{Ask, Drafter, Token};
use mlx_rs::{Array, ops::indexing::TryIndexOp};
use nn::{Donors, Draft, Error, Result, Sampler, Vocabulary};

use super::{AssistantDrafter, MOST, drafting::together};

/// The target's newest row, and a view of its keys and values: these are all the memory that it has.
pub struct AssistantContext {
    pub(super) drafter: Rc<AssistantDrafter>,
    pub(super) vocabulary: Rc<dyn Vocabulary>,
    pub(super) donors: Rc<dyn Donors>,
    pub(super) newest: Option<Newest>,
}

/// The row that the target's head chose the anchor by.
pub(super) struct Newest {
    /// `[1, 1, H]`, after the target's final norm.
    pub(super) row: Array,
    /// How many rows the target had committed with it.
    pub(super) position: usize,
}

impl AssistantContext {
    pub(super) fn new(drafter: Rc<AssistantDrafter>, vocabulary: Rc<dyn Vocabulary>, donors: Rc<dyn Donors>) -> Self {
        Self { drafter, vocabulary, donors, newest: None }
    }

    /// The drafter of one answer, which chooses with `sampler`.
    #[must_use]
    pub fn proposer(&mut self, sampler: Sampler) -> AssistantProposer<'_> {
        AssistantProposer { context: self, sampler }
    }
}

/// It is where the target is, and goes where the target goes. Only the newest row is lost on the way back; the next
/// round is then a plain step, which brings another.
impl crate::Context for AssistantContext {
    fn position(&self) -> usize {
        self.donors.position()
    }

    fn rewind(&mut self, position: usize) -> Result<()> {
        self.newest = self.newest.take().filter(|newest| newest.position == position);
        Ok(())
    }

    fn proposer(&mut self, sampler: Sampler) -> crate::Proposer<'_> {
        crate::Proposer::Assistant(Self::proposer(self, sampler))
    }
}

/// A drafter as the loop sees it.
pub struct AssistantProposer<'a> {
    pub(super) context: &'a mut AssistantContext,
    pub(super) sampler: Sampler,
}

impl AssistantProposer<'_> {
    /// Whether both draft with the same weights.
    pub(crate) fn shares(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.context.drafter, &other.context.drafter)
    }
}

impl Drafter for AssistantProposer<'_> {
    type Draft = Draft;
    type Taps = Array;
    type Error = Error;

    fn limit(&self) -> usize {
        MOST
    }

    fn propose(&mut self, anchor: Token, position: usize, limit: usize) -> Result<Draft> {
        let mut drafts = together(&[Ask { drafter: self, anchor, position, limit }])?;
        Ok(drafts.pop().unwrap_or_else(Draft::empty))
    }

    fn commit(&mut self, tokens: &[Token], taps: &Array) -> Result<()> {
        let AssistantContext { drafter, donors, newest, .. } = &mut *self.context;
        let Some(last) = tokens.len().checked_sub(1) else { return Ok(()) };
        let last = i32::try_from(last).unwrap_or(i32::MAX);
        let row = taps.try_index((.., last..=last, ..))?.as_dtype(drafter.dtype)?;
        *newest = Some(Newest { row, position: donors.position() });
        Ok(())
    }
}
