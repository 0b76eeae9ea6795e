//! Choosing what one is told to, to follow a reference along its own draws.

use std::cell::RefCell;

use ::drafters::Choose;
use mlx_rs::{Array, ops, ops::indexing::IndexOp};
use nn::{Drawn, Q, Sampler, Subset};

/// Chooses given tokens, and keeps what it was to choose from.
pub(crate) struct Told<'a> {
    /// Says what the tokens are drawn from.
    pub(crate) sampler: Sampler,
    /// The tokens, in their order.
    pub(crate) tokens: &'a [u32],
    /// The position of the first.
    pub(crate) position: usize,
    /// What each was to be chosen from.
    pub(crate) choices: RefCell<Vec<Choice>>,
}

/// What a token is chosen from.
#[derive(Debug)]
pub(crate) struct Choice {
    /// `[1, n]`.
    pub(crate) logits: Array,
    /// Their tokens, `[n]`, if these are not all.
    pub(crate) ids: Option<Array>,
}

impl Choose for &Told<'_> {
    fn draw(&self, logits: &Array, subset: Option<&Subset>, position: usize) -> nn::Result<Drawn> {
        let ids = subset.map(|subset| subset.ids.clone());
        self.choices.borrow_mut().push(Choice { logits: logits.clone(), ids });
        let token = Array::from_slice(&[self.tokens[position - self.position]], &[1]);
        Ok(Drawn { token, ..self.sampler.draw(logits, subset, position)? })
    }

    /// One by one, so that it is known of each what it was drawn from.
    fn pick(&self, logits: &Array, subset: Option<&Subset>, position: usize) -> nn::Result<Drawn> {
        let (mut tokens, mut qs) = (Vec::new(), Vec::new());
        for (row, position) in (0..logits.dim(0)).zip(position..) {
            let drawn = self.draw(&logits.index((row..=row, ..)), subset, position)?;
            tokens.push(drawn.token);
            qs.extend(drawn.q);
        }
        Ok(Drawn { token: ops::concatenate(&tokens, 0)?, q: Q::concatenate(&qs)? })
    }
}
