//! Every tensor that a target needs, and its shape; matrices are `[out, in]`.

use nn::Wanted;

use crate::{Config, Family};

/// The tensors by their canonical names.
pub(crate) fn tensors(config: &Config) -> Vec<Wanted> {
    let &Config { hidden_size, vocab_size, .. } = config;
    let mut tensors =
        vec![Wanted::matrix("embed_tokens", &[vocab_size, hidden_size]), Wanted::tensor("norm.weight", &[hidden_size])];
    if let Some(width) = config.per_layer_width {
        let all = width.saturating_mul(i32::try_from(config.layers.len()).unwrap_or(i32::MAX));
        tensors.extend([
            Wanted::matrix("embed_tokens_per_layer", &[config.per_layer_vocab_size, all]),
            Wanted::matrix("per_layer_model_projection", &[all, hidden_size]),
            Wanted::tensor("per_layer_projection_norm.weight", &[width]),
        ]);
    }
    if !config.tied {
        tensors.push(Wanted::matrix("lm_head", &[vocab_size, hidden_size]));
    }
    for layer in 0..config.layers.len() {
        let of_layer = Layer { name: format!("layers.{layer}"), hidden: config.hidden_size };
        tensors.extend(of_layer.attention(config, layer));
        tensors.extend(of_layer.feed_forward(config, layer));
        tensors.extend(of_layer.per_layer_input(config));
        if config.family == Family::Gemma4 {
            tensors.push(of_layer.tensor("layer_scalar", &[1]));
        }
    }
    tensors
}

struct Layer {
    name: String,
    hidden: i32,
}

impl Layer {
    fn tensor(&self, part: &str, shape: &[i32]) -> Wanted {
        Wanted::tensor(format!("{}.{part}", self.name), shape)
    }

    fn norm(&self, part: &str, width: i32) -> Wanted {
        self.tensor(&format!("{part}.weight"), &[width])
    }

    fn matrix(&self, part: &str, shape: &[i32]) -> Wanted {
        Wanted::matrix(format!("{}.{part}", self.name), shape)
    }

    fn attention(&self, config: &Config, layer: usize) -> Vec<Wanted> {
        let geometry = config.geometry(config.layers[layer]);
        let (hidden, head) = (self.hidden, geometry.head_dim);
        let queries = config.heads.saturating_mul(head);
        let keys = geometry.groups.saturating_mul(head);
        let mut tensors = vec![
            self.norm("input_layernorm", hidden),
            self.matrix("self_attn.q_proj", &[queries, hidden]),
            self.norm("self_attn.q_norm", head),
            self.matrix("self_attn.o_proj", &[hidden, queries]),
            self.norm("post_attention_layernorm", hidden),
        ];
        if config.owns_keys(layer) {
            tensors.push(self.matrix("self_attn.k_proj", &[keys, hidden]));
            tensors.push(self.norm("self_attn.k_norm", head));
            if !geometry.values_from_keys {
                tensors.push(self.matrix("self_attn.v_proj", &[keys, hidden]));
            }
        }
        tensors
    }

    fn feed_forward(&self, config: &Config, layer: usize) -> Vec<Wanted> {
        let (hidden, inner) = (self.hidden, config.inner_size(layer));
        let mut tensors = vec![
            self.norm("pre_feedforward_layernorm", hidden),
            self.matrix("mlp.gate_proj", &[inner, hidden]),
            self.matrix("mlp.up_proj", &[inner, hidden]),
            self.matrix("mlp.down_proj", &[hidden, inner]),
            self.norm("post_feedforward_layernorm", hidden),
        ];
        if let Some(mixture) = config.mixture {
            let (experts, width) = (mixture.experts, mixture.width);
            tensors.extend([
                self.norm("post_feedforward_layernorm_1", hidden),
                self.matrix("router.proj", &[experts, hidden]),
                self.tensor("router.scale", &[hidden]),
                self.tensor("router.per_expert_scale", &[experts]),
                self.norm("pre_feedforward_layernorm_2", hidden),
                self.matrix("experts.gate_proj", &[experts, width, hidden]),
                self.matrix("experts.up_proj", &[experts, width, hidden]),
                self.matrix("experts.down_proj", &[experts, hidden, width]),
                self.norm("post_feedforward_layernorm_2", hidden),
            ]);
        }
        tensors
    }

    fn per_layer_input(&self, config: &Config) -> Vec<Wanted> {
        let of_width = |width| {
            [
                self.matrix("per_layer_input_gate", &[width, self.hidden]),
                self.matrix("per_layer_projection", &[self.hidden, width]),
                self.norm("post_per_layer_input_norm", self.hidden),
            ]
        };
        config.per_layer_width.map(of_width).into_iter().flatten().collect()
    }
}
