//! The candidate selector of `DFlash` 2: of the few best tokens of each row, the one that follows best from the token
//! chosen before.

use mlx_rs::{
    Array, Dtype,
    ops::{
        self,
        indexing::{TryIndexOp, put_along_axis, take_along_axis, topk_axis},
    },
    stop_gradient,
};
use nn::{Draft, Linear, Q, Result, Subset};

use super::{Block, Known};

/// Walks a block from left to right among the candidates of each row; no search looks ahead.
#[derive(Debug)]
pub(crate) struct Selector {
    /// From a row `[.., D]` to `[.., r]`.
    pub(crate) projection: Linear,
    /// What a token says of its successor, `[V, r]`.
    pub(crate) predecessors: Array,
    /// What a token says of its predecessor, `[V, r]`.
    pub(crate) successors: Array,
    /// Candidates of a row.
    pub(crate) candidates: i32,
}

impl Selector {
    pub(crate) fn draft(&self, block: &Block<'_>) -> Result<Draft> {
        let vocabulary = block.base.dim(1);
        let links = self.projection.forward(&block.read()?)?.as_dtype(Dtype::Float32)?;
        let candidates = self.candidates(&block.base)?;
        let scores = take_along_axis(&block.base, &candidates, -1)?;
        let mut token = Array::from_slice(&[block.anchor], &[1]);
        let (mut tokens, mut qs) = (Vec::new(), Vec::new());
        for k in 0..block.len() {
            let ids = candidates.try_index((k, ..))?;
            let before = self.predecessors.take_axis(&token, 0)?.as_dtype(Dtype::Float32)?;
            let after = self.successors.take_axis(&ids, 0)?.as_dtype(Dtype::Float32)?;
            let link = before.multiply(links.try_index((k..=k, ..))?)?;
            let scores = scores.try_index((k..=k, ..))?.add(link.matmul(after.t())?)?;
            let subset = Subset { ids, of: vocabulary };
            let drawn = block.choose.draw(&scores, Some(&subset), block.position(k))?;
            tokens.push(drawn.token.clone());
            qs.extend(drawn.q);
            token = drawn.token;
        }
        Ok(Draft { tokens: ops::concatenate(&tokens, 0)?, q: Q::concatenate(&qs)?, confidences: None })
    }

    /// The logits `[n, γ, V]` of blocks whose tokens are known: the candidates' scores, and what all other tokens had
    /// before. Those are never drawn; they stay in so that training can make candidates of them.
    pub(super) fn told(&self, blocks: &Known) -> Result<Array> {
        let base = blocks.base.flatten(0, 1)?;
        let candidates = self.candidates(&stop_gradient(&base)?)?;
        let links = self.projection.forward(&blocks.read()?)?.as_dtype(Dtype::Float32)?;
        let before = self.predecessors.take_axis(&blocks.previous, 0)?.as_dtype(Dtype::Float32)?;
        let link = before.multiply(links)?.flatten(0, 1)?.expand_dims(1)?;
        let after = self.successors.take_axis(&candidates, 0)?.as_dtype(Dtype::Float32)?;
        let scores = link.matmul(after.swap_axes(1, 2)?)?.squeeze_axes(&[1])?;
        let bias = put_along_axis(ops::zeros_like(&base)?, &candidates, &scores, -1)?;
        Ok(base.add(bias)?.reshape(blocks.base.shape())?)
    }

    /// The best tokens of each row of logits `[n, V]`, `[n, k]`, by their ids, so that the lower one wins a tie. Of those
    /// that tie for the last place the lower ones are in too.
    fn candidates(&self, logits: &Array) -> Result<Array> {
        let count = self.candidates;
        let threshold = topk_axis(logits, count, -1)?.min_axis(-1, true)?;
        let (better, tied) = (logits.gt(&threshold)?, logits.eq(&threshold)?);
        let places = Array::from_int(count).subtract(better.as_dtype(Dtype::Int32)?.sum_axis(-1, true)?)?;
        let has_place = tied.as_dtype(Dtype::Int32)?.cumsum(-1, None, None)?.le(places)?;
        let chosen = better.logical_or(tied.logical_and(has_place)?)?;
        // The chosen ones alone are 0, so they come first.
        let best = ops::argpartition_axis(chosen.logical_not()?.as_dtype(Dtype::Int32)?, count - 1, -1)?;
        Ok(ops::sort_axis(best.try_index((.., ..count))?, -1)?)
    }
}

#[cfg(test)]
mod tests {
    use nn::Matrix;

    use super::*;

    #[track_caller]
    fn check(logits: &[f32], count: i32, want: &[u32]) -> Result<()> {
        let none = Array::from_slice(&[0.0_f32], &[1, 1]);
        let selector = Selector {
            projection: Linear::new(Matrix::Dense(none.clone())),
            predecessors: none.clone(),
            successors: none,
            candidates: count,
        };
        let logits = Array::from_slice(logits, &[1, i32::try_from(logits.len()).unwrap_or(0)]);
        assert_eq!(selector.candidates(&logits)?.as_slice::<u32>(), want);
        Ok(())
    }

    #[test]
    fn the_best_are_candidates_and_of_equals_those_with_lower_ids() -> Result<()> {
        check(&[1.0, 5.0, 3.0, 4.0], 2, &[1, 3])?;
        check(&[2.0, 1.0, 2.0, 3.0, 2.0, 2.0], 3, &[0, 2, 3])?;
        check(&[0.0; 6], 4, &[0, 1, 2, 3])?;
        check(&[f32::NEG_INFINITY, 1.0, f32::NEG_INFINITY], 2, &[0, 1])?;
        check(&[2.0, 1.0], 2, &[0, 1])
    }
}
