//! Scalars and the two curves that Gemma bends its numbers with.

use mlx_rs::{Array, Dtype, ops};

use crate::Result;

/// `value` as a scalar of type `dtype`. A float32 scalar would turn a bfloat16 stream into a float32 one.
///
/// # Errors
/// When MLX fails.
pub fn scalar(value: f32, dtype: Dtype) -> Result<Array> {
    Ok(Array::from_f32(value).as_dtype(dtype)?)
}

/// The tanh form of GELU: `0.5·x·(1 + tanh(√(2/π)·(x + 0.044715·x³)))`, any shape. It is written as `x·sigmoid(2·…)`, which
/// is the same, takes fewer operations, and loses no digits where the tanh is nearly -1.
///
/// # Errors
/// When MLX fails.
pub fn gelu(x: &Array) -> Result<Array> {
    let constant = |value| scalar(value, x.dtype());
    let slope = 2.0 * (2.0 / std::f32::consts::PI).sqrt();
    let inner = x.multiply(x)?.multiply(constant(0.044_715 * slope)?)?.add(constant(slope)?)?.multiply(x)?;
    Ok(x.multiply(ops::sigmoid(inner)?)?)
}

/// `cap·tanh(x/cap)`, any shape: keeps logits within ±`cap`. What is not finite becomes NaN: capped like any large
/// number, an overflow would pass unnoticed.
///
/// # Errors
/// When MLX fails.
pub fn softcap(x: &Array, cap: f32) -> Result<Array> {
    let cap = scalar(cap, x.dtype())?;
    let overflow = x.multiply(scalar(0.0, x.dtype())?)?; // 0, or NaN
    Ok(ops::tanh(x.divide(&cap)?)?.multiply(&cap)?.add(overflow)?)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "what cannot be computed fails its test")]

    use super::*;

    #[test]
    fn a_cap_does_not_hide_an_overflow() {
        let capped = softcap(&Array::from_slice(&[1e9, f32::INFINITY, f32::NEG_INFINITY], &[3]), 30.0).unwrap();
        let capped = capped.to_vec_exact::<f32>().unwrap();
        assert!((capped[0] - 30.0).abs() < 1e-3 && capped[1].is_nan() && capped[2].is_nan(), "{capped:?}");
    }

    #[test]
    fn gelu_is_its_tanh_form_everywhere_and_in_every_type() {
        let xs = (-120..=120_i8).map(|tenth| f32::from(tenth) / 10.0).collect::<Vec<_>>();
        let expected = xs.iter().map(|&x| {
            let x = f64::from(x);
            0.5 * x * (1.0 + ((2.0 / std::f64::consts::PI).sqrt() * (x + 0.044_715 * x.powi(3))).tanh())
        });
        let expected = expected.collect::<Vec<_>>();
        for (dtype, tolerance) in [(Dtype::Float32, 1e-5), (Dtype::Bfloat16, 3e-2)] {
            let x = Array::from_slice(&xs, &[241]).as_dtype(dtype).unwrap();
            let found = gelu(&x).unwrap();
            assert_eq!(found.dtype(), dtype);
            let found = found.as_dtype(Dtype::Float32).unwrap().to_vec_exact::<f32>().unwrap();
            for ((&x, &expected), found) in xs.iter().zip(&expected).zip(found) {
                let off = (f64::from(found) - expected).abs();
                assert!(off <= tolerance * expected.abs().max(1.0), "gelu({x}) is {found}, not {expected}");
            }
        }
    }
}
