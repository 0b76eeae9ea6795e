//! What a drafter keeps of one conversation, and how it proposes for one answer.

use std::rc::Rc;

use decode::{Drafter, Token};
use mlx_rs::{Array, ops::indexing::TryIndexOp};
use nn::{Cache, Draft, Error, Result, Sampler, Vocabulary, wait};

use super::DSpark;

/// The projected rows of the tokens so far. The tapped rows themselves are not kept.
pub struct Context {
    drafter: Rc<DSpark>,
    vocabulary: Rc<dyn Vocabulary>,
    caches: Vec<Cache>,
}

impl Context {
    pub(super) fn new(drafter: Rc<DSpark>, vocabulary: Rc<dyn Vocabulary>) -> Self {
        let caches = (0..drafter.document.layers).map(|_| Cache::full()).collect();
        Self { drafter, vocabulary, caches }
    }

    /// The drafter of one answer, which draws with `sampler`.
    #[must_use]
    pub fn proposer(&mut self, sampler: Sampler) -> Proposer<'_> {
        Proposer { context: self, sampler }
    }

    /// How many tokens it has read.
    #[must_use]
    pub fn position(&self) -> usize {
        self.caches.first().map_or(0, Cache::position)
    }

    /// Forgets every token from `position` on; a context without a window can go back anywhere.
    ///
    /// # Errors
    /// When it has not read as many (nothing is written then).
    pub fn rewind(&mut self, position: usize) -> Result<()> {
        self.caches.iter_mut().try_for_each(|cache| cache.rewind(position))
    }

    /// The context's keys and values per block, `[1, heads, rows, D / heads]` each.
    #[must_use]
    pub fn caches(&self) -> &[Cache] {
        &self.caches
    }
}

/// A drafter as the loop sees it.
pub struct Proposer<'a> {
    context: &'a mut Context,
    sampler: Sampler,
}

impl Proposer<'_> {
    /// The block behind `anchor`: its rows after the last norm, `[γ, D]`, and their base logits `[n, V]` for the first
    /// `n` rows, before any bias.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn block(&mut self, anchor: Token, n: usize) -> Result<(Array, Array)> {
        let Context { drafter, vocabulary, caches } = &mut *self.context;
        let anchor = vocabulary.embed_raw(&Array::from_slice(&[anchor], &[1, 1]))?;
        let rows = drafter.backbone.forward(&anchor, caches)?;
        let read = rows.try_index((..i32::try_from(n).unwrap_or(i32::MAX), ..))?;
        let hidden = drafter.backbone.to_target(&read)?.as_dtype(vocabulary.dtype())?;
        let base = vocabulary.logits(&hidden)?.as_dtype(mlx_rs::Dtype::Float32)?;
        Ok((rows, base))
    }
}

impl Drafter for Proposer<'_> {
    type Draft = Draft;
    type Taps = Array;
    type Error = Error;

    fn limit(&self) -> usize {
        self.context.drafter.document.limit
    }

    fn propose(&mut self, anchor: Token, position: usize, limit: usize) -> Result<Draft> {
        let rows = self.context.position();
        if rows != position {
            return Err(Error::Context { rows, position });
        }
        let (rows, base) = self.block(anchor, limit)?;
        let read = rows.try_index((..base.dim(0), ..))?;
        self.context.drafter.head.walk(anchor, position, &read, &base, &self.sampler)
    }

    fn commit(&mut self, taps: &Array, rows: usize) -> Result<()> {
        let Context { drafter, caches, .. } = &mut *self.context;
        let taps = taps.try_index((.., ..i32::try_from(rows).unwrap_or(i32::MAX), ..))?;
        drafter.backbone.extend(&taps, caches)?;
        // A round's few rows are computed with the next proposal. A chunk of the prompt is computed now, or the graph
        // would keep every chunk's tapped rows alive until then.
        if rows > self.limit() + 1 {
            wait(self.context.caches.iter().flat_map(Cache::arrays))?;
        }
        Ok(())
    }
}
