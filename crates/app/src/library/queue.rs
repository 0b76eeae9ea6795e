//! Running downloads: one at a time, the files of each side by side.

use std::collections::HashMap;
use std::fs::TryLockError;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::{MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hub::{Control, Listing, Plan, Progress, RemoteFile};
use store::{DownloadState, Reason, Source};
use tokio::sync::watch;
use tokio::time::{interval, sleep};

use crate::awake::Awake;
use crate::models::{inspect, row};
use crate::{App, Code, Error, Result};

use super::downloads::{Download, DownloadPhase};
use super::{Library, blocking};

/// How often a running download looks for wishes of other processes, and a queue for their jobs.
const LOOK: Duration = Duration::from_secs(1);

/// The shortest and the longest pause before a download is tried again that could not reach the Hub.
const PAUSES: [Duration; 2] = [Duration::from_secs(10), Duration::from_mins(5)];

/// The downloads that could not reach the Hub: how often in a row, and until when they wait.
type PutOff = HashMap<i64, (u32, Instant)>;

impl App {
    /// Runs downloads as their turns come, for as long as the app lives.
    pub(super) fn start_queue(&self) {
        let app = self.clone();
        tokio::spawn(async move {
            let (mut changed, mut put_off) = (app.library.changed.subscribe(), PutOff::new());
            loop {
                app.run_due(&mut put_off).await;
                tokio::select! {
                    _ = changed.changed() => {}
                    () = sleep(LOOK) => {}
                }
            }
        });
    }

    /// Runs the downloads whose turn it is. What fails here fails again when it is asked for, and is said then.
    async fn run_due(&self, put_off: &mut PutOff) {
        for due in self.store.due_downloads().await.unwrap_or_default() {
            // Whoever resumes one does not wait, and its reason goes then.
            let waits = put_off.get(&due.id).filter(|(_, until)| due.reason.is_some() && *until > Instant::now());
            if waits.is_some() || self.is_offline().await.unwrap_or_default() {
                continue;
            }
            let ended = self.run_download(due.id).await;
            if ended.is_ok_and(|ended| ended.state == DownloadState::Queued && ended.reason.is_some()) {
                let (times, until) = put_off.entry(due.id).or_insert((0, Instant::now()));
                *until = Instant::now() + PAUSES[1].min(PAUSES[0] * 2_u32.saturating_pow(*times));
                *times += 1;
            } else {
                put_off.remove(&due.id);
            }
        }
    }

    /// Runs one download to its end, whether it is its turn or not, and returns how it stands then: paused, cancelled,
    /// failed or done; or queued with the reason, if the network is switched off or the Hub out of reach. Waits for one
    /// that another process runs. To drop the future leaves it running as far as the database knows, so that it goes on
    /// at the next start.
    ///
    /// # Errors
    /// There is no such download, or the database fails.
    pub async fn run_download(&self, id: i64) -> Result<Download> {
        let _turn = self.library.turn.lock().await;
        let _awake = Awake::new("A model is downloaded");
        let claim = self.library.lock_file(&format!("download-{id}"))?;
        loop {
            match claim.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(source)) => {
                    return Err(Error::Home { path: self.library.home.clone(), source });
                }
            }
            sleep(LOOK).await;
            let row = self.store.download(id).await?.ok_or(Error::NoSuchDownload(id))?;
            self.library.tell(id, |download| download.arrived = row.arrived);
        }
        if !self.store.set_download(id, DownloadState::Running, None).await? {
            return self.download(id).await;
        }
        drop(self.follow_download(id).await?);
        self.changed(id).await?;
        let result = self.bring(id).await;
        self.note_arrived(id).await?;
        match &result {
            // The row says so already, or that it goes on by now.
            Ok(()) | Err(Error::Hub(hub::Error::Paused)) => {}
            Err(Error::Hub(hub::Error::Cancelled)) => self.tidy().await.map(drop)?,
            // It goes on with the network, and needs no reason of its own.
            Err(Error::Hub(hub::Error::Offline { .. })) => drop(self.store.put_off_download(id, None).await?),
            Err(error @ Error::Hub(hub::Error::Unreachable { .. })) => {
                let sentence = error.to_string();
                self.store.put_off_download(id, Some(Reason { sentence: &sentence, code: None })).await?;
            }
            Err(error) => {
                let full = matches!(error, Error::Hub(hub::Error::DiskFull { .. }));
                let state = if full { DownloadState::Paused } else { DownloadState::Failed };
                let (sentence, code) = (error.to_string(), error.code().map(Code::name));
                self.store.set_download(id, state, Some(Reason { sentence: &sentence, code })).await?;
            }
        }
        let ended = self.changed(id).await?;
        self.library.followed().retain(|other, followed| *other != id || followed.receiver_count() > 0);
        Ok(ended)
    }

    async fn bring(&self, id: i64) -> Result<()> {
        let row = self.store.download(id).await?.ok_or(Error::NoSuchDownload(id))?;
        let control = Control::new();
        let work = async {
            let (listing, plan) = self.listed(row.revision_id).await?;
            self.take_over(id, &listing, &control).await?;
            let folder = self.fetch(id, &listing, &plan, &control).await?;
            self.enter(id, row.revision_id, &folder).await
        };
        let result = tokio::select! {
            result = work => result,
            failed = self.heed(id, &control) => failed,
        };
        match result {
            Err(Error::Hub(hub::Error::Paused)) if self.is_offline().await? => {
                Err(hub::Error::Offline { what: row.repo }.into())
            }
            result => result,
        }
    }

    /// Tells `control` what is wanted by now, here or in another process, and writes down how much has arrived; until the
    /// database fails.
    async fn heed(&self, id: i64, control: &Control) -> Result<()> {
        let (mut changed, mut looks) = (self.library.changed.subscribe(), interval(LOOK));
        loop {
            let is_offline = self.is_offline().await?;
            match self.store.download(id).await?.map(|row| row.state) {
                Some(DownloadState::Running | DownloadState::Queued) if !is_offline => {}
                Some(DownloadState::Running | DownloadState::Queued | DownloadState::Paused) => control.pause(),
                _ => control.cancel(),
            }
            self.note_arrived(id).await?;
            tokio::select! {
                _ = changed.changed() => {}
                _ = looks.tick() => {}
            }
        }
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
            refused: Vec::new(),
        };
        Ok((listing, Plan { needed, skipped: Vec::new() }))
    }

    /// Copies contents that other programs have. Each is hashed, and fetched after all if it is not what it seems.
    async fn take_over(&self, id: i64, listing: &Listing, control: &Control) -> Result<()> {
        let (app, listing) = (self.clone(), listing.clone());
        self.library.tell(id, |download| download.phase = Some(DownloadPhase::Copying));
        let (mut here, found) = blocking(move || {
            let missing: Vec<_> = app.library.blobs()?.missing(&listing.files).into_iter().cloned().collect();
            let bytes = |files: &[RemoteFile]| files.iter().fold(0_u64, |sum, file| sum.saturating_add(file.size));
            let here = bytes(&listing.files).saturating_sub(bytes(&missing));
            Ok((here, app.library.elsewhere(&listing.id.to_string(), &missing)))
        })
        .await?;
        for (file, path) in found {
            let size = file.size;
            let (app, control, mut copied) = (self.clone(), control.clone(), here);
            let copied = blocking(move || {
                let reserve = app.library.around.limits().reserve;
                let tell = |read| {
                    copied += read;
                    app.library.tell(id, |download| download.arrived = copied);
                };
                Ok(app.library.blobs()?.adopt(&file, &path, reserve, &control, tell)?)
            });
            let copied = copied.await;
            // A copy that ended early, or is of something else, leaves nothing.
            here = here.saturating_add(if matches!(copied, Ok(true)) { size } else { 0 });
            self.library.tell(id, |download| download.arrived = here);
            // One that fails is no reason not to fetch.
            if let Err(Error::Hub(error)) = copied
                && matches!(error, hub::Error::Paused | hub::Error::Cancelled | hub::Error::DiskFull { .. })
            {
                return Err(error.into());
            }
        }
        Ok(())
    }

    /// Fetches what is missing.
    async fn fetch(&self, id: i64, listing: &Listing, plan: &Plan, control: &Control) -> Result<PathBuf> {
        let (hub, blobs, progress) = (self.hub().await?, self.library.blobs()?, watch::Sender::new(Progress::new()));
        let mut heard = progress.subscribe();
        let mut fetch = pin!(hub.fetch(listing, plan, &blobs, control, &progress));
        loop {
            tokio::select! {
                result = &mut fetch => return Ok(result?),
                Ok(()) = heard.changed() => {
                    let progress = *heard.borrow_and_update();
                    self.library.tell(id, |download| download.take(progress));
                }
            }
        }
    }

    /// Writes down how much has arrived, for other processes and for after a kill.
    async fn note_arrived(&self, id: i64) -> Result<()> {
        let arrived = self.library.followed().get(&id).map(|followed| followed.borrow().arrived);
        match arrived {
            Some(arrived) => Ok(self.store.note_arrived(id, arrived).await?),
            None => Ok(()),
        }
    }

    /// Puts what has arrived into the list, unless somebody has paused or cancelled it.
    async fn enter(&self, id: i64, revision: i64, folder: &Path) -> Result<()> {
        let checkpoint = inspect(folder.to_owned()).await?;
        let name = folder.to_owned().into_os_string().into_string().map_err(|path| Error::NotUnicode(path.into()))?;
        let checkpoint = row(name, checkpoint, Source::Hub, Some(revision));
        // What is loaded may be what was repaired.
        self.engine.release(folder.to_owned());
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
