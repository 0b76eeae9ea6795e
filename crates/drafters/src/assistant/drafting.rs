//! An assistant's draft, token by token, for several conversations side by side.

use std::rc::Rc;

use decode::Ask;
use mlx_rs::Array;
use nn::{Draft, Error, Q, Result, Sampler, joined};

use super::{AssistantContext, AssistantProposer, Lent, Step};

/// Proposes for several conversations with one drafter, in one pass for each token.
pub(crate) fn together(asks: &[Ask<'_, AssistantProposer<'_>>]) -> Result<Vec<Draft>> {
    let mut drafts = asks.iter().map(Drafting::new).collect::<Result<Vec<_>>>()?;
    let longest = asks.iter().map(|ask| ask.limit).max().unwrap_or(0);
    // Nothing waits: each token stays on the device on its way into the next step.
    for k in 0..longest {
        let going = asks.iter().zip(&mut drafts).filter(|(ask, _)| k < ask.limit);
        let mut going = going.filter_map(|(_, drafting)| drafting.as_mut()).collect::<Vec<_>>();
        let Some(first) = going.first() else { break };
        let (drafter, vocabulary) = (Rc::clone(&first.context.drafter), Rc::clone(&first.context.vocabulary));
        let tokens = going.iter().map(|drafting| drafting.token.clone()).collect::<Vec<_>>();
        let rows = going.iter().map(|drafting| drafting.row.clone()).collect::<Vec<_>>();
        let lent = going.iter().map(|drafting| &drafting.lent).collect::<Vec<_>>();
        let steps = drafter.step(&joined(&tokens, 0)?, &joined(&rows, 1)?, &lent, &*vocabulary)?;
        going.iter_mut().zip(steps).try_for_each(|(drafting, step)| drafting.take(step))?;
    }
    drafts.into_iter().map(|drafting| drafting.map_or_else(|| Ok(Draft::empty()), Drafting::draft)).collect()
}

/// A draft in the making.
struct Drafting<'a> {
    context: &'a AssistantContext,
    sampler: &'a Sampler,
    lent: Lent,
    /// Where the next token will stand.
    position: usize,
    /// The newest token, `[1]`.
    token: Array,
    /// The row beside it, `[1, 1, H]`.
    row: Array,
    tokens: Vec<Array>,
    qs: Vec<Q>,
}

impl<'a> Drafting<'a> {
    /// `None` where there is nothing to draft from.
    fn new(ask: &'a Ask<'_, AssistantProposer<'_>>) -> Result<Option<Self>> {
        let Ask { drafter: AssistantProposer { context, sampler }, anchor, position, .. } = ask;
        let AssistantContext { drafter, donors, newest, .. } = &**context;
        let rows = donors.position();
        if rows != *position {
            return Err(Error::Context { rows, position: *position });
        }
        let newest = newest.as_ref().filter(|newest| newest.position == rows);
        let (Some(newest), Some(lent)) = (newest, drafter.borrow(&**donors)?) else { return Ok(None) };
        let (token, row) = (Array::from_slice(&[*anchor], &[1]), newest.row.clone());
        let (tokens, qs) = (Vec::new(), Vec::new());
        Ok(Some(Self { context, sampler, lent, position: rows + 1, token, row, tokens, qs }))
    }

    fn take(&mut self, step: Step) -> Result<()> {
        let drawn = self.sampler.pick(&step.logits, step.subset.as_ref(), self.position)?;
        self.tokens.push(drawn.token.clone());
        self.qs.extend(drawn.q);
        (self.token, self.row) = (drawn.token, step.row);
        self.position += 1;
        Ok(())
    }

    fn draft(self) -> Result<Draft> {
        Ok(Draft { tokens: joined(&self.tokens, 0)?, q: Q::concatenate(&self.qs)?, confidences: None })
    }
}
