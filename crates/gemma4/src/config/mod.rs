//! `config.json`, parsed once into what the forward pass needs.

use std::path::Path;

use nn::{Donor, LayerKind, Quantization, Wanted, what_is_wrong};
use serde::Deserialize;
use serde_json::Value;

use crate::{Error, Result, tensors::tensors};

mod raw;

use raw::Raw;

/// The members of the family that run here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Gemma 4, the text decoder.
    Gemma4,
    /// Gemma 3, the text decoder.
    Gemma3,
}

/// A checked configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// Which member of the family.
    pub family: Family,
    /// Width of the residual stream, `H`.
    pub hidden_size: i32,
    /// Rows of the embedding table, `V`.
    pub vocab_size: i32,
    /// Width of the feed-forward part.
    pub intermediate_size: i32,
    /// Whether that of layers without keys of their own is twice as wide.
    pub double_wide: bool,
    /// Width of the per-layer inputs, `P`, if there are any.
    pub per_layer_width: Option<i32>,
    /// Rows of their table.
    pub per_layer_vocab_size: i32,
    /// Layers from this one on own no keys and values: they read those of the last layer before it of their kind.
    pub first_shared: usize,
    /// The experts beside the dense feed-forward part of every layer, if there are any.
    pub mixture: Option<Mixture>,
    /// Which matrices are packed, as far as the file says.
    pub quantization: Quantization,
    /// The kind of each layer.
    pub layers: Vec<LayerKind>,
    /// Query heads.
    pub heads: i32,
    /// Attention in sliding layers.
    pub sliding: Geometry,
    /// Attention in full layers.
    pub full: Geometry,
    /// Rows that a row of a sliding layer sees, itself included.
    pub window: usize,
    /// Scale of the attention scores.
    pub scale: f32,
    /// Added under the root of every norm.
    pub eps: f32,
    /// The logits stay within ± this.
    pub softcap: Option<f32>,
    /// Whether the head is the embedding table.
    pub tied: bool,
    /// The longest sequence the model was made for.
    pub max_positions: usize,
}

/// The sizes of a mixture of experts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mixture {
    /// How many experts there are, `E`.
    pub experts: i32,
    /// How many of them a row goes through, `k`.
    pub chosen: i32,
    /// Width of an expert, `M`.
    pub width: i32,
}

/// What differs between the attention of sliding and of full layers.
#[derive(Debug, Clone, PartialEq)]
pub struct Geometry {
    /// Size of a head, `D`.
    pub head_dim: i32,
    /// Key/value heads.
    pub groups: i32,
    /// Base of the rotary angles.
    pub rope_base: f32,
    /// Part of the lanes that rotates; `None` for all of them.
    pub rope_partial: Option<f32>,
    /// What positions are divided by.
    pub rope_factor: f32,
    /// Whether the values share the keys' projection.
    pub values_from_keys: bool,
}

impl Config {
    /// Reads `config.json` of a checkpoint's folder.
    ///
    /// # Errors
    /// When it is missing, malformed, of another family, or asks for something that is not implemented.
    pub fn read(folder: &Path) -> Result<Self> {
        let path = folder.join("config.json");
        let text = std::fs::read(&path).map_err(|source| Error::NoConfig { folder: folder.to_owned(), source })?;
        let malformed = |reason: String| Error::Malformed { path: path.clone(), reason };
        let value: Value = serde_json::from_slice(&text).map_err(|error| malformed(what_is_wrong(&text, &error)))?;
        if let (None, Some(error)) = (value.get("model_type"), value.get("error")) {
            return Err(malformed(format!("it is an error message, {error}")));
        }
        let family = family(value.get("model_type").and_then(Value::as_str).unwrap_or_default())?;
        let text = value.get("text_config").filter(|nested| nested.is_object()).unwrap_or(&value);
        let mut raw = Raw::deserialize(text).map_err(|error| malformed(error.to_string()))?;
        raw.inherit(&value)?;
        raw.refuse_unsupported()?;
        let quantization = match Quantization::read(&value)? {
            silent if silent.is_silent() => Quantization::read(text)?,
            said => said,
        };
        let config = Self::parse(family, &raw, quantization)?;
        config.check_sizes()?;
        config.check_factors()?;
        config.check_donors()?;
        Ok(config)
    }

