//! A content on its way.

use std::{
    fs::File,
    io,
    os::unix::fs::FileExt,
    sync::{Condvar, Mutex, MutexGuard, PoisonError, RwLock},
    time::Duration,
};

use super::journal::{Journal, State, Validator, length};
use crate::{
    Blobs, RemoteFile, Result,
    blobs::{at, lock, remove_file},
};

/// How often a content is looked at that another download is fetching.
const LOOK_AGAIN: Duration = Duration::from_millis(200);

/// A content on its way, and the right to write it: there is one of these at a time, in all processes.
#[derive(Debug)]
pub(crate) struct Partial {
    blobs: Blobs,
    remote: RemoteFile,
    /// Locked for as long as it is open.
    file: File,
    journal: RwLock<Journal>,
    state: Mutex<State>,
    /// Wakes whoever waits for a piece to be complete.
    moved: Condvar,
}

/// A part of a content's piece.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    /// Which attempt at the content this is for; those before have lost their say.
    pub(crate) attempt: u32,
    /// The piece.
    pub(crate) index: usize,
    /// How much of it was there before.
    pub(crate) offset: u32,
}

impl Partial {
    /// Begins or goes on with `remote`. Waits while another download is fetching the same content; `None` once it is
    /// here.
    pub(crate) async fn claim(blobs: &Blobs, remote: &RemoteFile, piece: u32) -> Result<Option<Self>> {
        let path = blobs.partial(&remote.hash);
        loop {
            if blobs.has(remote) {
                return Ok(None);
            }
            match lock(&path)? {
                None => tokio::time::sleep(LOOK_AGAIN).await,
                // It has come just before; then this file is new, and nothing is in it.
                Some(_held) if blobs.has(remote) => remove_file(&path)?,
                Some(file) => return Self::open(blobs, remote, file, piece).map(Some),
            }
        }
    }

    fn open(blobs: &Blobs, remote: &RemoteFile, file: File, piece: u32) -> Result<Self> {
        let (size, path) = (remote.size, blobs.journal(&remote.hash));
        let is_sized = file.metadata().is_ok_and(|found| found.len() == size);
        let (journal, state) = match State::read(&path, size).filter(|_| is_sized) {
            Some(state) => (Journal::open(&path)?, state),
            None => begin(blobs, remote, &file, piece)?,
        };
        let (journal, state) = (RwLock::new(journal), Mutex::new(state));
        Ok(Self { blobs: blobs.clone(), remote: remote.clone(), file, journal, state, moved: Condvar::new() })
    }

    /// Throws away all that has arrived, and returns how much that was. Whatever is still being written loses its say.
    pub(crate) fn restart(&self) -> Result<u64> {
        let mut journal = self.journal.write().unwrap_or_else(PoisonError::into_inner);
        let mut state = self.state();
        let lost = state.done();
        let (fresh, mut empty) = begin(&self.blobs, &self.remote, &self.file, state.piece)?;
        empty.attempt = state.attempt + 1;
        (*journal, *state) = (fresh, empty);
        Ok(lost)
    }

    /// Writes `bytes` and then notes that they are there.
    pub(crate) fn write(&self, place: Place, bytes: &[u8]) -> Result<()> {
        let journal = self.journal.read().unwrap_or_else(PoisonError::into_inner);
        let Place { attempt, index, offset } = place;
        let (now, piece) = {
            let state = self.state();
            (state.attempt, state.piece)
        };
        if attempt != now {
            return Ok(());
        }
        let start = index as u64 * u64::from(piece) + u64::from(offset);
        self.file.write_all_at(bytes, start).map_err(at(&self.blobs.partial(&self.remote.hash)))?;
        let arrived = offset.saturating_add(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
        journal.arrived(index, arrived)?;
        self.state().arrived[index] = arrived;
        // Not each time: threads that wake each other at every step leave processors idle.
        if u64::from(arrived) == length(self.remote.size, piece, index) {
            self.wake();
        }
        Ok(())
    }

    /// Whether the content is still called `name`; from now on, if it had no name yet.
    pub(crate) fn is_still(&self, which: Validator, name: &str) -> Result<bool> {
        let journal = self.journal.read().unwrap_or_else(PoisonError::into_inner);
        let mut state = self.state();
        let known = &mut state.validators[which as usize];
        if known.is_none() {
            journal.validator(which, name)?;
            *known = Some(name.to_owned());
        }
        Ok(known.as_deref() == Some(name))
    }

    /// What the content was called last.
    pub(crate) fn name(&self, which: Validator) -> Option<String> {
        self.state().validators[which as usize].clone()
    }

    /// The pieces that are not all there.
    pub(crate) fn missing(&self) -> Vec<usize> {
        let pieces = self.state().arrived.len();
        (0..pieces).filter(|&index| !self.rest(index).1.is_empty()).collect()
    }

    /// Where the bytes go that a piece lacks, and which bytes of the content they are.
    pub(crate) fn rest(&self, index: usize) -> (Place, std::ops::Range<u64>) {
        let state = self.state();
        let offset = state.arrived[index];
        let start = index as u64 * u64::from(state.piece);
        let end = start + length(self.remote.size, state.piece, index);
        (Place { attempt: state.attempt, index, offset }, start + u64::from(offset)..end)
    }

    /// How many bytes have arrived.
    pub(crate) fn done(&self) -> u64 {
        self.state().done()
    }

    pub(crate) fn remote(&self) -> &RemoteFile {
        &self.remote
    }

    /// How many bytes can be read from `offset` on, of at most `most`. If that is none, waits until a piece is complete, or
    /// for `patience`.
    pub(crate) fn ready(&self, offset: u64, most: usize, patience: Duration) -> usize {
        let mut state = self.state();
        if state.ready(self.remote.size, offset, 1) == 0 {
            state = self.moved.wait_timeout(state, patience).unwrap_or_else(PoisonError::into_inner).0;
        }
        state.ready(self.remote.size, offset, most)
    }

    /// Wakes whoever waits for bytes, to look whether they are still wanted.
    pub(crate) fn wake(&self) {
        self.moved.notify_all();
    }

    /// Fills `block` with what has arrived at `offset`.
    pub(crate) fn read(&self, offset: u64, block: &mut [u8]) -> Result<()> {
        self.file.read_exact_at(block, offset).map_err(at(&self.blobs.partial(&self.remote.hash)))
    }

    /// Begins to bring to the disk what has arrived, so that less is left to do at the end.
    pub(crate) fn flush(&self) {
        // The end brings what fails here, and says so.
        drop(self.file.sync_data());
    }

    /// Makes a content of what was verified.
    pub(crate) fn commit(&self) -> Result<()> {
        self.blobs.keep(&self.file, &self.blobs.partial(&self.remote.hash), &self.remote.hash)?;
        remove_file(&self.blobs.journal(&self.remote.hash))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes the file and its journal new.
fn begin(blobs: &Blobs, remote: &RemoteFile, file: &File, piece: u32) -> Result<(Journal, State)> {
    let (path, journal) = (blobs.partial(&remote.hash), blobs.journal(&remote.hash));
    // What the old journal says must not be said of the new bytes.
    remove_file(&journal)?;
    let too_large = || at(&path)(io::ErrorKind::FileTooLarge.into());
    let state = State::empty(remote.size, piece).ok_or_else(too_large)?;
    file.set_len(0).and_then(|()| file.set_len(remote.size)).map_err(at(&path))?;
    Ok((Journal::create(&journal, remote.size, &state)?, state))
}
