//! A matrix that rows are multiplied with.

use mlx_rs::Array;

use super::{Matrix, Packed};
use crate::Result;

/// A linear map without bias.
#[derive(Debug, Clone)]
pub struct Linear {
    weight: Weight,
}

#[derive(Debug, Clone)]
enum Weight {
    /// `[in, out]`, whatever the file's orientation.
    Dense(Array),
    Packed(Packed),
}

impl Linear {
    /// From a matrix `[out, in]`.
    #[must_use]
    pub fn new(matrix: Matrix) -> Self {
        let weight = match matrix {
            Matrix::Dense(weight) => Weight::Dense(weight.t()),
            Matrix::Packed(packed) => Weight::Packed(packed),
        };
        Self { weight }
    }

    /// From numbers `[in, out]`.
    #[must_use]
    pub fn from_in_out(weight: Array) -> Self {
        Self { weight: Weight::Dense(weight) }
    }

    /// `[.., in]` to `[.., out]`.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn forward(&self, x: &Array) -> Result<Array> {
        match &self.weight {
            Weight::Dense(weight) => Ok(x.matmul(weight)?),
            Weight::Packed(packed) => packed.product(x),
        }
    }
}
