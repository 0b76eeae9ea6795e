//! Root-mean-square normalisation.

use mlx_rs::{Array, fast};

use crate::Result;

/// `x / √(mean(x²) + eps) · weight` over the last axis, computed in float32 and returned in the type of `x`.
#[derive(Debug, Clone)]
pub struct Norm {
    weight: Option<Array>,
    eps: f32,
}

impl Norm {
    /// With a weight `[n]` for rows of `n` numbers.
    #[must_use]
    pub fn new(weight: Array, eps: f32) -> Self {
        Self { weight: Some(weight), eps }
    }

    /// Without a weight.
    #[must_use]
    pub fn plain(eps: f32) -> Self {
        Self { weight: None, eps }
    }

    /// `[.., n]` to `[.., n]`.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn forward(&self, x: &Array) -> Result<Array> {
        Ok(fast::rms_norm(x, self.weight.as_ref(), self.eps)?)
    }
}