    fn parse(family: Family, raw: &Raw, quantization: Quantization) -> Result<Self> {
        let layers = raw.layers(family)?;
        let (sliding, full, scale) = match family {
            Family::Gemma4 => gemma4(raw, &layers)?,
            Family::Gemma3 => gemma3(raw)?,
        };
        let slides = layers.contains(&LayerKind::Sliding);
        Ok(Self {
            family,
            hidden_size: require(raw.hidden_size, "hidden_size")?,
            vocab_size: raw.vocab_size.unwrap_or(match family {
                Family::Gemma4 => 262_144,
                Family::Gemma3 => 262_208,
            }),
            intermediate_size: require(raw.intermediate_size, "intermediate_size")?,
            double_wide: raw.use_double_wide_mlp.unwrap_or(false),
            per_layer_width: raw.hidden_size_per_layer_input.filter(|&width| width != 0),
            per_layer_vocab_size: raw.vocab_size_per_layer_input.or(raw.vocab_size).unwrap_or(262_144),
            first_shared: layers.len().saturating_sub(raw.num_kv_shared_layers.unwrap_or(0)),
            mixture: raw.mixture()?,
            quantization,
            layers,
            heads: match family {
                Family::Gemma4 => require(raw.num_attention_heads, "num_attention_heads")?,
                Family::Gemma3 => raw.num_attention_heads.unwrap_or(8),
            },
            sliding,
            full,
            window: if slides { require(raw.sliding_window, "sliding_window")? } else { 1 },
            scale,
            eps: raw.rms_norm_eps.unwrap_or(1e-6),
            softcap: raw.final_logit_softcapping.filter(|&cap| cap != 0.0),
            tied: raw.tie_word_embeddings.unwrap_or(true),
            max_positions: raw.max_position_embeddings.unwrap_or(131_072),
        })
    }

    /// Refuses numbers that no tensor can have, before anything is computed with them.
    fn check_sizes(&self) -> Result<()> {
        let mixture = self.mixture.unwrap_or(Mixture { experts: 1, chosen: 1, width: 1 });
        let positive = [
            ("hidden_size", self.hidden_size),
            ("vocab_size", self.vocab_size),
            ("intermediate_size", self.intermediate_size),
            ("num_attention_heads", self.heads),
            ("num_key_value_heads", self.sliding.groups),
            ("num_global_key_value_heads", self.full.groups),
            ("head_dim", self.sliding.head_dim),
            ("global_head_dim", self.full.head_dim),
            ("hidden_size_per_layer_input", self.per_layer_width.unwrap_or(1)),
            // Some writers put 0 where there is no such table.
            ("vocab_size_per_layer_input", self.per_layer_width.map_or(1, |_| self.per_layer_vocab_size)),
            ("num_experts", mixture.experts),
            ("top_k_experts", mixture.chosen),
            ("moe_intermediate_size", mixture.width),
            ("sliding_window", i32::try_from(self.window).unwrap_or(i32::MAX)),
            ("num_hidden_layers", i32::try_from(self.layers.len()).unwrap_or(i32::MAX)),
        ];
        let refuse = |key, value: i32, wanted| Err(Error::Number { key, value: value.into(), wanted });
        if let Some(&(key, value)) = positive.iter().find(|(_, value)| !(1..=1 << 20).contains(value)) {
            return refuse(key, value, "between 1 and a million");
        }
        if self.per_layer_width.is_some() && self.per_layer_vocab_size < self.vocab_size {
            return refuse("vocab_size_per_layer_input", self.per_layer_vocab_size, "at least vocab_size");
        }
        if mixture.chosen > mixture.experts {
            return refuse("top_k_experts", mixture.chosen, "at most num_experts");
        }
        for attention in [&self.sliding, &self.full] {
            if attention.head_dim % 2 != 0 {
                return refuse("head_dim", attention.head_dim, "even, since lanes rotate in pairs");
            }
            if self.heads % attention.groups != 0 {
                return refuse("num_attention_heads", self.heads, "a multiple of the key/value heads");
            }
        }
        Ok(())
    }

    /// Refuses factors that would turn every number into NaN.
    fn check_factors(&self) -> Result<()> {
        let factors = [
            ("rms_norm_eps", self.eps),
            ("rope_theta", self.sliding.rope_base),
            ("rope_theta", self.full.rope_base),
            ("rope factor", self.sliding.rope_factor),
            ("rope factor", self.full.rope_factor),
            ("query_pre_attn_scalar", self.scale),
            ("partial_rotary_factor", self.full.rope_partial.unwrap_or(1.0)),
            ("final_logit_softcapping", self.softcap.unwrap_or(1.0)),
        ];
        match factors.into_iter().find(|(_, value)| !(value.is_finite() && *value > 0.0)) {
            Some((key, value)) => Err(Error::Factor { key, value }),
            None => Ok(()),
        }
    }

