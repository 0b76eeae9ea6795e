//! The backbone that all formats of `DFlash` share: layers of Qwen3's shape over a context of tapped rows (`DFlash` paper,
//! arXiv:2602.06036), in `DFlash` 2 with convolutions.

use nn::{Rope, Wanted};

use super::{Additions, Sizes};
use crate::{
    block::{Activation, Attention, Backbone, FeedForward, Heads, Layer, Window},
    tensors::Parts,
};

/// What a backbone is like, before its tensors are read.
#[derive(Debug, Clone)]
pub(crate) struct Shape {
    pub(crate) sizes: Sizes,
    pub(crate) rope_base: f32,
    pub(crate) activation: Activation,
    pub(crate) layers: Vec<Sight>,
    /// How many of the target's layers are read, `m`.
    pub(crate) taps: usize,
    /// What `DFlash` 2 adds.
    pub(crate) additions: Option<Additions>,
}

/// What the rows of a layer see.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sight {
    /// How much of the context, if not all.
    pub(crate) window: Option<Window>,
    /// Whether a row sees none of those behind it in the block.
    pub(crate) causal: bool,
}

impl Shape {
    /// Every tensor of the backbone, and of what `DFlash` 2 adds to it.
    pub(crate) fn tensors(&self) -> Vec<Wanted> {
        let Sizes { hidden, .. } = self.sizes;
        let tapped = hidden.saturating_mul(i32::try_from(self.taps).unwrap_or(i32::MAX));
        let mut tensors = vec![
            Wanted::matrix("fc", &[hidden, tapped]),
            Wanted::tensor("hidden_norm.weight", &[hidden]),
            Wanted::tensor("norm.weight", &[hidden]),
        ];
        for layer in (0..self.layers.len()).map(|layer| format!("layers.{layer}")) {
            tensors.extend(self.layer_tensors(&layer));
            tensors.extend(self.additions.iter().flat_map(|additions| additions.layer_tensors(&layer, hidden)));
        }
        tensors.extend(self.additions.iter().flat_map(|additions| additions.tensors(&self.sizes)));
        tensors
    }

    fn layer_tensors(&self, layer: &str) -> [Wanted; 11] {
        let &Sizes { hidden, inner, heads, groups, head, .. } = &self.sizes;
        let (queries, keys) = (heads.saturating_mul(head), groups.saturating_mul(head));
        let norm = |part: &str, width: i32| Wanted::tensor(format!("{layer}.{part}.weight"), &[width]);
        let matrix = |part: &str, out: i32, inner: i32| Wanted::matrix(format!("{layer}.{part}"), &[out, inner]);
        [
            norm("input_layernorm", hidden),
            norm("post_attention_layernorm", hidden),
            matrix("self_attn.q_proj", queries, hidden),
            matrix("self_attn.k_proj", keys, hidden),
            matrix("self_attn.v_proj", keys, hidden),
            matrix("self_attn.o_proj", hidden, queries),
            norm("self_attn.q_norm", head),
            norm("self_attn.k_norm", head),
            matrix("mlp.gate_proj", inner, hidden),
            matrix("mlp.up_proj", inner, hidden),
            matrix("mlp.down_proj", hidden, inner),
        ]
    }

    /// The backbone of these tensors.
    pub(crate) fn backbone(&self, parts: &Parts<'_>) -> Backbone {
        Backbone {
            context: parts.linear("fc"),
            context_norm: parts.norm("hidden_norm"),
            layers: self.layers.iter().enumerate().map(|(layer, sight)| self.layer(layer, *sight, parts)).collect(),
            norm: parts.norm("norm"),
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "head sizes are small")]
    fn layer(&self, layer: usize, sight: Sight, parts: &Parts<'_>) -> Layer {
        let layer = format!("layers.{layer}");
        let linear = |part: &str| parts.linear(&format!("{layer}.{part}"));
        let norm = |part: &str| parts.norm(&format!("{layer}.{part}"));
        let &Sizes { heads, groups, head, .. } = &self.sizes;
        Layer {
            before_attention: norm("input_layernorm"),
            norms_context: false,
            attention: Attention {
                heads: Heads { queries: heads, groups, scale: (head as f32).powf(-0.5) },
                queries: linear("self_attn.q_proj"),
                query_norm: Some(norm("self_attn.q_norm")),
                keys: linear("self_attn.k_proj"),
                key_norm: Some(norm("self_attn.k_norm")),
                values: Some(linear("self_attn.v_proj")),
                value_norm: None,
                output: linear("self_attn.o_proj"),
                rope: Some(Rope::full(head, self.rope_base)),
                window: sight.window,
                causal: sight.causal,
            },
            after_attention: None,
            before_feed_forward: norm("post_attention_layernorm"),
            feed_forward: FeedForward {
                gate: linear("mlp.gate_proj"),
                up: linear("mlp.up_proj"),
                down: linear("mlp.down_proj"),
                activation: self.activation,
            },
            after_feed_forward: None,
            convolutions: self.additions.as_ref().map(|additions| additions.convolutions(&layer, parts)),
            scalar: None,
        }
    }
}
