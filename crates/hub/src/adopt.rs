//! Contents that lie somewhere else on this machine.

use std::{
    fs::{self, File, OpenOptions},
    io::{ErrorKind, Read, Write},
    ops::ControlFlow,
    path::Path,
};

use crate::{
    Blobs, Control, Error, Hash, RemoteFile, Result,
    blobs::{BLOCK, at, open},
    placing::Workplace,
    space,
};

/// What a file is worth as a content.
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
    /// Copies a content from another program's file, unless it is here. The file is only read; where the disk can, both
    /// share their blocks. Returns whether the content is here now: another content is not taken.
    ///
    /// `heard` is told the size of each part that was read, bytes. On the disk, `reserve` bytes stay free. This takes
    /// its time; when `control` wants it to end, nothing is left of it.
    ///
    /// # Errors
    /// It cannot be copied, there is too little room, or `control` wants it to end.
    pub fn adopt(
        &self,
        remote: &RemoteFile,
        file: &Path,
        reserve: u64,
        control: &Control,
        mut heard: impl FnMut(u64),
    ) -> Result<bool> {
        if self.has(remote) {
            return Ok(true);
        }
        if !fs::metadata(file).is_ok_and(|found| found.is_file() && found.len() == remote.size) {
            return Ok(false);
        }
        let source = File::open(file).map_err(at(file))?;
        let workplace = Workplace::new(self)?;
        let path = workplace.at("content");
        let mut copy = None;
        if !shares_blocks(&source, &path) {
            space::check(self.root(), remote.size, reserve)?;
            copy = Some(open(OpenOptions::new().write(true).create(true).truncate(true), &path)?);
        }
        // What is hashed is what stays, even if its owner changes the file meanwhile.
        let from = if copy.is_some() { source } else { File::open(&path).map_err(at(&path))? };
        let hash = hashed(&remote.hash, from, file, |bytes| {
            control.check()?;
            if let Some(copy) = &mut copy {
                copy.write_all(bytes).map_err(at(&path))?;
            }
            heard(bytes.len() as u64);
            Ok(())
        })?;
        if hash != remote.hash {
            return Ok(false);
        }
        let copy = File::open(&path).map_err(at(&path))?;
        self.keep(&copy, &path, &remote.hash).map(|()| true)
    }
}

/// Makes a file at `path` of the blocks of another, if the disk can.
#[cfg(target_os = "macos")]
fn shares_blocks(source: &File, path: &Path) -> bool {
    rustix::fs::fclonefileat(source, rustix::fs::CWD, path, rustix::fs::CloneFlags::empty()).is_ok()
}

/// Makes a file at `path` of the blocks of another, if the disk can.
#[cfg(not(target_os = "macos"))]
fn shares_blocks(source: &File, path: &Path) -> bool {
    let copy = open(OpenOptions::new().write(true).create(true).truncate(true), path);
    copy.is_ok_and(|copy| rustix::fs::ioctl_ficlone(copy, source).is_ok())
}

impl Hash {
    /// What the file at `path` is worth as the content that was hashed; `heard` is told the size of each part that was
    /// read, bytes, and may break off. This takes about a second for each two gigabytes.
    ///
    /// # Errors
    /// It cannot be read; or [`Error::Cancelled`].
    pub fn check(&self, path: &Path, mut heard: impl FnMut(u64) -> ControlFlow<()>) -> Result<Verdict> {
        match fs::metadata(path) {
            Ok(found) if found.is_file() => {}
            Ok(_) => return Ok(Verdict::Missing),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(Verdict::Missing);
            }
            Err(error) => return Err(at(path)(error)),
        }
        let hash = hashed(self, File::open(path).map_err(at(path))?, path, |bytes| {
            if heard(bytes.len() as u64).is_break() { Err(Error::Cancelled) } else { Ok(()) }
        })?;
        Ok(if hash == *self { Verdict::Whole } else { Verdict::Broken })
    }
}

/// Hashes the open `file` at `path` the way `kind` was made, and gives `each` part to somebody else too.
fn hashed(kind: &Hash, mut file: File, path: &Path, mut each: impl FnMut(&[u8]) -> Result<()>) -> Result<Hash> {
    let mut hasher = kind.hasher(file.metadata().map_err(at(path))?.len());
    let mut block = vec![0; BLOCK];
    loop {
        match file.read(&mut block).map_err(at(path))? {
            0 => return Ok(hasher.finish()),
            read => {
                hasher.update(&block[..read]);
                each(&block[..read])?;
            }
        }
    }
}
