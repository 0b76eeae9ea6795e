//! Removing models, and taking it back.

use std::collections::HashSet;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use engine::CheckpointRole;
use store::{DownloadState, Source};

use crate::{App, Error, Model, Result};

use super::blocking;
use super::judging::misfit;

/// How long the trash keeps what was put into it.
const KEPT: Duration = Duration::from_hours(7 * 24);

/// A model in the trash.
#[derive(Debug, Clone, PartialEq)]
pub struct Trashed {
    /// The model.
    pub model: Model,
    /// When it was put there; milliseconds since 1970.
    pub at: i64,
    /// From when on it is removed for good, at the next start; milliseconds since 1970.
    pub until: i64,
}

impl App {
    /// Puts a model into the trash. Its files stay where they are: those that the app keeps itself until the trash is
    /// emptied, all others for ever. A download that repairs it is cancelled. A record that cannot be read, in the list or
    /// in the trash, is forgotten at once, and what the app downloaded of it is deleted.
    ///
    /// # Errors
    /// It is not in the list.
    pub async fn remove_model(&self, id: &str) -> Result<()> {
        if self.store.damaged_models().await?.iter().any(|damaged| damaged.eq_ignore_ascii_case(id)) {
            self.store.remove_model(id).await?;
            self.tidy().await?;
            return Ok(());
        }
        let gone = match self.store.model(id).await? {
            None => false,
            Some(row) => {
                // A copy of the app's own may be on its way of what another program has.
                if let (Source::Hub, Some(revision)) = (row.checkpoint.source, row.checkpoint.revision_id)
                    && let Some(job) = self.store.download_of(revision).await?
                {
                    self.store.set_download(job.id, DownloadState::Cancelled, None).await?;
                    self.changed(job.id).await?;
                }
                self.store.trash_model(id).await?
            }
        };
        if gone { Ok(()) } else { Err(Error::NoSuchModel(id.to_owned())) }
    }

    /// Takes a model out of the trash.
    ///
    /// # Errors
    /// It is not in the trash.
    pub async fn restore_model(&self, id: &str) -> Result<Model> {
        let _alone = self.alone().await?;
        let restored = self.store.restore_model(id).await?;
        restored.map(Model::from).ok_or_else(|| Error::NotInTrash(id.to_owned()))
    }

    /// What is in the trash, the latest first.
    ///
    /// # Errors
    /// The database fails.
    pub async fn trash(&self) -> Result<Vec<Trashed>> {
        let kept = i64::try_from(KEPT.as_millis()).unwrap_or(i64::MAX);
        let rows = self.store.trashed_models().await?.into_iter();
        let dated = rows.map(|row| (row.trashed_at.unwrap_or_default(), Model::from(row)));
        Ok(dated.map(|(at, model)| Trashed { model, at, until: at.saturating_add(kept) }).collect())
    }

    /// Removes what is in the trash for good, and returns how many bytes that freed. Folders of other programs and of
    /// the user stay.
    ///
    /// # Errors
    /// The database or the disk fails.
    pub async fn empty_trash(&self) -> Result<u64> {
        self.remove_trashed(i64::MAX).await
    }