    /// Every kind of layer without keys of its own needs one that has some before it.
    fn check_donors(&self) -> Result<()> {
        let (owners, shared) = self.layers.split_at(self.first_shared);
        if shared.iter().all(|kind| owners.contains(kind)) {
            return Ok(());
        }
        Err(Error::NoDonor { shared: shared.len(), layers: self.layers.len() })
    }

    /// Whether a layer makes keys and values of its own.
    #[must_use]
    pub fn owns_keys(&self, layer: usize) -> bool {
        layer < self.first_shared
    }

    /// Every tensor of a checkpoint with this configuration that is needed, by its canonical name; experts are three
    /// stacks a layer. Keys and values of layers that read those of others are not among them.
    #[must_use]
    pub fn tensors(&self) -> Vec<Wanted> {
        tensors(self)
    }

    /// Width of a layer's feed-forward part.
    #[must_use]
    pub fn inner_size(&self, layer: usize) -> i32 {
        let wide = self.double_wide && !self.owns_keys(layer);
        if wide { self.intermediate_size.saturating_mul(2) } else { self.intermediate_size }
    }

    /// The last layer of `kind` that owns keys and values: those of its kind behind it read them too, and so may a
    /// drafter.
    #[must_use]
    pub fn donor_layer(&self, kind: LayerKind) -> Option<usize> {
        self.layers[..self.first_shared].iter().rposition(|&owner| owner == kind)
    }

    /// What that layer's keys and values are like.
    #[must_use]
    pub fn donor(&self, kind: LayerKind) -> Option<Donor> {
        let &Geometry { head_dim, groups, rope_base, rope_partial, rope_factor, .. } = self.geometry(kind);
        self.donor_layer(kind).map(|_| Donor {
            head_dim,
            groups,
            window: (kind == LayerKind::Sliding).then_some(self.window),
            rope_base,
            rope_partial: rope_partial.unwrap_or(1.0),
            rope_factor,
        })
    }

    /// Attention in layers of `kind`.
    #[must_use]
    pub fn geometry(&self, kind: LayerKind) -> &Geometry {
        match kind {
            LayerKind::Sliding => &self.sliding,
            LayerKind::Full => &self.full,
        }
    }
}

/// Attention in sliding and in full layers, and the scale of the scores. Gemma 4 leaves the scale to its norms.
fn gemma4(raw: &Raw, layers: &[LayerKind]) -> Result<(Geometry, Geometry, f32)> {
    let shared = raw.attention_k_eq_v.unwrap_or(false);
    let groups = require(raw.num_key_value_heads, "num_key_value_heads")?;
    let head_dim = require(raw.head_dim, "head_dim")?;
    let of_full = raw.full_layers(layers)?;
    let full_head_dim = raw.global_head_dim.or(of_full.head_dim).unwrap_or(512);
    let full_groups =
        raw.num_global_key_value_heads.or(of_full.num_key_value_heads).filter(|_| shared).unwrap_or(groups);
    let rope = |kind| raw.rope(Family::Gemma4, kind);
    let sliding = rope(LayerKind::Sliding)?.geometry(head_dim, groups, false);
    let full = rope(LayerKind::Full)?.geometry(full_head_dim, full_groups, shared);
    Ok((sliding, full, 1.0))
}

/// The same for Gemma 3. The files of its multimodal members leave most of these numbers out.
fn gemma3(raw: &Raw) -> Result<(Geometry, Geometry, f32)> {
    let groups = raw.num_key_value_heads.unwrap_or(4);
    let head_dim = raw.head_dim.unwrap_or(256);
    let geometry = |kind| Ok::<_, Error>(raw.rope(Family::Gemma3, kind)?.geometry(head_dim, groups, false));
    let scale = raw.query_pre_attn_scalar.unwrap_or(256.0).powf(-0.5);
    Ok((geometry(LayerKind::Sliding)?, geometry(LayerKind::Full)?, scale))
}

/// The one table of model types, used by every gate.
fn family(model_type: &str) -> Result<Family> {
    let refuse = |hint| Err(Error::ModelType { model_type: model_type.to_owned(), hint });
    match model_type {
        "gemma4" | "gemma4_unified" | "gemma4_text" | "gemma4_unified_text" => Ok(Family::Gemma4),
        "gemma3" | "gemma3_text" => Ok(Family::Gemma3),
        "gemma4_assistant" | "gemma4_unified_assistant" | "dspark_assistant" => refuse("it is a drafter"),
        _ => refuse("choose a Gemma 4 checkpoint, or Gemma 3 text"),
    }
}

fn require<T>(value: Option<T>, key: &'static str) -> Result<T> {
    value.ok_or(Error::MissingKey { key })
}
