//! Whether numbers are numbers.

use mlx_rs::{Array, ops};

use crate::{Result, scalar};

/// True where a number of `array` is finite; the same shape, on the device.
///
/// # Errors
/// When MLX fails.
pub fn finite(array: &Array) -> Result<Array> {
    // Nothing compares with what is not a number, so one comparison finds both kinds.
    Ok(ops::abs(array)?.lt(scalar(f32::INFINITY, array.dtype())?)?)
}
