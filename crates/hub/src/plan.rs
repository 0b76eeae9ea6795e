//! Which files of a repo a checkpoint needs, by their names.

use std::fmt;

use crate::{Listing, RemoteFile, RepoPath};

/// What to fetch of a repo, and what not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The files that a checkpoint consists of.
    pub needed: Vec<RemoteFile>,
    /// The others, each with the reason.
    pub skipped: Vec<(RepoPath, Why)>,
}

/// Why a file is not fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// A program that came with the checkpoint.
    Code,
    /// Weights in a format that is not read here.
    Format,
    /// The same weights once more.
    Duplicate,
    /// Something for another program, in a folder of its own.
    Folder,
    /// Nothing that a checkpoint consists of.
    NotNeeded,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::Code => "code, never run",
            Self::Format => "a format that is not read here",
            Self::Duplicate => "the same weights once more",
            Self::Folder => "in a folder for other programs",
            Self::NotNeeded => "not needed",
        })
    }
}

/// What describes a checkpoint and its text, besides weights.
const DESCRIPTIONS: &[&str] = &[
    "config.json",
    "generation_config.json",
    "dspark.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "chat_template.jinja",
    "chat_template.json",
    "processor_config.json",
    "preprocessor_config.json",
    "quantization_config.json",
    "quantize_config.json",
    "hf_quant_config.json",
];

/// Endings of programs, some of which run when they are read.
const CODE: &[&str] = &["py", "pyc", "pyd", "so", "dylib", "dll", "sh", "exe", "ipynb", "js", "wasm"];

/// Endings of weights that are not read here.
const FORMATS: &[&str] =
    &["gguf", "ggml", "bin", "pt", "pth", "ckpt", "pkl", "pickle", "h5", "msgpack", "onnx", "tflite", "npz", "task"];

const INDEX: &str = "model.safetensors.index.json";
const SINGLE: &str = "model.safetensors";

/// Where a repo's weights lie, by the names of its files.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Weights {
    /// In the shards that an index names.
    Sharded,
    /// In one file.
    Single,
    /// In whatever there is.
    Other,
}

impl Plan {
    /// Sorts the files of `listing` into those that a checkpoint consists of and the others.
    ///
    /// Weights are the `*.safetensors` beside the configuration. If they are there twice, in the shards of an index and
    /// in one file, the shards are taken, for whoever opens the checkpoint follows the index.
    #[must_use]
    pub fn new(listing: &Listing) -> Self {
        let any = |is: fn(&str) -> bool| listing.files.iter().any(|file| is(file.path.as_str()));
        let weights = match (any(|path| path == INDEX), any(is_shard), any(|path| path == SINGLE)) {
            (true, true, _) => Weights::Sharded,
            (_, _, true) => Weights::Single,
            _ => Weights::Other,
        };
        let mut plan = Self { needed: Vec::new(), skipped: Vec::new() };
        for file in &listing.files {
            match why_not(file.path.as_str(), weights) {
                None => plan.needed.push(file.clone()),
                Some(why) => plan.skipped.push((file.path.clone(), why)),
            }
        }
        plan
    }

    /// The size of what is needed, bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.needed.iter().fold(0, |sum, file| sum.saturating_add(file.size))
    }
}

fn why_not(path: &str, weights: Weights) -> Option<Why> {
    let name = path.rsplit('/').next().unwrap_or_default();
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).unwrap_or_default();
    if CODE.contains(&ending.as_str()) {
        return Some(Why::Code);
    }
    if FORMATS.contains(&ending.as_str()) {
        return Some(Why::Format);
    }
    if path.contains('/') {
        return Some(Why::Folder);
    }
    if ending == "safetensors" {
        let again = match weights {
            Weights::Sharded => path == SINGLE || is_consolidated(path),
            Weights::Single => is_shard(path) || is_consolidated(path),
            Weights::Other => false,
        };
        return again.then_some(Why::Duplicate);
    }
    let licence = name.get(..7).is_some_and(|start| ["license", "licence"].contains(&start.to_lowercase().as_str()));
    (!licence && path != INDEX && !DESCRIPTIONS.contains(&path)).then_some(Why::NotNeeded)
}

/// `model-00001-of-00005.safetensors`.
fn is_shard(path: &str) -> bool {
    let numbers = path.strip_prefix("model-").and_then(|rest| rest.strip_suffix(".safetensors"));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let numbers = numbers.and_then(|numbers| numbers.split_once("-of-"));
    numbers.is_some_and(|(which, count)| is_number(which) && is_number(count))
}

/// The publisher's own form of the same weights.
fn is_consolidated(path: &str) -> bool {
    path.starts_with("consolidated")
}
