//! A drafter as its files hold it, to be trained and written.

use std::path::Path;

use mlx_rs::{Array, Dtype};
use nn::{Inventory, Weights};

use super::{Config, NewFlash, assemble, initial};
use crate::{BlockDrafter, Error, Facts, Kind, Result, config::ConfigFile, saving::save_new, tensors};

/// A `DFlash` or `DFlash` 2 drafter as its files hold it, in float32.
#[derive(Debug, Clone)]
pub struct DFlash {
    file: ConfigFile,
    config: Config,
    /// Every parameter under its name in the file.
    parameters: Vec<(String, Array)>,
}

impl DFlash {
    /// Reads a drafter whose matrices are not packed.
    ///
    /// # Errors
    /// When the description is malformed, a tensor is missing, or one is packed.
    pub fn load(folder: &Path) -> Result<Self> {
        let (file, kind) = (ConfigFile::read(folder)?, Kind::of(folder)?);
        let config = Config::of(&file, kind)?;
        let inventory = Inventory::read(folder)?;
        let wanted = config.shape.tensors();
        let fitted = tensors::fit(&inventory, &wanted, &config.quantization)?;
        if !fitted.packings().is_empty() {
            let what = "a drafter with packed matrices, which cannot be trained".to_owned();
            return Err(Error::OtherKind { folder: folder.to_owned(), what });
        }
        let weights = Weights::read(&fitted, Dtype::Float32)?;
        let named = |name: String| (name.clone(), weights.tensor(&name));
        Ok(Self { parameters: wanted.iter().map(initial::name).map(named).collect(), file, config })
    }

    /// A fresh one with random numbers. What `DFlash` 2 adds to `DFlash` changes nothing before it is trained.
    ///
    /// # Errors
    /// When `new` describes no drafter, or MLX fails.
    pub fn fresh(new: &NewFlash) -> Result<Self> {
        let (file, config) = new.described()?;
        let parameters = initial::parameters(&config.shape.tensors(), new.seed)?;
        Ok(Self { file, config, parameters })
    }

    /// The same with other numbers, under the same names and of the same shapes.
    #[must_use]
    pub fn with(&self, parameters: Vec<(String, Array)>) -> Self {
        Self { parameters, ..self.clone() }
    }

    /// Writes the drafter as a new folder, whole or not at all.
    ///
    /// # Errors
    /// When there is already something in the folder, or it cannot be written.
    pub fn save(&self, folder: &Path) -> Result<()> {
        save_new(folder, &self.parameters, |folder| self.file.write(folder))
    }

    /// Every parameter under its name in the file.
    #[must_use]
    pub fn parameters(&self) -> &[(String, Array)] {
        &self.parameters
    }

    /// What the description says.
    #[must_use]
    pub fn facts(&self) -> Facts {
        self.config.facts()
    }

    /// The drafter that they make.
    #[must_use]
    pub fn drafter(&self) -> BlockDrafter {
        assemble(&self.config, &Weights::of(self.parameters.iter().cloned(), Dtype::Float32), Dtype::Float32)
    }
}
