//! Every tensor that a target needs, and its shape; linear weights are `[out, in]`.

use crate::{Config, Family};

/// The tensors by their canonical names.
pub(crate) fn tensors(config: &Config) -> Vec<(String, Vec<i32>)> {
    let &Config { hidden_size, vocab_size, .. } = config;
    let mut tensors = vec![
        ("embed_tokens.weight".to_owned(), vec![vocab_size, hidden_size]),
        ("norm.weight".to_owned(), vec![hidden_size]),
    ];
    if let Some(width) = config.per_layer_width {
        let all = width.saturating_mul(i32::try_from(config.layers.len()).unwrap_or(i32::MAX));
        tensors.extend([
            ("embed_tokens_per_layer.weight".to_owned(), vec![config.per_layer_vocab_size, all]),
            ("per_layer_model_projection.weight".to_owned(), vec![all, hidden_size]),
            ("per_layer_projection_norm.weight".to_owned(), vec![width]),
        ]);
    }
    if !config.tied {
        tensors.push(("lm_head.weight".to_owned(), vec![vocab_size, hidden_size]));
    }
    for layer in 0..config.layers.len() {
        let of_layer = layer_tensors(config, layer);
        tensors.extend(of_layer.into_iter().map(|(part, shape)| (format!("layers.{layer}.{part}"), shape)));
    }
    tensors
}

fn layer_tensors(config: &Config, layer: usize) -> Vec<(&'static str, Vec<i32>)> {
    let geometry = config.geometry(config.layers[layer]);
    let (hidden, inner, head) = (config.hidden_size, config.inner_size(layer), geometry.head_dim);
    let queries = config.heads.saturating_mul(head);
    let keys = geometry.groups.saturating_mul(head);
    let mut tensors = vec![
        ("input_layernorm.weight", vec![hidden]),
        ("self_attn.q_proj.weight", vec![queries, hidden]),
        ("self_attn.q_norm.weight", vec![head]),
        ("self_attn.o_proj.weight", vec![hidden, queries]),
        ("post_attention_layernorm.weight", vec![hidden]),
        ("pre_feedforward_layernorm.weight", vec![hidden]),
        ("mlp.gate_proj.weight", vec![inner, hidden]),
        ("mlp.up_proj.weight", vec![inner, hidden]),
        ("mlp.down_proj.weight", vec![hidden, inner]),
        ("post_feedforward_layernorm.weight", vec![hidden]),
    ];
    if config.owns_keys(layer) {
        tensors.push(("self_attn.k_proj.weight", vec![keys, hidden]));
        tensors.push(("self_attn.k_norm.weight", vec![head]));
        if !geometry.values_from_keys {
            tensors.push(("self_attn.v_proj.weight", vec![keys, hidden]));
        }
    }
    if let Some(width) = config.per_layer_width {
        tensors.push(("per_layer_input_gate.weight", vec![width, hidden]));
        tensors.push(("per_layer_projection.weight", vec![hidden, width]));
        tensors.push(("post_per_layer_input_norm.weight", vec![hidden]));
    }
    if config.family == Family::Gemma4 {
        tensors.push(("layer_scalar", vec![1]));
    }
    tensors
}
