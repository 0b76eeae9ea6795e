//! Running downloads: one at a time, the files of each side by side.

use std::collections::HashMap;
use std::fs::TryLockError;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

use hub::{Control, Hub, Listing, Plan, Progress, RemoteFile};
use store::{DownloadState, Source};
use tokio::sync::watch;
use tokio::time::sleep;

use crate::models::{inspect, row};
use crate::{App, Error, Result};

use super::downloads::{Download, DownloadPhase};
use super::{Library, blocking};

/// How often a running download looks for wishes of other processes, and a queue for their jobs.
const LOOK: Duration = Duration::from_secs(1);

impl App {
    /// Runs downloads as their turns come, for as long as the app lives.
    pub(super) fn start_queue(&self) {
        let app = self.clone();
        tokio::spawn(async move {
            let mut changed = app.library.changed.subscribe();
            loop {
                // What fails here fails again when it is asked for, and is said then.
                for due in app.store.due_downloads().await.unwrap_or_default() {
                    drop(app.run_download(due.id).await);
                }
                tokio::select! {
                    _ = changed.changed() => {}
                    () = sleep(LOOK) => {}
                }
            }
        });
    }

    /// Runs one download to its end, whether it is its turn or not, and returns how it stands then: paused, cancelled,
    /// failed or done. To drop the future leaves it running as far as the database knows, so that it goes on at the next
    /// start.
    ///
    /// # Errors
    /// There is no such download, or the database fails.
    pub async fn run_download(&self, id: i64) -> Result<Download> {
        let _turn = self.library.turn.lock().await;
        let claim = self.library.lock_file(&format!("download-{id}"))?;
        match claim.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return self.download(id).await,
            Err(TryLockError::Error(source)) => return Err(Error::Home { path: self.library.home.clone(), source }),
        }
        if !self.store.set_download(id, DownloadState::Running, None).await? {
            return self.download(id).await;
        }
        drop(self.follow_download(id).await?);
        self.changed(id).await?;
        let result = self.bring(id).await;
        let arrived = self.library.followed().get(&id).map_or(0, |followed| followed.borrow().arrived);
        self.store.note_arrived(id, arrived).await?;
        match &result {
            // The row says so already, or that it goes on by now.
            Ok(()) | Err(Error::Hub(hub::Error::Paused)) => {}
            Err(Error::Hub(hub::Error::Cancelled)) => self.tidy().await.map(drop)?,
            Err(error) => {
                let full = matches!(error, Error::Hub(hub::Error::DiskFull { .. }));
                let state = if full { DownloadState::Paused } else { DownloadState::Failed };
                self.store.set_download(id, state, Some(&error.to_string())).await?;
            }
        }
        let ended = self.changed(id).await?;
        self.library.followed().retain(|other, followed| *other != id || followed.receiver_count() > 0);
        Ok(ended)
    }

    async fn bring(&self, id: i64) -> Result<()> {
        let row = self.store.download(id).await?.ok_or(Error::NoSuchDownload(id))?;
        let (listing, plan) = self.listed(row.revision_id).await?;
        self.take_over(id, &listing).await?;
        let folder = self.fetch(id, &self.hub().await?, &listing, &plan).await?;
        self.enter(id, row.revision_id, &folder).await
    }

    /// What a download needs, as it was listed when it was begun.
    async fn listed(&self, revision: i64) -> Result<(Listing, Plan)> {
        let known = self.store.revision(revision).await?;
        let known = known.ok_or(hub::Error::Cancelled)?;
        let mut needed = Vec::new();
        for file in self.store.files(revision).await? {
            needed.push(RemoteFile { path: file.path.parse()?, size: file.bytes, hash: file.hash.parse()? });
        }
        let listing = Listing {
            id: known.repo.parse()?,
            commit: known.commit_hash.parse()?,
            files: needed.clone(),
            licence: known.licence,
            gated: match known.gated {
                store::Gated::No => hub::Gated::No,
                store::Gated::Auto => hub::Gated::Auto,
                store::Gated::Manual => hub::Gated::Manual,
            },
            base_models: Vec::new(),
            tags: Vec::new(),
        };
        Ok((listing, Plan { needed, skipped: Vec::new() }))
    }

    /// Copies contents that other programs have. Each is hashed, and fetched after all if it is not what it seems.
    async fn take_over(&self, id: i64, listing: &Listing) -> Result<()> {
        let (app, listing) = (self.clone(), listing.clone());
        self.library.tell(id, |download| download.phase = Some(DownloadPhase::Copying));
        let found = blocking(move || {
            let missing: Vec<_> = app.library.blobs()?.missing(&listing.files).into_iter().cloned().collect();
            Ok(app.library.elsewhere(&listing.id.to_string(), &missing))
        });
        for (file, path) in found.await? {
            if self.store.download(id).await?.is_none_or(|row| row.state != DownloadState::Running) {
                break; // what is wanted instead is seen to next
            }
            let (blobs, size) = (self.library.blobs()?, file.size);
            // A copy that fails is no reason not to fetch.
            if let Ok(true) = blocking(move || Ok(blobs.adopt(&file, &path)?)).await {
                self.library.tell(id, |download| download.arrived += size);
            }
        }
        Ok(())
    }

    /// Fetches what is missing, and ends early if the row says so.
    async fn fetch(&self, id: i64, hub: &Hub, listing: &Listing, plan: &Plan) -> Result<PathBuf> {
        let (control, progress) = (Control::new(), watch::Sender::new(Progress::new()));
        let (mut heard, mut changed) = (progress.subscribe(), self.library.changed.subscribe());
        let blobs = self.library.blobs()?;
        let mut fetch = pin!(hub.fetch(listing, plan, &blobs, &control, &progress));
        loop {
            match self.store.download(id).await?.map(|row| row.state) {
                Some(DownloadState::Running | DownloadState::Queued) => {}
                Some(DownloadState::Paused) => control.pause(),
                _ => control.cancel(),
            }
            loop {
                tokio::select! {
                    result = &mut fetch => return Ok(result?),
                    Ok(()) = heard.changed() => {
                        let progress = *heard.borrow_and_update();
                        self.library.tell(id, |download| download.take(progress));
                    }
                    _ = changed.changed() => break,
                    () = sleep(LOOK) => break,
                }
            }
        }
    }

    /// Puts what has arrived into the list, unless somebody has paused or cancelled it.
    async fn enter(&self, id: i64, revision: i64, folder: &Path) -> Result<()> {
        let checkpoint = inspect(folder.to_owned()).await?;
        let name = folder.to_owned().into_os_string().into_string().map_err(|path| Error::NotUnicode(path.into()))?;
        let checkpoint = row(name, checkpoint, Source::Hub, Some(revision));
        match self.store.finish_download(id, &checkpoint).await? {
            Some(_) => Ok(()),
            None => match self.store.download(id).await?.map(|row| row.state) {
                Some(DownloadState::Paused | DownloadState::Queued) => Err(hub::Error::Paused.into()),
                _ => Err(hub::Error::Cancelled.into()),
            },
        }
    }
}

impl Library {
    pub(super) fn followed(&self) -> MutexGuard<'_, HashMap<i64, watch::Sender<Download>>> {
        self.followed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells whoever follows a download how it stands by now.
    fn tell(&self, id: i64, change: impl FnOnce(&mut Download)) {
        if let Some(followed) = self.followed().get(&id) {
            followed.send_modify(change);
        }
    }
}
