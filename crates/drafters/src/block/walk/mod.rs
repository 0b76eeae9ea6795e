//! From a block's logits to tokens.

mod choose;
mod selector;
mod sequential;

pub use choose::Choose;
use decode::Token;
use mlx_rs::{Array, ops::indexing::TryIndexOp};
use nn::{Draft, Drawn, Result, Subset};
pub(crate) use selector::Selector;
pub(crate) use sequential::{Bias, Confidence, Previous, Sequential};

/// How the tokens of a block are chosen.
#[derive(Debug)]
pub(crate) enum Walk {
    /// Each row by itself.
    Rows,
    /// From left to right, with a bias that depends on the tokens before (`DSpark` paper, Eq. 4).
    Sequential(Sequential),
    /// From left to right, among a few candidates for each row (`DFlash` 2).
    Selector(Selector),
}

/// A block that has been computed.
pub(crate) struct Block<'a> {
    /// The token that it follows.
    pub(crate) anchor: Token,
    /// Where the anchor stands.
    pub(crate) position: usize,
    /// All rows after the last norm, `[B, D]`.
    pub(crate) rows: Array,
    /// The first row that is read.
    pub(crate) first: i32,
    /// The logits of the rows that are read, `[n, V_d]`, float32.
    pub(crate) base: Array,
    /// The tokens that the logits stand for, if these are not all.
    pub(crate) subset: Option<&'a Subset>,
    /// Who chooses its tokens.
    pub(crate) choose: &'a dyn Choose,
}

/// Whole blocks whose tokens are known.
pub(crate) struct Known {
    /// The token before each that is proposed, `[n, γ]`: the anchor, and those behind it but for the last.
    pub(crate) previous: Array,
    /// All rows after the last norm, `[n, B, D]`.
    pub(crate) rows: Array,
    /// The first row that is read.
    pub(crate) first: i32,
    /// The logits of the rows that are read, `[n, γ, V_d]`, float32.
    pub(crate) base: Array,
}

impl Known {
    /// The rows that are read, `[n, γ, D]`.
    fn read(&self) -> Result<Array> {
        Ok(self.rows.try_index((.., self.first.., ..))?)
    }
}

impl Block<'_> {
    /// How many tokens it proposes.
    fn len(&self) -> i32 {
        self.base.dim(0)
    }

    /// The rows that are read, `[n, D]`.
    fn read(&self) -> Result<Array> {
        Ok(self.rows.try_index((self.first..self.first + self.len(), ..))?)
    }

    /// Row `row`, `[1, D]`; the last one if there is no such row, as in a block beside longer ones.
    fn row(&self, row: i32) -> Result<Array> {
        let row = row.min(self.rows.dim(0) - 1);
        Ok(self.rows.try_index((row..=row, ..))?)
    }

    /// The position of token `k` of the draft.
    fn position(&self, k: i32) -> usize {
        self.position + 1 + usize::try_from(k).unwrap_or(0)
    }

    /// The logits of token `k`, `[1, V_d]`.
    fn base(&self, k: i32) -> Result<Array> {
        Ok(self.base.try_index((k..=k, ..))?)
    }

    /// All its tokens at once, from rows that do not depend on each other.
    fn pick(&self) -> Result<Drawn> {
        self.choose.pick(&self.base, self.subset, self.position(0))
    }
}

impl Walk {
    /// A draft from each block. Everything stays on the device, so nothing waits.
    pub(crate) fn draft(&self, blocks: &[Block<'_>]) -> Result<Vec<Draft>> {
        let rows = |block: &Block<'_>| {
            let drawn = block.pick()?;
            Ok(Draft { tokens: drawn.token, q: drawn.q, confidences: None })
        };
        match self {
            Self::Rows => blocks.iter().map(rows).collect(),
            Self::Sequential(sequential) => sequential.draft(blocks),
            Self::Selector(selector) => blocks.iter().map(|block| selector.draft(block)).collect(),
        }
    }

    /// What each token of `blocks` would be drawn from, `[n, γ, V_d]`, and the confidence in it before it is squashed,
    /// `[n, γ]`.
    pub(crate) fn told(&self, blocks: &Known) -> Result<(Array, Option<Array>)> {
        match self {
            Self::Rows => Ok((blocks.base.clone(), None)),
            Self::Sequential(sequential) => sequential.told(blocks),
            Self::Selector(selector) => Ok((selector.told(blocks)?, None)),
        }
    }
}
