//! What goes into a block: the anchor, and masks where tokens are to be guessed.

use decode::Token;
use mlx_rs::{
    Array, Dtype,
    ops::{self, indexing::TryIndexOp},
};
use nn::{Embedding, Linear, Result, Vocabulary};

/// How the rows of a block are made.
#[derive(Debug)]
pub(crate) enum Inputs {
    /// The anchor's row of the target's table, projected, and learned masks; each place has a learned vector of its own.
    Learned {
        /// From `[.., H]` to `[.., D]`.
        projection: Linear,
        /// `[B − 1, D]`.
        masks: Array,
        /// `[B, D]`.
        places: Array,
    },
    /// Rows of the target's table for the anchor and a mask token.
    Borrowed {
        /// The mask token.
        mask: Token,
        /// Whether the target's own scale applies.
        scaled: bool,
        /// A further factor.
        factor: f32,
    },
    /// Rows of a table of its own for the anchor and a mask token.
    Own {
        /// The table.
        table: Embedding,
        /// The mask token.
        mask: Token,
        /// What rows are multiplied with, in their type; `None` for nothing.
        scale: Option<Array>,
    },
}

impl Inputs {
    /// A block of so many rows behind each of `anchors`, `[n, rows, D]` of `dtype`.
    pub(crate) fn blocks(
        &self,
        anchors: &[Token],
        rows: usize,
        vocabulary: &dyn Vocabulary,
        dtype: Dtype,
    ) -> Result<Array> {
        match self {
            Self::Learned { projection, masks, places } => {
                let (blocks, rows) = (size(anchors.len()), size(rows));
                let anchors = vocabulary.embed_raw(&Array::from_slice(anchors, &[blocks, 1]))?.as_dtype(dtype)?;
                let masks = masks.try_index(..rows - 1)?;
                let masks = ops::broadcast_to(&masks, &[blocks, rows - 1, masks.dim(1)])?;
                let block = ops::concatenate(&[&projection.forward(&anchors)?, &masks], 1)?;
                Ok(block.add(places.try_index(..rows)?)?)
            }
            Self::Borrowed { mask, scaled, factor } => {
                let ids = ids(anchors, *mask, rows);
                let block = if *scaled { vocabulary.embed(&ids)? } else { vocabulary.embed_raw(&ids)? };
                let block = block.as_dtype(dtype)?;
                let plain = (factor - 1.0).abs() < f32::EPSILON;
                if plain { Ok(block) } else { Ok(block.multiply(nn::scalar(*factor, dtype)?)?) }
            }
            Self::Own { table, mask, scale } => {
                let block = table.rows(&ids(anchors, *mask, rows))?;
                match scale {
                    Some(scale) => Ok(block.multiply(scale)?),
                    None => Ok(block),
                }
            }
        }
    }
}

/// Each anchor and masks behind it, `[n, rows]`.
fn ids(anchors: &[Token], mask: Token, rows: usize) -> Array {
    let behind = |&anchor| [anchor].into_iter().chain(std::iter::repeat(mask)).take(rows);
    Array::from_iter(anchors.iter().flat_map(behind), &[size(anchors.len()), size(rows)])
}

fn size(rows: usize) -> i32 {
    i32::try_from(rows).unwrap_or(i32::MAX)
}
