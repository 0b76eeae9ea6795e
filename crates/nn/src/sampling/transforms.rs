//! What top-p, min-p, top-k and temperature make of logits; the same for target and drafter.
//!
//! The filters see the untempered probabilities of all tokens, as in mlx-lm. Each leaves the most likely tokens, and those as
//! likely as the last of them, so their order does not matter. Where top-k leaves few, top-p has only these to sort, not the
//! whole vocabulary.

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
        let scores = logits.subtract(logits.logsumexp_axis(-1, true)?)?;
        let vocabulary = usize::try_from(scores.dim(1)).unwrap_or(0);
        let k = (1..vocabulary).contains(&self.top_k).then(|| i32::try_from(self.top_k).unwrap_or(i32::MAX));
        let best = match k {
            Some(k) => topk_axis(&scores, k, -1)?,
            None => scores.clone(),
        };
        let least = [
            (self.top_p < 1.0).then(|| top_p(&best, self.top_p, scores.dim(1))),
            (self.min_p > 0.0).then(|| min_p(&best, self.min_p)),
            k.map(|_| Ok(best.min_axis(-1, true)?)),
        ];
        let least = least.into_iter().flatten().reduce(|one, other| Ok(ops::maximum(one?, other?)?)).transpose()?;
        let scores = match least {
            Some(least) => ops::select(scores.ge(least)?, &scores, Array::from_f32(f32::NEG_INFINITY))?,
            None => scores,
        };
        Ok(scores.divide(Array::from_f32(self.temperature))?)
    }
}

/// What the least likely weighs of the most likely tokens that make up `top_p`, `[L, 1]`; the one that crosses the line is
/// among them, and so is the most likely one. `best` `[L, n]` are the most likely tokens, in any order, of a vocabulary of
/// so many.
#[expect(clippy::cast_precision_loss, reason = "a vocabulary is small")]
fn top_p(best: &Array, top_p: f32, vocabulary: i32) -> Result<Array> {
    // If all were as unlikely as this one, they would still make up no more than the rest. Most are, and what is equal is
    // sorted in no time.
    let hopeless = best.lt(Array::from_f32(((1.0 - top_p) / vocabulary as f32).ln()))?;
    let ascending = ops::sort_axis(ops::select(hopeless, Array::from_f32(f32::NEG_INFINITY), best)?, -1)?;
    let above = ops::exp(&ascending)?.cumsum(-1, true, false)?;
    let kept = above.lt(Array::from_f32(top_p))?;
    let least = ops::select(&kept, &ascending, Array::from_f32(f32::INFINITY))?.min_axis(-1, true)?;
    Ok(ops::minimum(least, best.max_axis(-1, true)?)?)
}

/// What a token weighs at least that is `min_p` times as likely as the most likely one, `[L, 1]`.
fn min_p(best: &Array, min_p: f32) -> Result<Array> {
    Ok(best.max_axis(-1, true)?.add(Array::from_f32(min_p.ln()))?)
}
