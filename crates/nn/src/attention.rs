//! Attention over the rows that a cache shows.

use mlx_rs::{Array, Dtype, fast, fast::ScaledDotProductAttentionMask, ops};

use crate::{Result, device::is_cpu, heads::heads_joined};

/// Which of the visible rows each new row may look at. The new rows are the last of the visible ones.
#[derive(Debug, Clone)]
pub enum Mask {
    /// All of them.
    None,
    /// Those up to itself, for the device to work out; made by [`Mask::causal`], and not on the CPU backend.
    Causal,
    /// `[.., L, S]`: true where it may look, or, on the CPU backend, 0 there and -∞ elsewhere.
    Rows(Array),
}

impl Mask {
    /// The mask for `rows` new rows after `before` older ones; within `window` rows, itself included, if there is one.
    #[must_use]
    pub fn new(rows: usize, before: usize, window: Option<usize>) -> Self {
        match window {
            Some(window) if before + rows > window => {
                Self::where_seen(rows, before, |row, key| key <= before + row && key + window > before + row)
            }
            _ => Self::causal(rows, before),
        }
    }

    /// The same without a window.
    #[must_use]
    pub fn causal(rows: usize, before: usize) -> Self {
        match rows {
            1 => Self::None,
            // Left to the backend, it would be worked out anew by each layer.
            _ if is_cpu() => Self::where_seen(rows, before, |row, key| key <= before + row),
            _ => Self::Causal,
        }
    }

    /// The mask for `rows` new rows after `before` older ones: row `r` sees visible row `s` where `sees(r, s)`.
    #[must_use]
    pub fn where_seen(rows: usize, before: usize, sees: impl Fn(usize, usize) -> bool) -> Self {
        let visible = before + rows;
        let places = (0..rows).flat_map(|row| (0..visible).map(move |key| (row, key)));
        Self::rows(places.map(|(row, key)| sees(row, key)), &[size(rows), size(visible)])
    }

    /// The mask of this shape, `[.., L, S]`, given for each of its places whether it is seen.
    #[must_use]
    pub fn rows(seen: impl Iterator<Item = bool>, shape: &[i32]) -> Self {
        Self::Rows(if is_cpu() {
            Array::from_iter(seen.map(|seen| if seen { 0.0_f32 } else { f32::NEG_INFINITY }), shape)
        } else {
            Array::from_iter(seen, shape)
        })
    }
}

/// `softmax(q·kᵀ·scale + mask)·v`: queries `[b, heads, L, D]`, keys and values `[b, groups, S, D]`; query head `h` uses
/// group `h / (heads / groups)`. Returns `[b, L, heads·D]`.
///
/// # Errors
/// When MLX fails.
pub fn attend(queries: &Array, keys: &Array, values: &Array, scale: f32, mask: &Mask) -> Result<Array> {
    if is_cpu() {
        return composed(queries, keys, values, scale, mask);
    }
    let mask = match mask {
        Mask::None => None,
        Mask::Causal => Some(ScaledDotProductAttentionMask::Causal),
        Mask::Rows(rows) => Some(ScaledDotProductAttentionMask::Array(rows)),
    };
    heads_joined(&fast::scaled_dot_product_attention(queries, keys, values, scale, mask, None::<&Array>)?)
}

/// The same where MLX has no kernel for it, of fewer operations than it composes it of. The heads of a group lie behind each
/// other as if they were rows of one.
#[expect(clippy::float_cmp, reason = "only this very scale changes nothing")]
fn composed(queries: &Array, keys: &Array, values: &Array, scale: f32, mask: &Mask) -> Result<Array> {
    let [batch, heads, rows, width] = [0, 1, 2, 3].map(|axis| queries.dim(axis));
    let (groups, visible) = (keys.dim(1), keys.dim(2));
    let of_groups = [batch, groups, heads / groups * rows];
    let in_groups = |x: &Array, last: i32| x.reshape(&[&of_groups[..], &[last]].concat());

    let queries =
        if scale == 1.0 { queries.clone() } else { queries.multiply(crate::scalar(scale, queries.dtype())?)? };
    let scores = in_groups(&queries, width)?.matmul(keys.swap_axes(2, 3)?)?.as_dtype(Dtype::Float32)?;
    let scores = match mask {
        Mask::Rows(mask) => in_groups(&scores.reshape(&[batch, heads, rows, visible])?.add(mask)?, visible)?,
        Mask::None | Mask::Causal => scores,
    };
    let weights = ops::softmax_axis(scores, -1, None)?.as_dtype(values.dtype())?;
    let attended = weights.matmul(values)?;
    // One row of each head, and the heads are in place already.
    if rows == 1 {
        Ok(attended.reshape(&[batch, 1, -1])?)
    } else {
        heads_joined(&attended.reshape(&[batch, heads, rows, width])?)
    }
}

fn size(rows: usize) -> i32 {
    i32::try_from(rows).unwrap_or(i32::MAX)
}
