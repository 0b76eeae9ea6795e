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

/// What the `dspark.json` in `folder` holds of a calibration, JSON, for [`take_back_fitted`]; `null` if nothing.
///
/// # Errors
/// When the folder holds no drafter of the own format, or the file cannot be read.
pub fn fitted_in(folder: &Path) -> Result<String> {
    Ok(drafters::fitted_in(folder)?)
}

/// Whether the `dspark.json` in `folder` holds exactly what was fitted.
///
/// # Errors
/// When the folder holds no drafter of the own format, or the file cannot be read.
pub fn holds_fitted(folder: &Path, fitted: &Fitted) -> Result<bool> {
    Ok(fitted.is_in(folder)?)
}

/// Puts what was there `before` into the `dspark.json` in `folder` again in place of what was fitted.
///
/// # Errors
/// When the file holds something else by now, or cannot be read or written.
pub fn take_back_fitted(folder: &Path, fitted: &Fitted, before: &str) -> Result<()> {
    Ok(fitted.take_back(folder, before)?)
}

/// Whether the files of the drafter in `folder` bring a calibration.
///
/// # Errors
/// When they are damaged.
pub fn is_fitted(folder: &Path) -> Result<bool> {
    Ok(drafters::is_fitted(folder)?)
}
