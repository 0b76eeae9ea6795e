//! What comes of a training: a drafter in the list, with a word on where it came from.

use std::fs;
use std::path::{Path, PathBuf};

use engine::{CheckpointRole, DesignKind, DesignSize, Kept, Lesson, Precision};
use store::{TrainingPoint, TrainingState};

use super::{Training, TrainingData, TrainingOrder, prompts};
use crate::library::blocking;
use crate::{App, Error, Model, Result};

/// Why a training leaves no drafter.
const NO_BETTER: &str =
    "the drafter never did better than before its first step; train it for longer, or on more prompts";

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

    /// Removes folders of drafters that were trained here, and returns how many bytes that freed.
    pub(crate) async fn remove_trained(folders: Vec<PathBuf>) -> Result<u64> {
        blocking(move || {
            let mut freed = 0;
            for folder in &folders {
                let files = fs::read_dir(folder).into_iter().flatten().flatten();
                freed += files.filter_map(|file| file.metadata().ok()).map(|file| file.len()).sum::<u64>();
                remove(folder)?;
                // That of its number, which holds nothing else.
                let _ = folder.parent().map(fs::remove_dir);
            }
            Ok(freed)
        })
        .await
    }

    /// Ends a training for good: the best drafter, if it does better than at the start, goes into the list, and all that
    /// was needed to go on is removed.
    pub(super) async fn end_training(&self, id: i64, order: &TrainingOrder, state: TrainingState) -> Result<()> {
        let folder = self.training_folder(id);
        let lesson = folder.clone();
        let kept = blocking(move || Ok(Lesson::kept(&lesson)?)).await?;
        if let Some(kept) = &kept {
            self.note_kept(id, kept).await?;
        }
        let training = self.training(id).await?;
        let drafter = self.register(&training, order, kept, state).await?;
        if drafter.is_none() && training.at_best() > training.at_start() {
            return Err(Error::NotKept(id)); // a kill came before it was written
        }
        let failure = if drafter.is_none() && state == TrainingState::Done { Some(NO_BETTER) } else { None };
        self.store.set_training(id, state, failure, drafter.as_deref()).await?;
        // What cannot be removed now goes at the next start.
        let _ = blocking(move || remove(&folder)).await;
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
            if row.is_none_or(|row| matches!(row.state, TrainingState::Done | TrainingState::Stopped)) {
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
    async fn register(
        &self,
        training: &Training,
        order: &TrainingOrder,
        kept: Option<Kept>,
        state: TrainingState,
    ) -> Result<Option<String>> {
        let out = self.trained_folder().join(training.id.to_string()).join(&training.name);
        let canonical = out.canonicalize().unwrap_or_else(|_| out.clone());
        // A kill may have come between what follows and the note that it is done.
        if let Some(known) = self.store.model_in(&canonical.to_string_lossy()).await? {
            return Ok(Some(known.id));
        }
        let is_listed = self.store.folders().await?.contains(&canonical.to_string_lossy().into_owned());
        if let Some(Kept { drafter, .. }) = kept.filter(|_| !is_listed) {
            let target = self.model(&order.target).await.ok();
            let (text, out) = (provenance(training, order, target.as_ref(), state), out.clone());
            blocking(move || place(&drafter, &out, &text)).await?;
        }
        if !out.exists() {
            return Ok(None);
        }
        let model = self.add_model(&out, Some(&training.name), Some(CheckpointRole::Drafter)).await?;
        Ok(Some(model.id))
    }
}

/// Moves a drafter to where it stays, with a word on where it came from.
fn place(kept: &Path, out: &Path, text: &str) -> Result<()> {
    let failed = |source| Error::Home { path: out.to_owned(), source };
    fs::write(kept.join("README.md"), text).map_err(failed)?;
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

/// Where a drafter came from. Of conversations it says how many questions there were, and of a file how many prompts, never
/// what they say or what it is called: a drafter may be published.
fn provenance(training: &Training, order: &TrainingOrder, target: Option<&Model>, state: TrainingState) -> String {
    let Training { name, steps, step, answers_of, .. } = training;
    let learnt = match &order.data {
        TrainingData::File(_) => format!("{answers_of} prompts of a file"),
        data => prompts::described(data, *answers_of),
    };
    let origin = match target.map(|target| (&target.repo, &target.commit, target.bytes)) {
        Some((Some(repo), Some(commit), _)) => format!("{} ({repo} at {commit})", order.target),
        Some((_, _, bytes)) => format!("{} (a folder, {bytes} bytes of weights)", order.target),
        None => order.target.clone(),
    };
    let ended = if state == TrainingState::Done { "" } else { ", stopped before its end" };
    let tau = |value: Option<f64>| value.map_or_else(|| "not measured".to_owned(), |value| format!("{value:.2}"));
    let (start, best, date) = (tau(training.at_start()), tau(training.at_best()), date(training.created_at));
    let (gamma, seed, version) = (order.design.gamma, order.seed, env!("CARGO_PKG_VERSION"));
    let kind = match order.design.kind {
        DesignKind::DSpark => "DSpark",
        DesignKind::DSparkRecurrent => "DSpark, recurrent",
        DesignKind::DFlash => "DFlash",
        DesignKind::DFlash2 => "DFlash 2",
    };
    let size = match order.design.size {
        DesignSize::Small => "small",
        DesignSize::Medium => "medium",
    };
    let precision = match order.precision {
        Precision::AsStored => "the type of its weights",
        Precision::Float32 => "float32",
    };
    format!(
        "# {name}\n\n\
         A drafter for one target, trained by Slipstream {version}.\n\n\
         - Target: {origin}, computing in {precision}\n\
         - Kind: {kind}, {size}, γ {gamma}\n\
         - Learnt from: the target's answers to {learnt}\n\
         - Steps: {step} of {steps}{ended}\n\
         - Seed: {seed}\n\
         - Tokens per round (τ, the target's own included) on answers that it was not taught, which also \
         chose the best; as expected when sampling at temperature 1: {start} untrained, {best} at best\n\
         - Begun: {date}\n",
    )
}

/// The day of a time in milliseconds since 1970, in UTC (Hinnant, "chrono-compatible low-level date algorithms").
fn date(time: i64) -> String {
    let days = time.div_euclid(86_400_000) + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{:04}-{month:02}-{day:02}", year + era * 400 + later)
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn a_day_is_the_calendars() {
        let days = [0, 951_782_400_000, 1_709_164_800_000, 1_735_689_599_999, -1];
        assert_eq!(days.map(date), ["1970-01-01", "2000-02-29", "2024-02-29", "2024-12-31", "1969-12-31"]);
    }
}
