//! Which files of a repo a checkpoint needs, by their names.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use serde::Deserialize;

use crate::{Error, Hub, Listing, RemoteFile, RepoPath, Result, web::Errand};

/// What to fetch of a repo, and what not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The files that a checkpoint consists of.
    pub needed: Vec<RemoteFile>,
    /// The paths of the others as they are listed, each with the reason.
    pub skipped: Vec<(String, Why)>,
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
    /// Weights that the index does not name.
    NotNamed,
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
            Self::NotNamed => "weights that the index does not name, so they are never read",
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

/// Where a repo's weights lie.
enum Weights {
    /// In the files that an index names.
    Named(BTreeSet<String>),
    /// In shards, as the names of the files tell.
    Sharded,
    /// In one file.
    Single,
    /// In whatever there is.
    Other,
}

/// What is read of an index.
#[derive(Deserialize)]
struct Index {
    weight_map: BTreeMap<String, String>,
}

impl Hub {
    /// Which files of `listing` a checkpoint consists of. Its index is read for that, if it has one; if that is shown only
    /// to others, names must do.
    ///
    /// # Errors
    /// Those of [`Plan::of`]; the index does not arrive.
    pub async fn plan(&self, listing: &Listing) -> Result<Plan> {
        let index = match INDEX.parse() {
            Ok(path) if listing.file(&path).is_some() => match self.small(listing, &path).await {
                Err(Error::Gated { .. } | Error::Unauthorized { .. }) => None,
                read => Some(read?),
            },
            _ => None,
        };
        Plan::of(listing, index.as_deref())
    }
}

impl Plan {
    /// Sorts the files of `listing` into those that a checkpoint consists of and the others.
    ///
    /// Weights are the `*.safetensors` beside the configuration: those that `index` names, the content of
    /// `model.safetensors.index.json`, for whoever opens the checkpoint follows it. Without it, names tell: if weights are
    /// there twice, in shards with an index and in one file, the shards are taken.
    ///
    /// # Errors
    /// Two needed files would be one on some disk, or one has a path that some system cannot have; the index is none, or
    /// names a file that is not there.
    pub fn of(listing: &Listing, index: Option<&[u8]>) -> Result<Self> {
        let weights = Weights::of(listing, index)?;
        let mut plan = Self { needed: Vec::new(), skipped: Vec::new() };
        for file in &listing.files {
            match why_not(file.path.as_str(), &weights) {
                None => plan.needed.push(file.clone()),
                Some(why) => plan.skipped.push((file.path.to_string(), why)),
            }
        }
        for (path, what) in &listing.refused {
            match why_not(path, &weights) {
                None => return Err(Error::BadPath { path: path.clone(), why: what }),
                Some(why) => plan.skipped.push((path.clone(), why)),
            }
        }
        plan.check_distinct()?;
        Ok(plan)
    }

    /// Refuses two needed files that some disk takes for one.
    pub(crate) fn check_distinct(&self) -> Result<()> {
        RepoPath::check_distinct(self.needed.iter().map(|file| &file.path))
    }

    /// The size of what is needed, bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.needed.iter().fold(0, |sum, file| sum.saturating_add(file.size))
    }
}

impl Weights {
    fn of(listing: &Listing, index: Option<&[u8]>) -> Result<Self> {
        let any = |is: fn(&str) -> bool| listing.files.iter().any(|file| is(file.path.as_str()));
        let Some(index) = index else {
            return Ok(match (any(|path| path == INDEX), any(is_shard), any(|path| path == SINGLE)) {
                (true, true, _) => Self::Sharded,
                (_, _, true) => Self::Single,
                _ => Self::Other,
            });
        };
        let errand = Errand::repo(&listing.id, format!("{INDEX} of {}", listing.id));
        let index: Index = serde_json::from_slice(index).map_err(|error| errand.odd(error.to_string()))?;
        let named: BTreeSet<String> = index.weight_map.into_values().collect();
        let is_there = |name: &str| listing.files.iter().any(|file| file.path.as_str() == name);
        match named.iter().find(|name| name.contains('/') || !is_there(name)) {
            Some(name) => Err(Error::MissingShard { id: listing.id.clone(), name: name.clone() }),
            None => Ok(Self::Named(named)),
        }
    }
}

fn why_not(path: &str, weights: &Weights) -> Option<Why> {
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
            Weights::Named(named) => return (!named.contains(path)).then_some(Why::NotNamed),
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
