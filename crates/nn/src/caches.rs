//! The caches of all layers of a model, which go forward and back together.

use mlx_rs::Array;

use crate::{Cache, Error, Result};

/// What one sequence has put into a model's caches.
#[derive(Debug)]
pub struct Caches {
    layers: Vec<Cache>,
}

impl Caches {
    /// One cache for each layer that owns keys and values; all of them empty.
    #[must_use]
    pub fn new(layers: Vec<Cache>) -> Self {
        Self { layers }
    }

    /// The layers' caches.
    #[must_use]
    pub fn layers(&self) -> &[Cache] {
        &self.layers
    }

    /// The same, to run a pass with.
    pub fn layers_mut(&mut self) -> &mut [Cache] {
        &mut self.layers
    }

    /// The position of the next row: how many rows the caches hold or have held.
    #[must_use]
    pub fn position(&self) -> usize {
        self.layers.first().map_or(0, Cache::position)
    }

    /// The first position from which on [`Caches::rewind`] goes back anywhere.
    #[must_use]
    pub fn floor(&self) -> usize {
        self.layers.iter().map(Cache::floor).max().unwrap_or(0)
    }

    /// The one position before [`Caches::floor`] that can be gone back to, besides 0.
    #[must_use]
    pub fn remembered(&self) -> Option<usize> {
        self.layers.first().and_then(Cache::remembered)
    }

    /// Keeps the first `rows` rows of the last pass and drops the others.
    ///
    /// # Errors
    /// When the pass had fewer rows.
    pub fn commit(&mut self, rows: usize) -> Result<()> {
        self.layers.iter_mut().try_for_each(|cache| cache.commit(rows))
    }

    /// Remembers this place, in the stead of the one before, at the price of one window of the sliding caches' rows at most.
    ///
    /// # Errors
    /// When the last pass is undecided.
    pub fn remember(&mut self) -> Result<()> {
        self.layers.iter_mut().try_for_each(Cache::remember)
    }

    /// Goes back to `position`, exactly: the caches are then as if nothing had ever followed.
    ///
    /// # Errors
    /// When that cannot be done (nothing is written then), or MLX fails.
    pub fn rewind(&mut self, position: usize) -> Result<()> {
        let (floor, end) = (self.floor(), self.position());
        if position > 0 && !(floor..=end).contains(&position) && self.remembered() != Some(position) {
            return Err(Error::Rewind { position, floor, end });
        }
        self.layers.iter_mut().try_for_each(|cache| cache.rewind(position))
    }

    /// The arrays behind the caches, to wait for.
    pub fn arrays(&self) -> impl Iterator<Item = &Array> {
        self.layers.iter().flat_map(Cache::arrays)
    }
}
