//! Every tensor that a drafter of the format needs, and its shape; matrices are `[out, in]`.

use nn::Wanted;

use super::config::Config;

/// The tensors by their names in the file.
pub(super) fn wanted(config: &Config) -> Vec<Wanted> {
    let &Config { hidden_size: hidden, vocab_size: vocabulary, .. } = config;
    let tapped = hidden.saturating_mul(i32::try_from(config.taps.len()).unwrap_or(i32::MAX));
    let mut tensors = vec![
        Wanted::matrix("embed_tokens", &[vocabulary, hidden]),
        Wanted::matrix("fc", &[hidden, tapped]),
        Wanted::tensor("hidden_norm.weight", &[hidden]),
        Wanted::tensor("norm.weight", &[hidden]),
    ];
    if !config.tied {
        tensors.push(Wanted::matrix("lm_head", &[vocabulary, hidden]));
    }
    tensors.extend((0..config.layers).flat_map(|layer| of_layer(config, layer)));
    tensors.extend(config.sequential.tensors(hidden, vocabulary, vocabulary));
    tensors
}

fn of_layer(config: &Config, layer: usize) -> Vec<Wanted> {
    let &Config { hidden_size: hidden, heads, groups, head_dim, inner, .. } = config;
    let name = |part: &str| format!("layers.{layer}.{part}");
    let norm = |part: &str, width: i32| Wanted::tensor(name(&format!("{part}.weight")), &[width]);
    let matrix = |part: &str, shape: [i32; 2]| Wanted::matrix(name(part), &shape);
    let (queries, keys) = (heads.saturating_mul(head_dim), groups.saturating_mul(head_dim));
    let mut tensors = vec![
        norm("input_layernorm", hidden),
        norm("post_attention_layernorm", hidden),
        norm("pre_feedforward_layernorm", hidden),
        norm("post_feedforward_layernorm", hidden),
        Wanted::tensor(name("layer_scalar"), &[1]),
        matrix("self_attn.q_proj", [queries, hidden]),
        matrix("self_attn.k_proj", [keys, hidden]),
        matrix("self_attn.o_proj", [hidden, queries]),
        norm("self_attn.q_norm", head_dim),
        norm("self_attn.k_norm", head_dim),
        matrix("mlp.gate_proj", [inner, hidden]),
        matrix("mlp.up_proj", [inner, hidden]),
        matrix("mlp.down_proj", [hidden, inner]),
    ];
    if !config.values_from_keys {
        tensors.push(matrix("self_attn.v_proj", [keys, hidden]));
    }
    tensors
}
