//! The library: checkpoints on the Hub, on their way, and on this machine.

mod access;
mod catalogue;
mod checking;
mod claims;
mod discover;
mod downloads;
mod hugging_face;
mod index;
mod judging;
mod keychain;
mod lm_studio;
mod locate;
mod offer;
mod places;
mod queue;
mod storage;
mod surroundings;
mod trash;

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fs::{DirBuilder, File};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex as SyncMutex;

use hub::Blobs;
use tokio::sync::{Mutex, watch};

use crate::diagnostics::paths_of;
use crate::{App, Error, Result};

pub use access::{HubStatus, TokenSource};
pub use catalogue::{CataloguePair, Published};
pub use checking::{Checked, Checking, Verification};
pub use discover::{Discovered, Hit, Wanted};
pub use downloads::{Download, DownloadPhase, Got};
pub use index::Shelf;
pub use judging::{Fit, Judgement};
pub use keychain::Keychain;
pub use locate::{Located, Missing};
pub use offer::{Offer, OfferedFile};
pub use places::InPlace;
pub(crate) use places::Origin;
pub use storage::Storage;
pub use surroundings::Surroundings;
pub use trash::Trashed;

pub use hub::{Token as HubToken, Verdict};
pub use store::{DownloadState, Gated, Source};

use access::Way;

/// What the use cases of this folder share.
#[derive(Debug)]
pub(crate) struct Library {
    pub(crate) home: PathBuf,
    around: Surroundings,
    way: Mutex<Way>,
    /// Held by the download that runs.
    turn: Mutex<()>,
    /// Changes whenever a download's row did.
    changed: watch::Sender<()>,
    followed: SyncMutex<HashMap<i64, watch::Sender<Download>>>,
}

impl Library {
    pub(crate) fn new(home: &Path, around: Surroundings) -> Self {
        Self {
            home: home.to_owned(),
            around,
            way: Mutex::default(),
            turn: Mutex::default(),
            changed: watch::Sender::new(()),
            followed: SyncMutex::default(),
        }
    }

    /// Where downloaded contents and revisions lie.
    fn blobs(&self) -> Result<Blobs> {
        Ok(Blobs::open(&self.home.join("checkpoints"))?)
    }

    /// The paths of the user's own folder, the longest first.
    pub(crate) fn homes(&self) -> Vec<String> {
        let homes = [self.around.folder("HOME"), dirs::home_dir()].into_iter().flatten();
        let mut homes: Vec<_> = homes.flat_map(|home| paths_of(&home).collect::<Vec<_>>()).collect();
        homes.sort_by_key(|home| Reverse(home.len()));
        homes
    }

    /// An open file of this name that processes can lock.
    pub(crate) fn lock_file(&self, name: &str) -> Result<File> {
        let folder = self.home.join("locks");
        let failed = |source| Error::Home { path: folder.clone(), source };
        DirBuilder::new().recursive(true).mode(0o700).create(&folder).map_err(failed)?;
        File::options().create(true).append(true).open(folder.join(name)).map_err(failed)
    }
}

impl App {
    /// What is free of the disk that downloads and trainings lie on, bytes.
    pub(crate) async fn free_space(&self) -> Result<u64> {
        let app = self.clone();
        blocking(move || Ok(app.library.blobs()?.free_space()?)).await
    }

    /// Waits until no other process, and nobody else here, changes which contents are needed. Ends when it is dropped.
    pub(crate) async fn alone(&self) -> Result<File> {
        let app = self.clone();
        blocking(move || {
            let file = app.library.lock_file("contents")?;
            file.lock().map_err(|source| Error::Home { path: app.library.home.clone(), source })?;
            Ok(file)
        })
        .await
    }

    /// For a window to call as it starts: goes on with downloads, and removes what has been in the trash for long and
    /// what trainings left behind.
    pub fn start_library(&self) {
        self.start_queue();
        let app = self.clone();
        // What cannot be removed is tried again at the next start, and told of whoever empties the trash.
        tokio::spawn(async move {
            drop(app.purge_trash().await);
            drop(app.tidy_trainings().await);
        });
    }
}

/// Runs what waits for a disk where nobody else waits.
pub(crate) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    // It ends without a value only with the program.
    tokio::task::spawn_blocking(work).await.unwrap_or(Err(engine::Error::Closed.into()))
}
