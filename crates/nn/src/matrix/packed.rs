//! A packed matrix, or a stack of them, and what is computed with it without unpacking it whole.

use mlx_rs::{
    Array, Dtype,
    ops::{dequantize, gather_qmm, quantized_matmul},
};

use super::{Mode, Packing, microscaling};
use crate::Result;

/// Numbers of `[.., out, in]`, packed along `in`.
#[derive(Debug, Clone)]
pub struct Packed {
    packing: Packing,
    /// `[.., out, in · bits / 32]`, words.
    words: Array,
    /// `[.., out, in / group]`: of the activations' type in the affine mode, bytes in the others.
    scales: Array,
    /// Likewise, in the affine mode only.
    biases: Option<Array>,
    /// The type of what is computed.
    dtype: Dtype,
}

impl Packed {
    /// The parts as files have them, checked by [`Inventory::fit`](crate::Inventory::fit); `dtype` is the type of the
    /// activations, which scales and biases of the affine mode have.
    #[must_use]
    pub fn new(packing: Packing, words: Array, scales: Array, biases: Option<Array>, dtype: Dtype) -> Self {
        Self { packing, words, scales, biases, dtype }
    }

    /// `x · Wᵀ`: `[.., in]` to `[.., out]`.
    pub(super) fn product(&self, x: &Array) -> Result<Array> {
        let Self { packing: Packing { mode, bits, group }, words, scales, biases, .. } = self;
        Ok(match mode {
            Mode::Affine => quantized_matmul(x, words, scales, biases, true, *group, *bits)?,
            _ => microscaling::product(x, words, scales, self.packing)?,
        })
    }

    /// `x · Wᵢᵀ` for the matrices `i` of the stack, see [`Experts`](super::Experts).
    pub(super) fn products(&self, x: &Array, matrices: &Array, sorted: bool) -> Result<Array> {
        let Self { packing: Packing { mode, bits, group }, words, scales, biases, .. } = self;
        Ok(match mode {
            Mode::Affine => {
                gather_qmm(x, words, scales, biases, None::<&Array>, matrices, true, *group, *bits, sorted)?
            }
            _ => microscaling::products(x, words, scales, matrices, sorted, self.packing)?,
        })
    }

    /// The rows with these numbers, unpacked: ids `[..]` to `[.., in]`.
    pub(super) fn rows(&self, ids: &Array) -> Result<Array> {
        let take = |array: &Array| array.take_axis(ids, 0);
        let (words, scales) = (take(&self.words)?, take(&self.scales)?);
        let biases = self.biases.as_ref().map(take).transpose()?;
        Self { words, scales, biases, ..*self }.unpacked()
    }

    /// All numbers.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn unpacked(&self) -> Result<Array> {
        let Self { packing: Packing { mode, bits, group }, words, scales, biases, .. } = self;
        Ok(match mode {
            Mode::Affine => dequantize(words, scales, biases, *group, *bits)?,
            _ => microscaling::unpacked(words, scales, self.packing, self.dtype)?,
        })
    }
}
