//! What an assistant keeps of one conversation, and how it proposes for one answer.

use std::rc::Rc;

use decode::{Drafter, Token};
use mlx_rs::{Array, ops, ops::indexing::TryIndexOp};
use nn::{Donors, Draft, Error, Q, Result, Sampler, Vocabulary};

use super::{AssistantDrafter, MOST};

/// The target's newest row, and a view of its keys and values: these are all the memory that it has.
pub struct AssistantContext {
    drafter: Rc<AssistantDrafter>,
    vocabulary: Rc<dyn Vocabulary>,
    donors: Rc<dyn Donors>,
    newest: Option<Newest>,
}

/// The row that the target's head chose the anchor by.
struct Newest {
    /// `[1, 1, H]`, after the target's final norm.
    row: Array,
    /// How many rows the target had committed with it.
    position: usize,
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

    fn proposer(&mut self, sampler: Sampler) -> Box<crate::Proposer<'_>> {
        Box::new(Self::proposer(self, sampler))
    }
}

/// A drafter as the loop sees it.
pub struct AssistantProposer<'a> {
    context: &'a mut AssistantContext,
    sampler: Sampler,
}

impl Drafter for AssistantProposer<'_> {
    type Draft = Draft;
    type Taps = Array;
    type Error = Error;

    fn limit(&self) -> usize {
        MOST
    }

    fn propose(&mut self, anchor: Token, position: usize, limit: usize) -> Result<Draft> {
        let AssistantContext { drafter, vocabulary, donors, newest } = &*self.context;
        let rows = donors.position();
        if rows != position {
            return Err(Error::Context { rows, position });
        }
        let newest = newest.as_ref().filter(|newest| newest.position == position);
        let (Some(newest), Some(lent)) = (newest, drafter.borrow(&**donors)?) else { return Ok(Draft::empty()) };
        let (mut token, mut row) = (Array::from_slice(&[anchor], &[1]), newest.row.clone());
        let (mut tokens, mut qs) = (Vec::new(), Vec::new());
        // Nothing waits: each token stays on the device on its way into the next step.
        for position in (position + 1..).take(limit) {
            let step = drafter.step(&token, &row, &lent, &**vocabulary)?;
            let drawn = self.sampler.pick(&step.logits, step.subset.as_ref(), position)?;
            tokens.push(drawn.token.clone());
            qs.extend(drawn.q);
            (token, row) = (drawn.token, step.row);
        }
        Ok(Draft { tokens: ops::concatenate(&tokens, 0)?, q: Q::concatenate(&qs)?, confidences: None })
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
