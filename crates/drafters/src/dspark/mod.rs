//! `DSpark` in its own format: a parallel backbone that attends to the target's hidden rows, a sequential head that lets
//! each drafted token lean on the one before, and a confidence per position (`DSpark` paper, arXiv:2607.05147).
//!
//! There are no rotary positions, no causal mask and no window; everything is computed in float32.

mod document;
mod fitted;
mod initial;
mod parameters;
mod parts;

use std::path::Path;

pub use document::DOCUMENT;
use document::Document;
pub use fitted::{Fitted, fitted_in, is_fitted};
pub use initial::New;
use mlx_rs::{Array, Dtype};
use nn::{Inventory, Weights};

use crate::{BlockDrafter, Facts, Result, Survey, saving::save_new};

/// A drafter as its files hold it.
#[derive(Debug, Clone)]
pub struct DSpark {
    document: Document,
    /// Every parameter under its name in the file, in the file's order.
    parameters: Vec<(String, Array)>,
}

impl DSpark {
    /// Checks that the files hold every parameter, without reading them.
    pub(crate) fn survey(folder: &Path) -> Result<Survey> {
        let document = Document::read(folder)?;
        let inventory = Inventory::read(folder)?;
        Ok(Survey::new(document.facts(), &parameters::fit(&document, &inventory)?, Dtype::Float32))
    }

    /// Reads a folder with a `dspark.json`.
    ///
    /// # Errors
    /// When the description is malformed, or a parameter is missing.
    pub fn load(folder: &Path) -> Result<Self> {
        let document = Document::read(folder)?;
        let inventory = Inventory::read(folder)?;
        let weights = Weights::read(&parameters::fit(&document, &inventory)?, Dtype::Float32)?;
        let names = parameters::shapes(&document).into_iter().map(|(name, _)| name);
        let parameters = names.map(|name| (name.clone(), weights.tensor(&name))).collect();
        Ok(Self { document, parameters })
    }

    /// A fresh drafter: the backbone is drawn at random, the sequential head and the confidence start at zero.
    ///
    /// The numbers are those of the format's own generator for this seed, bit for bit.
    ///
    /// # Errors
    /// When `new` describes no drafter, or one that is larger than any target.
    pub fn fresh(new: &New) -> Result<Self> {
        let document = Document::new(new)?;
        parameters::check_size(&document)?;
        let parameters = initial::parameters(&document, new.seed);
        Ok(Self { document, parameters })
    }

    /// Writes the drafter as a new folder, whole or not at all.
    ///
    /// # Errors
    /// When there is already something in the folder, or it cannot be written.
    pub fn save(&self, folder: &Path) -> Result<()> {
        save_new(folder, &self.parameters, |folder| self.document.write(folder))
    }

    /// The same with other numbers, under the same names and of the same shapes.
    #[must_use]
    pub fn with(&self, parameters: Vec<(String, Array)>) -> Self {
        Self { document: self.document.clone(), parameters }
    }

    /// Every parameter under its name in the file, in the file's order.
    #[must_use]
    pub fn parameters(&self) -> &[(String, Array)] {
        &self.parameters
    }

    /// What the description says.
    #[must_use]
    pub fn facts(&self) -> Facts {
        self.document.facts()
    }

    /// The drafter that they make.
    #[must_use]
    pub fn drafter(&self) -> BlockDrafter {
        parts::assemble(&self.document, &self.parameters)
    }
}
