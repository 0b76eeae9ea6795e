//! What the folders of models contain, read once and remembered until their files look otherwise.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::UNIX_EPOCH;

use engine::fingerprint;

use crate::library::blocking;
use crate::{App, CheckpointRole, Model, Result};

/// What is remembered.
#[derive(Debug, Default)]
pub(crate) struct Folders {
    fingerprints: Read<String>,
    thinking: Read<bool>,
}

impl App {
    /// The model that has these contents, whatever it is called by now; the one with this id first, which it nearly always
    /// is.
    pub(crate) async fn model_of(&self, role: CheckpointRole, id: &str, fingerprint: &str) -> Result<Option<Model>> {
        let mut models = self.models().await?;
        models.retain(|model| model.role == role && model.broken.is_none());
        models.sort_by_key(|model| model.id != id);
        for model in models {
            if self.fingerprint(&model.folder).await.is_ok_and(|found| found == fingerprint) {
                return Ok(Some(model));
            }
        }
        Ok(None)
    }

    /// Whether a target can think before it answers.
    pub(crate) async fn thinks(&self, target: &Path) -> Result<bool> {
        self.folders.thinking.of(target, engine::thinks).await
    }

    /// The fingerprint of a folder.
    pub(crate) async fn fingerprint(&self, folder: &Path) -> Result<String> {
        self.folders.fingerprints.of(folder, fingerprint).await
    }
}

/// What was read from folders, each with what its files looked like then: it is read again only if they have changed.
#[derive(Debug)]
struct Read<T>(Mutex<HashMap<PathBuf, (String, T)>>);

impl<T> Default for Read<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone + Send + 'static> Read<T> {
    async fn of(&self, folder: &Path, read: fn(&Path) -> engine::Result<T>) -> Result<T> {
        let (folder, now) = (folder.to_owned(), stamp(folder));
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((then, value)) = known().get(&folder)
            && *then == now
        {
            return Ok(value.clone());
        }
        let value = blocking({
            let folder = folder.clone();
            move || Ok(read(&folder)?)
        })
        .await?;
        known().insert(folder, (now, value.clone()));
        Ok(value)
    }
}

/// What a folder's files look like, one by one: their bytes, and when each was written. Other weights or another packing
/// look otherwise.
pub(crate) fn stamp(folder: &Path) -> String {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let facts = files.filter_map(|file| {
        let facts = fs::metadata(file.path()).ok().filter(fs::Metadata::is_file)?;
        let written = facts.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        Some((file.file_name(), facts.len(), written.map_or(0, |since| since.as_millis())))
    });
    let facts = facts.collect::<BTreeSet<_>>();
    let bytes = facts.iter().map(|(_, bytes, _)| bytes).sum::<u64>();
    let mut hasher = DefaultHasher::new();
    facts.hash(&mut hasher);
    format!("{bytes} {:016x}", hasher.finish())
}
