//! Checkpoints in the folders of other programs. They are used where they lie, and nothing is written there.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use engine::{CheckpointRole, Plan, Precision};
use hub::{Hash, RemoteFile};
use serde_json::Value;
use store::{File, Gated, NewRevision, Source};

use crate::{App, Error, Model, Result};

use super::hugging_face::{self, Snapshot};
use super::surroundings::Surroundings;
use super::{Library, blocking, lm_studio};

/// A checkpoint in another program's folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InPlace {
    /// Whose folder it is.
    pub source: Source,
    /// `owner/name`.
    pub repo: String,
    /// The commit, where that program notes it.
    pub commit: Option<String>,
    /// Where it lies.
    pub folder: PathBuf,
    /// The size of its files.
    pub bytes: u64,
    /// What it is for, if it can be used.
    pub role: Option<CheckpointRole>,
    /// Why it cannot be used, in a sentence.
    pub unusable: Option<String>,
    /// The id of the model that it is in the list.
    pub model: Option<String>,
}

/// Where a folder comes from.
pub(crate) struct Origin {
    pub(crate) source: Source,
    pub(crate) revision: Option<i64>,
}

impl App {
    /// What lies in the folders of other programs: the cache of the Hub's own tools and LM Studio's models. To use one,
    /// [add](App::add_model) its folder.
    ///
    /// # Errors
    /// The database fails.
    pub async fn found(&self) -> Result<Vec<InPlace>> {
        let around = self.library.around.clone();
        let mut found = blocking(move || {
            let mut found = in_place(&around);
            found.iter_mut().for_each(InPlace::judge);
            Ok(found)
        })
        .await?;
        for place in &mut found {
            place.model = self.model_in(&place.folder).await?;
        }
        Ok(found)
    }

    /// The id of the model in a folder.
    pub(super) async fn model_in(&self, folder: &Path) -> Result<Option<String>> {
        let Some(folder) = folder.to_str() else { return Ok(None) };
        Ok(self.store.model_in(folder).await?.map(|model| model.id))
    }

    /// Puts what another program has into the list, where it lies: the usable checkpoint of the repo `owner/name`, or the
    /// one in a folder.
    ///
    /// # Errors
    /// No other program has that repo, or the folder holds no checkpoint that can be used.
    pub async fn import(&self, name: &str) -> Result<Model> {
        let found = self.found().await?;
        let mut named = found.into_iter().filter(|place| place.repo.eq_ignore_ascii_case(name));
        let folder = match named.find(|place| place.unusable.is_none()) {
            Some(place) => place.folder,
            None if Path::new(name).is_dir() => name.into(),
            None => return Err(Error::NotFound(name.to_owned())),
        };
        self.add_model(&folder, None, None).await
    }

    /// Where a folder comes from; what the Hub's tools know of it is noted.
    ///
    /// # Errors
    /// A link leads out of the repo's folder, or the database fails.
    pub(crate) async fn origin(&self, folder: &Path) -> Result<Origin> {
        let library = &self.library;
        if let Some(revision) = self.own_revision(folder).await? {
            return Ok(Origin { source: Source::Hub, revision: Some(revision) });
        }
        if self.is_trained(folder) {
            return Ok(Origin { source: Source::Trained, revision: None });
        }
        if self.is_demo(folder) {
            return Ok(Origin { source: Source::Demo, revision: None });
        }
        if let Some(snapshot) =
            hugging_face::root(&library.around).and_then(|root| hugging_face::snapshot(&root, folder))
        {
            if let Some(link) = snapshot.astray {
                return Err(Error::Astray { link });
            }
            let revision = Some(self.note_snapshot(&snapshot).await?);
            return Ok(Origin { source: Source::HuggingFaceCache, revision });
        }
        let is_studios = |root: &PathBuf| lm_studio::repo(root, folder).is_some();
        let source =
            if lm_studio::roots(&library.around).iter().any(is_studios) { Source::LmStudio } else { Source::Folder };
        Ok(Origin { source, revision: None })
    }

    /// The revision that the app itself keeps in this folder.
    async fn own_revision(&self, folder: &Path) -> Result<Option<i64>> {
        let (Some(commit), Some(name)) = (folder.file_name(), folder.parent()) else { return Ok(None) };
        let parts =
            [name.parent().and_then(Path::file_name), name.file_name()].map(|part| part.and_then(|part| part.to_str()));
        let [Some(owner), Some(name)] = parts else { return Ok(None) };
        let revisions = self.store.revisions(&format!("{owner}/{name}")).await?;
        let Some(same) = revisions.into_iter().find(|known| Some(known.commit_hash.as_str()) == commit.to_str()) else {
            return Ok(None);
        };
        let (Ok(id), Ok(commit)) = (same.repo.parse(), same.commit_hash.parse()) else { return Ok(None) };
        Ok((self.library.blobs()?.folder(&id, &commit) == folder).then_some(same.id))
    }

