//! What top-p, min-p, top-k and temperature make of logits; the same for target and drafter.
//!
//! The order is that of mlx-lm: the filters see the untempered probabilities, top-p first.

use mlx_rs::{Array, ops, ops::indexing::topk_axis};

use super::{Sampling, float32};
use crate::Result;

impl Sampling {
    /// From logits `[L, n]`, after penalties, to what is drawn from at a temperature above 0: unnormalised
    /// log-probabilities `[L, n]`, float32; −∞ for tokens that cannot be drawn.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn scores(&self, logits: &Array) -> Result<Array> {
        let logits = float32(logits)?;
        let mut scores = logits.subtract(logits.logsumexp_axis(-1, true)?)?;
        if self.top_p < 1.0 {
            scores = top_p(&scores, self.top_p)?;
        }
        if self.min_p > 0.0 {
            scores = min_p(&scores, self.min_p)?;
        }
        let vocabulary = usize::try_from(scores.dim(1)).unwrap_or(0);
        if (1..vocabulary).contains(&self.top_k) {
            scores = top_k(&scores, i32::try_from(self.top_k).unwrap_or(i32::MAX))?;
        }
        Ok(scores.divide(Array::from_f32(self.temperature))?)
    }
}

/// Keeps the most likely tokens until they make up `top_p`; the one that crosses the line stays, and so does the most
/// likely one. Tokens as likely as the last of them stay too.
fn top_p(scores: &Array, top_p: f32) -> Result<Array> {
    let ascending = ops::sort_axis(scores, -1)?;
    let cumulative = ops::exp(&ascending)?.cumsum(-1, None, None)?;
    let kept = cumulative.gt(Array::from_f32(1.0 - top_p))?;
    let least = ops::select(&kept, &ascending, Array::from_f32(f32::INFINITY))?.min_axis(-1, true)?;
    keep(scores, &scores.ge(ops::minimum(least, scores.max_axis(-1, true)?)?)?)
}

/// Keeps the tokens that are at least `min_p` times as likely as the most likely one.
fn min_p(scores: &Array, min_p: f32) -> Result<Array> {
    keep(scores, &scores.ge(scores.max_axis(-1, true)?.add(Array::from_f32(min_p.ln()))?)?)
}

/// Keeps the `k` most likely tokens, and those as likely as the last of them.
fn top_k(scores: &Array, k: i32) -> Result<Array> {
    let least = topk_axis(scores, k, -1)?.min_axis(-1, true)?;
    keep(scores, &scores.ge(least)?)
}

fn keep(scores: &Array, kept: &Array) -> Result<Array> {
    Ok(ops::select(kept, scores, Array::from_f32(f32::NEG_INFINITY))?)
}
