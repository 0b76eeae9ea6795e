//! What comes of a training: a drafter in the list, with a word on where it came from.

use std::fs;
use std::path::{Path, PathBuf};

use engine::{CheckpointRole, Kept, Lesson};
use store::{TrainingPoint, TrainingState};

use super::{Pedigree, Training, TrainingOrder};
use crate::library::blocking;
use crate::{App, Error, Result};

/// Why a training leaves no drafter.
const NO_BETTER: &str = "the drafter never did better than before its first step; train it for longer from the same answers, or start a training on more prompts";

impl App {
    /// Where the drafters lie that were trained here, each in a folder of its name in one of its training's number.
    fn trained_folder(&self) -> PathBuf {
        self.library.home.join("drafters")
    }

    /// Whether a folder is one of a drafter that was trained here.
    pub(crate) fn is_trained(&self, folder: &Path) -> bool {
        // It is not there before the first one is.
        self.trained_folder().canonicalize().is_ok_and(|trained| folder.starts_with(trained))
    }

    /// Removes folders that the app made for a model, and returns how many bytes that freed.
    pub(crate) async fn remove_made(folders: Vec<PathBuf>) -> Result<u64> {
        blocking(move || {
            let mut freed = 0;
            for folder in &folders {
                let files = fs::read_dir(folder).into_iter().flatten().flatten();
                freed += files.filter_map(|file| file.metadata().ok()).map(|file| file.len()).sum::<u64>();
                remove(folder)?;
                // That which held it, if it holds nothing else.
                let _ = folder.parent().map(fs::remove_dir);
            }
            Ok(freed)
        })
        .await
    }

    /// Ends a training: the best drafter, if it does better than at the start, goes into the list, and all that was needed to
    /// go on is removed. If all steps were taken and none did better, the answers stay: they can be learnt from for longer.
    pub(super) async fn end_training(&self, id: i64, order: &TrainingOrder, state: TrainingState) -> Result<()> {
        let folder = self.training_folder(id);
        let lesson = folder.clone();
        let kept = blocking(move || Ok(Lesson::kept(&lesson)?)).await?;
        if let Some(kept) = &kept {
            self.note_kept(id, kept).await?;
        }
        let training = self.training(id).await?;
        let drafter = self.register(&training, order, kept).await?;
        if drafter.is_none() && training.at_best() > training.at_start() {
            return Err(Error::NotKept(id)); // a kill came before it was written
        }
        let failure = if drafter.is_none() && state == TrainingState::Done { Some(NO_BETTER) } else { None };
        self.store.set_training(id, state, failure, drafter.as_deref()).await?;
        if failure.is_none() {
            // What cannot be removed now goes at the next start.
            let _ = blocking(move || remove(&folder)).await;
        }
        Ok(())
    }

    /// Removes what was needed to go on with trainings that are over, or off the list.
    pub(crate) async fn tidy_trainings(&self) -> Result<()> {
        let folders = self.library.home.join("trainings");
        let entries = blocking(move || Ok(fs::read_dir(folders).into_iter().flatten().flatten().collect::<Vec<_>>()));
        let ids = entries.await?.into_iter().filter_map(|entry| entry.file_name().to_str()?.parse::<i64>().ok());
        for id in ids.collect::<Vec<_>>() {
            let Ok(_claim) = self.claim_training(id).await else { continue };
            let row = self.store.training(id).await?;
            if row.is_none_or(|row| is_over(&row) && !keeps_answers(&row)) {
                let folder = self.training_folder(id);
                blocking(move || remove(&folder)).await?;
            }
        }
        Ok(())
    }

    /// What a drafter is worth that is kept; a kill may have come before it was written down.
    async fn note_kept(&self, id: i64, kept: &Kept) -> Result<()> {
        let point = |step, tokens_per_round| TrainingPoint {
            step,
            loss: None,
            tokens_per_round: Some(tokens_per_round),
            best: true,
        };
        self.store.add_training_point(id, point(0, kept.at_start)).await?;
        let step = u32::try_from(kept.step).unwrap_or(u32::MAX);
        Ok(self.store.add_training_point(id, point(step, kept.at_best)).await?)
    }

    /// Puts the drafter that is kept into the list, and returns its id; none if there is none.
    async fn register(&self, training: &Training, order: &TrainingOrder, kept: Option<Kept>) -> Result<Option<String>> {
        let out = self.trained_folder().join(training.id.to_string()).join(&training.name);
        let canonical = out.canonicalize().unwrap_or_else(|_| out.clone());
        // A kill may have come between what follows and the note that it is done.
        if let Some(known) = self.store.model_in(&canonical.to_string_lossy()).await? {
            return Ok(Some(known.id));
        }
        let is_listed = self.store.folders().await?.contains(&canonical.to_string_lossy().into_owned());
        if let Some(Kept { drafter, .. }) = kept.filter(|_| !is_listed) {
            let target = self.model(&order.target).await.ok();
            let (pedigree, out) = (Pedigree::new(training, order, target.as_ref()), out.clone());
            blocking(move || place(&drafter, &out, &pedigree)).await?;
        }
        if !out.exists() {
            return Ok(None);
        }
        let model = self.add_model(&out, Some(&training.name), Some(CheckpointRole::Drafter)).await?;
        Ok(Some(model.id))
    }
}

/// Whether a training has come to its end.
pub(super) fn is_over(row: &store::Training) -> bool {
    matches!(row.state, TrainingState::Done | TrainingState::Stopped)
}

/// Whether it did with no drafter to show for it, so that its answers can be learnt from for longer.
pub(super) fn keeps_answers(row: &store::Training) -> bool {
    row.state == TrainingState::Done && row.failure.is_some()
}

/// Moves a drafter to where it stays, with a word on where it came from.
fn place(kept: &Path, out: &Path, pedigree: &Pedigree) -> Result<()> {
    let failed = |source| Error::Home { path: out.to_owned(), source };
    pedigree.write(kept).map_err(failed)?;
    remove(out)?; // what the same training left there before a kill
    fs::create_dir_all(out.parent().unwrap_or(out)).map_err(failed)?;
    fs::rename(kept, out).map_err(failed)
}

/// Removes a folder if it is there.
pub(super) fn remove(folder: &Path) -> Result<()> {
    if !folder.exists() {
        return Ok(());
    }
    fs::remove_dir_all(folder).map_err(|source| Error::Home { path: folder.to_owned(), source })
}
