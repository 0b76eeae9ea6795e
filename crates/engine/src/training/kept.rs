//! The best drafter so far, and what it is worth.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
};

use training::Trainer;

use crate::Result;

/// The best drafter of a lesson so far.
#[derive(Debug, Clone, PartialEq)]
pub struct Kept {
    /// Where it lies.
    pub drafter: PathBuf,
    /// Steps that it learnt.
    pub step: usize,
    /// Tokens per round (τ) before the first step.
    pub at_start: f64,
    /// Its own, which are more.
    pub at_best: f64,
}

impl Kept {
    /// The best one in a lesson's folder; none before one does better than at the start.
    ///
    /// # Errors
    /// When the folder cannot be read, or is damaged.
    pub(super) fn find(lesson: &Path) -> Result<Option<Self>> {
        let Some(&step) = steps(lesson).iter().max() else { return Ok(None) };
        let folder = place(lesson, step);
        let path = folder.join(WORTH);
        let text = fs::read_to_string(&path).map_err(|source| training::Error::File { path: path.clone(), source })?;
        let numbers = text.split_whitespace().map(str::parse).collect::<Result<Vec<f64>, _>>();
        let Ok(&[at_start, at_best]) = numbers.as_deref() else {
            let reason = "it does not hold two numbers of tokens per round".into();
            return Err(training::Error::Damaged { path, reason, advice: "resume the training" }.into());
        };
        Ok(Some(Self { drafter: folder.join("drafter"), step, at_start, at_best }))
    }
}

/// Where the best drafters of a lesson lie, by their steps.
pub(super) const BEST: &str = "best";

/// A file with the tokens per round at the start and at best.
const WORTH: &str = "tokens_per_round.txt";

/// Keeps the best drafter of a training, if it does better than at the start and is not kept yet, in half the space that it
/// is trained in. Those before it go only when it lies there whole.
pub(super) fn keep(trainer: &Trainer<'_>, lesson: &Path) -> Result<()> {
    let measured = trainer.measured();
    let Some(&(first, at_start)) = measured.first() else { return Ok(()) };
    let better = |best: (usize, f64), &next: &(usize, f64)| if next.1 > best.1 { next } else { best };
    let (step, at_best) = measured.iter().fold((first, at_start), better);
    let known = steps(lesson);
    if step == first || known.contains(&step) {
        return Ok(());
    }
    let folder = place(lesson, step);
    let unfinished = folder.with_extension("unfinished");
    let failed = |source| training::Error::File { path: folder.clone(), source };
    if unfinished.exists() {
        fs::remove_dir_all(&unfinished).map_err(failed)?;
    }
    trainer.best()?.narrowed()?.save(&unfinished.join("drafter"))?;
    fs::write(unfinished.join(WORTH), format!("{at_start} {at_best}")).map_err(failed)?;
    // On the disk before those before it go: a power cut may come too.
    for entry in fs::read_dir(unfinished.join("drafter")).map_err(failed)? {
        entry.and_then(|entry| File::open(entry.path())?.sync_all()).map_err(failed)?;
    }
    fs::rename(&unfinished, &folder).map_err(failed)?;
    for step in known {
        fs::remove_dir_all(place(lesson, step)).map_err(failed)?;
    }
    Ok(())
}

fn place(lesson: &Path, step: usize) -> PathBuf {
    lesson.join(BEST).join(step.to_string())
}

/// The steps of which a drafter is kept: one, or two after a kill.
fn steps(lesson: &Path) -> Vec<usize> {
    let entries = fs::read_dir(lesson.join(BEST)).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}
