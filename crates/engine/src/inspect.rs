//! What a checkpoint's folder holds, without loading it.

use mlx_rs::Dtype;
use std::path::Path;

use chat::{Codec, Message, Note, PromptOptions, Role};
use drafters::{Drafter, Facts};
use gemma4::{Family, Spare, Survey};
use serde::Serialize;

use crate::{
    Result,
    memory::exists,
    models::LOOKUP,
    numbers::{Numbers, billions},
};

/// What a checkpoint is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckpointRole {
    /// Its text is to be reproduced.
    Target,
    /// It guesses what a target will say.
    Drafter,
}

/// A checkpoint as its files describe it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Checkpoint {
    /// What it is for.
    pub role: CheckpointRole,
    /// Its kind: `gemma4`, `gemma3_text`, `dspark`.
    pub kind: String,
    /// What it is by its sizes, whatever its folder is called: `Gemma 4 12B`.
    pub name: String,
    /// Its size and number type in a few words.
    pub summary: String,
    /// How many numbers it consists of, whether they are packed or not.
    pub parameters: u64,
    /// How these are stored: `4-bit in groups of 64, 210 matrices`.
    pub quantization: String,
    /// Size of its weights, bytes.
    pub bytes: u64,
    /// How a drafter drafts.
    pub drafts: Option<Drafts>,
    /// Whether a target has a chat template.
    pub chat_template: Option<bool>,
    /// The ids that end a target's answers.
    pub stop_ids: Vec<u32>,
    /// How far a target reads.
    pub reach: Option<Reach>,
    /// What of the files is not read.
    pub skipped: Vec<Skipped>,
    /// Code that came with the checkpoint, by the names of its files. It is never run.
    pub code: Vec<String>,
}

/// How a drafter drafts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Drafts {
    /// The most tokens that it proposes a round (γ).
    pub limit: usize,
    /// How many it is asked for when nobody says.
    pub usual: usize,
    /// Whether it has a confidence in each token.
    pub confident: bool,
}

/// How far a target reads, and what that costs in its own number type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Reach {
    /// The longest sequence that it was made for, tokens.
    pub most: usize,
    /// What each token adds to the caches of its full layers, bytes.
    pub bytes_per_token: u64,
    /// Rows that a row of a sliding layer sees.
    pub window: usize,
    /// What each row of the window takes in all sliding layers together, bytes.
    pub bytes_per_position: u64,
}

/// Tensors that are not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// What they are.
    pub what: &'static str,
    /// How many there are.
    pub tensors: usize,
    /// Their size in the files, bytes.
    pub bytes: u64,
}

/// Reads the configuration and checks every tensor by the files' headers; no weights, so this is quick on any thread.
///
/// # Errors
/// When the folder holds neither a target nor a drafter that runs here, or its files are damaged.
pub fn inspect(folder: &Path) -> Result<Checkpoint> {
    exists(folder)?;
    let checkpoint = match drafters::survey(folder, Dtype::Bfloat16) {
        Ok(survey) => drafter(&survey),
        Err(drafters::Error::NoDrafter { .. }) => target(folder)?,
        Err(error) => return Err(error.into()),
    };
    Ok(Checkpoint { code: code(folder), ..checkpoint })
}

fn drafter(drafters::Survey { facts, inventory, .. }: &drafters::Survey) -> Checkpoint {
    let Facts { kind, limit, layers, width, .. } = facts;
    let numbers = Numbers::of(inventory, std::iter::empty());
    let name = format!("γ {limit}, {layers} layers × {width}");
    Checkpoint {
        role: CheckpointRole::Drafter,
        kind: kind.to_string(),
        summary: format!("{name}, {}", numbers.short()),
        name,
        parameters: inventory.tensors().values().map(|stored| stored.count() as u64).sum(),
        quantization: numbers.long(),
        bytes: inventory.bytes(),
        drafts: Some(drafts(facts)),
        chat_template: None,
        stop_ids: Vec::new(),
        reach: None,
        skipped: Vec::new(),
        code: Vec::new(),
    }
}

/// Whether a target's template can let it think before it answers. No weights are read.
///
/// # Errors
/// When the folder holds no tokenizer that runs here.
pub fn thinks(target: &Path) -> Result<bool> {
    exists(target)?;
    let options = PromptOptions { enable_thinking: true, ..PromptOptions::default() };
    let prompt = Codec::open(target)?.prompt(&[Message::new(Role::User, "?")], options)?;
    Ok(!prompt.notes.iter().any(|note| matches!(note, Note::NoThinking | Note::NoTemplate)))
}

/// How [`DraftSource::Lookup`](crate::DraftSource::Lookup) drafts.
#[must_use]
pub fn lookup() -> Drafts {
    drafts(Drafter::lookup(LOOKUP).facts())
}

fn drafts(facts: &Facts) -> Drafts {
    Drafts { limit: facts.limit, usual: facts.usual_limit(), confident: facts.confident }
}

fn target(folder: &Path) -> Result<Checkpoint> {
    let survey = Survey::of(folder)?;
    let codec = Codec::open(folder)?;
    let Survey { config, inventory, parameters, .. } = &survey;
    let numbers = Numbers::of(inventory, survey.packings.values().copied());
    let width = if survey.dtype == mlx_rs::Dtype::Float32 { 4 } else { 2 };
    Ok(Checkpoint {
        role: CheckpointRole::Target,
        kind: match config.family {
            Family::Gemma4 => "gemma4".into(),
            Family::Gemma3 => "gemma3_text".into(),
        },
        name: config.name(),
        summary: format!("{}, {} parameters, {}", config.name(), billions(*parameters), numbers.short()),
        parameters: *parameters,
        quantization: numbers.long(),
        bytes: inventory.bytes(),
        drafts: None,
        chat_template: Some(codec.has_template()),
        stop_ids: codec.stop_ids().iter().copied().collect(),
        reach: Some(Reach {
            most: config.max_positions,
            bytes_per_token: config.bytes_per_token(width),
            window: config.window,
            bytes_per_position: config.bytes_per_position(width),
        }),
        skipped: survey.spares.iter().map(skipped).collect(),
        code: Vec::new(),
    })
}

fn skipped((spare, &gemma4::Skipped { tensors, bytes }): (&Spare, &gemma4::Skipped)) -> Skipped {
    let what = match spare {
        Spare::Vision => "the vision tower",
        Spare::Audio => "the audio tower",
        Spare::Head => "a copy of the table that the head shares",
        Spare::Keys => "keys and values of layers that read those of others",
        Spare::Buffers => "numbers that follow from the configuration",
    };
    Skipped { what, tensors, bytes }
}

/// The Python files beside the weights, by name.
fn code(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names =
        names.filter(|name| Path::new(name).extension().is_some_and(|kind| kind == "py")).collect::<Vec<_>>();
    names.sort();
    names
}
