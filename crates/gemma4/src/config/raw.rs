//! `config.json` as publishers write it: every key optional, absent and null alike.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::{Family, Geometry, LayerKind, Mixture, require};
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
    rope_local_base_freq: Option<f32>,
    rope_theta: Option<f32>,
    pub(super) hidden_size_per_layer_input: Option<i32>,
    pub(super) vocab_size_per_layer_input: Option<i32>,
    pub(super) num_kv_shared_layers: Option<usize>,
    pub(super) use_double_wide_mlp: Option<bool>,
    pub(super) num_hidden_layers: Option<usize>,
    #[serde(alias = "_sliding_window_pattern")]
    sliding_window_pattern: Option<usize>,
    layer_types: Option<Vec<LayerKind>>,
    rope_parameters: Option<BTreeMap<String, Value>>,
    rope_scaling: Option<RopeParameters>,
    hidden_activation: Option<String>,
    attention_bias: Option<bool>,
    attn_logit_softcapping: Option<f32>,
    enable_moe_block: Option<bool>,
    num_experts: Option<i32>,
    top_k_experts: Option<i32>,
    moe_intermediate_size: Option<i32>,
    use_bidirectional_attention: Option<Value>,
    per_layer_config: Option<BTreeMap<usize, OfLayer>>,
}

/// What is different in one layer.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct OfLayer {
    pub(super) head_dim: Option<i32>,
    pub(super) num_key_value_heads: Option<i32>,
}

/// The checked rotary settings of one kind of layer.
#[derive(Debug)]
pub(super) struct Rope {
    base: f32,
    /// The part of the lanes that rotates, if not all do.
    partial: Option<f32>,
    factor: f32,
}

/// The same as publishers write them.
#[derive(Debug, Clone, Deserialize)]
struct RopeParameters {
    #[serde(alias = "type")]
    rope_type: Option<String>,
    rope_theta: Option<f32>,
    partial_rotary_factor: Option<f32>,
    factor: Option<f32>,
}

impl Raw {
    /// The kinds of the layers, as listed, or by the family's pattern: every sixth layer is full, and Gemma 4's last.
    pub(super) fn layers(&self, family: Family) -> Result<Vec<LayerKind>> {
        let count = require(self.num_hidden_layers, "num_hidden_layers")?;
        if count > MAX_LAYERS {
            let value = i64::try_from(count).unwrap_or(i64::MAX);
            return Err(Error::Number { key: "num_hidden_layers", value, wanted: "at most a thousand" });
        }
        if let Some(kinds) = &self.layer_types {
            if kinds.len() == count {
                return Ok(kinds.clone());
            }
            return Err(Error::Conflict(format!("num_hidden_layers is {count}, layer_types lists {}", kinds.len())));
        }
        // E2B, the member with 35 layers, has a shorter pattern than the others.
        let pattern = self.sliding_window_pattern.unwrap_or(if count == 35 { 5 } else { 6 }).max(1);
        let last = |layer: usize| family == Family::Gemma4 && layer + 1 == count;
        let full = |layer: usize| (layer + 1).is_multiple_of(pattern) || last(layer);
        Ok((0..count).map(|layer| if full(layer) { LayerKind::Full } else { LayerKind::Sliding }).collect())
    }

    /// Takes over what the file may also say outside of its text part.
    pub(super) fn inherit(&mut self, file: &Value) -> Result<()> {
        let outside = file.get("tie_word_embeddings").and_then(Value::as_bool);
        if let (Some(outside), Some(inside)) = (outside, self.tie_word_embeddings)
            && outside != inside
        {
            return Err(Error::Conflict(format!("tie_word_embeddings is {outside} and {inside}")));
        }
        self.tie_word_embeddings = self.tie_word_embeddings.or(outside);
        Ok(())
    }

    /// What a newer spelling, by layer, says of the full ones; they are all alike, and so are the sliding ones.
    pub(super) fn full_layers(&self, layers: &[LayerKind]) -> Result<OfLayer> {
        let mut full = None;
        for (&layer, said) in self.per_layer_config.iter().flatten() {
            let plain = OfLayer { head_dim: self.head_dim, num_key_value_heads: self.num_key_value_heads };
            let usual = match layers.get(layer) {
                Some(LayerKind::Full) => full.get_or_insert_with(|| said.clone()).clone(),
                Some(LayerKind::Sliding) => plain,
                None => return Err(Error::Conflict(format!("per_layer_config speaks of layer {layer}"))),
            };
            if *said != usual {
                return Err(Error::Conflict(format!("per_layer_config makes layer {layer} unlike others of its kind")));
            }
        }
        Ok(full.unwrap_or_default())
    }

    /// The mixture of experts, if there is one.
    pub(super) fn mixture(&self) -> Result<Option<Mixture>> {
        if self.enable_moe_block != Some(true) {
            return Ok(None);
        }
        let needed = |value: Option<i32>, key| {
            value.ok_or_else(|| Error::Conflict(format!("enable_moe_block is true, and {key} is missing")))
        };
        Ok(Some(Mixture {
            experts: needed(self.num_experts, "num_experts")?,
            chosen: needed(self.top_k_experts, "top_k_experts")?,
            width: needed(self.moe_intermediate_size, "moe_intermediate_size")?,
        }))
    }

