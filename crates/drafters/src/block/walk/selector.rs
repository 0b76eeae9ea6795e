//! The candidate selector of `DFlash` 2: of the few best tokens of each row, the one that follows best from the token
//! chosen before.

use mlx_rs::{
    Array, Dtype,
    ops::{
        self,
        indexing::{TryIndexOp, take_along_axis},
    },
};
use nn::{Draft, Linear, Q, Result, Sampler, Subset};

use super::Block;

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
    pub(crate) fn draft(&self, block: &Block<'_>, sampler: &Sampler) -> Result<Draft> {
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
            let drawn = sampler.draw(&scores, Some(&subset), block.position(k))?;
            tokens.push(drawn.token.clone());
            qs.extend(drawn.q);
            token = drawn.token;
        }
        Ok(Draft { tokens: ops::concatenate(&tokens, 0)?, q: Q::concatenate(&qs)?, confidences: None })
    }

    /// The best tokens of each row of logits `[n, V]`, `[n, k]`, by their ids, so that the lower one wins a tie.
    fn candidates(&self, logits: &Array) -> Result<Array> {
        let best = ops::argpartition_axis(logits.negative()?, self.candidates - 1, -1)?;
        Ok(ops::sort_axis(best.try_index((.., ..self.candidates))?, -1)?)
    }
}
