//! From the format's tensors to the parts of an assistant.

use mlx_rs::Dtype;
use nn::{Embedding, Linear, Norm, Weights};

use super::{
    AssistantDrafter, Config,
    decoder::{Layer, Projections},
    head::{Candidates, Head},
};
use crate::{
    Result,
    block::{Activation, FeedForward},
    rotation::Rotation,
};

/// The drafter that these weights make; the head's table is called `table`.
pub(super) fn assemble(config: Config, weights: &Weights, table: &str, dtype: Dtype) -> Result<AssistantDrafter> {
    let parts = Parts { config: &config, weights };
    Ok(AssistantDrafter {
        facts: config.facts(),
        dtype,
        projections: Projections { before: parts.linear("pre_projection"), after: parts.linear("post_projection") },
        layers: (0..config.kinds.len()).map(|layer| parts.layer(layer)).collect(),
        norm: parts.norm("norm"),
        head: parts.head(table)?,
        config,
    })
}

struct Parts<'a> {
    config: &'a Config,
    weights: &'a Weights,
}

impl Parts<'_> {
    fn linear(&self, name: &str) -> Linear {
        Linear::new(self.weights.matrix(name))
    }

    fn norm(&self, name: &str) -> Norm {
        Norm::new(self.weights.tensor(&format!("{name}.weight")), self.config.eps)
    }

    fn layer(&self, layer: usize) -> Layer {
        let kind = self.config.kinds[layer];
        let wanted = self.config.wants(kind);
        let norm = |part: &str| self.norm(&format!("layers.{layer}.{part}"));
        let linear = |part: &str| self.linear(&format!("layers.{layer}.{part}_proj"));
        let rotation = Rotation { base: wanted.rope_base, partial: wanted.rope_partial };
        Layer {
            kind,
            heads: self.config.heads,
            before_attention: norm("input_layernorm"),
            queries: linear("self_attn.q"),
            query_norm: norm("self_attn.q_norm"),
            rope: rotation.rope(wanted.head_dim),
            output: linear("self_attn.o"),
            after_attention: norm("post_attention_layernorm"),
            before_feed_forward: norm("pre_feedforward_layernorm"),
            feed_forward: FeedForward {
                gate: linear("mlp.gate"),
                up: linear("mlp.up"),
                down: linear("mlp.down"),
                activation: Activation::Gelu,
            },
            after_feed_forward: norm("post_feedforward_layernorm"),
            scalar: self.weights.tensor(&format!("layers.{layer}.layer_scalar")),
        }
    }

    fn head(&self, table: &str) -> Result<Head> {
        let table = Embedding::new(self.weights.matrix(table));
        let candidates = match self.config.centroids {
            None => None,
            Some(centroids) => Some(Candidates::new(
                self.linear("masked_embedding.centroids"),
                &self.weights.tensor("masked_embedding.token_ordering"),
                centroids,
            )?),
        };
        Ok(Head::new(table, candidates, self.config.cap))
    }
}
