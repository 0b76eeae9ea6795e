//! Removing revisions.

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
};

use crate::{Blobs, Result, blobs::at};

impl Blobs {
    /// Removes the folders of all revisions but those of `keep`, and no content. Links are not followed, and stay.
    ///
    /// # Errors
    /// A folder cannot be removed; all others are.
    pub fn remove_revisions_but(&self, keep: &HashSet<PathBuf>) -> Result<()> {
        let mut result = Ok(());
        for owner in folders(&self.root().join("repos")) {
            for name in folders(&owner) {
                for revision in folders(&name).into_iter().filter(|revision| !keep.contains(revision)) {
                    result = result.and(self.remove_folder(&revision));
                }
                remove_empty(&name, keep);
            }
            remove_empty(&owner, keep);
        }
        result
    }

    fn remove_folder(&self, folder: &Path) -> Result<()> {
        // Out of the way first: a folder that is half removed must not pass for a revision.
        let gone = self.placing_folder();
        fs::rename(folder, &gone).map_err(at(folder))?;
        fs::remove_dir_all(&gone).map_err(at(&gone))
    }
}

/// The folders in a folder; none if it is gone.
fn folders(parent: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.path()).collect()
}

/// Removes a folder unless something is in it, or is being put there.
fn remove_empty(folder: &Path, keep: &HashSet<PathBuf>) {
    if !keep.iter().any(|revision| revision.starts_with(folder)) {
        drop(fs::remove_dir(folder));
    }
}
