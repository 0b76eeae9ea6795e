//! Block drafters: one pass over an anchor and a few masks proposes a whole draft.
//!
//! All kinds but the assistant are of this shape, and differ in parts that can be told apart: what goes in
//! ([`Inputs`]), the layers ([`Backbone`]), how rows become logits ([`Head`]), how tokens are chosen from them
//! ([`Walk`]), and which rows are read ([`Slots`]). A format's module reads its files into these parts.

mod attention;
mod backbone;
mod context;
mod convolution;
mod head;
mod inputs;
mod telling;
mod walk;

use std::rc::Rc;

pub(crate) use attention::{Attention, Heads, Window};
pub(crate) use backbone::{Activation, Backbone, FeedForward, Layer};
pub(crate) use context::together;
pub use context::{BlockContext, BlockProposer};
pub(crate) use convolution::Convolution;
pub(crate) use head::{Head, HeadMatrix};
pub(crate) use inputs::Inputs;
use mlx_rs::{Array, Dtype};
use nn::{Result, Subset, Vocabulary};
pub use telling::{Texts, Told};
pub use walk::Choose;
pub(crate) use walk::{Bias, Confidence, Previous, Selector, Sequential, Walk};

use crate::Facts;

/// A loaded block drafter: immutable weights.
#[derive(Debug)]
pub struct BlockDrafter {
    pub(crate) facts: Facts,
    /// What it computes in.
    pub(crate) dtype: Dtype,
    pub(crate) slots: Slots,
    pub(crate) inputs: Inputs,
    pub(crate) backbone: Backbone,
    pub(crate) head: Head,
    /// The tokens that it can propose, if these are not all.
    pub(crate) subset: Option<Subset>,
    pub(crate) walk: Walk,
}

/// The rows of a block.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slots {
    /// How many there are, the anchor's included.
    pub(crate) rows: usize,
    /// The first that is read: 0, or 1 where the anchor's own row predicts nothing.
    pub(crate) first: usize,
    /// Whether a block may be built with fewer rows. Where rows look ahead that changes what it proposes.
    pub(crate) narrow: bool,
}

impl Slots {
    /// The most tokens a block proposes (γ).
    pub(crate) fn limit(self) -> usize {
        self.rows - self.first
    }

    /// How many rows are built to propose `limit` tokens.
    fn built(self, limit: usize) -> usize {
        if self.narrow { self.rows.min(limit + self.first) } else { self.rows }
    }
}

impl BlockDrafter {
    /// What its files say of it.
    #[must_use]
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Tapped rows `[.., n, m·H]` as context rows `[.., n, D]` (`DSpark` paper, Eq. 2).
    ///
    /// # Errors
    /// When MLX fails.
    pub fn project(&self, taps: &Array) -> Result<Array> {
        self.backbone.project(&taps.as_dtype(self.dtype)?)
    }

    /// An empty context for one conversation with a target that lends `vocabulary`.
    #[must_use]
    pub fn context(self: &Rc<Self>, vocabulary: Rc<dyn Vocabulary>) -> BlockContext {
        BlockContext::new(Rc::clone(self), vocabulary)
    }
}
