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
    Dense {
        /// `[in, out]`, whatever the file's orientation.
        weight: Array,
        /// The same as `[1, in, out]`: where both sides have as many axes MLX need not take one away and give it back.
        batch: Array,
    },
    Packed(Packed),
}

impl Linear {
    /// From a matrix `[out, in]`.
    #[must_use]
    pub fn new(matrix: Matrix) -> Self {
        let weight = match matrix {
            Matrix::Dense(weight) => Weight::dense(weight.t()),
            Matrix::Packed(packed) => Weight::Packed(packed),
        };
        Self { weight }
    }

    /// From numbers `[in, out]`.
    #[must_use]
    pub fn from_in_out(weight: Array) -> Self {
        Self { weight: Weight::dense(weight) }
    }

    /// `[.., in]` to `[.., out]`.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn forward(&self, x: &Array) -> Result<Array> {
        match &self.weight {
            Weight::Dense { batch, .. } if x.ndim() == 3 && x.dim(0) == 1 => Ok(x.matmul(batch)?),
            Weight::Dense { weight, .. } => Ok(x.matmul(weight)?),
            Weight::Packed(packed) => packed.product(x),
        }
    }
}

impl Weight {
    fn dense(weight: Array) -> Self {
        let batch = weight.expand_dims(0).expect("any array may have one more axis");
        Self::Dense { weight, batch }
    }
}
