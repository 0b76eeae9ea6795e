//! Downloads as jobs: begun, paused, resumed, cancelled. Each wish is stored before the job is told.

use std::time::Duration;

use hub::{Phase, Progress};
use store::{DownloadState, File, NewRevision};
use tokio::sync::watch;

use crate::{App, Code, Error, Model, Result};

use super::locate::Located;
use super::offer::{Offer, gated};

/// A job that brings a revision here.
#[derive(Debug, Clone, PartialEq)]
pub struct Download {
    /// Its number, never used twice.
    pub id: i64,
    /// `owner/name`.
    pub repo: String,
    /// The commit.
    pub commit: String,
    /// How far it is.
    pub state: DownloadState,
    /// Why it stands, in a sentence.
    pub reason: Option<String>,
    /// What can be done about the reason.
    pub code: Option<Code>,
    /// The size of what is needed, bytes.
    pub total: u64,
    /// What has arrived, or was here already, bytes.
    pub arrived: u64,
    /// What it is doing while it runs.
    pub phase: Option<DownloadPhase>,
    /// Bytes per second, averaged over about five seconds.
    pub rate: Option<f64>,
    /// How long the rest takes at this rate.
    pub remaining: Option<Duration>,
    /// The id of the model that it became.
    pub model: Option<String>,
}

/// What a running download is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DownloadPhase {
    /// Contents are taken over from other programs' folders.
    Copying,
    /// Bytes arrive.
    Fetching,
    /// All bytes have arrived, and are being hashed.
    Verifying,
    /// The folder is put together and looked at.
    Placing,
}

/// What came of asking for a revision.
#[derive(Debug, Clone, PartialEq)]
pub enum Got {
    /// It was on this machine, and is in the list.
    Installed(Model),
    /// It is on its way.
    Coming(Download),
}

impl App {
    /// Gets what is offered: whatever is whole on this machine by now is put into the list where it lies; everything
    /// else becomes a job at the end of the queue, or the job that is open for it already, which goes on.
    ///
    /// # Errors
    /// What lies here is no checkpoint that runs, or the database fails.
    pub async fn get(&self, offer: &Offer) -> Result<Got> {
        let located = self.locate_offered(&offer.repo, &offer.commit, &offer.plan).await?;
        match located.filter(Located::is_whole) {
            Some(Located { model: Some(id), .. }) => self.model(&id).await.map(Got::Installed),
            Some(Located { folder, .. }) => self.add_model(&folder, None, None).await.map(Got::Installed),
            None => self.get_copy(offer).await.map(Got::Coming),
        }
    }

    /// Gets what is offered into the app's own folder, also if another program has it: a job, likewise. Only what is
    /// kept there can be repaired.
    ///
    /// # Errors
    /// The database fails.
    pub async fn get_copy(&self, offer: &Offer) -> Result<Download> {
        let files = offer.plan.needed.iter().map(|file| File {
            path: file.path.to_string(),
            bytes: file.size,
            hash: file.hash.to_string(),
        });
        let new = NewRevision {
            repo: &offer.repo,
            commit_hash: &offer.commit,
            licence: offer.licence.as_deref(),
            gated: gated(offer.listing.gated),
            is_listed: true,
            files: &files.collect::<Vec<_>>(),
        };
        // Nobody may remove contents as unneeded between the look at them and the note that they are needed.
        let _alone = self.alone().await?;
        let revision = self.store.note_revision(new).await?;
        self.queue(revision).await
    }

    /// A job for a revision whose files are noted.
    pub(super) async fn queue(&self, revision: i64) -> Result<Download> {
        let row = match self.store.download_of(revision).await? {
            Some(known) => known,
            None => self.store.add_download(revision).await?,
        };
        self.store.set_download(row.id, DownloadState::Queued, None).await?;
        self.changed(row.id).await
    }

    /// All downloads: those that are not over, or failed, in the order of their turns; then the others, the latest first.
    ///
    /// # Errors
    /// The database fails.
    pub async fn downloads(&self) -> Result<Vec<Download>> {
        let is_offline = self.is_offline().await?;
        let rows = self.store.downloads().await?.into_iter();
        Ok(rows.map(|row| row.map_or_else(Download::damaged, |row| self.described(row, is_offline))).collect())
    }

