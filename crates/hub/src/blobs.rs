//! The folder where contents lie.

use std::{
    fs::{self, File, OpenOptions, Permissions, TryLockError},
    io::{self, ErrorKind},
    ops::ControlFlow,
    os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
};

use rustix::fs::OFlags;

use crate::{Commit, Error, Hash, RemoteFile, RepoId, Result, Verdict, space};

/// How much of a file is read at once while it is hashed, bytes.
pub(crate) const BLOCK: usize = 128 << 10;

/// A folder of verified contents, each kept once, and of the revisions that they make up:
///
/// ```text
/// blobs/<hash>                                  contents, read-only; whatever lies here was verified
/// partial/<hash>, partial/<hash>.journal        contents on their way
/// repos/<owner>/<name>/<commit>/<path…>         hard links to contents; here only when all of its files are
/// placing/<number>/lock, …                      what is being put together or taken apart by whoever holds the lock
/// ```
///
/// The folder itself may be reached through a link, which is resolved once, as it is opened. Below it no link is
/// followed: what is found instead of a file or folder of ours is refused. Clones are handles to the same folder.
#[derive(Debug, Clone)]
pub struct Blobs {
    root: PathBuf,
}

impl Blobs {
    /// Opens `root`, and makes what is missing of it.
    ///
    /// # Errors
    /// It cannot be made, or links lie in the place of its folders.
    pub fn open(root: &Path) -> Result<Self> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(root).map_err(at(root))?;
        let blobs = Self { root: root.canonicalize().map_err(at(root))? };
        for name in ["blobs", "partial", "repos", "placing"] {
            make_folder(&blobs.root.join(name))?;
        }
        Ok(blobs)
    }

    /// Where the files of a revision lie, if it is here.
    #[must_use]
    pub fn folder(&self, id: &RepoId, commit: &Commit) -> PathBuf {
        self.root.join("repos").join(id.owner()).join(id.name()).join(commit.to_string())
    }

    /// Whether the content is here, as far as its length tells. It was verified when it came; [`Hash::check`] says whether
    /// it still is the same.
    #[must_use]
    pub fn has(&self, file: &RemoteFile) -> bool {
        fs::symlink_metadata(self.blob(&file.hash)).is_ok_and(|found| found.is_file() && found.len() == file.size)
    }

    /// Those of `files` whose content is not here.
    #[must_use]
    pub fn missing<'a>(&self, files: &'a [RemoteFile]) -> Vec<&'a RemoteFile> {
        files.iter().filter(|file| !self.has(file)).collect()
    }

    /// Reads a content and forgets it if it is broken, so that it is fetched again.
    ///
    /// # Errors
    /// It cannot be read or removed.
    pub fn discard_broken(&self, hash: &Hash) -> Result<()> {
        let blob = self.blob(hash);
        match hash.check(&blob, |_| ControlFlow::Continue(()))? {
            Verdict::Broken => remove_file(&blob),
            Verdict::Whole | Verdict::Missing => Ok(()),
        }
    }

    /// What may still be written to the disk that the folder lies on, bytes.
    ///
    /// # Errors
    /// The system does not say.
    pub fn free_space(&self) -> Result<u64> {
        space::free(&self.root)
    }

    /// Makes a content of the open `file` at `path`, which was verified.
    pub(crate) fn keep(&self, file: &File, path: &Path, hash: &Hash) -> Result<()> {
        let blob = self.blob(hash);
        file.sync_all().map_err(at(path))?;
        fs::rename(path, &blob).map_err(at(&blob))?;
        // Last, for whoever comes after a kill must be able to write whatever is not a content yet.
        file.set_permissions(Permissions::from_mode(0o444)).map_err(at(&blob))?;
        sync_folder(&self.root.join("blobs"))
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn blob(&self, hash: &Hash) -> PathBuf {
        self.root.join("blobs").join(hash.to_string())
    }

    pub(crate) fn partial(&self, hash: &Hash) -> PathBuf {
        self.root.join("partial").join(hash.to_string())
    }

    pub(crate) fn journal(&self, hash: &Hash) -> PathBuf {
        self.root.join("partial").join(format!("{hash}.journal"))
    }

    /// Refuses a path below the root that leads through a link.
    pub(crate) fn check_way(&self, path: &Path) -> Result<()> {
        let below = path.strip_prefix(&self.root).map_err(|_| Error::Foreign { path: path.to_owned() })?;
        let mut way = self.root.clone();
        for part in below {
            way.push(part);
            let found = fs::symlink_metadata(&way).map_err(at(&way))?;
            if !found.is_dir() {
                return Err(Error::Foreign { path: way });
            }
        }
        Ok(())
    }
}

/// What an operation on `path` failed of. A full disk has its own sentence.
pub(crate) fn at(path: &Path) -> impl Fn(io::Error) -> Error {
    |source| {
        if space::is_full(&source) {
            let free = path.ancestors().find_map(|folder| space::free(folder).ok()).unwrap_or_default();
            return Error::DiskFull { needed: None, free };
        }
        Error::File { path: path.to_owned(), source }
    }
}

/// Opens a file of ours; a link in its place is refused.
pub(crate) fn open(options: &mut OpenOptions, path: &Path) -> Result<File> {
    let flags = i32::try_from(OFlags::NOFOLLOW.bits()).unwrap_or_default();
    options.custom_flags(flags).mode(0o600).open(path).map_err(|source| {
        let is_link = fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink());
        if is_link { Error::Foreign { path: path.to_owned() } } else { at(path)(source) }
    })
}

/// Removes a file that may be gone already.
pub(crate) fn remove_file(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(at(path)(error)),
        _ => Ok(()),
    }
}

/// Makes the names in `folder` survive a loss of power.
pub(crate) fn sync_folder(folder: &Path) -> Result<()> {
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(at(folder))
}

/// Locks the file at `path`, which is made if need be; `None` if somebody else holds it, or has just taken it away.
pub(crate) fn lock(path: &Path) -> Result<Option<File>> {
    let file = open(OpenOptions::new().read(true).write(true).create(true).truncate(false), path)?;
    match file.try_lock() {
        Ok(()) => Ok(is_same(&file, path).then_some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(at(path)(error)),
    }
}

/// Whether `file` is what lies at `path`.
fn is_same(file: &File, path: &Path) -> bool {
    let identity = |found: &fs::Metadata| (found.dev(), found.ino());
    let (Ok(file), Ok(found)) = (file.metadata(), fs::symlink_metadata(path)) else { return false };
    identity(&file) == identity(&found)
}

/// Makes a folder whose parent is there; a link in its place is refused.
pub(crate) fn make_folder(path: &Path) -> Result<()> {
    match fs::DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let found = fs::symlink_metadata(path).map_err(at(path))?;
            if found.is_dir() { Ok(()) } else { Err(Error::Foreign { path: path.to_owned() }) }
        }
        other => other.map_err(at(path)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_said_whatever_was_being_written() {
        for kind in [ErrorKind::StorageFull, ErrorKind::QuotaExceeded] {
            let error = at(&std::env::temp_dir().join("nowhere/at/all"))(kind.into());
            assert!(matches!(error, Error::DiskFull { needed: None, free } if free > 0), "{error:?}");
        }
    }
}
