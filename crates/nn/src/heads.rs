//! Heads of queries, keys and values: told apart, beside each other, and in front of their rows.

use mlx_rs::Array;

use crate::Result;

/// `[b, L, heads·D]` to `[b, L, heads, D]`.
///
/// # Errors
/// When MLX fails.
pub fn split_heads(x: &Array, heads: i32) -> Result<Array> {
    Ok(x.reshape(&[x.dim(0), x.dim(1), heads, -1])?)
}

/// `[b, L, heads, D]` to `[b, heads, L, D]`.
///
/// # Errors
/// When MLX fails.
pub fn heads_first(x: &Array) -> Result<Array> {
    Ok(x.swap_axes(1, 2)?)
}

/// `[b, heads, L, D]` to `[b, L, heads·D]`.
pub(crate) fn heads_joined(x: &Array) -> Result<Array> {
    Ok(x.swap_axes(1, 2)?.reshape(&[x.dim(0), x.dim(2), -1])?)
}
