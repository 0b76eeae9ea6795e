//! What a checkpoint's files say of a target, without reading its weights.

use std::{collections::BTreeMap, path::Path};

use mlx_rs::Dtype;
use nn::{Inventory, Packing};

use crate::{
    Config, Needs, Result,
    model::{fit, stored_dtype},
    names::{Spare, spare},
};

/// A whole target in a folder.
#[derive(Debug, Clone)]
pub struct Survey {
    /// Its configuration.
    pub config: Config,
    /// Its files.
    pub inventory: Inventory,
    /// The type that it computes in unless told otherwise.
    pub dtype: Dtype,
    /// How many numbers it consists of, whether they are packed or not.
    pub parameters: u64,
    /// How its packed matrices are packed, by name.
    pub packings: BTreeMap<String, Packing>,
    /// What is in the files and not read.
    pub spares: BTreeMap<Spare, Skipped>,
}

/// Tensors that are not read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Skipped {
    /// How many there are.
    pub tensors: usize,
    /// Their size in the files, bytes.
    pub bytes: u64,
}

impl Survey {
    /// Looks at a folder.
    ///
    /// # Errors
    /// When it does not hold a whole target that runs here.
    pub fn of(folder: &Path) -> Result<Self> {
        let config = Config::read(folder)?;
        let inventory = Inventory::read(folder)?;
        let fitted = fit(&config, &inventory)?;
        let mut spares = BTreeMap::<_, Skipped>::new();
        for (name, stored) in inventory.tensors() {
            if let Some(spare) = spare(name, &config) {
                let skipped = spares.entry(spare).or_default();
                skipped.tensors += 1;
                skipped.bytes += stored.bytes();
            }
        }
        let (parameters, packings) = (fitted.numbers(), fitted.packings().clone());
        Ok(Self { dtype: stored_dtype(&config, &inventory), parameters, packings, spares, config, inventory })
    }

    /// What the target needs when it computes in `dtype`, or else in its own type.
    ///
    /// # Errors
    /// When the files do not hold what the configuration asks for.
    pub fn needs(&self, dtype: Option<Dtype>) -> Result<Needs> {
        let fitted = fit(&self.config, &self.inventory)?;
        Ok(Needs::new(self.config.clone(), dtype.unwrap_or(self.dtype), &fitted))
    }
}
