//! `config.json` of the format, parsed once into what the parts need.

use std::path::Path;

use nn::Quantization;
use serde::Deserialize;
use serde_json::Value;

use crate::{Error, Facts, Kind, Result, rotation::Rotation};

/// What sizes may be: more is a fault in the file.
const MOST: usize = 1 << 20;

/// A checked configuration.
#[derive(Debug, Clone)]
pub(super) struct Config {
    /// Width of the target's rows and of its own, `H`.
    pub hidden_size: i32,
    /// Tokens, `V`.
    pub vocab_size: i32,
    /// Its own layers.
    pub layers: usize,
    /// Layers of the target.
    pub target_layers: usize,
    /// The target's layers whose rows are read.
    pub taps: Vec<usize>,
    /// Tokens a round (γ), which are as many rows: the anchor's own predicts the first.
    pub limit: usize,
    /// The token in the rows behind the anchor's.
    pub mask: u32,
    /// Query heads.
    pub heads: i32,
    /// Heads of keys and values.
    pub groups: i32,
    /// Size of a head.
    pub head_dim: i32,
    /// Whether values share the keys' projection.
    pub values_from_keys: bool,
    /// Width of the feed-forward part.
    pub inner: i32,
    /// Added under the root of every norm.
    pub eps: f32,
    pub rotation: Rotation,
    /// Logits stay within ± this, before the sequential head adds to them.
    pub cap: Option<f32>,
    /// The sequential head and its rank `r`, if there is one.
    pub sequential: Option<(Sequential, i32)>,
    /// Whether there is a confidence, and whether it reads the token before.
    pub confidence: Option<Reads>,
    /// Whether the head is the table.
    pub tied: bool,
    /// Which matrices are packed, as far as the file says.
    pub quantization: Quantization,
}

/// The kinds of sequential heads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Sequential {
    #[default]
    Vanilla,
    Gated,
    Rnn,
}

/// What the confidence reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reads {
    /// The position's row.
    Row,
    /// That and the row of the token before.
    RowAndPrevious,
}

/// The file as it is written; keys that only inform are left out.
#[derive(Deserialize)]
struct Raw {
    hidden_size: usize,
    vocab_size: usize,
    num_hidden_layers: usize,
    num_target_layers: usize,
    target_layer_ids: Vec<i64>,
    block_size: usize,
    mask_token_id: u32,
    num_attention_heads: usize,
    num_key_value_heads: Option<usize>,
    num_global_key_value_heads: Option<usize>,
    global_head_dim: usize,
    attention_k_eq_v: bool,
    intermediate_size: usize,
    hidden_activation: Option<String>,
    rms_norm_eps: Option<f32>,
    final_logit_softcapping: Option<f32>,
    layer_types: Option<Vec<String>>,
    markov_rank: Option<usize>,
    markov_head_type: Option<Sequential>,
    enable_confidence_head: Option<bool>,
    confidence_head_with_markov: Option<bool>,
    tie_word_embeddings: Option<bool>,
}

impl Config {
    /// Reads a folder's `config.json`.
    ///
    /// # Errors
    /// When it cannot be read, or describes no drafter of this format that runs here.
    pub(super) fn read(folder: &Path) -> Result<Self> {
        let path = folder.join("config.json");
        let text = std::fs::read(&path).map_err(|source| Error::File { path: path.clone(), source })?;
        let malformed = |reason: String| Error::Malformed { path: path.clone(), reason };
        let value: Value = serde_json::from_slice(&text).map_err(|error| malformed(error.to_string()))?;
        refuse_unsupported(&value).map_err(malformed)?;
        let raw = Raw::deserialize(&value).map_err(|error| malformed(error.to_string()))?;
        let rotation = Rotation::read(&value, "full_attention", Rotation::FULL).map_err(malformed)?;
        let quantization = Quantization::read(&value)?;
        Self::parse(&raw, rotation, quantization).map_err(malformed)
    }

    fn parse(raw: &Raw, rotation: Rotation, quantization: Quantization) -> Result<Self, String> {
        raw.check()?;
        let groups = if raw.attention_k_eq_v {
            raw.num_global_key_value_heads.ok_or("num_global_key_value_heads is missing")?
        } else {
            raw.num_key_value_heads.ok_or("num_key_value_heads is missing")?
        };
        let config = Self {
            hidden_size: size("hidden_size", raw.hidden_size)?,
            vocab_size: size("vocab_size", raw.vocab_size)?,
            layers: raw.num_hidden_layers,
            target_layers: raw.num_target_layers,
            taps: taps(&raw.target_layer_ids, raw.num_target_layers)?,
            limit: raw.block_size,
            mask: raw.mask_token_id,
            heads: size("num_attention_heads", raw.num_attention_heads)?,
            groups: size("the number of key/value heads", groups)?,
            head_dim: size("global_head_dim", raw.global_head_dim)?,
            values_from_keys: raw.attention_k_eq_v,
            inner: size("intermediate_size", raw.intermediate_size)?,
            eps: raw.rms_norm_eps.unwrap_or(1e-6),
            rotation,
            cap: raw.final_logit_softcapping,
            sequential: match raw.markov_rank.unwrap_or(0) {
                0 => None,
                rank => Some((raw.markov_head_type.unwrap_or_default(), size("markov_rank", rank)?)),
            },
            confidence: raw.confidence(),
            tied: raw.tie_word_embeddings.unwrap_or(false),
            quantization,
        };
        config.check()?;
        Ok(config)
    }

