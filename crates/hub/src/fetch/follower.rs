//! Hashing a content while it arrives. It is read back from the file, which is still in memory then: to keep the bytes
//! themselves until they are hashed would take more of the processors, for fresh memory is slower than what is used
//! again.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};

use tokio::task::{JoinHandle, spawn_blocking};

use super::{joined, partial::Partial};
use crate::{Error, Hash, Result, blobs::BLOCK};

/// How often a follower that waits for bytes asks whether it is still wanted.
const PATIENCE: Duration = Duration::from_millis(100);

/// After how many bytes the disk is asked to keep up.
const FLUSH: u64 = 64 << 20;

/// Takes what has arrived, in order, and hashes it: the hash is ready soon after the last byte. Stops when dropped.
pub(crate) struct Follower {
    partial: Arc<Partial>,
    wanted: Arc<AtomicBool>,
    hash: JoinHandle<Result<Hash>>,
}

impl Follower {
    pub(crate) fn start(partial: &Arc<Partial>) -> Self {
        let wanted = Arc::new(AtomicBool::new(true));
        let (content, go_on) = (Arc::clone(partial), Arc::clone(&wanted));
        let hash = spawn_blocking(move || follow(&content, &go_on));
        Self { partial: Arc::clone(partial), wanted, hash }
    }

    /// The hash of the whole content, once it is there.
    pub(crate) async fn finish(mut self) -> Result<Hash> {
        joined(&mut self.hash).await
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.wanted.store(false, Relaxed);
        self.partial.wake();
    }
}

fn follow(partial: &Arc<Partial>, wanted: &AtomicBool) -> Result<Hash> {
    let size = partial.remote().size;
    let mut hasher = partial.remote().hash.hasher(size);
    let (mut block, mut at, mut flushed, mut flush) = (vec![0; BLOCK], 0, 0, None);
    while at < size {
        if !wanted.load(Relaxed) {
            return Err(Error::Paused);
        }
        let ready = partial.ready(at, BLOCK, PATIENCE);
        partial.read(at, &mut block[..ready])?;
        hasher.update(&block[..ready]);
        at += ready as u64;
        // One at a time: a slow disk would have ever more of them.
        if at - flushed >= FLUSH && flush.as_ref().is_none_or(JoinHandle::is_finished) {
            flushed = at;
            let partial = Arc::clone(partial);
            flush = Some(spawn_blocking(move || partial.flush()));
        }
    }
    Ok(hasher.finish())
}
