//! What a checkpoint's folder holds, without loading it.

use std::path::Path;

use chat::Codec;
use drafters::Facts;
use gemma4::{Family, Model};
use nn::Inventory;

use crate::{Error, Result};

/// What a checkpoint is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckpointRole {
    /// Its text is to be reproduced.
    Target,
    /// It guesses what a target will say.
    Drafter,
}

/// A checkpoint as its files describe it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// What it is for.
    pub role: CheckpointRole,
    /// Its kind: `gemma4`, `gemma3_text`, `dspark`.
    pub kind: String,
    /// Its size and number type in a few words.
    pub summary: String,
    /// Size of its weights, bytes.
    pub bytes: u64,
    /// The most tokens that a drafter proposes a round.
    pub limit: Option<usize>,
    /// Whether a target has a chat template.
    pub chat_template: Option<bool>,
}

/// Reads the configuration and checks every tensor by the files' headers; no weights, so this is quick on any thread.
///
/// # Errors
/// When the folder holds neither a target nor a drafter that runs here, or its files are damaged.
pub fn inspect(folder: &Path) -> Result<Checkpoint> {
    if !folder.is_dir() {
        return Err(Error::NoFolder(folder.to_owned()));
    }
    match drafters::check(folder) {
        Ok((facts, inventory)) => Ok(drafter(&facts, &inventory)),
        Err(drafters::Error::NoDrafter { .. }) => target(folder),
        Err(error) => Err(error.into()),
    }
}

fn drafter(facts: &Facts, inventory: &Inventory) -> Checkpoint {
    let Facts { kind, limit, layers, width, .. } = facts;
    Checkpoint {
        role: CheckpointRole::Drafter,
        kind: kind.to_string(),
        summary: format!("γ {limit}, {layers} layers × {width}, {}", numbers(inventory)),
        bytes: inventory.bytes(),
        limit: Some(*limit),
        chat_template: None,
    }
}

fn target(folder: &Path) -> Result<Checkpoint> {
    let (config, inventory) = Model::check(folder)?;
    let codec = Codec::open(folder)?;
    Ok(Checkpoint {
        role: CheckpointRole::Target,
        kind: match config.family {
            Family::Gemma4 => "gemma4".into(),
            Family::Gemma3 => "gemma3_text".into(),
        },
        summary: format!("{} layers × {}, {}", config.layers.len(), config.hidden_size, numbers(&inventory)),
        bytes: inventory.bytes(),
        limit: None,
        chat_template: Some(codec.has_template()),
    })
}

/// The number type of the largest tensor.
fn numbers(inventory: &Inventory) -> &str {
    let size = |stored: &nn::Stored| stored.shape.iter().product::<usize>();
    let largest = inventory.tensors().values().max_by_key(|stored| size(stored));
    match largest.map_or("", |stored| stored.dtype.as_str()) {
        "F32" => "float32",
        "BF16" => "bfloat16",
        "F16" => "float16",
        other => other,
    }
}
