//! The dynamic convolutions of `DFlash` 2: each row mixes in the rows before it in the block, by kernels that its own
//! content bends.

use mlx_rs::{
    Array,
    ops::{self, indexing::TryIndexOp},
};
use nn::{Linear, Result};

/// Two stages, before and behind a sublayer, whose kernels follow from the sublayer's input.
#[derive(Debug)]
pub(crate) struct Convolution {
    /// `[2, K, D]`: stage, tap (0 is the row itself), channel.
    pub(crate) base: Array,
    /// From `[.., D]` to `[.., 2·K·G]`: stage, tap, group of channels.
    pub(crate) projection: Linear,
    /// Channels that share a coefficient.
    pub(crate) group: i32,
}

/// The kernel of one stage for each row of a block.
#[derive(Debug)]
pub(crate) struct Kernel {
    /// `[1, B, K, D]`.
    coefficients: Array,
}

impl Convolution {
    /// The kernels of both stages for a sublayer's input `[1, B, D]`.
    pub(crate) fn kernels(&self, x: &Array) -> Result<[Kernel; 2]> {
        let (rows, width, taps) = (x.dim(1), x.dim(2), self.base.dim(1));
        let bent = self.projection.forward(x)?.reshape(&[1, rows, 2, taps, width / self.group, 1])?;
        let spread = ops::broadcast_to(&bent, &[1, rows, 2, taps, width / self.group, self.group])?;
        let coefficients = spread.reshape(&[1, rows, 2, taps, width])?.add(&self.base)?;
        let stage = |stage: i32| -> Result<Kernel> {
            Ok(Kernel { coefficients: coefficients.try_index((.., .., stage, .., ..))? })
        };
        Ok([stage(0)?, stage(1)?])
    }
}

impl Kernel {
    /// `Σ_t coefficient[i, t] ⊙ x[i − t]` for each row `i` of `[1, B, D]`; there are no rows before the block.
    pub(crate) fn apply(&self, x: &Array) -> Result<Array> {
        let rows = x.dim(1);
        let mut sum = x.multiply(self.tap(0)?)?;
        for tap in 1..self.coefficients.dim(2).min(rows) {
            let earlier = x.try_index((.., ..rows - tap, ..))?;
            let none = ops::zeros_dtype(&[1, tap, x.dim(2)], x.dtype())?;
            sum = sum.add(ops::concatenate(&[&none, &earlier], 1)?.multiply(self.tap(tap)?)?)?;
        }
        Ok(sum)
    }

    fn tap(&self, tap: i32) -> Result<Array> {
        Ok(self.coefficients.try_index((.., .., tap, ..))?)
    }
}
