//! Rotary positions.

use mlx_rs::{Array, fast};

use crate::Result;

/// Rotates pairs of lanes by an angle that grows with the position; lane `j` pairs with lane `j + D/2`.
#[derive(Debug, Clone)]
pub struct Rope {
    dims: i32,
    base: Option<f32>,
    divisors: Option<Array>,
    /// What positions are multiplied by.
    scale: f32,
}

impl Rope {
    /// All lanes rotate: pair `j` by `position·base^(−2j/dims)`.
    #[must_use]
    pub fn full(dims: i32, base: f32) -> Self {
        Self { dims, base: Some(base), divisors: None, scale: 1.0 }
    }

    /// Only the first `partial·dims/2` pairs rotate; the exponent still divides by all of `dims` ("proportional").
    ///
    /// An infinite divisor makes a pair stand still. Passing fewer `dims` instead would pair the wrong lanes.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "head sizes are small")]
    pub fn proportional(dims: i32, base: f32, partial: f32) -> Self {
        let rotated = (partial * dims as f32) as i32 / 2;
        let divisor =
            |pair: i32| if pair < rotated { base.powf(2.0 * pair as f32 / dims as f32) } else { f32::INFINITY };
        let divisors = (0..dims / 2).map(divisor).collect::<Vec<_>>();
        Self { dims, base: None, divisors: Some(Array::from_slice(&divisors, &[dims / 2])), scale: 1.0 }
    }

    /// The same with all positions divided by `factor`, so that longer texts span the angles that were trained.
    #[must_use]
    pub fn stretched(self, factor: f32) -> Self {
        Self { scale: 1.0 / factor, ..self }
    }

    /// `[b, heads, L, D]`, whose rows stand at positions `offset..offset + L`.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn rotate(&self, x: &Array, offset: usize) -> Result<Array> {
        Ok(fast::rope(x, self.dims, false, self.base, self.scale, index(offset), self.divisors.as_ref())?)
    }

    /// `[b, heads, L, D]`, the rows of each of the `b` at positions from its own of `offsets` on.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn rotate_each(&self, x: &Array, offsets: &[usize]) -> Result<Array> {
        let offsets = Array::from_iter(offsets.iter().map(|&offset| index(offset)), &[x.dim(0)]);
        Ok(fast::rope_dynamic(x, self.dims, false, self.base, self.scale, offsets, self.divisors.as_ref())?)
    }
}

/// Far beyond any context at most.
fn index(position: usize) -> i32 {
    i32::try_from(position).unwrap_or(i32::MAX)
}
