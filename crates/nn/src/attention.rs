//! Attention over the rows that a cache shows.

use mlx_rs::{Array, fast, fast::ScaledDotProductAttentionMask};

use crate::Result;

/// Which of the visible rows each new row may look at. The new rows are the last of the visible ones.
#[derive(Debug, Clone)]
pub enum Mask {
    /// All of them.
    None,
    /// Those up to itself.
    Causal,
    /// `[L, S]`, true where it may look.
    Rows(Array),
}

impl Mask {
    /// The mask for `rows` new rows after `before` older ones; within `window` rows, itself included, if there is one.
    #[must_use]
    pub fn new(rows: usize, before: usize, window: Option<usize>) -> Self {
        let visible = before + rows;
        match window {
            Some(window) if visible > window => Self::windowed(rows, before, window),
            _ if rows == 1 => Self::None,
            _ => Self::Causal,
        }
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "row counts are far below 2³¹")]
    fn windowed(rows: usize, before: usize, window: usize) -> Self {
        let sees = |row: usize, key: usize| key <= before + row && key + window > before + row;
        let visible = before + rows;
        let allowed = (0..rows).flat_map(|row| (0..visible).map(move |key| sees(row, key))).collect::<Vec<_>>();
        Self::Rows(Array::from_slice(&allowed, &[rows as i32, visible as i32]))
    }
}

/// `softmax(q·kᵀ·scale + mask)·v`: queries `[b, heads, L, D]`, keys and values `[b, groups, S, D]`; query head `h` uses
/// group `h / (heads / groups)`. Returns `[b, heads, L, D]`.
///
/// # Errors
/// When MLX fails.
pub fn attend(queries: &Array, keys: &Array, values: &Array, scale: f32, mask: &Mask) -> Result<Array> {
    let mask = match mask {
        Mask::None => None,
        Mask::Causal => Some(ScaledDotProductAttentionMask::Causal),
        Mask::Rows(rows) => Some(ScaledDotProductAttentionMask::Array(rows)),
    };
    Ok(fast::scaled_dot_product_attention(queries, keys, values, scale, mask, None::<&Array>)?)
}

/// `[b, L, heads·D]` to `[b, heads, L, D]`.
///
/// # Errors
/// When MLX fails.
pub fn split_heads(x: &Array, heads: i32) -> Result<Array> {
    Ok(x.reshape(&[x.dim(0), x.dim(1), heads, -1])?.transpose_axes(&[0, 2, 1, 3])?)
}

/// `[b, heads, L, D]` to `[b, L, heads·D]`.
///
/// # Errors
/// When MLX fails.
pub fn merge_heads(x: &Array) -> Result<Array> {
    Ok(x.transpose_axes(&[0, 2, 1, 3])?.reshape(&[x.dim(0), x.dim(2), -1])?)
}
