//! What calibration leaves in a drafter's own files.

use std::path::Path;

pub use drafters::Fitted;

use crate::{Error, Result};

/// Writes what was fitted into the `dspark.json` in `folder`, in which everything else stays. What is there already is
/// only replaced if `replace` says so; a loaded drafter is not changed by it.
///
/// # Errors
/// When the folder holds no drafter of the own format, or one that is calibrated already ([`Error::Calibrated`]), or the
/// file cannot be written.
pub fn write_fitted(folder: &Path, fitted: &Fitted, replace: bool) -> Result<()> {
    fitted.write(folder, replace).map_err(|error| match error {
        drafters::Error::Calibrated { .. } => Error::Calibrated(error),
        other => other.into(),
    })
}