    /// The rotary settings of layers of `kind`: nested under `rope_parameters`, or flat, or the family's own.
    pub(super) fn rope(&self, family: Family, kind: LayerKind) -> Result<Rope> {
        let (key, flat, base) = match kind {
            LayerKind::Sliding => ("sliding_attention", self.rope_local_base_freq, 10_000.0),
            LayerKind::Full => ("full_attention", self.rope_theta, 1e6),
        };
        // The older, flat spelling of Gemma 3 speaks of full layers only.
        let scaling = self.rope_scaling.as_ref().filter(|_| kind == LayerKind::Full);
        let nested = self.nested_rope(key)?;
        let Some(parameters) = nested.as_ref().or(scaling) else {
            let partial = (family == Family::Gemma4 && kind == LayerKind::Full).then_some(0.25);
            return Ok(Rope { base: flat.unwrap_or(base), partial, factor: 1.0 });
        };
        let conflict = |what: &str, flat: f32, nested: f32| {
            Err(Error::Conflict(format!("the rotary {what} of {key} is {flat} and {nested}")))
        };
        let apart = |a: f32, b: f32| (a - b).abs() > f32::EPSILON * a;
        if let (Some(flat), Some(nested)) = (flat, parameters.rope_theta)
            && apart(flat, nested)
        {
            return conflict("base", flat, nested);
        }
        let factor = parameters.factor.unwrap_or(1.0);
        if let Some(other) = scaling.and_then(|scaling| scaling.factor).filter(|&other| apart(other, factor)) {
            return conflict("factor", other, factor);
        }
        let base = parameters.rope_theta.or(flat).unwrap_or(base);
        let partial = parameters.partial_rotary_factor.unwrap_or(1.0);
        match (family, parameters.rope_type.as_deref()) {
            (_, Some("default")) if apart(factor, 1.0) => conflict("factor", 1.0, factor),
            (_, Some("default")) if apart(partial, 1.0) => conflict("part", 1.0, partial),
            (_, Some("default")) | (Family::Gemma3, None | Some("linear")) => Ok(Rope { base, partial: None, factor }),
            (Family::Gemma4, None | Some("proportional")) => {
                Ok(Rope { base, partial: parameters.partial_rotary_factor, factor })
            }
            (_, Some(other)) => {
                let hint = "only default, Gemma 3's linear and Gemma 4's proportional are";
                Err(Error::Unsupported { key: "rope_type", value: other.to_owned(), hint })
            }
        }
    }

    /// The entry of `rope_parameters` for one kind of layer. Some writers leave an empty flat entry beside the nested
    /// ones; a flat entry that says something is refused, since nobody knows which layers it means.
    fn nested_rope(&self, key: &str) -> Result<Option<RopeParameters>> {
        let Some(parameters) = &self.rope_parameters else { return Ok(None) };
        let empty = |value: &Value| value.is_null() || value == "default";
        for (flat, value) in parameters {
            if !matches!(flat.as_str(), "sliding_attention" | "full_attention") && !empty(value) {
                let value = format!("{flat}: {value}");
                return Err(Error::Unsupported { key: "rope_parameters", value, hint: "only one entry per kind is" });
            }
        }
        let Some(nested) = parameters.get(key).filter(|value| !value.is_null()) else { return Ok(None) };
        let unreadable = |error| Error::Conflict(format!("rope_parameters.{key} cannot be read: {error}"));
        RopeParameters::deserialize(nested).map(Some).map_err(unreadable)
    }

    /// Names the first thing that the forward pass could not do.
    pub(super) fn refuse_unsupported(&self) -> Result<()> {
        let refuse = |key, value: String, hint| Err(Error::Unsupported { key, value, hint });
        if let Some(activation) = self.hidden_activation.as_deref().filter(|&name| name != "gelu_pytorch_tanh") {
            return refuse("hidden_activation", activation.into(), "only gelu_pytorch_tanh is");
        }
        if self.attention_bias == Some(true) {
            return refuse("attention_bias", "true".into(), "the family has no biases");
        }
        if let Some(seen) = self.use_bidirectional_attention.as_ref().filter(|seen| **seen == Value::Bool(true)) {
            return refuse("use_bidirectional_attention", seen.to_string(), "it is a model of texts, not for chatting");
        }
        if let Some(cap) = self.attn_logit_softcapping.filter(|&cap| cap != 0.0) {
            return refuse("attn_logit_softcapping", cap.to_string(), "the family does not cap attention");
        }
        Ok(())
    }
}

impl Rope {
    pub(super) fn geometry(self, head_dim: i32, groups: i32, values_from_keys: bool) -> Geometry {
        Geometry {
            head_dim,
            groups,
            rope_base: self.base,
            rope_partial: self.partial,
            rope_factor: self.factor,
            values_from_keys,
        }
    }
}
