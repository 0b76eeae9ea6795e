//! A checkpoint's tensors.
//!
//! Loading is strict because a model that is a little wrong looks like a bad drafter. Everything is checked against
//! the files' headers before a number is read: [`Inventory::fit`].

mod fit;
mod inventory;
mod quantization;
mod size;
mod source;

use std::{
    collections::{BTreeMap, HashMap},
    path::Path,
};

use mlx_rs::{Array, Dtype};

pub use fit::{Fitted, Surplus, Wanted};
pub use inventory::{Inventory, Stored, what_is_wrong};
pub use quantization::Quantization;
pub use source::Place;

use crate::{Error, Matrix, Packed, Packing, Result, wait};

/// The tensors of a checkpoint, read.
#[derive(Debug)]
pub struct Weights {
    tensors: BTreeMap<String, Array>,
    packings: BTreeMap<String, Packing>,
    dtype: Dtype,
}

impl Weights {
    /// Reads the tensors that were found to fit, and converts floats to `dtype`; packed numbers stay packed, and
    /// integers and truth values what they are.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn read(fitted: &Fitted<'_>, dtype: Dtype) -> Result<Self> {
        let mut stored = HashMap::new();
        for path in fitted.inventory.files() {
            let damaged = |reason: String| Error::Damaged { path: path.clone(), reason };
            let of_file = Array::load_safetensors(path).map_err(|error| damaged(error.to_string()))?;
            stored.extend(of_file.into_iter().map(|(name, tensor): (String, Array)| (name, tensor)));
        }
        let one = |name: &str| stored.get(name).cloned().ok_or_else(|| fitted.inventory.lacks(name));
        let mut tensors = BTreeMap::new();
        for (name, source) in &fitted.sources {
            let tensor = source.array(one)?;
            let is_float = matches!(tensor.dtype(), Dtype::Float32 | Dtype::Bfloat16 | Dtype::Float16);
            tensors.insert(name.clone(), if is_float { tensor.as_dtype(dtype)? } else { tensor });
        }
        drop(stored); // or numbers that were converted would stay as they were read, too
        wait(tensors.values())?;
        Ok(Self { tensors, packings: fitted.packings.clone(), dtype })
    }

    /// Tensors that are already here, none of them packed; their floats are of `dtype`.
    #[must_use]
    pub fn of(tensors: impl IntoIterator<Item = (String, Array)>, dtype: Dtype) -> Self {
        Self { tensors: tensors.into_iter().collect(), packings: BTreeMap::new(), dtype }
    }

    /// The tensor called `name`, of the shape that it was found to fit.
    ///
    /// # Panics
    /// If `name` was not asked for when the inventory was fitted: a fault in the model's code, not in its files.
    #[must_use]
    pub fn tensor(&self, name: &str) -> Array {
        let tensor = self.tensors.get(name);
        tensor.map_or_else(|| panic!("the tensor {name} was not asked for"), Array::clone)
    }

    /// The matrix called `name`, likewise.
    ///
    /// # Panics
    /// Likewise.
    #[must_use]
    pub fn matrix(&self, name: &str) -> Matrix {
        let weight = self.tensor(&format!("{name}.weight"));
        let Some(&packing) = self.packings.get(name) else { return Matrix::Dense(weight) };
        let scales = self.tensor(&format!("{name}.scales"));
        let biases = self.tensors.get(&format!("{name}.biases")).cloned();
        Matrix::Packed(Packed::new(packing, weight, scales, biases, self.dtype))
    }
}

/// Writes `tensors` as a safetensors file.
///
/// # Errors
/// When the file cannot be written.
pub fn save<'a>(tensors: impl IntoIterator<Item = (&'a str, &'a Array)>, path: &Path) -> Result<()> {
    let failed = |error: mlx_rs::error::IoError| std::io::Error::other(error.to_string());
    Array::save_safetensors(tensors, None, path)
        .map_err(|error| Error::File { path: path.to_owned(), source: failed(error) })
}
