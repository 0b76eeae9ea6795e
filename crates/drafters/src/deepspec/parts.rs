//! From the format's tensors to the parts of a block drafter.

use mlx_rs::Dtype;
use nn::{Embedding, Norm, Weights, scalar};

use super::config::Config;
use crate::{
    BlockDrafter, Result,
    block::{Activation, Attention, Backbone, FeedForward, Head, HeadMatrix, Heads, Inputs, Layer, Slots},
    tensors::Parts,
};

/// The drafter that these weights make.
#[expect(clippy::cast_precision_loss, reason = "a width is small")]
pub(super) fn assemble(config: &Config, weights: &Weights, dtype: Dtype) -> Result<BlockDrafter> {
    let of = Assembly { config, parts: Parts { weights, eps: config.eps } };
    let table = Embedding::new(weights.matrix("embed_tokens"));
    let head = if config.tied { table.head() } else { of.parts.linear("lm_head") };
    let scale = scalar((config.hidden_size as f32).sqrt(), dtype)?;
    Ok(BlockDrafter {
        facts: config.facts(),
        dtype,
        // Each row sees all others: fewer would change what is proposed.
        slots: Slots { rows: config.limit, first: 0, narrow: false },
        inputs: Inputs::Own { table, mask: config.mask, scale: Some(scale) },
        backbone: Backbone {
            context: of.parts.linear("fc"),
            context_norm: of.parts.norm("hidden_norm"),
            layers: (0..config.layers).map(|layer| of.layer(layer)).collect(),
            norm: of.parts.norm("norm"),
        },
        head: Head { matrix: HeadMatrix::Own(head), multiplier: 1.0, cap: config.cap },
        subset: None,
        walk: config.sequential.walk(&of.parts),
    })
}

struct Assembly<'a> {
    config: &'a Config,
    parts: Parts<'a>,
}

impl Assembly<'_> {
    fn layer(&self, layer: usize) -> Layer {
        let norm = |part: &str| self.parts.norm(&format!("layers.{layer}.{part}"));
        let mlp = |part: &str| self.parts.linear(&format!("layers.{layer}.mlp.{part}_proj"));
        Layer {
            before_attention: norm("input_layernorm"),
            norms_context: false,
            attention: self.attention(layer),
            after_attention: Some(norm("post_attention_layernorm")),
            before_feed_forward: norm("pre_feedforward_layernorm"),
            feed_forward: FeedForward {
                gate: mlp("gate"),
                up: mlp("up"),
                down: mlp("down"),
                activation: Activation::Gelu,
            },
            after_feed_forward: Some(norm("post_feedforward_layernorm")),
            convolutions: None,
            scalar: Some(self.parts.array(&format!("layers.{layer}.layer_scalar"))),
        }
    }

    fn attention(&self, layer: usize) -> Attention {
        let &Config { heads, groups, head_dim, values_from_keys, eps, rotation, .. } = self.config;
        let project = |part: &str| self.parts.linear(&format!("layers.{layer}.self_attn.{part}_proj"));
        let norm = |part: &str| self.parts.norm(&format!("layers.{layer}.self_attn.{part}_norm"));
        Attention {
            heads: Heads { queries: heads, groups, scale: 1.0 },
            queries: project("q"),
            query_norm: Some(norm("q")),
            keys: project("k"),
            key_norm: Some(norm("k")),
            values: (!values_from_keys).then(|| project("v")),
            value_norm: Some(Norm::plain(eps)),
            output: project("o"),
            rope: Some(rotation.rope(head_dim)),
            window: None,
            causal: false,
        }
    }
}
