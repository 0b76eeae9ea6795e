//! Tensors of a file, and comparing them.

use std::{collections::HashMap, path::Path};

use mlx_rs::{Array, Dtype};
use safetensors::{Dtype as Stored, SafeTensors, tensor::TensorView};

use crate::Outcome;

/// The tensors of one safetensors file by name.
#[derive(Debug)]
pub struct Tensors(HashMap<String, Array>);

impl Tensors {
    /// Reads the floats and ids of a file; words of packed numbers are left out. MLX reads no float64, so it is not asked
    /// to.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read(path: &Path) -> Outcome<Self> {
        let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let tensors = SafeTensors::deserialize(&bytes).map_err(|error| format!("{}: {error}", path.display()))?;
        let unpacked = tensors.iter().filter(|(_, view)| !matches!(view.dtype(), Stored::U8 | Stored::U32));
        unpacked.map(|(name, view)| Ok((name.to_owned(), array(&view)?))).collect::<Outcome<_>>().map(Self)
    }

    /// The tensor called `name`.
    ///
    /// # Errors
    /// When there is none.
    pub fn get(&self, name: &str) -> Outcome<&Array> {
        self.0.get(name).ok_or_else(|| format!("the fixture has no tensor {name}").into())
    }

    /// The tensors' names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Whether there is a tensor called `name`.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// The ids in the tensor called `name`.
    ///
    /// # Errors
    /// When there is none.
    pub fn ids(&self, name: &str) -> Outcome<Vec<u32>> {
        Ok(self.get(name)?.as_type::<u32>()?.reshape(&[-1])?.to_vec_exact::<u32>()?)
    }
}

/// Fails unless every number of `found` is within `tolerance` of the one in `wanted`, both of the same shape but for
/// leading ones.
///
/// # Errors
/// Says where they differ most.
pub fn check_close(what: &str, found: &Array, wanted: &Array, tolerance: f32) -> Outcome {
    let (found, wanted) = pair(what, found, wanted)?;
    let difference = |i: &usize| (found[*i] - wanted[*i]).abs();
    let Some(worst) = (0..found.len()).max_by(|a, b| difference(a).total_cmp(&difference(b))) else { return Ok(()) };
    if difference(&worst) <= tolerance {
        Ok(())
    } else {
        Err(format!("{what}: number {worst} is {}, not {} ± {tolerance}", found[worst], wanted[worst]).into())
    }
}

/// Fails unless `found` is within `most` lengths of `wanted` (L2) from it.
///
/// # Errors
/// Says how far it is.
pub fn check_near(what: &str, found: &Array, wanted: &Array, most: f64) -> Outcome {
    let (found, wanted) = pair(what, found, wanted)?;
    let square = |x: f64| x * x;
    let apart = found.iter().zip(&wanted).map(|(&a, &b)| square(f64::from(a) - f64::from(b))).sum::<f64>();
    let distance = (apart / wanted.iter().map(|&b| square(f64::from(b))).sum::<f64>()).sqrt();
    // Not a number is not near.
    if distance <= most { Ok(()) } else { Err(format!("{what} is {distance:.3} away, not {most} at most").into()) }
}

/// The numbers of two arrays of the same shape but for leading ones.
fn pair(what: &str, found: &Array, wanted: &Array) -> Outcome<(Vec<f32>, Vec<f32>)> {
    let trimmed = |array: &Array| array.shape().iter().copied().skip_while(|&n| n == 1).collect::<Vec<_>>();
    if trimmed(found) == trimmed(wanted) {
        Ok((floats(found)?, floats(wanted)?))
    } else {
        Err(format!("{what}: the shape is {:?}, not {:?}", found.shape(), wanted.shape()).into())
    }
}

/// The numbers of an array in row-major order.
///
/// # Errors
/// When MLX fails.
pub fn floats(array: &Array) -> Outcome<Vec<f32>> {
    Ok(array.as_dtype(Dtype::Float32)?.reshape(&[-1])?.to_vec_exact::<f32>()?)
}

/// A stored tensor as an array; every kind of float becomes float32.
#[expect(clippy::cast_possible_truncation, reason = "the references computed in more digits than we compare")]
fn array(view: &TensorView<'_>) -> Outcome<Array> {
    let shape = view.shape().iter().map(|&n| i32::try_from(n)).collect::<Result<Vec<_>, _>>()?;
    let data = view.data();
    let bytes = |size: usize| data.chunks_exact(size);
    Ok(match view.dtype() {
        Stored::I32 => Array::from_iter(bytes(4).map(|b| i32::from_le_bytes([b[0], b[1], b[2], b[3]])), &shape),
        Stored::F32 => Array::from_iter(bytes(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])), &shape),
        Stored::BF16 => Array::from_iter(bytes(2).map(|b| f32::from_le_bytes([0, 0, b[0], b[1]])), &shape),
        Stored::F64 => {
            let double = |b: &[u8]| f64::from_le_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]]);
            Array::from_iter(bytes(8).map(|b| double(b) as f32), &shape)
        }
        other => return Err(format!("a fixture holds {other:?} values, which the tests do not read").into()),
    })
}
