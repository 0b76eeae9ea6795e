//! Writing a drafter.

use std::{
    fs,
    path::{Path, PathBuf},
};

use mlx_rs::Array;
use nn::save;

use crate::{Error, Result};

/// Writes `parameters` and what `describe` writes into a new folder, whole or not at all.
///
/// # Errors
/// When there is already something in the folder, or it cannot be written.
pub(crate) fn save_new(
    folder: &Path,
    parameters: &[(String, Array)],
    describe: impl FnOnce(&Path) -> Result<()>,
) -> Result<()> {
    let failed = |source| Error::File { path: folder.to_owned(), source };
    if fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(Error::Exists { folder: folder.to_owned() });
    }
    // Beside the folder, not in it, whether or not its path ends in a separator.
    let mut unfinished = folder.components().collect::<PathBuf>().into_os_string();
    unfinished.push(".unfinished");
    let unfinished = PathBuf::from(unfinished);
    fs::create_dir_all(&unfinished).map_err(failed)?;
    let tensors = parameters.iter().map(|(name, parameter)| (name.as_str(), parameter));
    save(tensors, &unfinished.join("model.safetensors"))?;
    describe(&unfinished)?;
    fs::rename(&unfinished, folder).map_err(failed)
}
