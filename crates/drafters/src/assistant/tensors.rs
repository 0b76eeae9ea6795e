//! Every tensor that an assistant needs, and its shape; matrices are `[out, in]`.

use nn::{Fitted, Inventory, Place, Surplus, Wanted};

use super::Config;
use crate::Result;

/// The table behind the head: usually that of the embeddings, which serves nothing else.
pub(super) fn table(inventory: &Inventory) -> &'static str {
    if inventory.tensors().keys().any(|name| stripped(name) == "lm_head.weight") { "lm_head" } else { "embed_tokens" }
}

/// Finds every tensor among those of the files. Any that is left over tells that the drafter is of another kind.
pub(super) fn fit<'a>(config: &Config, inventory: &'a Inventory) -> Result<Fitted<'a>> {
    let table = table(inventory);
    let spare = |name: &str| table == "lm_head" && name.starts_with("embed_tokens.");
    let place = |name: &str| Some(stripped(name)).filter(|name| !spare(name)).map(|name| Place::Whole(name.to_owned()));
    Ok(inventory.fit(&tensors(config, table), &config.quantization, Surplus::Refuse, place)?)
}

fn stripped(name: &str) -> &str {
    name.strip_prefix("model.").unwrap_or(name)
}

fn tensors(config: &Config, table: &str) -> Vec<Wanted> {
    let &Config { hidden_size: hidden, vocab_size: vocabulary, width, .. } = config;
    let mut tensors = vec![
        Wanted::matrix("pre_projection", &[width, hidden.saturating_mul(2)]),
        Wanted::matrix("post_projection", &[hidden, width]),
        Wanted::matrix(table, &[vocabulary, width]),
        Wanted::tensor("norm.weight", &[width]),
    ];
    if let Some(centroids) = config.centroids {
        tensors.push(Wanted::matrix("masked_embedding.centroids", &[centroids.count, width]));
        tensors.push(Wanted::integers("masked_embedding.token_ordering", &[vocabulary]));
    }
    tensors.extend((0..config.kinds.len()).flat_map(|layer| of_layer(config, layer)));
    tensors
}

fn of_layer(config: &Config, layer: usize) -> [Wanted; 11] {
    let &Config { width, heads, inner, .. } = config;
    let head_dim = config.wants(config.kinds[layer]).head_dim;
    let queries = heads.saturating_mul(head_dim);
    let name = |part: &str| format!("layers.{layer}.{part}");
    let norm = |part: &str, width: i32| Wanted::tensor(name(&format!("{part}.weight")), &[width]);
    let matrix = |part: &str, shape: [i32; 2]| Wanted::matrix(name(part), &shape);
    [
        norm("input_layernorm", width),
        norm("post_attention_layernorm", width),
        norm("pre_feedforward_layernorm", width),
        norm("post_feedforward_layernorm", width),
        Wanted::tensor(name("layer_scalar"), &[1]),
        matrix("self_attn.q_proj", [queries, width]),
        matrix("self_attn.o_proj", [width, queries]),
        norm("self_attn.q_norm", head_dim),
        matrix("mlp.gate_proj", [inner, width]),
        matrix("mlp.up_proj", [inner, width]),
        matrix("mlp.down_proj", [width, inner]),
    ]
}
