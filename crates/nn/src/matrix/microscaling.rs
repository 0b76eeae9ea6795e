//! The microscaling modes (mxfp4, mxfp8, nvfp4). MLX has them; mlx-rs' functions always ask for the affine mode, so
//! these call MLX's C interface themselves.
//!
//! Every call hands over pointers of arrays that outlive it, a mode that is a C string, and an array for the result
//! that is freed if the call fails. mlx-rs has set MLX's error handler before: no array comes to be without it.

#![expect(unsafe_code, reason = "mlx-rs offers no safe function for these modes")]

use std::ffi::{CStr, c_int};

use mlx_rs::{Array, Dtype, Stream};
use mlx_sys::{
    mlx_array, mlx_array_free, mlx_array_new, mlx_dequantize, mlx_gather_qmm, mlx_optional_dtype, mlx_optional_int,
    mlx_quantized_matmul,
};

use super::{Mode, Packing};
use crate::{Error, Result};

/// `x · Wᵀ`.
pub(super) fn product(x: &Array, words: &Array, scales: &Array, packing: Packing) -> Result<Array> {
    let [x, words, scales] = [x, words, scales].map(Array::as_ptr);
    let Parameters { group, bits, mode } = parameters(packing);
    let stream = Stream::thread_local_or_default();
    // SAFETY: see the top of this file.
    call(|result, none| unsafe {
        mlx_quantized_matmul(result, x, words, scales, none, true, group, bits, mode.as_ptr(), stream.as_ptr())
    })
}

/// `x · Wᵢᵀ` for the matrices `i` of a stack.
pub(super) fn products(
    x: &Array,
    words: &Array,
    scales: &Array,
    matrices: &Array,
    sorted: bool,
    packing: Packing,
) -> Result<Array> {
    let [x, words, scales, matrices] = [x, words, scales, matrices].map(Array::as_ptr);
    let Parameters { group, bits, mode } = parameters(packing);
    let (mode, stream) = (mode.as_ptr(), Stream::thread_local_or_default());
    // SAFETY: see the top of this file.
    call(|result, none| unsafe {
        let stream = stream.as_ptr();
        mlx_gather_qmm(result, x, words, scales, none, none, matrices, true, group, bits, mode, sorted, stream)
    })
}

/// All numbers, as `dtype`. MLX unpacks them to bfloat16, which holds every number of these modes exactly.
pub(super) fn unpacked(words: &Array, scales: &Array, packing: Packing, dtype: Dtype) -> Result<Array> {
    let [words, scales] = [words, scales].map(Array::as_ptr);
    let Parameters { group, bits, mode } = parameters(packing);
    let (mode, stream) = (mode.as_ptr(), Stream::thread_local_or_default());
    let as_is = mlx_optional_dtype { value: Dtype::Bfloat16.into(), has_value: false };
    // SAFETY: see the top of this file.
    let numbers = call(|result, none| unsafe {
        mlx_dequantize(result, words, scales, none, group, bits, mode, none, as_is, stream.as_ptr())
    })?;
    Ok(numbers.as_dtype(dtype)?)
}

/// A packing as the C interface takes it.
struct Parameters {
    group: mlx_optional_int,
    bits: mlx_optional_int,
    mode: &'static CStr,
}

fn parameters(Packing { mode, bits, group }: Packing) -> Parameters {
    let some = |value| mlx_optional_int { value, has_value: true };
    let mode = match mode {
        Mode::Affine => c"affine",
        Mode::Mxfp4 => c"mxfp4",
        Mode::Mxfp8 => c"mxfp8",
        Mode::Nvfp4 => c"nvfp4",
    };
    Parameters { group: some(group), bits: some(bits), mode }
}

/// Calls an operation with a place for its result, and with what stands for an absent array.
fn call(operation: impl FnOnce(*mut mlx_array, mlx_array) -> c_int) -> Result<Array> {
    // SAFETY: an empty array is a valid place for a result, and how the C interface spells an absent argument. The
    // result is owned by exactly one `Array`, or freed here.
    unsafe {
        let (mut result, none) = (mlx_array_new(), mlx_array_new());
        let status = operation(&raw mut result, none);
        mlx_array_free(none);
        if status == 0 {
            Ok(Array::from_ptr(result))
        } else {
            mlx_array_free(result);
            Err(Error::Device("a product with a microscaled matrix was refused".into()))
        }
    }
}