    /// Removes for good what has been in the trash for a week.
    pub(super) async fn purge_trash(&self) -> Result<u64> {
        let long_ago = SystemTime::now().checked_sub(KEPT).and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let long_ago = long_ago.map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or_default());
        self.store.forget_downloads_before(long_ago).await?;
        self.remove_trashed(long_ago).await
    }

    async fn remove_trashed(&self, until: i64) -> Result<u64> {
        let trashed = self.store.trashed_models().await?;
        for row in &trashed {
            self.engine.release(row.checkpoint.folder.clone().into());
        }
        // What is taken out of the trash at this very moment either stays, or is no longer there to be taken out.
        // Without need nothing is tidied: an index that was lost would let go of all that it knew.
        if !self.store.empty_trash(until).await? {
            return Ok(0);
        }
        let alone = self.alone().await?;
        let kept = self.store.folders().await?;
        let made_here = |known: &store::Checkpoint| matches!(known.source, Source::Trained | Source::Demo);
        let gone = trashed.into_iter().map(|row| row.checkpoint).filter(made_here).map(|known| known.folder);
        let gone = gone.filter(|folder| !kept.contains(folder)).map(PathBuf::from).collect();
        let freed = App::remove_made(gone).await?;
        drop(alone);
        Ok(freed + self.tidy().await?)
    }

    /// Forgets revisions and removes folders and contents that nothing needs, and returns how many bytes that freed.
    pub(super) async fn tidy(&self) -> Result<u64> {
        let _alone = self.alone().await?;
        self.store.forget_unused_revisions().await?;
        let blobs = self.library.blobs()?;
        let mut folders: HashSet<_> = self.store.folders().await?.into_iter().map(PathBuf::from).collect();
        // Both, for a data folder may have been moved, and a repo spelt anew.
        for revision in self.store.needed_revisions().await? {
            if let (Ok(repo), Ok(commit)) = (revision.repo.parse(), revision.commit_hash.parse()) {
                folders.insert(blobs.folder(&repo, &commit));
            }
        }
        let needed = self.store.needed_hashes().await?;
        let needed: HashSet<_> = needed.iter().filter_map(|hash| hash.parse().ok()).collect();
        blocking(move || {
            let revisions = blobs.remove_revisions_but(&folders);
            let freed = blobs.remove_unreferenced(&needed)?;
            Ok(revisions.map(|()| freed)?)
        })
        .await
    }

    /// The drafters that nothing uses if a target is gone: they were used with it, or suit it, and no other target in
    /// the list.
    ///
    /// # Errors
    /// It is neither in the list nor in the trash, or the database fails.
    pub async fn orphans(&self, target: &str) -> Result<Vec<Model>> {
        let target = match self.model(target).await {
            Err(Error::NoSuchModel(id)) => {
                let mut trashed = self.trash().await?.into_iter().map(|trashed| trashed.model);
                trashed.find(|model| model.id.eq_ignore_ascii_case(&id)).ok_or(Error::NoSuchModel(id))?
            }
            known => known?,
        };
        if target.role == CheckpointRole::Drafter {
            return Ok(Vec::new());
        }
        let pairings = self.store.pairings().await?;
        let (drafters, targets): (Vec<_>, Vec<_>) =
            self.models().await?.into_iter().partition(|model| model.role == CheckpointRole::Drafter);
        blocking(move || {
            let used = |target: &Model, drafter: &Model| {
                pairings.iter().any(|pair| pair.target_id == target.id && pair.drafter_id == drafter.id)
            };
            let suits = |target: &Model, drafter: &Model| misfit(&target.folder, drafter.folder.clone()).is_none();
            let belongs = |target: &Model, drafter: &Model| used(target, drafter) || suits(target, drafter);
            let others = || targets.iter().filter(|other| other.id != target.id);
            let orphans = drafters
                .into_iter()
                .filter(|drafter| belongs(&target, drafter) && !others().any(|other| belongs(other, drafter)));
            Ok(orphans.collect())
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

    use crate::{Error, testing};

    #[tokio::test]
    async fn what_only_a_target_in_the_trash_uses_is_told() {
        let home = tempfile::tempdir().unwrap();
        let app = testing::app(home.path()).await;
        app.note_use("t", Some("d")).await.unwrap();
        app.remove_model("t").await.unwrap();
        let orphans = app.orphans("T").await.unwrap();
        assert_eq!(orphans.into_iter().map(|model| model.id).collect::<Vec<_>>(), ["d"]);
        app.empty_trash().await.unwrap();
        assert!(matches!(app.orphans("t").await, Err(Error::NoSuchModel(id)) if id == "t"));
    }
}
