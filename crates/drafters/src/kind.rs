//! Which kind of drafter a folder holds: told from its files, never from its name.

use std::{fmt, path::Path};

use crate::{Error, Result, dspark};

/// The kinds of drafters that run here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `DSpark` in its own format.
    DSpark,
}

impl Kind {
    /// What it is called in lists and records.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::DSpark => "dspark",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The kind of the drafter in `folder`.
///
/// # Errors
/// When it holds none that runs here.
pub(crate) fn detect(folder: &Path) -> Result<Kind> {
    if folder.join(dspark::DOCUMENT).exists() {
        return Ok(Kind::DSpark);
    }
    Err(Error::NoDrafter { folder: folder.to_owned() })
}
