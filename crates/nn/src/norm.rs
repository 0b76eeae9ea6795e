//! Root-mean-square normalisation.

use mlx_rs::{Array, Dtype, fast, ops};

use crate::{Result, device::is_cpu};

/// `x / √(mean(x²) + eps) · weight` over the last axis, computed in float32 and returned in the type of `x`.
#[derive(Debug, Clone)]
pub struct Norm {
    weight: Option<Weight>,
    eps: f32,
}

#[derive(Debug, Clone)]
enum Weight {
    /// `[n]`.
    Plain(Array),
    /// Where MLX has no kernel: `√n·weight` in float32, with the axes that rows have, `[1, 1, n]`, or MLX would have to give
    /// them to it every time.
    Scaled(Array),
}

impl Norm {
    /// With a weight `[n]` for rows of `n` numbers.
    #[must_use]
    pub fn new(weight: Array, eps: f32) -> Self {
        Self { weight: Some(if is_cpu() { Weight::scaled(&weight) } else { Weight::Plain(weight) }), eps }
    }

    /// Without a weight.
    #[must_use]
    pub fn plain(eps: f32) -> Self {
        Self { weight: None, eps }
    }

    /// One for heads beside each other, `[b, L, heads, n]`, where each of these has so many of them, as long as they all have
    /// a weight; they add the same under their roots.
    pub(crate) fn of_heads(norms: &[(Self, i32)]) -> Result<Option<Self>> {
        let mut weights = Vec::with_capacity(norms.len());
        for (norm, heads) in norms {
            let Some(Weight::Scaled(weight)) = &norm.weight else { return Ok(None) };
            weights.push(ops::broadcast_to(&weight.expand_dims(0)?, &[1, 1, *heads, weight.dim(-1)])?);
        }
        let Some((Self { eps, .. }, _)) = norms.first() else { return Ok(None) };
        Ok(Some(Self { weight: Some(Weight::Scaled(ops::concatenate(&weights, 2)?)), eps: *eps }))
    }

    /// `[.., n]` of three axes or more to the same.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn forward(&self, x: &Array) -> Result<Array> {
        match &self.weight {
            Some(Weight::Plain(weight)) => Ok(fast::rms_norm(x, Some(weight), self.eps)?),
            Some(Weight::Scaled(weight)) => self.composed(x, Some(weight)),
            None if is_cpu() => self.composed(x, None),
            None => Ok(fast::rms_norm(x, None::<&Array>, self.eps)?),
        }
    }

    /// The same, of fewer operations than MLX composes it of: `x / √(Σx² + n·eps) · √n·weight`.
    fn composed(&self, x: &Array, scaled: Option<&Array>) -> Result<Array> {
        let wide = x.as_dtype(Dtype::Float32)?;
        let squares = wide.multiply(&wide)?.sum_axis(-1, true)?;
        let least = Array::from_slice(&[count(x) * self.eps], &vec![1; squares.ndim()]);
        let inverse = ops::rsqrt(squares.add(least)?)?;
        let normed = match scaled {
            Some(weight) => wide.multiply(inverse)?.multiply(weight)?,
            None => wide.multiply(inverse.multiply(Array::from_f32(count(x).sqrt()))?)?,
        };
        Ok(normed.as_dtype(x.dtype())?)
    }
}

impl Weight {
    fn scaled(weight: &Array) -> Self {
        let root = Array::from_f32(count(weight).sqrt());
        let scaled = weight.as_dtype(Dtype::Float32).and_then(|wide| wide.multiply(root));
        let shaped = scaled.and_then(|scaled| scaled.reshape(&[1, 1, -1]));
        Self::Scaled(shaped.expect("a list may be multiplied, and have more axes"))
    }
}

/// The numbers of a row.
#[expect(clippy::cast_precision_loss, reason = "rows are short")]
fn count(x: &Array) -> f32 {
    x.dim(-1) as f32
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "what cannot be computed fails its test")]

    use super::*;

    #[test]
    fn composed_or_not_it_is_the_norm_that_mlx_knows() {
        let numbers =
            (0..24_u8).map(|number| f32::from(number % 7) - 2.5 + f32::from(number) / 9.0).collect::<Vec<_>>();
        let x = Array::from_slice(&numbers, &[1, 2, 3, 4]);
        let weight = Array::from_slice(&[0.5, -1.0, 2.0, 1.5_f32], &[4]);
        for (norm, weight) in [(Norm::new(weight.clone(), 1e-3), Some(&weight)), (Norm::plain(1e-3), None)] {
            let close =
                norm.forward(&x).unwrap().all_close(fast::rms_norm(&x, weight, 1e-3).unwrap(), 1e-6, 1e-6, None);
            assert!(close.unwrap());
        }
    }
}
