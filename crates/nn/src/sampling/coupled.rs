//! The coupled rule: drafter and target add the same noise to their own scores and take the best.
//!
//! The Gumbel-max trick makes each choice an exact draw from its softmax. Because the noise is keyed by position, the
//! target's choice at a position is the same whether, and by whom, anything was drafted there.

use mlx_rs::{Array, ops::indexing::argmax_axis};

use super::noise::{Use, gumbel};
use crate::Result;

/// The tokens for the positions from `position` on, one for each row of `scores` `[L, V]`; u32 `[L]`.
pub(super) fn choose(scores: &Array, seed: u64, position: usize) -> Result<Array> {
    let noise = gumbel(seed, position, scores.dim(0), scores.dim(1), Use::Token)?;
    Ok(argmax_axis(scores.add(noise)?, -1, false)?)
}
