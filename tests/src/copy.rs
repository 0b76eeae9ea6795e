//! A copy of a tiny target whose files can be changed.

use std::{
    fs,
    ops::Range,
    path::{Path, PathBuf},
};

use safetensors::{Dtype, SafeTensors, tensor::TensorView};
use serde_json::Value;
use tempfile::TempDir;

use crate::{Outcome, checkpoint::Checkpoint, fixtures};

/// A folder with a target's configuration and weights.
#[derive(Debug)]
pub struct Copy {
    folder: TempDir,
}

/// A tensor of a file.
#[derive(Debug, Clone)]
pub struct Stored {
    /// Its name.
    pub name: String,
    /// Its type.
    pub dtype: Dtype,
    /// Its shape.
    pub shape: Vec<usize>,
    /// Its numbers, as the file has them.
    pub data: Vec<u8>,
}

impl Copy {
    /// A copy of a fixture.
    ///
    /// # Errors
    /// When it cannot be copied.
    pub fn of(fixture: &str) -> Outcome<Self> {
        Self::at(&fixtures::path(fixture))
    }

    /// A copy of what lies in `folder`.
    ///
    /// # Errors
    /// When it cannot be copied.
    pub fn at(folder: &Path) -> Outcome<Self> {
        let copy = tempfile::tempdir()?;
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            fs::copy(entry.path(), copy.path().join(entry.file_name()))?;
        }
        Ok(Self { folder: copy })
    }

    /// What has been made of one.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn written(checkpoint: &Checkpoint) -> Outcome<Self> {
        Ok(Self { folder: checkpoint.write()? })
    }

    /// Its folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The file with its weights.
    #[must_use]
    pub fn weights(&self) -> PathBuf {
        self.path().join("model.safetensors")
    }

    /// Changes the text part of the configuration.
    ///
    /// # Errors
    /// When it cannot be read or written.
    pub fn configure(&self, key: &str, value: &Value) -> Outcome {
        let path = self.path().join("config.json");
        let mut config: Value = serde_json::from_slice(&fs::read(&path)?)?;
        let text = if config["text_config"].is_object() { &mut config["text_config"] } else { &mut config };
        text[key] = value.clone();
        Ok(fs::write(path, config.to_string())?)
    }

    /// Gives tensors other names; those that get none are left out.
    ///
    /// # Errors
    /// When the weights cannot be read or written.
    pub fn rename(&self, name: impl Fn(&str) -> Option<String>) -> Outcome {
        self.rewrite(|tensors| {
            let renamed = tensors.drain(..).filter_map(|tensor| Some(Stored { name: name(&tensor.name)?, ..tensor }));
            *tensors = renamed.collect();
        })
    }

    /// Rewrites the weights.
    ///
    /// # Errors
    /// When they cannot be read or written.
    pub fn rewrite(&self, change: impl FnOnce(&mut Vec<Stored>)) -> Outcome {
        let bytes = fs::read(self.weights())?;
        let stored = |(name, view): (&str, TensorView<'_>)| Stored {
            name: name.to_owned(),
            dtype: view.dtype(),
            shape: view.shape().to_vec(),
            data: view.data().to_vec(),
        };
        let mut tensors = SafeTensors::deserialize(&bytes)?.iter().map(stored).collect::<Vec<_>>();
        change(&mut tensors);
        let view = |tensor| {
            let Stored { dtype, shape, data, .. }: &Stored = tensor;
            TensorView::new(*dtype, shape.clone(), data)
        };
        let views = tensors.iter().map(|tensor| Ok((&*tensor.name, view(tensor)?))).collect::<Outcome<Vec<_>>>()?;
        Ok(fs::write(self.weights(), safetensors::serialize(views, None)?)?)
    }

    /// Sets numbers `at` of the bfloat16 tensor whose name ends in `name`.
    ///
    /// # Errors
    /// When there is no such tensor, or the file cannot be read or written.
    pub fn plant(&self, name: &str, at: Range<usize>, value: f32) -> Outcome {
        let mut planted = false;
        self.rewrite(|tensors| {
            let named = |tensor: &&mut Stored| tensor.name.ends_with(name) && tensor.dtype == Dtype::BF16;
            for tensor in tensors.iter_mut().filter(named) {
                for number in tensor.data.chunks_exact_mut(2).skip(at.start).take(at.len()) {
                    number.copy_from_slice(&value.to_le_bytes()[2..]);
                    planted = true;
                }
            }
        })?;
        if planted { Ok(()) } else { Err(format!("there is no tensor {name}").into()) }
    }
}
