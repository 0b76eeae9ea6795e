//! A matrix that rows are multiplied with.

use mlx_rs::Array;

use crate::Result;

/// A linear map without bias.
#[derive(Debug, Clone)]
pub struct Linear {
    /// `[in, out]`, whatever the file's orientation.
    weight: Array,
}

impl Linear {
    /// From a weight stored `[out, in]`, as Hugging Face files have it.
    #[must_use]
    pub fn from_out_in(weight: &Array) -> Self {
        Self { weight: weight.t() }
    }

    /// From a weight stored `[in, out]`.
    #[must_use]
    pub fn from_in_out(weight: Array) -> Self {
        Self { weight }
    }

    /// `[.., in]` to `[.., out]`.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn forward(&self, x: &Array) -> Result<Array> {
        Ok(x.matmul(&self.weight)?)
    }
}
