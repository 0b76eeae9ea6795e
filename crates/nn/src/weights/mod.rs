//! A checkpoint's tensors.
//!
//! Loading is strict because a model that is a little wrong looks like a bad drafter. Everything is checked against
//! the files' headers before a number is read: [`Inventory::fit`].

mod inventory;

use std::{
    collections::{BTreeMap, HashMap},
    path::Path,
};

use mlx_rs::{Array, Dtype};

pub use inventory::{Fitted, Inventory, Stored, Surplus};

use crate::{Error, Result, wait};

/// The tensors of a checkpoint, read.
#[derive(Debug)]
pub struct Weights {
    tensors: BTreeMap<String, Array>,
}

impl Weights {
    /// Reads the tensors that were found to fit, and converts them to `dtype`.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn read(fitted: &Fitted<'_>, dtype: Dtype) -> Result<Self> {
        let mut tensors = BTreeMap::new();
        for path in fitted.files() {
            let stored: HashMap<String, Array> = Array::load_safetensors(path)
                .map_err(|error| Error::Damaged { path: path.clone(), reason: error.to_string() })?;
            for (stored, tensor) in stored {
                if let Some(name) = fitted.name(&stored) {
                    tensors.insert(name.to_owned(), tensor.as_dtype(dtype)?);
                }
            }
        }
        wait(tensors.values())?;
        Ok(Self { tensors })
    }

    /// The tensor called `name`, of the shape that it was found to fit.
    ///
    /// # Panics
    /// If `name` was not asked for when the inventory was fitted: a fault in the model's code, not in its files.
    #[must_use]
    pub fn get(&self, name: &str) -> Array {
        let tensor = self.tensors.get(name);
        tensor.map_or_else(|| panic!("the tensor {name} was not asked for"), Array::clone)
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
