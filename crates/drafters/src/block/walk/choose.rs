//! Who chooses the tokens of a draft.

use mlx_rs::Array;
use nn::{Drawn, Result, Sampler, Subset};

/// Chooses tokens from a drafter's logits. A walk leans each position on what was chosen before.
pub trait Choose {
    /// The token for `position` of the sequence, from logits `[1, n]` of the whole vocabulary or of `subset`.
    ///
    /// # Errors
    /// When MLX fails.
    fn draw(&self, logits: &Array, subset: Option<&Subset>, position: usize) -> Result<Drawn>;

    /// The tokens for the positions from `position` on, from logits `[d, n]` that do not depend on each other.
    ///
    /// # Errors
    /// When MLX fails.
    fn pick(&self, logits: &Array, subset: Option<&Subset>, position: usize) -> Result<Drawn>;
}

impl Choose for Sampler {
    fn draw(&self, logits: &Array, subset: Option<&Subset>, position: usize) -> Result<Drawn> {
        Self::draw(self, logits, subset, position)
    }

    fn pick(&self, logits: &Array, subset: Option<&Subset>, position: usize) -> Result<Drawn> {
        Self::pick(self, logits, subset, position)
    }
}
