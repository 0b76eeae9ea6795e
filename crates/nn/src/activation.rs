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

/// The tanh form of GELU: `0.5·x·(1 + tanh(√(2/π)·(x + 0.044715·x³)))`, any shape.
///
/// # Errors
/// When MLX fails.
pub fn gelu(x: &Array) -> Result<Array> {
    let constant = |value| scalar(value, x.dtype());
    let cubed = x.multiply(x)?.multiply(x)?.multiply(constant(0.044_715)?)?;
    let inner = x.add(cubed)?.multiply(constant((2.0 / std::f32::consts::PI).sqrt())?)?;
    let gate = ops::tanh(inner)?.add(constant(1.0)?)?;
    Ok(x.multiply(constant(0.5)?)?.multiply(gate)?)
}

/// `cap·tanh(x/cap)`, any shape: keeps logits within ±`cap`.
///
/// # Errors
/// When MLX fails.
pub fn softcap(x: &Array, cap: f32) -> Result<Array> {
    let cap = scalar(cap, x.dtype())?;
    Ok(ops::tanh(x.divide(&cap)?)?.multiply(&cap)?)
}
