//! Revisions, put together of contents as a whole or not at all.

use std::{
    fs::{self, DirBuilder, File},
    io::ErrorKind,
    os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
};

use crate::{
    Blobs, Commit, Error, RemoteFile, RepoId, Result,
    blobs::{at, lock, make_folder, sync_folder},
    space,
};

/// A folder below `placing/` for one piece of work. What is left in it goes when this is dropped; after a kill, with the
/// next cleaning.
pub(crate) struct Workplace {
    folder: PathBuf,
    /// As long as it is held, no cleaning takes the folder away.
    _lock: File,
}

impl Workplace {
    pub(crate) fn new(blobs: &Blobs) -> Result<Self> {
        loop {
            let folder = blobs.root().join("placing").join(format!("{:016x}", fastrand::u64(..)));
            DirBuilder::new().mode(0o700).create(&folder).map_err(at(&folder))?;
            // A cleaning may have come between.
            if let Some(workplace) = Self::claim(&folder)? {
                return Ok(workplace);
            }
        }
    }

    /// The right to the folder, unless somebody else has it or took it away.
    pub(crate) fn claim(folder: &Path) -> Result<Option<Self>> {
        match lock(&folder.join("lock")) {
            Ok(lock) => Ok(lock.map(|lock| Self { folder: folder.to_owned(), _lock: lock })),
            Err(Error::File { source, .. }) if source.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Where something called `name` lies in it.
    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

impl Drop for Workplace {
    fn drop(&mut self) {
        // What cannot be removed now is tried again by the next cleaning.
        drop(fs::remove_dir_all(&self.folder));
    }
}

impl Blobs {
    /// Puts a revision together of contents that are here, and returns its folder. It appears as a whole, or not at all.
    ///
    /// # Errors
    /// A content is missing, or a folder or link cannot be made.
    pub fn place(&self, id: &RepoId, commit: &Commit, files: &[RemoteFile]) -> Result<PathBuf> {
        let _alone = self.hold_revisions()?;
        let folder = self.folder(id, commit);
        let home = folder.parent().unwrap_or(self.root());
        make_folder(home.parent().unwrap_or(self.root()))?;
        make_folder(home)?;
        let is_here = fs::symlink_metadata(&folder).is_ok();
        if is_here {
            self.check_way(&folder)?;
            if files.iter().all(|file| self.is_placed(&folder, file)) {
                return Ok(folder);
            }
        }
        let workplace = Workplace::new(self)?;
        let new = workplace.at("new");
        fs::create_dir(&new).map_err(at(&new))?;
        files.iter().try_for_each(|file| self.put(&new, file))?;
        if is_here {
            fs::rename(&folder, workplace.at("old")).map_err(at(&folder))?;
        }
        fs::rename(&new, &folder).map_err(at(&folder))?;
        sync_folder(home)?;
        Ok(folder)
    }

    /// Waits until nobody else puts revisions in their places or takes them away, in any process. Ends when it is dropped.
    pub(crate) fn hold_revisions(&self) -> Result<File> {
        let repos = self.root().join("repos");
        let held = File::open(&repos).and_then(|folder| folder.lock().map(|()| folder));
        held.map_err(at(&repos))
    }

    /// Whether the revision's file is the very content that lies here now. A copy, where a disk knows no links, may be of
    /// one that has been repaired since.
    fn is_placed(&self, folder: &Path, file: &RemoteFile) -> bool {
        let [placed, blob] = [file.path.below(folder), self.blob(&file.hash)].map(fs::symlink_metadata);
        let (Ok(placed), Ok(blob)) = (placed, blob) else { return false };
        (placed.dev(), placed.ino()) == (blob.dev(), blob.ino()) && self.has(file)
    }

    fn put(&self, folder: &Path, file: &RemoteFile) -> Result<()> {
        let (path, blob) = (file.path.below(folder), self.blob(&file.hash));
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent).map_err(at(parent))?;
        if !self.has(file) {
            return Err(at(&blob)(ErrorKind::NotFound.into()));
        }
        if let Err(error) = fs::hard_link(&blob, &path) {
            if space::is_full(&error) {
                return Err(at(&path)(error));
            }
            // Some disks know no hard links.
            fs::copy(&blob, &path).map_err(at(&path))?;
            File::open(&path).and_then(|file| file.sync_all()).map_err(at(&path))?;
        }
        // A kill may have come between the content and its mode.
        fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).map_err(at(&path))?;
        sync_folder(parent)
    }
}
