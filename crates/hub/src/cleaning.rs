//! Removing what nobody needs any more.

use std::{
    collections::{BTreeSet, HashSet},
    fs,
    io::ErrorKind,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use crate::{
    Blobs, Error, Hash, Result,
    blobs::{at, lock, remove_file},
    placing::Workplace,
};

impl Blobs {
    /// Removes all contents but those of `keep`: of everything installed, on its way, or paused. Returns the bytes that
    /// they took. What another download is writing stays, and so does what another process is putting together.
    ///
    /// # Errors
    /// A folder cannot be read, or something cannot be removed; everything else is, all the same.
    pub fn remove_unreferenced(&self, keep: &HashSet<Hash>) -> Result<u64> {
        let (mut freed, mut failed) = (0, None);
        let mut note = |removed: Result<u64>| match removed {
            Ok(bytes) => freed += bytes,
            Err(error) => drop(failed.get_or_insert(error)),
        };
        for hash in self.hashes("blobs")?.difference(&keep.iter().copied().collect()) {
            note(self.remove_content(hash));
        }
        for hash in self.hashes("partial")? {
            // Beside a content, nothing of it is on its way.
            if !keep.contains(&hash) || self.blob(&hash).is_file() {
                note(self.remove_partial(&hash));
            }
        }
        let placing = self.root().join("placing");
        for entry in fs::read_dir(&placing).map_err(at(&placing))?.flatten() {
            note(remove_left_over(&entry.path()));
        }
        failed.map_or(Ok(freed), Err)
    }

    /// Removes the folders of all revisions but those of `keep`, and no content. Links are not followed, and stay.
    ///
    /// # Errors
    /// A folder cannot be removed; all others are.
    pub fn remove_revisions_but(&self, keep: &HashSet<PathBuf>) -> Result<()> {
        let (_alone, mut result) = (self.hold_revisions()?, Ok(()));
        // Not by their paths: a disk may not tell upper case from lower case, and repos are spelt anew.
        let kept: HashSet<_> = keep.iter().filter_map(|folder| identity(folder)).collect();
        for owner in folders(&self.root().join("repos")) {
            for name in folders(&owner) {
                let is_kept = |revision: &PathBuf| identity(revision).is_some_and(|known| kept.contains(&known));
                for revision in folders(&name).into_iter().filter(|revision| !is_kept(revision)) {
                    result = result.and(self.remove_revision(&revision));
                }
                remove_empty(&name);
            }
            remove_empty(&owner);
        }
        result
    }

    fn remove_revision(&self, folder: &Path) -> Result<()> {
        // Out of the way first: a folder that is half removed must not pass for a revision.
        let workplace = Workplace::new(self)?;
        let gone = workplace.at("old");
        fs::rename(folder, &gone).map_err(at(folder))?;
        fs::remove_dir_all(&gone).map_err(at(&gone))
    }

    fn remove_content(&self, hash: &Hash) -> Result<u64> {
        let path = self.blob(hash);
        let bytes = fs::symlink_metadata(&path).map_or(0, |found| found.len());
        remove_file(&path).map(|()| bytes)
    }

    fn remove_partial(&self, hash: &Hash) -> Result<u64> {
        let path = self.partial(hash);
        let _held = match lock(&path) {
            Ok(None) => return Ok(0),
            Err(Error::Foreign { .. }) => None,
            held => held?,
        };
        remove_file(&self.journal(hash))?;
        remove_file(&path).map(|()| 0)
    }

    /// The hashes that files of a folder of ours are called by, with an ending or without.
    fn hashes(&self, folder: &str) -> Result<BTreeSet<Hash>> {
        let folder = self.root().join(folder);
        let names = fs::read_dir(&folder).map_err(at(&folder))?.flatten().map(|entry| entry.file_name());
        Ok(names.filter_map(|name| name.to_str()?.split('.').next()?.parse().ok()).collect())
    }
}

/// The folders in a folder; none if it is gone.
fn folders(parent: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.path()).collect()
}

/// What a folder is, however it is spelt; `None` if it is not there.
fn identity(folder: &Path) -> Option<(u64, u64)> {
    fs::symlink_metadata(folder).ok().map(|found| (found.dev(), found.ino()))
}

/// Removes a folder unless something is in it.
fn remove_empty(folder: &Path) {
    drop(fs::remove_dir(folder));
}

/// Removes something of `placing/` if nobody works on it.
fn remove_left_over(path: &Path) -> Result<u64> {
    if !fs::symlink_metadata(path).is_ok_and(|found| found.is_dir()) {
        return remove_file(path).map(|()| 0);
    }
    let Some(_mine) = Workplace::claim(path)? else { return Ok(0) };
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(at(path)(error)),
        _ => Ok(0),
    }
}
