//! Contents that lie somewhere else on this machine.

use std::{
    fs::{self, File, Permissions},
    io::Read,
    os::unix::fs::PermissionsExt,
    path::Path,
    time::SystemTime,
};

use crate::{
    Blobs, Hash, RemoteFile, Result,
    blobs::{BLOCK, at, remove_file, sync_folder},
    space,
};

impl Blobs {
    /// Copies a content from another program's file, unless it is here. The file is only read; where the disk can, both
    /// share their blocks. Returns whether the content is here now: another content is not taken.
    ///
    /// # Errors
    /// It cannot be copied.
    pub fn adopt(&self, remote: &RemoteFile, file: &Path) -> Result<bool> {
        let (blob, copy) = (self.blob(&remote.hash), self.placing_folder());
        if self.has(&remote.hash) {
            return Ok(true);
        }
        let found = fs::metadata(file).is_ok_and(|found| found.is_file() && found.len() == remote.size);
        if !found {
            return Ok(false);
        }
        let adopted = self.copy(remote, file, &copy, &blob);
        remove_file(&copy)?;
        adopted
    }

    fn copy(&self, remote: &RemoteFile, file: &Path, copy: &Path, blob: &Path) -> Result<bool> {
        fs::copy(file, copy).map_err(at(copy))?;
        if !remote.hash.is_of_file(copy, |_| {})? {
            return Ok(false);
        }
        fs::set_permissions(copy, Permissions::from_mode(0o600)).map_err(at(copy))?;
        let mine = File::options().write(true).open(copy).map_err(at(copy))?;
        // Whatever was placed before it came is older.
        mine.set_modified(SystemTime::now()).map_err(at(copy))?;
        mine.set_permissions(Permissions::from_mode(0o444)).map_err(at(copy))?;
        mine.sync_all().map_err(at(copy))?;
        fs::rename(copy, blob).map_err(at(blob))?;
        sync_folder(&self.root().join("blobs")).map(|()| true)
    }

    /// What may still be written to the disk that the folder lies on, bytes.
    ///
    /// # Errors
    /// The system does not say.
    pub fn free_space(&self) -> Result<u64> {
        space::free(self.root())
    }
}

impl Hash {
    /// Whether the content of a file is what was hashed; `heard` is told the size of each part that was read, bytes.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn is_of_file(&self, path: &Path, mut heard: impl FnMut(u64)) -> Result<bool> {
        let mut file = File::open(path).map_err(at(path))?;
        let mut hasher = self.hasher(file.metadata().map_err(at(path))?.len());
        let mut block = vec![0; BLOCK];
        loop {
            match file.read(&mut block).map_err(at(path))? {
                0 => return Ok(hasher.finish() == *self),
                read => {
                    hasher.update(&block[..read]);
                    heard(read as u64);
                }
            }
        }
    }
}
