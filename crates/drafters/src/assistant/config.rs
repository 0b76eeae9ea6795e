//! `config.json` of the format, parsed once into what the parts need.

use std::{collections::BTreeMap, path::Path};

use nn::{Donor, LayerKind, Quantization};
use serde::Deserialize;
use serde_json::Value;

use super::MOST;
use crate::{Error, Facts, Kind, Result, rotation::Rotation};

/// What sizes may be: more is a fault in the file.
const LARGEST: usize = 1 << 20;

/// A checked configuration.
#[derive(Debug, Clone)]
pub(super) struct Config {
    /// Width of the target's rows, `H`.
    pub hidden_size: i32,
    /// Tokens, `V`.
    pub vocab_size: i32,
    /// Its own width, `d`.
    pub width: i32,
    /// The kind of each of its layers: of the target's keys and values it reads those of the same kind.
    pub kinds: Vec<LayerKind>,
    /// Query heads.
    pub heads: i32,
    /// What the target's sliding layers must be like.
    pub sliding: Donor,
    /// What its full layers must be like.
    pub full: Donor,
    /// Width of the feed-forward part.
    pub inner: i32,
    /// Added under the root of every norm.
    pub eps: f32,
    /// Logits stay within ± this.
    pub cap: Option<f32>,
    /// The centroids of the head, if it looks at some tokens only.
    pub centroids: Option<Centroids>,
    /// Which matrices are packed, as far as the file says.
    pub quantization: Quantization,
}

/// The sizes of a centroid head.
#[derive(Debug, Clone, Copy)]
pub(super) struct Centroids {
    /// How many there are; each stands for as many tokens as the others.
    pub count: i32,
    /// How many are looked at.
    pub chosen: i32,
}

/// The file as it is written.
#[derive(Deserialize)]
struct Raw {
    backbone_hidden_size: usize,
    use_ordered_embeddings: Option<bool>,
    num_centroids: Option<usize>,
    centroid_intermediate_top_k: Option<usize>,
    text_config: RawText,
}

#[derive(Deserialize)]
struct RawText {
    hidden_size: usize,
    vocab_size: usize,
    num_hidden_layers: usize,
    layer_types: Vec<LayerKind>,
    num_attention_heads: usize,
    num_key_value_heads: usize,
    num_global_key_value_heads: Option<usize>,
    attention_k_eq_v: Option<bool>,
    head_dim: usize,
    global_head_dim: Option<usize>,
    /// What differs in some layers, by their number; the newer spelling of the two keys for full layers.
    per_layer_config: Option<BTreeMap<usize, RawLayer>>,
    intermediate_size: usize,
    hidden_activation: Option<String>,
    num_kv_shared_layers: Option<usize>,
    sliding_window: usize,
    final_logit_softcapping: Option<f32>,
    rms_norm_eps: Option<f32>,
}

#[derive(Clone, Copy, Default, Deserialize)]
struct RawLayer {
    head_dim: Option<usize>,
    num_key_value_heads: Option<usize>,
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
        let raw = Raw::deserialize(&value).map_err(|error| malformed(error.to_string()))?;
        let text = &value["text_config"];
        refuse_unsupported(text).map_err(malformed)?;
        let sliding = Rotation::read(text, "sliding_attention", Rotation::SLIDING).map_err(malformed)?;
        let full = Rotation::read(text, "full_attention", Rotation::FULL).map_err(malformed)?;
        let quantization = Quantization::read(&value)?;
        Self::parse(&raw, sliding, full, quantization).map_err(malformed)
    }

    fn parse(raw: &Raw, sliding: Rotation, full: Rotation, quantization: Quantization) -> Result<Self, String> {
        let text = &raw.text_config;
        text.check()?;
        let config = Self {
            hidden_size: size("backbone_hidden_size", raw.backbone_hidden_size)?,
            vocab_size: size("vocab_size", text.vocab_size)?,
            width: size("hidden_size", text.hidden_size)?,
            kinds: text.layer_types.clone(),
            heads: size("num_attention_heads", text.num_attention_heads)?,
            sliding: text.donor(LayerKind::Sliding, sliding)?,
            full: text.donor(LayerKind::Full, full)?,
            inner: size("intermediate_size", text.intermediate_size)?,
            eps: text.rms_norm_eps.unwrap_or(1e-6),
            cap: text.final_logit_softcapping,
            centroids: raw.use_ordered_embeddings.unwrap_or(false).then(|| raw.centroids()).transpose()?,
            quantization,
        };
        config.check()?;
        Ok(config)
    }

    /// Refuses numbers that do not go together.
    fn check(&self) -> Result<(), String> {
        let &Self { heads, vocab_size, eps, .. } = self;
        for Donor { head_dim, groups, .. } in [self.sliding, self.full] {
            if heads % groups != 0 {
                return Err(format!("num_attention_heads is {heads}, not a multiple of the {groups} key/value heads"));
            }
            if head_dim % 2 != 0 {
                return Err(format!("the size of a head is {head_dim}, and lanes rotate in pairs"));
            }
        }
        if !(eps.is_finite() && eps > 0.0) {
            return Err(format!("rms_norm_eps is {eps} and must be positive"));
        }
        if let Some(cap) = self.cap.filter(|cap| !(cap.is_finite() && *cap > 0.0)) {
            return Err(format!("final_logit_softcapping is {cap} and must be positive"));
        }
        match self.centroids {
            Some(Centroids { count, .. }) if vocab_size % count != 0 => {
                Err(format!("num_centroids is {count}, and {vocab_size} tokens are no multiple of it"))
            }
            Some(Centroids { count, chosen }) if chosen > count => {
                Err(format!("centroid_intermediate_top_k is {chosen}, more than the {count} centroids"))
            }
            _ => Ok(()),
        }
    }

    /// What the keys and values must be like that layers of `kind` read.
    pub(super) fn wants(&self, kind: LayerKind) -> Donor {
        match kind {
            LayerKind::Sliding => self.sliding,
            LayerKind::Full => self.full,
        }
    }

    /// What it says, in the words of all kinds.
    pub(super) fn facts(&self) -> Facts {
        Facts {
            kind: Kind::Assistant,
            limit: MOST,
            // It reads the final norm, whose number the files do not know: see [`crate::Drafter::taps`].
            taps: Vec::new(),
            hidden_size: self.hidden_size,
            vocab_size: self.vocab_size,
            target_layers: None,
            layers: self.kinds.len(),
            width: self.width,
            confident: false,
            thresholds: Vec::new(),
            notes: Vec::new(),
        }
    }
}

