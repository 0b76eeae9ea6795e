//! From an assistant's row to logits: of all tokens, or of those near the row.

use mlx_rs::{
    Array, Dtype,
    ops::{self, indexing::TryIndexOp},
};
use nn::{Embedding, Linear, Result, Shares, Subset, softcap};

use super::config::Centroids;

/// A head of its own.
#[derive(Debug)]
pub(super) struct Head {
    table: Embedding,
    /// The same as a product with all rows.
    all: Linear,
    candidates: Option<Candidates>,
    cap: Option<f32>,
}

/// Tells which tokens are worth a look: each centroid stands for a share of the vocabulary.
#[derive(Debug)]
pub(super) struct Candidates {
    /// From `[.., d]` to `[.., C]`.
    centroids: Linear,
    /// The tokens of each centroid, `[C, V / C]`, u32.
    tokens: Array,
    chosen: i32,
    vocabulary: i32,
}

impl Head {
    pub(super) fn new(table: Embedding, candidates: Option<Candidates>, cap: Option<f32>) -> Self {
        Self { all: table.head(), table, candidates, cap }
    }

    /// Each of the rows `[n, d]` to logits `[1, m]`, float32, of the tokens in its subset, if there is one.
    pub(super) fn logits(&self, rows: &Array, one_each: &Shares) -> Result<Vec<(Array, Option<Subset>)>> {
        let Some(candidates) = &self.candidates else {
            let logits = one_each.split(&self.capped(&self.all.forward(rows)?)?, 0)?;
            return Ok(logits.into_iter().map(|logits| (logits, None)).collect());
        };
        let near = |row: Array| {
            let subset = candidates.of(&row)?;
            Ok((self.capped(&row.matmul(self.table.rows(&subset.ids)?.t())?)?, Some(subset)))
        };
        one_each.split(rows, 0)?.into_iter().map(near).collect()
    }

    fn capped(&self, logits: &Array) -> Result<Array> {
        let logits = logits.as_dtype(Dtype::Float32)?;
        match self.cap {
            Some(cap) => softcap(&logits, cap),
            None => Ok(logits),
        }
    }
}

impl Candidates {
    /// From the centroids and the vocabulary in their order, `[V]` integers.
    pub(super) fn new(centroids: Linear, ordering: &Array, sizes: Centroids) -> Result<Self> {
        let tokens = ordering.as_dtype(Dtype::Uint32)?.reshape(&[sizes.count, -1])?;
        Ok(Self { centroids, tokens, chosen: sizes.chosen, vocabulary: ordering.dim(0) })
    }

    /// The tokens of the centroids nearest to a row `[1, d]`, by their ids, so that the lower one wins a tie.
    fn of(&self, row: &Array) -> Result<Subset> {
        let near = self.centroids.forward(row)?.negative()?;
        let nearest = ops::argpartition_axis(near, self.chosen - 1, -1)?.try_index((0, ..self.chosen))?;
        let ids = ops::sort_axis(self.tokens.take_axis(nearest, 0)?.reshape(&[-1])?, -1)?;
        Ok(Subset { ids, of: self.vocabulary })
    }
}
