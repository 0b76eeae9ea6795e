//! A matrix that rows are multiplied with.

use mlx_rs::Array;

use super::{Matrix, Packed};
use crate::{Result, device::is_cpu};

/// Rows up to which the CPU backend is faster if the matrix stands on the left.
const FEW: i32 = 32;

/// A linear map without bias.
#[derive(Debug, Clone)]
pub struct Linear {
    weight: Weight,
}

#[derive(Debug, Clone)]
enum Weight {
    Dense {
        /// `[in, out]`, whatever the file's orientation.
        right: Sided,
        /// The same as `[out, in]`, where `W·xᵀ` is faster for few rows than `x·Wᵀ`: `OpenBLAS` copies the matrix, piece by
        /// piece and by a third more slowly if it stands on the right, and that is most of the work.
        left: Option<Sided>,
    },
    Packed(Packed),
}

/// A matrix that is multiplied with arrays of two axes, or of three: where both sides have as many MLX need not take one
/// away and give it back.
#[derive(Debug, Clone)]
struct Sided {
    /// `[n, m]`.
    matrix: Array,
    /// `[1, n, m]`.
    batch: Array,
}

impl Linear {
    /// From a matrix `[out, in]`.
    #[must_use]
    pub fn new(matrix: Matrix) -> Self {
        let weight = match matrix {
            Matrix::Dense(weight) => {
                Weight::Dense { right: Sided::new(weight.t()), left: is_cpu().then(|| Sided::new(weight)) }
            }
            Matrix::Packed(packed) => Weight::Packed(packed),
        };
        Self { weight }
    }

    /// From numbers `[in, out]`.
    #[must_use]
    pub fn from_in_out(weight: Array) -> Self {
        Self { weight: Weight::Dense { right: Sided::new(weight), left: None } }
    }

    /// `[.., in]` to `[.., out]`.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn forward(&self, x: &Array) -> Result<Array> {
        match &self.weight {
            Weight::Packed(packed) => packed.product(x),
            Weight::Dense { left: Some(left), .. } if is_flat(x) && x.dim(-2) <= FEW => {
                let transposed = left.like(x).matmul(x.swap_axes(-1, -2)?)?.swap_axes(-1, -2)?;
                // What is computed from it would be slower to read it the other way round.
                if x.dim(-2) == 1 { Ok(transposed) } else { Ok(transposed.contiguous()?) }
            }
            Weight::Dense { right, .. } => Ok(x.matmul(right.like(x))?),
        }
    }
}

impl Sided {
    fn new(matrix: Array) -> Self {
        let batch = matrix.expand_dims(0).expect("any array may have one more axis");
        Self { matrix, batch }
    }

    /// With as many axes as `x`, if it is flat.
    fn like(&self, x: &Array) -> &Array {
        if x.ndim() == 3 && is_flat(x) { &self.batch } else { &self.matrix }
    }
}

/// Whether these are the rows of one matrix, `[n, m]` or `[1, n, m]`.
fn is_flat(x: &Array) -> bool {
    x.ndim() == 2 || x.ndim() == 3 && x.dim(0) == 1
}
