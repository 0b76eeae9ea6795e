//! A real drafter whose proposals are put right, so that every pattern of acceptance occurs with it.

use decode::{Draft as _, Drafter, Token};
use drafters::Proposer;
use mlx_rs::Array;
use nn::{Draft, Result};

/// What the drafter should have said; not for the ratio rule, under which no token can be put in another's place.
#[derive(Clone, Copy)]
pub struct Correction<'a> {
    /// The plain answer; without it everything stays.
    pub plain: &'a [Token],
    /// Whether the drafter's own token stays at a position of the sequence, proposed from an anchor at another.
    pub stays: &'a dyn Fn(usize, usize) -> bool,
}

/// The drafter, put right. Its context, its confidences and the length of its drafts are its own.
pub(crate) struct Corrected<'a, 'b> {
    pub(crate) inner: &'a mut Proposer<'b>,
    pub(crate) prompt: usize,
    pub(crate) correction: Correction<'a>,
}

impl Drafter for Corrected<'_, '_> {
    type Draft = Draft;
    type Taps = Array;
    type Error = nn::Error;

    fn limit(&self) -> usize {
        self.inner.limit()
    }

    fn propose(&mut self, anchor: Token, position: usize, limit: usize) -> Result<Draft> {
        let draft = self.inner.propose(anchor, position, limit)?;
        let Correction { plain, stays } = self.correction;
        if plain.is_empty() || draft.is_empty() {
            return Ok(draft);
        }
        nn::wait([&draft.tokens])?;
        let own = draft.tokens.as_slice::<Token>();
        let right = |(at, own): (usize, &Token)| match plain.get(at - self.prompt) {
            Some(&right) if !stays(position, at) => right,
            _ => *own,
        };
        let tokens = Array::from_iter((position + 1..).zip(own).map(right), draft.tokens.shape());
        Ok(Draft { tokens, q: None, ..draft })
    }

    fn commit(&mut self, tokens: &[Token], taps: &Array) -> Result<()> {
        self.inner.commit(tokens, taps)
    }
}