    /// Follows a download: the receiver holds how it stands, and hears of what changes at most ten times a second.
    ///
    /// # Errors
    /// There is no such download, or the database fails.
    pub async fn follow_download(&self, id: i64) -> Result<watch::Receiver<Download>> {
        let now = self.download(id).await?;
        let mut followed = self.library.followed();
        Ok(followed.entry(id).or_insert_with(|| watch::Sender::new(now)).subscribe())
    }

    /// Lets a download wait until it is resumed, also after a restart.
    ///
    /// # Errors
    /// There is no such download, or the database fails.
    pub async fn pause_download(&self, id: i64) -> Result<Download> {
        self.store.set_download(id, DownloadState::Paused, None).await?;
        self.changed(id).await
    }

    /// Lets a download that is paused, or failed, wait for its turn; one that waits for the Hub waits no longer.
    ///
    /// # Errors
    /// There is no such download, another one brings the same by now, or the database fails.
    pub async fn resume_download(&self, id: i64) -> Result<Download> {
        let is_resumed = self.store.set_download(id, DownloadState::Queued, None).await?;
        let now = self.changed(id).await?;
        if !is_resumed && now.state == DownloadState::Failed {
            return Err(Error::OnItsWay(now.repo));
        }
        Ok(now)
    }

    /// Ends a download for good, and removes what had arrived and nothing else needs.
    ///
    /// # Errors
    /// There is no such download, or the database or the disk fails.
    pub async fn cancel_download(&self, id: i64) -> Result<Download> {
        self.store.set_download(id, DownloadState::Cancelled, None).await?;
        let download = self.changed(id).await?;
        self.tidy().await?;
        Ok(download)
    }

    /// Takes a download that is over, or failed, off the list, and removes what nothing else needs of it. The model
    /// that it became stays.
    ///
    /// # Errors
    /// The database or the disk fails.
    pub async fn forget_download(&self, id: i64) -> Result<()> {
        self.store.forget_download(id).await?;
        self.tidy().await?;
        Ok(())
    }

    pub(super) async fn download(&self, id: i64) -> Result<Download> {
        let row = self.store.download(id).await?.ok_or(Error::NoSuchDownload(id))?;
        Ok(self.described(row, self.is_offline().await?))
    }

    /// Tells everyone that a row has changed.
    pub(super) async fn changed(&self, id: i64) -> Result<Download> {
        let now = self.download(id).await?;
        if let Some(followed) = self.library.followed().get(&id) {
            followed.send_replace(now.clone());
        }
        self.library.changed.send_replace(());
        Ok(now)
    }

    fn described(&self, row: store::Download, is_offline: bool) -> Download {
        let is_done = row.state == DownloadState::Done;
        let before = self.library.followed().get(&row.id).map(|followed| followed.borrow().clone());
        let running = before.filter(|_| row.state == DownloadState::Running);
        let arrived = running.as_ref().map_or(row.arrived, |running| running.arrived);
        let (reason, code) = match row.state {
            DownloadState::Queued if is_offline => {
                (Some("the network is switched off".to_owned()), Some(Code::GoOnline))
            }
            _ => (row.reason, row.code.as_deref().and_then(Code::named)),
        };
        Download {
            id: row.id,
            repo: row.repo,
            commit: row.commit_hash,
            state: row.state,
            reason,
            code,
            total: row.total,
            arrived: if is_done { row.total } else { arrived },
            phase: running.as_ref().and_then(|running| running.phase),
            rate: running.as_ref().and_then(|running| running.rate),
            remaining: running.and_then(|running| running.remaining),
            model: row.model.filter(|_| is_done),
        }
    }
}

impl Download {
    /// What is known of one whose record cannot be read.
    fn damaged(id: i64) -> Self {
        let reason = "its record is damaged: forget it, and get the model again".to_owned();
        Self {
            id,
            repo: format!("download {id}"),
            commit: String::new(),
            state: DownloadState::Failed,
            reason: Some(reason),
            code: None,
            total: 0,
            arrived: 0,
            phase: None,
            rate: None,
            remaining: None,
            model: None,
        }
    }

    /// How it stands while `progress` is made.
    pub(super) fn take(&mut self, progress: Progress) {
        self.phase = Some(match progress.phase {
            Phase::Fetching => DownloadPhase::Fetching,
            Phase::Verifying => DownloadPhase::Verifying,
            Phase::Placing => DownloadPhase::Placing,
        });
        self.arrived = progress.done;
        (self.rate, self.remaining) = (progress.rate, progress.remaining);
    }
}