    /// Refuses numbers that do not go together.
    fn check(&self) -> Result<(), String> {
        let &Self { heads, groups, head_dim, mask, vocab_size, eps, .. } = self;
        if heads % groups != 0 {
            return Err(format!("num_attention_heads is {heads}, not a multiple of the {groups} key/value heads"));
        }
        if head_dim % 2 != 0 {
            return Err(format!("global_head_dim is {head_dim}, and lanes rotate in pairs"));
        }
        if i64::from(mask) >= i64::from(vocab_size) {
            return Err(format!("mask_token_id is {mask}, the vocabulary has {vocab_size} tokens"));
        }
        if !(eps.is_finite() && eps > 0.0) {
            return Err(format!("rms_norm_eps is {eps} and must be positive"));
        }
        if let Some(cap) = self.cap.filter(|cap| !(cap.is_finite() && *cap > 0.0)) {
            return Err(format!("final_logit_softcapping is {cap} and must be positive"));
        }
        if self.sequential.is_none() && self.confidence == Some(Reads::RowAndPrevious) {
            return Err("confidence_head_with_markov is true, and markov_rank is 0".into());
        }
        Ok(())
    }

    /// What it says, in the words of all kinds.
    pub(super) fn facts(&self) -> Facts {
        Facts {
            kind: Kind::DeepSpec,
            limit: self.limit,
            taps: self.taps.clone(),
            hidden_size: self.hidden_size,
            vocab_size: self.vocab_size,
            target_layers: Some(self.target_layers),
            layers: self.layers,
            width: self.hidden_size,
            confident: self.confidence.is_some(),
            thresholds: Vec::new(),
            notes: Vec::new(),
        }
    }
}

impl Raw {
    fn confidence(&self) -> Option<Reads> {
        let previous = self.confidence_head_with_markov.unwrap_or(false);
        let reads = if previous { Reads::RowAndPrevious } else { Reads::Row };
        self.enable_confidence_head.unwrap_or(false).then_some(reads)
    }

    fn check(&self) -> Result<(), String> {
        for (key, value) in [("num_hidden_layers", self.num_hidden_layers), ("block_size", self.block_size)] {
            if !(1..=1000).contains(&value) {
                return Err(format!("{key} is {value}, not between 1 and 1000"));
            }
        }
        if let Some(activation) = self.hidden_activation.as_deref().filter(|&name| name != "gelu_pytorch_tanh") {
            return Err(format!("hidden_activation is {activation:?}, only gelu_pytorch_tanh is supported"));
        }
        if let Some(kinds) = &self.layer_types {
            if kinds.len() != self.num_hidden_layers {
                return Err(format!(
                    "layer_types lists {}, num_hidden_layers is {}",
                    kinds.len(),
                    self.num_hidden_layers
                ));
            }
            if let Some(other) = kinds.iter().find(|&kind| kind != "full_attention") {
                return Err(format!("layer_types lists {other:?}, only full_attention is supported"));
            }
        }
        Ok(())
    }
}

/// Refuses what the format's own code refuses, and what it knows nothing of.
fn refuse_unsupported(value: &Value) -> Result<(), String> {
    const UNSUPPORTED: [&str; 5] = [
        "enable_moe_block",
        "hidden_size_per_layer_input",
        "num_kv_shared_layers",
        "use_double_wide_mlp",
        "attention_bias",
    ];
    let set = |key: &&str| {
        value.get(key).is_some_and(|value| !matches!(value, Value::Null | Value::Bool(false)) && *value != 0)
    };
    match UNSUPPORTED.iter().find(|key| set(key)) {
        Some(key) => Err(format!("{key} is {}, which drafters of this format never have", value[key])),
        None => Ok(()),
    }
}

/// The target's layers. The last one is refused: whether the final norm belongs to it differs between programs.
fn taps(ids: &[i64], layers: usize) -> Result<Vec<usize>, String> {
    if ids.is_empty() || !ids.is_sorted_by(|a, b| a < b) {
        return Err(format!("target_layer_ids is {ids:?} and must be strictly increasing"));
    }
    let readable = layers.saturating_sub(1);
    let tap = |&id: &i64| {
        let tap = usize::try_from(id).ok().filter(|&tap| tap < readable);
        tap.ok_or_else(|| {
            format!("target_layer_ids lists {id}, of {layers} layers 0 to {} can be read", layers.saturating_sub(2))
        })
    };
    ids.iter().map(tap).collect()
}

fn size(key: &str, value: usize) -> Result<i32, String> {
    let sound = i32::try_from(value).ok().filter(|_| (1..=MOST).contains(&value));
    sound.ok_or_else(|| format!("{key} is {value}, not between 1 and a million"))
}