    async fn note_snapshot(&self, Snapshot { repo, commit, files, .. }: &Snapshot) -> Result<i64> {
        let (repo, commit) = (repo.to_string(), commit.to_string());
        let known = self.store.revisions(&repo).await?;
        // What the Hub listed once is more than what lies here.
        if let Some(same) = known.iter().find(|known| known.commit_hash == commit) {
            return Ok(same.id);
        }
        let hashed = files.iter().filter_map(|file| {
            Some(File { path: file.path.to_string(), bytes: file.bytes, hash: file.hash?.to_string() })
        });
        let new = NewRevision {
            repo: &repo,
            commit_hash: &commit,
            licence: None,
            is_listed: false,
            gated: known.first().map_or(Gated::No, |known| known.gated),
            files: &hashed.collect::<Vec<_>>(),
        };
        Ok(self.store.note_revision(new).await?)
    }
}

impl InPlace {
    fn judge(&mut self) {
        if self.unusable.is_some() {
            return;
        }
        if let Some(name) = lacking(&self.folder).into_iter().next() {
            self.unusable = Some(format!("{name} is missing"));
            return;
        }
        // A target's tokenizer takes a second to read, and is read when the folder is added.
        if Plan::of(&self.folder, None, Precision::AsStored).is_ok() {
            self.role = Some(CheckpointRole::Target);
            return;
        }
        match engine::inspect(&self.folder) {
            Ok(checkpoint) => self.role = Some(checkpoint.role),
            Err(error) => self.unusable = Some(error.to_string()),
        }
    }
}

/// What lies in the folders of other programs, not yet judged.
pub(super) fn in_place(around: &Surroundings) -> Vec<InPlace> {
    let cached = hugging_face::root(around).map(|root| hugging_face::snapshots(&root)).unwrap_or_default();
    let cached = cached.into_iter().filter(|snapshot| {
        snapshot.astray.is_some() || snapshot.files.iter().any(|file| file.path.as_str().ends_with(".safetensors"))
    });
    let studios = lm_studio::roots(around).into_iter().flat_map(|root| lm_studio::models(&root));
    cached
        .map(InPlace::from)
        .chain(studios.map(|(repo, folder)| InPlace {
            source: Source::LmStudio,
            repo: repo.to_string(),
            commit: None,
            bytes: bytes(&folder),
            folder,
            role: None,
            unusable: None,
            model: None,
        }))
        .collect()
}

impl From<Snapshot> for InPlace {
    fn from(snapshot: Snapshot) -> Self {
        let astray = |link: PathBuf| Error::Astray { link }.to_string();
        Self {
            source: Source::HuggingFaceCache,
            repo: snapshot.repo.to_string(),
            commit: Some(snapshot.commit.to_string()),
            bytes: snapshot.files.iter().map(|file| file.bytes).sum(),
            folder: snapshot.folder,
            role: None,
            unusable: snapshot.astray.map(astray),
            model: None,
        }
    }
}

impl Library {
    /// A file of another program that may hold the content of `file` of `repo`. Only its hash proves it.
    pub(super) fn elsewhere(&self, repo: &str, files: &[RemoteFile]) -> Vec<(RemoteFile, PathBuf)> {
        let cached = hugging_face::root(&self.around).map(|root| hugging_face::contents(&root)).unwrap_or_default();
        let studios = lm_studio::roots(&self.around).into_iter().flat_map(|root| lm_studio::models(&root));
        let folder =
            studios.into_iter().find(|(id, _)| id.to_string().eq_ignore_ascii_case(repo)).map(|(_, folder)| folder);
        let same_size = |file: &RemoteFile, path: &Path| fs::metadata(path).is_ok_and(|found| found.len() == file.size);
        let find = |file: &RemoteFile| {
            let hash: &Hash = &file.hash;
            let in_studio = || folder.as_ref().map(|folder| file.path.below(folder));
            cached.get(hash).cloned().or_else(in_studio).filter(|path| same_size(file, path))
        };
        files.iter().filter_map(|file| Some((file.clone(), find(file)?))).collect()
    }
}

/// The files that a checkpoint cannot do without and that are not in `folder`, by what is there.
pub(super) fn lacking(folder: &Path) -> Vec<String> {
    let mut lacking = Vec::new();
    if !["config.json", "dspark.json"].iter().any(|name| folder.join(name).is_file()) {
        lacking.push("config.json".to_owned());
    }
    let index = fs::read(folder.join("model.safetensors.index.json")).unwrap_or_default();
    let index: Value = serde_json::from_slice(&index).unwrap_or_default();
    match index["weight_map"].as_object() {
        Some(shards) => {
            let shards: BTreeSet<_> = shards.values().filter_map(Value::as_str).collect();
            lacking.extend(shards.into_iter().filter(|shard| !folder.join(shard).is_file()).map(str::to_owned));
        }
        None if bytes_of_weights(folder) == 0 => lacking.push("model.safetensors".to_owned()),
        None => {}
    }
    lacking
}

fn bytes_of_weights(folder: &Path) -> u64 {
    sizes(folder).filter(|(name, _)| name.ends_with(".safetensors")).map(|(_, bytes)| bytes).sum()
}

fn bytes(folder: &Path) -> u64 {
    sizes(folder).map(|(_, bytes)| bytes).sum()
}

/// The files in a folder, and their sizes.
pub(super) fn sizes(folder: &Path) -> impl Iterator<Item = (String, u64)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| {
        let found = fs::metadata(entry.path()).ok().filter(fs::Metadata::is_file)?;
        Some((entry.file_name().into_string().ok()?, found.len()))
    })
}
