//! The coupled rule: drafter and target add the same noise to their own scores and take the best.
//!
//! The Gumbel-max trick makes each choice an exact draw from its softmax. Because the noise is keyed by position, the
//! target's choice at a position is the same whether, and by whom, anything was drafted there.

use mlx_rs::Array;

use super::{
    Subset,
    noise::{Use, gumbel},
};
use crate::Result;

/// `scores` `[L, n]` with the noise of the positions from `position` on, one for each row; the best of a row is its
/// token. A token has the same noise whether it is chosen from the whole vocabulary or from a few.
pub(super) fn weigh(scores: &Array, subset: Option<&Subset>, seed: u64, position: usize) -> Result<Array> {
    let vocabulary = subset.map_or(scores.dim(1), |subset| subset.of);
    let noise = gumbel(seed, position, scores.dim(0), vocabulary, Use::Token)?;
    let noise = match subset {
        Some(subset) => noise.take_axis(&subset.ids, 1)?,
        None => noise,
    };
    Ok(scores.add(noise)?)
}
