//! Whether a model's files are still what they were, and fetching those again that are not.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use hub::{Hash, Verdict};
use store::{File, Source};
use tokio::sync::watch;

use crate::models::inspect;
use crate::{App, Error, Model, Result};

use super::blocking;
use super::downloads::Download;
use super::places::sizes;

/// What was found out about a model's files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verification {
    /// The model's id.
    pub model: String,
    /// The files whose hashes are known, by path. If there are none, the sizes were held against the files' own headers,
    /// and nothing more can be said.
    pub files: Vec<Checked>,
    /// The other files of the folder, by path: nobody knows their hashes.
    pub unknown: Vec<String>,
    /// What is wrong, in a sentence; `None` if nothing is.
    pub wrong: Option<String>,
}

/// A file that was hashed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// Its path.
    pub path: String,
    /// Its length.
    pub bytes: u64,
    /// Whether it is what its hash says.
    pub verdict: Verdict,
}

/// How far a verification is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Checking {
    /// What was read, bytes.
    pub done: u64,
    /// What there is to read, bytes.
    pub total: u64,
}

impl Verification {
    /// Whether the files' contents were proved, and not their sizes alone.
    #[must_use]
    pub fn by_hash(&self) -> bool {
        !self.files.is_empty()
    }

    fn new(model: String, files: Vec<Checked>, unknown: Vec<String>) -> Self {
        let count = |verdict| files.iter().filter(|file| file.verdict == verdict).count();
        let (broken, missing) = (count(Verdict::Broken), count(Verdict::Missing));
        let wrong = (broken + missing > 0)
            .then(|| format!("of {} files, {broken} are broken and {missing} are missing", files.len()));
        Self { model, files, unknown, wrong }
    }
}

impl App {
    /// Reads a model's files again and hashes them: about a second for each two gigabytes. `progress` hears how far it
    /// is. Of a folder whose hashes nobody knows, the sizes are held against the files' headers. To drop the future ends
    /// it.
    ///
    /// # Errors
    /// It is not in the list, or a file cannot be read.
    pub async fn verify_files(&self, id: &str, progress: watch::Sender<Checking>) -> Result<Verification> {
        let row = self.store.model(id).await?.ok_or_else(|| Error::NoSuchModel(id.to_owned()))?;
        let (id, folder) = (row.id, PathBuf::from(row.checkpoint.folder));
        let files = match row.checkpoint.revision_id {
            Some(revision) => self.store.files(revision).await?,
            None => Vec::new(),
        };
        if files.is_empty() {
            let wrong = inspect(folder).await.err().map(|error| error.to_string());
            return Ok(Verification { model: id, files: Vec::new(), unknown: Vec::new(), wrong });
        }
        let total = files.iter().fold(0_u64, |sum, file| sum.saturating_add(file.bytes));
        progress.send_replace(Checking { done: 0, total });
        let known: Vec<_> = files.iter().map(|file| file.path.clone()).collect();
        let inside = folder.clone();
        let unknown = blocking(move || {
            let mut others: Vec<_> = sizes(&inside).map(|(name, _)| name).collect();
            others.retain(|name| !known.contains(name));
            others.sort();
            Ok(others)
        })
        .await?;
        // Whoever no longer waits drops this, and the reading ends.
        let here = Arc::new(());
        let asker = Arc::downgrade(&here);
        let checked = blocking(move || files.into_iter().map(|file| check(&folder, file, &progress, &asker)).collect());
        Ok(Verification::new(id, checked.await?, unknown))
    }

    /// Fetches again what is broken or missing of a model and of which no whole copy is here: a job, unless nothing is.
    ///
    /// # Errors
    /// It is not in the list, its files belong to another program, or a file cannot be read.
    pub async fn repair_model(&self, id: &str, progress: watch::Sender<Checking>) -> Result<Option<Download>> {
        let row = self.store.model(id).await?.ok_or_else(|| Error::NoSuchModel(id.to_owned()))?;
        let (Source::Hub, Some(revision)) = (row.checkpoint.source, row.checkpoint.revision_id) else {
            return Err(Error::NotOurs { folder: Model::from(row).folder });
        };
        let Verification { files, wrong, .. } = self.verify_files(id, progress).await?;
        if wrong.is_none() {
            return Ok(None);
        }
        let alone = self.alone().await?;
        let hashes = self.store.files(revision).await?;
        let blobs = self.library.blobs()?;
        for file in files.iter().filter(|file| file.verdict == Verdict::Broken) {
            if let Some(known) = hashes.iter().find(|known| known.path == file.path) {
                // Another revision's repair may have brought it already.
                let (blobs, hash) = (blobs.clone(), known.hash.parse()?);
                blocking(move || Ok(blobs.discard_broken(&hash)?)).await?;
            }
        }
        drop(alone);
        self.queue(revision).await.map(Some)
    }
}

fn check(folder: &Path, file: File, progress: &watch::Sender<Checking>, asker: &Weak<()>) -> Result<Checked> {
    let (path, hash) = (folder.join(&file.path), file.hash.parse::<Hash>()?);
    let before = progress.borrow().done;
    let verdict = hash.check(&path, |read| {
        progress.send_modify(|checking| checking.done += read);
        if asker.strong_count() > 0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    progress.send_modify(|checking| checking.done = before + file.bytes);
    Ok(Checked { path: file.path, bytes: file.bytes, verdict })
}
