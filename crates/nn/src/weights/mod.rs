//! A checkpoint's tensors, taken one by one with the shape that the configuration asks for.
//!
//! Loading is strict because a model that is a little wrong looks like a bad drafter: a missing or misshapen tensor is
//! an error, and so is one that nobody asked for.

mod inventory;

use std::{
    collections::{BTreeMap, HashMap},
    path::{Path, PathBuf},
};

use mlx_rs::{Array, Dtype};

pub use inventory::{Inventory, Stored};

use crate::{Error, Result, wait};

/// The tensors of a checkpoint that have not been taken yet.
#[derive(Debug)]
pub struct Weights {
    folder: PathBuf,
    tensors: BTreeMap<String, Array>,
    dtype: Option<Dtype>,
    taken: Vec<Array>,
}

impl Weights {
    /// Opens the tensors that `inventory` lists, under the names that `rename` gives them; those it gives none are
    /// skipped. With a `dtype` every tensor is converted to it as it is taken.
    ///
    /// Nothing is read before [`Weights::finish`].
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn open(inventory: &Inventory, dtype: Option<Dtype>, rename: impl Fn(&str) -> Option<String>) -> Result<Self> {
        let mut tensors = BTreeMap::new();
        for path in inventory.files() {
            let loaded: HashMap<String, Array> = Array::load_safetensors(path)
                .map_err(|error| Error::Damaged { path: path.clone(), reason: error.to_string() })?;
            tensors.extend(loaded.into_iter().filter_map(|(name, tensor)| Some((rename(&name)?, tensor))));
        }
        Ok(Self { folder: inventory.folder().to_owned(), tensors, dtype, taken: Vec::new() })
    }

    /// Whether there is a tensor of this name.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.tensors.contains_key(name)
    }

    /// Takes a tensor of floats.
    ///
    /// # Errors
    /// When it is missing, has another shape, or holds no floats.
    pub fn take(&mut self, name: &str, shape: &[i32]) -> Result<Array> {
        let missing = || Error::Missing { name: name.to_owned(), folder: self.folder.clone() };
        let tensor = self.tensors.remove(name).ok_or_else(missing)?;
        if tensor.shape() != shape {
            let (found, wanted) = (tensor.shape().to_vec(), shape.to_vec());
            return Err(Error::Shape { name: name.to_owned(), found, wanted });
        }
        if !matches!(tensor.dtype(), Dtype::Float32 | Dtype::Bfloat16 | Dtype::Float16) {
            return Err(Error::Dtype { name: name.to_owned(), found: format!("{:?}", tensor.dtype()).to_lowercase() });
        }
        let tensor = match self.dtype {
            Some(dtype) => tensor.as_dtype(dtype)?,
            None => tensor,
        };
        self.taken.push(tensor.clone());
        Ok(tensor)
    }

    /// Reads everything that was taken.
    ///
    /// # Errors
    /// When tensors are left over, or a file cannot be read.
    pub fn finish(self) -> Result<()> {
        if !self.tensors.is_empty() {
            return Err(Error::Unused { folder: self.folder, names: self.tensors.into_keys().collect() });
        }
        self.read()
    }

    /// Reads everything that was taken and forgets the rest.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn read(self) -> Result<()> {
        wait(&self.taken)
    }
}

/// Writes `tensors` as `path`, replacing it whole or not at all.
///
/// # Errors
/// When the file cannot be written.
pub fn save<'a>(tensors: impl IntoIterator<Item = (&'a str, &'a Array)>, path: &Path) -> Result<()> {
    let failed = |source| Error::File { path: path.to_owned(), source };
    let draft = path.with_extension("partial.safetensors");
    Array::save_safetensors(tensors, None, &draft).map_err(|error| failed(std::io::Error::other(error.to_string())))?;
    std::fs::rename(&draft, path).map_err(failed)
}
