//! From the format's tensors to the parts of an assistant.

use mlx_rs::Dtype;
use nn::{Embedding, Weights};

use super::{
    AssistantDrafter, Config,
    decoder::{Layer, Projections},
    head::{Candidates, Head},
};
use crate::{
    Result,
    block::{Activation, FeedForward},
    rotation::Rotation,
    tensors::Parts,
};

/// The drafter that these weights make; the head's table is called `table`.
pub(super) fn assemble(config: Config, weights: &Weights, table: &str, dtype: Dtype) -> Result<AssistantDrafter> {
    let of = Assembly { config: &config, parts: Parts { weights, eps: config.eps } };
    Ok(AssistantDrafter {
        facts: config.facts(),
        dtype,
        projections: Projections {
            before: of.parts.linear("pre_projection"),
            after: of.parts.linear("post_projection"),
        },
        layers: (0..config.kinds.len()).map(|layer| of.layer(layer)).collect(),
        norm: of.parts.norm("norm"),
        head: of.head(table)?,
        config,
    })
}

struct Assembly<'a> {
    config: &'a Config,
    parts: Parts<'a>,
}

impl Assembly<'_> {
    fn layer(&self, layer: usize) -> Layer {
        let kind = self.config.kinds[layer];
        let wanted = self.config.wants(kind);
        let norm = |part: &str| self.parts.norm(&format!("layers.{layer}.{part}"));
        let linear = |part: &str| self.parts.linear(&format!("layers.{layer}.{part}_proj"));
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
            scalar: self.parts.array(&format!("layers.{layer}.layer_scalar")),
        }
    }

    fn head(&self, table: &str) -> Result<Head> {
        let table = Embedding::new(self.parts.weights.matrix(table));
        let candidates = match self.config.centroids {
            None => None,
            Some(centroids) => Some(Candidates::new(
                self.parts.linear("masked_embedding.centroids"),
                &self.parts.array("masked_embedding.token_ordering"),
                centroids,
            )?),
        };
        Ok(Head::new(table, candidates, self.config.cap))
    }
}
