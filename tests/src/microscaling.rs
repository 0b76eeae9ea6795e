//! Packs matrices in the microscaling modes, from the definition of their numbers and nothing else.

use mlx_rs::Array;
use nn::{Mode, Packing};

use crate::{Outcome, tensors::floats};

/// What the codes of E2M1 below the sign bit mean.
const E2M1: [f32; 8] = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0];

/// A packed matrix, and the numbers that it holds.
#[derive(Debug)]
pub struct Microscaled {
    /// Words of 32 bits.
    pub words: Array,
    /// Bytes.
    pub scales: Array,
    /// What they mean.
    pub numbers: Array,
}

/// Packs a matrix or a stack of them, each number as the nearest one that there is.
///
/// # Errors
/// When the mode is none of these, or MLX fails.
pub fn pack(matrix: &Array, Packing { mode, bits, group }: Packing) -> Outcome<Microscaled> {
    let magnitudes = match mode {
        Mode::Mxfp4 | Mode::Nvfp4 => E2M1.to_vec(),
        Mode::Mxfp8 => e4m3(),
        Mode::Affine => return Err("the affine mode has no codes".into()),
    };
    let numbers = floats(matrix)?;
    let (mut codes, mut scales, mut held) = (Vec::new(), Vec::new(), Vec::new());
    for group in numbers.chunks(usize::try_from(group)?) {
        let largest = group.iter().fold(0_f32, |largest, number| largest.max(number.abs()));
        let (byte, scale) = scale(mode, largest / magnitudes[magnitudes.len() - 1])?;
        scales.push(byte);
        for number in group {
            let code = nearest(&magnitudes, if scale == 0.0 { 0.0 } else { number.abs() / scale });
            held.push((magnitudes[code] * scale).copysign(*number));
            codes.push((code, number.is_sign_negative()));
        }
    }
    let bytes = if bits == 4 { nibbles(&codes)? } else { sevens(&codes)? };
    let words = bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect::<Vec<_>>();
    let with_columns = |columns: i32| {
        let mut shape = matrix.shape().to_vec();
        shape.pop();
        shape.push(columns);
        shape
    };
    let columns = matrix.dim(-1);
    Ok(Microscaled {
        words: Array::from_slice(&words, &with_columns(columns * bits / 32)),
        scales: Array::from_slice(&scales, &with_columns(columns / group)),
        numbers: Array::from_slice(&held, matrix.shape()),
    })
}

/// The byte of a group's scale and what it means, given the scale that would just do.
fn scale(mode: Mode, needed: f32) -> Outcome<(u8, f32)> {
    if mode == Mode::Nvfp4 {
        let scales = e4m3();
        let code = nearest(&scales, needed);
        return Ok((u8::try_from(code)?, scales[code]));
    }
    // E8M0: the exponent of a float32, and the next one unless the power of two alone is large enough.
    let byte = u8::try_from(needed.to_bits() >> 23)?;
    let byte = if power(byte) < needed { byte + 1 } else { byte };
    Ok((byte, power(byte)))
}

fn power(byte: u8) -> f32 {
    f32::from_bits(u32::from(byte) << 23)
}

/// What the codes of E4M3 below the sign bit mean, without the last one, which is no number.
fn e4m3() -> Vec<f32> {
    let number = |code: u8| {
        let (exponent, mantissa) = (i32::from(code >> 3), f32::from(code & 7) / 8.0);
        if exponent == 0 { mantissa * 2_f32.powi(-6) } else { (1.0 + mantissa) * 2_f32.powi(exponent - 7) }
    };
    (0..0x7f).map(number).collect()
}

/// The code whose meaning is nearest; they ascend.
fn nearest(magnitudes: &[f32], wanted: f32) -> usize {
    let above = magnitudes.partition_point(|&magnitude| magnitude < wanted).min(magnitudes.len() - 1);
    let below = above.saturating_sub(1);
    if wanted - magnitudes[below] < magnitudes[above] - wanted { below } else { above }
}

/// Two codes of three bits and a sign to a byte, the first in the lower half.
fn nibbles(codes: &[(usize, bool)]) -> Outcome<Vec<u8>> {
    let nibble = |(code, negative): (usize, bool)| {
        Ok::<_, std::num::TryFromIntError>(u8::try_from(code)? | u8::from(negative) << 3)
    };
    codes.chunks_exact(2).map(|pair| Ok(nibble(pair[0])? | nibble(pair[1])? << 4)).collect()
}

/// A code of seven bits and a sign to a byte.
fn sevens(codes: &[(usize, bool)]) -> Outcome<Vec<u8>> {
    codes.iter().map(|&(code, negative)| Ok(u8::try_from(code)? | u8::from(negative) << 7)).collect()
}
