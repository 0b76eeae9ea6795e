//! From the format's tensors to the parts of a block drafter.

use mlx_rs::Dtype;
use nn::{Embedding, Linear, Norm, Weights, scalar};

use super::config::{Config, Reads, Sequential as Kind};
use crate::{
    BlockDrafter, Result,
    block::{
        Activation, Attention, Backbone, Bias, Confidence, FeedForward, Head, HeadMatrix, Heads, Inputs, Layer,
        Previous, Sequential, Slots, Walk,
    },
};

/// The drafter that these weights make.
#[expect(clippy::cast_precision_loss, reason = "a width is small")]
pub(super) fn assemble(config: &Config, weights: &Weights, dtype: Dtype) -> Result<BlockDrafter> {
    let parts = Parts { config, weights };
    let table = Embedding::new(weights.matrix("embed_tokens"));
    let head = if config.tied { table.head() } else { parts.linear("lm_head") };
    let scale = scalar((config.hidden_size as f32).sqrt(), dtype)?;
    Ok(BlockDrafter {
        facts: config.facts(),
        dtype,
        // Each row sees all others: fewer would change what is proposed.
        slots: Slots { rows: config.limit, first: 0, narrow: false },
        inputs: Inputs::Own { table, mask: config.mask, scale: Some(scale) },
        backbone: Backbone {
            context: parts.linear("fc"),
            context_norm: parts.norm("hidden_norm"),
            layers: (0..config.layers).map(|layer| parts.layer(layer)).collect(),
            norm: parts.norm("norm"),
        },
        head: Head { matrix: HeadMatrix::Own(head), multiplier: 1.0, cap: config.cap },
        subset: None,
        walk: parts.walk(),
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
        let norm = |part: &str| self.norm(&format!("layers.{layer}.{part}"));
        let mlp = |part: &str| self.linear(&format!("layers.{layer}.mlp.{part}_proj"));
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
            scalar: Some(self.weights.tensor(&format!("layers.{layer}.layer_scalar"))),
        }
    }

    fn attention(&self, layer: usize) -> Attention {
        let &Config { heads, groups, head_dim, values_from_keys, eps, rotation, .. } = self.config;
        let project = |part: &str| self.linear(&format!("layers.{layer}.self_attn.{part}_proj"));
        let norm = |part: &str| self.norm(&format!("layers.{layer}.self_attn.{part}_norm"));
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

    fn walk(&self) -> Walk {
        let confidence = self.config.confidence.map(|reads| Confidence {
            weight: self.linear("confidence_head.proj"),
            bias: self.weights.tensor("confidence_head.proj.bias"),
            with_previous: reads == Reads::RowAndPrevious,
        });
        let previous = self.config.sequential.map(|(kind, _)| Previous {
            table: Embedding::new(self.weights.matrix("markov_head.markov_w1")),
            bias: self.bias(kind),
        });
        match (&previous, &confidence) {
            (None, None) => Walk::Rows,
            _ => Walk::Sequential(Sequential { previous, confidence }),
        }
    }

    fn bias(&self, kind: Kind) -> Bias {
        let output = self.linear("markov_head.markov_w2");
        let bias = |name: &str| self.weights.tensor(&format!("markov_head.{name}.bias"));
        match kind {
            Kind::Vanilla => Bias::Markov { output },
            Kind::Gated => {
                Bias::Gated { gate: self.linear("markov_head.gate_proj"), gate_bias: bias("gate_proj"), output }
            }
            Kind::Rnn => {
                Bias::Recurrent { joint: self.linear("markov_head.joint_proj"), joint_bias: bias("joint_proj"), output }
            }
        }
    }
}
