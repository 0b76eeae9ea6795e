//! `config.json` as publishers write it: every key optional, absent and null alike.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::{Attention, LayerKind, require};
use crate::{Error, Result};

/// More layers than any model has: a number above it is a fault in the file.
const MAX_LAYERS: usize = 1000;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Raw {
    pub(super) hidden_size: Option<i32>,
    pub(super) vocab_size: Option<i32>,
    pub(super) intermediate_size: Option<i32>,
    pub(super) num_attention_heads: Option<i32>,
    pub(super) num_key_value_heads: Option<i32>,
    pub(super) num_global_key_value_heads: Option<i32>,
    pub(super) head_dim: Option<i32>,
    pub(super) global_head_dim: Option<i32>,
    pub(super) sliding_window: Option<usize>,
    pub(super) max_position_embeddings: Option<usize>,
    pub(super) rms_norm_eps: Option<f32>,
    pub(super) final_logit_softcapping: Option<f32>,
    pub(super) tie_word_embeddings: Option<bool>,
    pub(super) attention_k_eq_v: Option<bool>,
    pub(super) query_pre_attn_scalar: Option<f32>,
    pub(super) rope_local_base_freq: Option<f32>,
    pub(super) rope_theta: Option<f32>,
    num_hidden_layers: Option<usize>,
    sliding_window_pattern: Option<usize>,
    layer_types: Option<Vec<LayerKind>>,
    rope_parameters: Option<BTreeMap<String, Value>>,
    rope_scaling: Option<Value>,
    hidden_activation: Option<String>,
    attention_bias: Option<bool>,
    attn_logit_softcapping: Option<f32>,
    hidden_size_per_layer_input: Option<i32>,
    num_kv_shared_layers: Option<i32>,
    use_double_wide_mlp: Option<bool>,
    enable_moe_block: Option<bool>,
    #[serde(skip)]
    pub(super) quantized: bool,
}

/// The rotary settings of one kind of layer.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct RopeParameters {
    rope_type: Option<String>,
    rope_theta: Option<f32>,
    partial_rotary_factor: Option<f32>,
    factor: Option<f32>,
}

impl Raw {
    /// The kinds of the layers, as listed, or by the family's pattern: every sixth layer is full, and the last.
    pub(super) fn layers(&self) -> Result<Vec<LayerKind>> {
        let count = require(self.num_hidden_layers, "num_hidden_layers")?;
        match &self.layer_types {
            _ if count > MAX_LAYERS => {
                let value = i64::try_from(count).unwrap_or(i64::MAX);
                Err(Error::Number { key: "num_hidden_layers", value, wanted: "at most a thousand" })
            }
            Some(kinds) if kinds.len() == count => Ok(kinds.clone()),
            Some(kinds) => {
                Err(Error::Conflict(format!("num_hidden_layers is {count}, layer_types lists {}", kinds.len())))
            }
            None => {
                // E2B, the member with 35 layers, has a shorter pattern than the others.
                let pattern = self.sliding_window_pattern.unwrap_or(if count == 35 { 5 } else { 6 });
                let full = |layer: usize| (layer + 1).is_multiple_of(pattern.max(1));
                Ok((0..count).map(|i| if full(i) { LayerKind::Full } else { LayerKind::Sliding }).collect())
            }
        }
    }

    /// The rotary settings of layers of `kind`, nested under `rope_parameters` or else `flat`.
    pub(super) fn rope(&self, kind: &str, flat: impl FnOnce() -> RopeParameters) -> Result<RopeParameters> {
        let flat = flat();
        let Some(nested) = self.rope_parameters.as_ref().and_then(|nested| nested.get(kind)) else { return Ok(flat) };
        let nested = RopeParameters::deserialize(nested)
            .map_err(|error| Error::Conflict(format!("rope_parameters.{kind} cannot be read: {error}")))?;
        let stated = match kind {
            "full_attention" => self.rope_theta,
            _ => self.rope_local_base_freq,
        };
        match (stated, nested.rope_theta) {
            (Some(flat), Some(nested)) if (flat - nested).abs() > f32::EPSILON * flat => {
                Err(Error::Conflict(format!("the rotary base of {kind} is {flat} and {nested}")))
            }
            _ => Ok(RopeParameters { rope_theta: nested.rope_theta.or(flat.rope_theta), ..nested }),
        }
    }

    /// Names the first thing that the forward pass could not do.
    pub(super) fn refuse_unsupported(&self) -> Result<()> {
        let refuse = |key, value: String, hint| Err(Error::Unsupported { key, value, hint });
        let dense = "choose a dense model such as 12B or 31B";
        if self.quantized {
            return refuse("quantization", "a packed format".into(), "choose the bfloat16 checkpoint");
        }
        if let Some(activation) = self.hidden_activation.as_deref().filter(|&name| name != "gelu_pytorch_tanh") {
            return refuse("hidden_activation", activation.into(), "only gelu_pytorch_tanh is");
        }
        if self.attention_bias == Some(true) {
            return refuse("attention_bias", "true".into(), "the family has no biases");
        }
        if let Some(cap) = self.attn_logit_softcapping {
            return refuse("attn_logit_softcapping", cap.to_string(), "the family does not cap attention");
        }
        if let Some(scaling) = &self.rope_scaling {
            return refuse("rope_scaling", scaling.to_string(), "choose the 270M or 1B model");
        }
        if let Some(width) = self.hidden_size_per_layer_input.filter(|&width| width > 0) {
            return refuse("hidden_size_per_layer_input", width.to_string(), dense);
        }
        if let Some(layers) = self.num_kv_shared_layers.filter(|&layers| layers > 0) {
            return refuse("num_kv_shared_layers", layers.to_string(), dense);
        }
        if self.enable_moe_block == Some(true) {
            return refuse("enable_moe_block", "true".into(), dense);
        }
        if self.use_double_wide_mlp == Some(true) {
            return refuse("use_double_wide_mlp", "true".into(), dense);
        }
        Ok(())
    }
}

impl RopeParameters {
    /// All lanes rotate.
    pub(super) fn plain(theta: f32) -> Self {
        Self { rope_type: None, rope_theta: Some(theta), partial_rotary_factor: None, factor: None }
    }

    /// Part of the lanes rotates.
    pub(super) fn proportional(theta: f32, partial: f32) -> Self {
        let rope_type = Some("proportional".into());
        Self { rope_type, rope_theta: Some(theta), partial_rotary_factor: Some(partial), factor: None }
    }

    pub(super) fn attention(&self, head_dim: i32, groups: i32, values_from_keys: bool) -> Result<Attention> {
        let rope_partial = match self.rope_type.as_deref() {
            None | Some("default") => None,
            Some("proportional") => Some(self.partial_rotary_factor.unwrap_or(1.0)),
            Some(other) => {
                let hint = "only default and proportional are";
                return Err(Error::Unsupported { key: "rope_type", value: other.to_owned(), hint });
            }
        };
        if let Some(factor) = self.factor.filter(|&factor| (factor - 1.0).abs() > f32::EPSILON) {
            let hint = "only unscaled positions are";
            return Err(Error::Unsupported { key: "rope_parameters.factor", value: factor.to_string(), hint });
        }
        let rope_base = require(self.rope_theta, "rope_theta")?;
        Ok(Attention { head_dim, groups, rope_base, rope_partial, values_from_keys })
    }
}
