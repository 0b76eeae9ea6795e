//! The kinds of drafters that can be trained, as their files hold them.

use std::path::Path;

use mlx_rs::{Array, Dtype};

use crate::{BlockDrafter, DFlash, DSpark, Error, Facts, Kind, Result};

/// A drafter whose numbers can be trained, in float32: all that its files hold. What it borrows of the target is not
/// among them.
#[derive(Debug, Clone)]
pub enum Trainable {
    /// `DSpark` in its own format.
    DSpark(DSpark),
    /// `DFlash` or `DFlash` 2.
    DFlash(DFlash),
}

impl Trainable {
    /// Reads the drafter in a folder.
    ///
    /// # Errors
    /// When there is none that can be trained, or its files are malformed.
    pub fn open(folder: &Path) -> Result<Self> {
        match Kind::of(folder)? {
            Kind::DSpark => Ok(Self::DSpark(DSpark::load(folder)?)),
            Kind::DFlash | Kind::DFlash2 => Ok(Self::DFlash(DFlash::load(folder)?)),
            other => {
                let what = format!("a drafter of the kind {other}, which is not trained here");
                Err(Error::OtherKind { folder: folder.to_owned(), what })
            }
        }
    }

    /// Every parameter under its name in the file.
    #[must_use]
    pub fn parameters(&self) -> &[(String, Array)] {
        match self {
            Self::DSpark(drafter) => drafter.parameters(),
            Self::DFlash(drafter) => drafter.parameters(),
        }
    }

    /// The same with other numbers, under the same names and of the same shapes.
    #[must_use]
    pub fn with(&self, parameters: Vec<(String, Array)>) -> Self {
        match self {
            Self::DSpark(drafter) => Self::DSpark(drafter.with(parameters)),
            Self::DFlash(drafter) => Self::DFlash(drafter.with(parameters)),
        }
    }

    /// The same with its numbers rounded to bfloat16, as it is stored in half the space.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn narrowed(&self) -> Result<Self> {
        let narrow = |(name, array): &(String, Array)| Ok((name.clone(), array.as_dtype(Dtype::Bfloat16)?));
        Ok(self.with(self.parameters().iter().map(narrow).collect::<Result<_>>()?))
    }

    /// What the description says.
    #[must_use]
    pub fn facts(&self) -> Facts {
        match self {
            Self::DSpark(drafter) => drafter.facts(),
            Self::DFlash(drafter) => drafter.facts(),
        }
    }

    /// The drafter that they make.
    #[must_use]
    pub fn drafter(&self) -> BlockDrafter {
        match self {
            Self::DSpark(drafter) => drafter.drafter(),
            Self::DFlash(drafter) => drafter.drafter(),
        }
    }

    /// Writes the drafter as a new folder in its published layout, whole or not at all.
    ///
    /// # Errors
    /// When there is already something in the folder, or it cannot be written.
    pub fn save(&self, folder: &Path) -> Result<()> {
        match self {
            Self::DSpark(drafter) => drafter.save(folder),
            Self::DFlash(drafter) => drafter.save(folder),
        }
    }
}