impl Raw {
    fn centroids(&self) -> Result<Centroids, String> {
        let count = self.num_centroids.ok_or("use_ordered_embeddings is true, and num_centroids is missing")?;
        let chosen = self.centroid_intermediate_top_k;
        let chosen = chosen.ok_or("use_ordered_embeddings is true, and centroid_intermediate_top_k is missing")?;
        Ok(Centroids { count: size("num_centroids", count)?, chosen: size("centroid_intermediate_top_k", chosen)? })
    }
}

impl RawText {
    fn check(&self) -> Result<(), String> {
        let layers = self.num_hidden_layers;
        if !(1..=1000).contains(&layers) {
            return Err(format!("num_hidden_layers is {layers}, not between 1 and 1000"));
        }
        if self.layer_types.len() != layers {
            return Err(format!("layer_types lists {}, num_hidden_layers is {layers}", self.layer_types.len()));
        }
        match self.num_kv_shared_layers.unwrap_or(0) {
            0 => {}
            shared if shared == layers => {}
            shared => {
                return Err(format!("num_kv_shared_layers is {shared}, and all of the {layers} layers must share"));
            }
        }
        match self.hidden_activation.as_deref() {
            None | Some("gelu_pytorch_tanh") => Ok(()),
            Some(other) => Err(format!("hidden_activation is {other:?}, only gelu_pytorch_tanh is supported")),
        }
    }

    fn donor(&self, kind: LayerKind, rotation: Rotation) -> Result<Donor, String> {
        let layer = self.layer_types.iter().position(|&other| other == kind);
        let own = layer.and_then(|layer| self.per_layer_config.as_ref()?.get(&layer).copied()).unwrap_or_default();
        let full = kind == LayerKind::Full;
        let shared = full && self.attention_k_eq_v.unwrap_or(false);
        let head_dim = own.head_dim.or(self.global_head_dim.filter(|_| full)).unwrap_or(self.head_dim);
        let groups = own.num_key_value_heads.or(self.num_global_key_value_heads.filter(|_| shared));
        Ok(Donor {
            head_dim: size("head_dim", head_dim)?,
            groups: size("num_key_value_heads", groups.unwrap_or(self.num_key_value_heads))?,
            window: if full { None } else { Some(self.sliding_window) },
            rope_base: rotation.base,
            rope_partial: rotation.partial,
            rope_factor: 1.0,
        })
    }
}

fn refuse_unsupported(text: &Value) -> Result<(), String> {
    const UNSUPPORTED: [&str; 4] =
        ["hidden_size_per_layer_input", "enable_moe_block", "use_double_wide_mlp", "attention_bias"];
    let set = |key: &&str| {
        text.get(key).is_some_and(|value| !matches!(value, Value::Null | Value::Bool(false)) && *value != 0)
    };
    match UNSUPPORTED.iter().find(|key| set(key)) {
        Some(key) => Err(format!("{key} is {}, which assistants never have", text[key])),
        None => Ok(()),
    }
}

fn size(key: &str, value: usize) -> Result<i32, String> {
    let sound = i32::try_from(value).ok().filter(|_| (1..=LARGEST).contains(&value));
    sound.ok_or_else(|| format!("{key} is {value}, not between 1 and a million"))
}
