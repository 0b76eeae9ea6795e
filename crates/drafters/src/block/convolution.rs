//! The dynamic convolutions of `DFlash` 2: each row mixes in the rows before it in the block, by kernels that its own
//! content bends.

use mlx_rs::{
    Array, Dtype,
    ops::{self, indexing::TryIndexOp},
};
use nn::{Linear, Result, Shares};

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

/// The kernel of one stage for each row of a block, in float32: its sums lose too much in bfloat16.
#[derive(Debug)]
pub(crate) struct Kernel {
    /// `[n, B, K, D]`.
    coefficients: Array,
}

impl Convolution {
    /// The kernels of both stages for a sublayer's input `[n, B, D]`.
    pub(crate) fn kernels(&self, x: &Array) -> Result<[Kernel; 2]> {
        let (blocks, rows, width, taps) = (x.dim(0), x.dim(1), x.dim(2), self.base.dim(1));
        let bent = self.projection.forward(x)?.as_dtype(Dtype::Float32)?.reshape(&[
            blocks,
            rows,
            2,
            taps,
            width / self.group,
            1,
        ])?;
        let spread = ops::broadcast_to(&bent, &[blocks, rows, 2, taps, width / self.group, self.group])?;
        let coefficients = spread.reshape(&[blocks, rows, 2, taps, width])?.add(&self.base)?;
        let stage = |stage: i32| -> Result<Kernel> {
            Ok(Kernel { coefficients: coefficients.try_index((.., .., stage, .., ..))? })
        };
        Ok([stage(0)?, stage(1)?])
    }
}

impl Kernel {
    /// `Σ_t coefficient[i, t] ⊙ x[i − t]` for each row `i` of `[1, B, D]`; there are no rows before those of its block.
    pub(crate) fn apply(&self, x: &Array, blocks: &Shares) -> Result<Array> {
        blocks.apart([x, &self.coefficients], 1, |_, [x, coefficients]| mixed(&x, &coefficients))
    }
}

/// Blocks `[n, B, D]` with the coefficients of their rows, `[n, B, K, D]`.
fn mixed(x: &Array, coefficients: &Array) -> Result<Array> {
    let tap = |tap: i32| coefficients.try_index((.., .., tap, ..));
    let (rows, dtype) = (x.dim(1), x.dtype());
    let x = x.as_dtype(Dtype::Float32)?;
    let mut sum = x.multiply(tap(0)?)?;
    for back in 1..coefficients.dim(2).min(rows) {
        let earlier = x.try_index((.., ..rows - back, ..))?;
        let none = ops::zeros::<f32>(&[x.dim(0), back, x.dim(2)])?;
        sum = sum.add(ops::concatenate(&[&none, &earlier], 1)?.multiply(tap(back)?)?)?;
    }
    Ok(sum.as_dtype(dtype)?)
}

#[cfg(test)]
mod tests {
    use mlx_rs::random;

    use super::*;

    const ROWS: usize = 5;
    const WIDTH: usize = 6;
    const GROUP: usize = 2;

    /// As many numbers as the shape holds, on both sides.
    fn normal(shape: &[i32], seed: u64) -> Result<(Array, Vec<f32>)> {
        let array = random::normal::<f32>(shape, 0.0, 1.0, &random::key(seed)?)?;
        Ok((array.clone(), array.as_slice().to_vec()))
    }

    /// Both stages of a convolution over `taps` rows, written out.
    fn check(taps: usize) -> Result<()> {
        let count = |n: usize| i32::try_from(n).unwrap_or(i32::MAX);
        let groups = WIDTH / GROUP;
        let (base, bases) = normal(&[2, count(taps), count(WIDTH)], 1)?;
        let (projection, projected) = normal(&[count(WIDTH), count(2 * taps * groups)], 2)?;
        let (x, xs) = normal(&[1, count(ROWS), count(WIDTH)], 3)?;
        let convolution = Convolution { base, projection: Linear::from_in_out(projection), group: count(GROUP) };
        for (stage, kernel) in convolution.kernels(&x)?.iter().enumerate() {
            let found = kernel.apply(&x, &Shares::new([ROWS]))?;
            for (place, found) in found.as_slice::<f32>().iter().enumerate() {
                let (row, channel) = (place / WIDTH, place % WIDTH);
                let coefficient = |tap: usize| {
                    let output = (stage * taps + tap) * groups + channel / GROUP;
                    let bent = (0..WIDTH).map(|c| xs[row * WIDTH + c] * projected[c * 2 * taps * groups + output]);
                    bases[(stage * taps + tap) * WIDTH + channel] + bent.sum::<f32>()
                };
                let term = |tap: usize| coefficient(tap) * xs[(row - tap) * WIDTH + channel];
                let wanted = (0..taps.min(row + 1)).map(term).sum::<f32>();
                assert!((found - wanted).abs() < 1e-4, "{taps} taps, stage {stage}, {row}: {found}, not {wanted}");
            }
        }
        Ok(())
    }

    #[test]
    fn each_row_mixes_in_as_many_rows_before_it_as_there_are_taps() -> Result<()> {
        [1, 2, 3, 4, ROWS + 2].into_iter().try_for_each(check)
    }
}
