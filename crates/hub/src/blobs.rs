//! The folder where contents lie.

use std::{
    collections::HashSet,
    fs::{self, File, OpenOptions},
    io::{self, ErrorKind, Read},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
    time::Duration,
};

use rustix::fs::OFlags;

use crate::{Commit, Error, Hash, RemoteFile, RepoId, Result, space};

/// How much of a file is read at once while it is hashed, bytes.
pub(crate) const BLOCK: usize = 128 << 10;

/// What was being put together this long ago was left over by a process that ended.
const LEFT_OVER: Duration = Duration::from_hours(1);

/// A folder of verified contents, each kept once, and of the revisions that they make up:
///
/// ```text
/// blobs/<hash>                                  contents, read-only; whatever lies here was verified
/// partial/<hash>, partial/<hash>.journal        contents on their way
/// repos/<owner>/<name>/<commit>/<path…>         hard links to contents; here only when all of its files are
/// placing/…                                     revisions that are being put together
/// ```
///
/// The folder itself may be reached through a link, which is resolved once, as it is opened. Below it no link is
/// followed: what is found instead of a file or folder of ours is refused. Clones are handles to the same folder.
#[derive(Debug, Clone)]
pub struct Blobs {
    root: PathBuf,
}

/// What a content is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It is what its hash says.
    Whole,
    /// It is not there.
    Missing,
    /// It is there and is something else.
    Broken,
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

    /// Whether the content is here. It was verified when it came; [`Blobs::verify`] says whether it still is the same.
    #[must_use]
    pub fn has(&self, hash: &Hash) -> bool {
        fs::symlink_metadata(self.blob(hash)).is_ok_and(|found| found.is_file())
    }

    /// Those of `files` whose content is not here.
    #[must_use]
    pub fn missing<'a>(&self, files: &'a [RemoteFile]) -> Vec<&'a RemoteFile> {
        files.iter().filter(|file| !self.has(&file.hash)).collect()
    }

    /// Reads the content again and hashes it. This takes about a second for each two gigabytes.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn verify(&self, hash: &Hash) -> Result<Verdict> {
        let path = self.blob(hash);
        let mut file = match open(OpenOptions::new().read(true), &path) {
            Err(Error::File { source, .. }) if source.kind() == ErrorKind::NotFound => return Ok(Verdict::Missing),
            other => other?,
        };
        let mut hasher = hash.hasher(file.metadata().map_err(at(&path))?.len());
        let mut block = vec![0; BLOCK];
        loop {
            match file.read(&mut block).map_err(at(&path))? {
                0 => break,
                read => hasher.update(&block[..read]),
            }
        }
        Ok(if hasher.finish() == *hash { Verdict::Whole } else { Verdict::Broken })
    }

    /// Forgets a content, so that it is fetched again: for one that is broken.
    ///
    /// # Errors
    /// It cannot be removed.
    pub fn discard(&self, hash: &Hash) -> Result<()> {
        remove_file(&self.blob(hash))
    }

    /// Removes all contents but those of `keep`: of everything installed, on its way, or paused. Returns the bytes that
    /// they took. What another download is writing stays.
    ///
    /// # Errors
    /// A folder cannot be read, or a file cannot be removed.
    pub fn remove_unreferenced(&self, keep: &HashSet<Hash>) -> Result<u64> {
        let mut freed = 0;
        for (path, hash) in self.contents("blobs")? {
            if !keep.contains(&hash) {
                freed += fs::symlink_metadata(&path).map_err(at(&path))?.len();
                remove_file(&path)?;
            }
        }
        for (path, hash) in self.contents("partial")? {
            if !keep.contains(&hash) && is_free(&path)? {
                remove_file(&self.journal(&hash))?;
                remove_file(&path)?;
            }
        }
        self.remove_left_over()?;
        Ok(freed)
    }

    fn remove_left_over(&self) -> Result<()> {
        let placing = self.root.join("placing");
        for entry in fs::read_dir(&placing).map_err(at(&placing))? {
            let path = entry.map_err(at(&placing))?.path();
            let changed = fs::symlink_metadata(&path).and_then(|found| found.modified());
            if changed.is_ok_and(|changed| changed.elapsed().is_ok_and(|age| age > LEFT_OVER)) {
                fs::remove_dir_all(&path).map_err(at(&path))?;
            }
        }
        Ok(())
    }

    /// Puts a revision together of contents that are here, and returns its folder. It appears as a whole, or not at all.
    ///
    /// # Errors
    /// A content is missing, or a folder or link cannot be made.
    pub fn place(&self, id: &RepoId, commit: &Commit, files: &[RemoteFile]) -> Result<PathBuf> {
        let folder = self.folder(id, commit);
        let home = folder.parent().unwrap_or(&self.root);
        make_folder(home.parent().unwrap_or(&self.root))?;
        make_folder(home)?;
        let found = fs::symlink_metadata(&folder).ok();
        if found.is_some() {
            self.check_way(&folder)?;
            if files.iter().all(|file| self.is_placed(&folder, file)) {
                return Ok(folder);
            }
        }
        let new = self.placing_folder();
        let put = files.iter().try_for_each(|file| self.put(&new, file));
        let renamed = put.and_then(|()| {
            if found.is_some() {
                let gone = self.placing_folder();
                fs::rename(&folder, &gone).map_err(at(&folder))?;
                // What cannot be removed now is removed with the next leftovers.
                drop(fs::remove_dir_all(&gone));
            }
            fs::rename(&new, &folder).map_err(at(&folder))?;
            sync_folder(home)
        });
        if renamed.is_err() {
            drop(fs::remove_dir_all(&new));
        }
        renamed.map(|()| folder)
    }

    /// Whether the revision's file is the content that lies here now; a repaired one is younger than what was placed.
    fn is_placed(&self, folder: &Path, file: &RemoteFile) -> bool {
        let [placed, blob] = [file.path.below(folder), self.blob(&file.hash)].map(fs::symlink_metadata);
        let (Ok(placed), Ok(blob)) = (placed, blob) else { return false };
        let age = |file: &fs::Metadata| file.modified().ok();
        placed.is_file() && placed.len() == blob.len() && age(&placed) >= age(&blob)
    }

    fn put(&self, folder: &Path, file: &RemoteFile) -> Result<()> {
        let (path, blob) = (file.path.below(folder), self.blob(&file.hash));
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent).map_err(at(parent))?;
        if !self.has(&file.hash) {
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
        sync_folder(parent)
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

    /// A name that nobody uses; its folder is made by whoever needs it.
    pub(crate) fn placing_folder(&self) -> PathBuf {
        self.root.join("placing").join(format!("{:016x}", fastrand::u64(..)))
    }

    /// The files of a folder of ours whose names are hashes.
    fn contents(&self, folder: &str) -> Result<Vec<(PathBuf, Hash)>> {
        let folder = self.root.join(folder);
        let mut contents = Vec::new();
        for entry in fs::read_dir(&folder).map_err(at(&folder))? {
            let entry = entry.map_err(at(&folder))?;
            if let Some(hash) = entry.file_name().to_str().and_then(|name| name.parse().ok()) {
                contents.push((entry.path(), hash));
            }
        }
        Ok(contents)
    }

    /// Refuses a path below the root that leads through a link.
    fn check_way(&self, path: &Path) -> Result<()> {
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

/// What an operation on `path` failed of.
pub(crate) fn at(path: &Path) -> impl Fn(io::Error) -> Error {
    |source| Error::File { path: path.to_owned(), source }
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

/// Whether no download is writing the file at `path`.
fn is_free(path: &Path) -> Result<bool> {
    match open(OpenOptions::new().write(true), path) {
        Ok(file) => Ok(file.try_lock().is_ok()),
        Err(Error::Foreign { .. }) => Ok(true),
        Err(error) => Err(error),
    }
}

/// Makes a folder whose parent is there; a link in its place is refused.
fn make_folder(path: &Path) -> Result<()> {
    match fs::DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let found = fs::symlink_metadata(path).map_err(at(path))?;
            if found.is_dir() { Ok(()) } else { Err(Error::Foreign { path: path.to_owned() }) }
        }
        other => other.map_err(at(path)),
    }
}
