//! A stack of matrices, of which each row is multiplied with a few.

use mlx_rs::{Array, Dtype, ops::gather_mm};

use super::{Matrix, Packed};
use crate::{Result, device::gathers_only_float32};

/// As many linear maps without bias as there are experts.
#[derive(Debug, Clone)]
pub struct Experts {
    weights: Weights,
}

#[derive(Debug, Clone)]
enum Weights {
    /// `[E, in, out]`.
    Dense(Array),
    Packed(Packed),
}

impl Experts {
    /// From a stack `[E, out, in]`.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn new(stack: Matrix) -> Result<Self> {
        let weights = match stack {
            Matrix::Dense(weights) => Weights::Dense(weights.swap_axes(-1, -2)?),
            Matrix::Packed(packed) => Weights::Packed(packed),
        };
        Ok(Self { weights })
    }

    /// Row `j` of `x`, `[n, 1, in]`, through expert `experts[j]`, `[n]`: `[n, 1, out]`. `sorted` says that `experts`
    /// ascend, so that each matrix is read once.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn forward(&self, x: &Array, experts: &Array, sorted: bool) -> Result<Array> {
        match &self.weights {
            Weights::Dense(weights) if x.dtype() != Dtype::Float32 && gathers_only_float32() => {
                let wide = |array: &Array| array.as_dtype(Dtype::Float32);
                let rows = gather_mm(wide(x)?, wide(weights)?, None, Some(experts), sorted)?;
                Ok(rows.as_dtype(x.dtype())?)
            }
            Weights::Dense(weights) => Ok(gather_mm(x, weights, None, Some(experts), sorted)?),
            Weights::Packed(packed) => packed.products(x, experts, sorted),
        }
    }
}
