//! What a repo holds, told before its weights are downloaded; and which models belong together.
//!
//! A folder stands in for the checkpoint: its small files, and for each file of weights its header alone, followed by a
//! hole of the right length. The engine looks at that folder as at any other, so what is said here is what will be said
//! once the files are there.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::{Checkpoint, CheckpointRole, DraftSource, Machine, Need, Plan, Precision, Room};
use hub::{Hub, Listing, RemoteFile};
use tempfile::TempDir;
use tokio::task::JoinSet;

use crate::{App, Error, Model, Result, USUAL_CONTEXT};

use super::blocking;

/// Files of weights that have a header end so.
const WEIGHTS: &str = ".safetensors";

/// Other files up to this size are read whole, bytes.
const SMALL: u64 = 1 << 20;

/// How much of a file of weights is asked for at first; most headers are within, bytes.
const HEAD: u64 = 128 << 10;

/// What stands in for a tokenizer that is too large to be read for a look: what is asked of it here follows from other
/// files.
const TOKENIZER: &str =
    r#"{"version":"1.0","added_tokens":[],"model":{"type":"WordLevel","vocab":{"<unk>":0},"unk_token":"<unk>"}}"#;

/// What a repo holds, as its files say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// What it is. Of the stop ids, those that the tokenizer names may be missing.
    pub checkpoint: Checkpoint,
    /// What a target needs of memory for [`USUAL_CONTEXT`] tokens; or why this machine has too little, in a sentence.
    pub memory: Option<Result<Need, String>>,
    /// Whether it suits each model on this machine that has the other role.
    pub fits: Vec<Fit>,
}

/// Whether two models belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fit {
    /// The other model's id.
    pub model: String,
    /// Why not, in a sentence with both values; `None` if they do.
    pub misfit: Option<String>,
}

/// The other models on this machine.
type Others = Vec<(String, CheckpointRole, PathBuf)>;

impl App {
    /// Judges what a listing holds. Reads a few hundred kilobytes of it.
    ///
    /// # Errors
    /// The files cannot be read, or hold no checkpoint that runs here.
    pub(super) async fn judge(&self, hub: &Hub, listing: &Listing, files: &[RemoteFile]) -> Result<Judgement> {
        let folder = stand_in(hub, listing, files).await?;
        let reserve = self.memory_reserve().await?;
        let models = self.models().await?.into_iter().filter(|model| model.broken.is_none());
        let others: Others = models.map(|model| (model.id, model.role, model.folder)).collect();
        blocking(move || judge(folder.path(), reserve, others)).await
    }

    /// Whether each drafter on this machine suits a target, as their files say.
    ///
    /// # Errors
    /// The target cannot be used, or the database fails.
    pub async fn drafter_fits(&self, target: &str) -> Result<Vec<Fit>> {
        let target = self.usable(target, CheckpointRole::Target).await?;
        let models = self.models().await?.into_iter();
        let drafters = models.filter(|model| model.role == CheckpointRole::Drafter && model.broken.is_none());
        let drafters = drafters.collect::<Vec<_>>();
        let fit = move |drafter: Model| Fit { misfit: misfit(&target.folder, drafter.folder), model: drafter.id };
        blocking(move || Ok(drafters.into_iter().map(fit).collect())).await
    }
}

fn judge(folder: &Path, reserve: Option<u64>, others: Others) -> Result<Judgement> {
    let checkpoint = engine::inspect(folder)?;
    let role = checkpoint.role;
    let memory = match role {
        CheckpointRole::Target => Some(memory(folder, reserve)?),
        CheckpointRole::Drafter => None,
    };
    let others = others.into_iter().filter(|(_, other, _)| *other != role);
    let fits = others.map(|(model, _, other)| match role {
        CheckpointRole::Target => Fit { model, misfit: misfit(folder, other) },
        CheckpointRole::Drafter => Fit { model, misfit: misfit(&other, folder.to_owned()) },
    });
    Ok(Judgement { fits: fits.collect(), checkpoint, memory })
}

/// Why a drafter does not suit a target, in a sentence.
pub(super) fn misfit(target: &Path, drafter: PathBuf) -> Option<String> {
    let plan = Plan::of(target, Some(&DraftSource::Folder(drafter)), Precision::AsStored);
    plan.err().map(|error| error.to_string())
}

/// What the target needs, held against the whole machine: what others use at the moment says little of later.
fn memory(folder: &Path, reserve: Option<u64>) -> Result<Result<Need, String>> {
    let plan = Plan::of(folder, None, Precision::AsStored)?;
    let here = Machine::here();
    let machine = Machine { available: here.physical, ..here };
    let room = Room { machine, held: 0, reserve: reserve.unwrap_or(machine.usual_reserve()) };
    Ok(plan.check(USUAL_CONTEXT, room).map_err(|shortage| shortage.to_string()))
}

/// A folder that looks like the checkpoint.
async fn stand_in(hub: &Hub, listing: &Listing, files: &[RemoteFile]) -> Result<TempDir> {
    let folder = tempfile::tempdir().map_err(|source| Error::Home { path: std::env::temp_dir(), source })?;
    let listing = Arc::new(listing.clone());
    let mut reading = JoinSet::new();
    for file in files.iter().filter(|file| !file.path.as_str().contains('/')) {
        let (hub, listing, file) = (hub.clone(), Arc::clone(&listing), file.clone());
        let path = file.path.below(folder.path());
        reading.spawn(async move {
            let (beginning, length) = beginning(&hub, &listing, &file).await?;
            write(&path, &beginning, length).map_err(|source| Error::Home { path, source })
        });
    }
    while let Some(read) = reading.join_next().await {
        read.unwrap_or(Err(engine::Error::Closed.into()))?;
    }
    Ok(folder)
}

/// What is written of a file, and how long it is then.
async fn beginning(hub: &Hub, listing: &Listing, file: &RemoteFile) -> Result<(Vec<u8>, u64)> {
    if file.path.as_str().ends_with(WEIGHTS) {
        return Ok((header(hub, listing, file).await?, file.size));
    }
    if file.size <= SMALL {
        return Ok((hub.small(listing, &file.path).await?, file.size));
    }
    if file.path.as_str() == "tokenizer.json" {
        return Ok((TOKENIZER.into(), TOKENIZER.len() as u64));
    }
    Ok((hub.small(listing, &file.path).await?, file.size))
}

/// A file of weights to the end of its header, as far as it has one.
async fn header(hub: &Hub, listing: &Listing, file: &RemoteFile) -> Result<Vec<u8>> {
    let head = hub.head_of(listing, &file.path, HEAD).await?;
    let length = head.first_chunk().map_or(0, |length| u64::from_le_bytes(*length).saturating_add(8));
    if length <= head.len() as u64 || length > file.size {
        return Ok(head);
    }
    Ok(hub.head_of(listing, &file.path, length).await?)
}

fn write(path: &Path, beginning: &[u8], length: u64) -> std::io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(beginning)?;
    file.set_len(length)
}
