//! The one answer to: where is it, is it whole, what is missing.

use std::fs;
use std::path::{Path, PathBuf};

use hub::Plan;
use store::Source;

use crate::{App, Result};

use super::blocking;
use super::places::{InPlace, in_place, lacking};

/// Where a checkpoint lies on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// Its folder; that of one that is still on its way comes into being with its last file.
    pub folder: PathBuf,
    /// Who keeps it.
    pub source: Source,
    /// `owner/name`, if that is known.
    pub repo: Option<String>,
    /// The commit, if that is known.
    pub commit: Option<String>,
    /// The id of the model that it is in the list.
    pub model: Option<String>,
    /// The files that are not there, or not with their full size.
    pub missing: Vec<Missing>,
}

/// A file that is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// Its path.
    pub path: String,
    /// Its length, if that is known.
    pub bytes: Option<u64>,
}

impl Located {
    /// Whether nothing is missing.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.missing.is_empty()
    }
}

impl App {
    /// Where the model or repo called `name` lies: an id, `owner/name`, or `owner/name@commit`. Of several places the one
    /// that serves best: where it is whole, in the list, and kept by the app. `None` if it is nowhere on this machine.
    ///
    /// # Errors
    /// The database fails.
    pub async fn locate(&self, name: &str) -> Result<Option<Located>> {
        if let Some(model) = self.store.model(name).await? {
            return self.locate_model(model).await.map(Some);
        }
        let (repo, commit) = name.split_once('@').map_or((name, None), |(repo, commit)| (repo, Some(commit)));
        Ok(best(self.places(repo, commit).await?))
    }

    /// The same for what is offered, held against what was listed: other programs may have fetched less of it.
    pub(super) async fn locate_offered(&self, repo: &str, commit: &str, plan: &Plan) -> Result<Option<Located>> {
        let (mut places, needed) = (self.places(repo, Some(commit)).await?, plan.needed.clone());
        blocking(move || {
            for place in &mut places {
                let missing = needed.iter().filter(|file| !is_there(&file.path.below(&place.folder), file.size));
                let missing = missing.map(|file| Missing { path: file.path.to_string(), bytes: Some(file.size) });
                place.missing = missing.collect();
            }
            Ok(best(places))
        })
        .await
    }

    /// Everywhere that a repo lies, at one commit or at any.
    async fn places(&self, repo: &str, commit: Option<&str>) -> Result<Vec<Located>> {
        let mut places = Vec::new();
        for revision in self.store.revisions(repo).await? {
            if commit.is_some_and(|commit| commit != revision.commit_hash) {
                continue;
            }
            for model in self.store.models_of(revision.id).await? {
                places.push(self.locate_model(model).await?);
            }
            let (id, hash) = (revision.repo.parse(), revision.commit_hash.parse());
            let (Ok(id), Ok(hash)) = (id, hash) else { continue };
            let folder = self.library.blobs()?.folder(&id, &hash);
            if !places.iter().any(|place| place.folder == folder) {
                if !folder.exists() && self.store.download_of(revision.id).await?.is_none() {
                    continue; // it was here once
                }
                let missing = self.missing(&folder, Some(revision.id)).await?;
                let (repo, commit) = (Some(revision.repo), Some(revision.commit_hash));
                places.push(Located { folder, source: Source::Hub, repo, commit, model: None, missing });
            }
        }
        let (around, wanted) = (self.library.around.clone(), repo.to_owned());
        let found = blocking(move || {
            let mut found = in_place(&around);
            found.retain(|place| place.repo.eq_ignore_ascii_case(&wanted) && place.unusable.is_none());
            Ok(found)
        });
        for mut place in found.await? {
            // LM Studio notes no commit, so it answers only for no commit in particular.
            let is_meant = commit.is_none_or(|commit| place.commit.as_deref() == Some(commit));
            if is_meant && !places.iter().any(|known| known.folder == place.folder) {
                place.model = self.model_in(&place.folder).await?;
                places.push(place.into());
            }
        }
        Ok(places)
    }

    async fn locate_model(&self, model: store::Model) -> Result<Located> {
        let (folder, revision) = (PathBuf::from(model.checkpoint.folder), model.checkpoint.revision_id);
        let missing = self.missing(&folder, revision).await?;
        let (repo, commit, source) = (model.repo, model.commit_hash, model.checkpoint.source);
        Ok(Located { folder, source, repo, commit, model: Some(model.id), missing })
    }

    /// What of a revision, or of whatever a folder's own files name, is not in the folder.
    async fn missing(&self, folder: &Path, revision: Option<i64>) -> Result<Vec<Missing>> {
        let files = match revision {
            Some(revision) => self.store.files(revision).await?,
            None => Vec::new(),
        };
        let folder = folder.to_owned();
        blocking(move || {
            if files.is_empty() {
                return Ok(lacking(&folder).into_iter().map(|path| Missing { path, bytes: None }).collect());
            }
            let missing = files.into_iter().filter(|file| !is_there(&folder.join(&file.path), file.bytes));
            Ok(missing.map(|file| Missing { path: file.path, bytes: Some(file.bytes) }).collect())
        })
        .await
    }
}

impl From<InPlace> for Located {
    fn from(place: InPlace) -> Self {
        let missing = lacking(&place.folder).into_iter().map(|path| Missing { path, bytes: None }).collect();
        let (repo, commit) = (Some(place.repo), place.commit);
        Self { folder: place.folder, source: place.source, repo, commit, model: place.model, missing }
    }
}

/// The place that serves best. Only what the app keeps can be repaired.
fn best(places: Vec<Located>) -> Option<Located> {
    places.into_iter().min_by_key(|place| (!place.is_whole(), place.model.is_none(), place.source != Source::Hub))
}

/// Whether a file is at `path` with its full size.
fn is_there(path: &Path, bytes: u64) -> bool {
    fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() == bytes)
}
