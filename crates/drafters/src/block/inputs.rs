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
    /// A block `[1, rows, D]` of `dtype` behind `anchor`.
    pub(crate) fn block(&self, anchor: Token, rows: usize, vocabulary: &dyn Vocabulary, dtype: Dtype) -> Result<Array> {
        match self {
            Self::Learned { projection, masks, places } => {
                let anchor = vocabulary.embed_raw(&Array::from_slice(&[anchor], &[1, 1]))?.as_dtype(dtype)?;
                let rows = i32::try_from(rows).unwrap_or(i32::MAX);
                let masks = masks.try_index(..rows - 1)?.expand_dims(0)?;
                let block = ops::concatenate(&[&projection.forward(&anchor)?, &masks], 1)?;
                Ok(block.add(places.try_index(..rows)?)?)
            }
            Self::Borrowed { mask, scaled, factor } => {
                let ids = ids(anchor, *mask, rows);
                let block = if *scaled { vocabulary.embed(&ids)? } else { vocabulary.embed_raw(&ids)? };
                let block = block.as_dtype(dtype)?;
                let plain = (factor - 1.0).abs() < f32::EPSILON;
                if plain { Ok(block) } else { Ok(block.multiply(nn::scalar(*factor, dtype)?)?) }
            }
            Self::Own { table, mask, scale } => {
                let block = table.rows(&ids(anchor, *mask, rows))?;
                match scale {
                    Some(scale) => Ok(block.multiply(scale)?),
                    None => Ok(block),
                }
            }
        }
    }
}

/// The anchor and masks behind it, `[1, rows]`.
fn ids(anchor: Token, mask: Token, rows: usize) -> Array {
    let ids = [anchor].into_iter().chain(std::iter::repeat(mask)).take(rows);
    Array::from_iter(ids, &[1, i32::try_from(rows).unwrap_or(i32::MAX)])
}
