//! From the format's parameters to the parts of a block drafter.

use mlx_rs::{Array, Dtype};
use nn::{Embedding, Linear, Matrix, Norm};

use super::{Document, parameters::named};
use crate::{
    BlockDrafter,
    block::{
        Activation, Attention, Backbone, Bias, Confidence, FeedForward, Head, HeadMatrix, Heads, Inputs, Layer,
        Previous, Sequential, Slots, Walk,
    },
};

/// The drafter that these parameters make.
pub(super) fn assemble(document: &Document, parameters: &[(String, Array)]) -> BlockDrafter {
    let parts = Parts { document, parameters };
    BlockDrafter {
        facts: document.facts(),
        dtype: Dtype::Float32,
        // A block always has all its rows, since each sees all others: fewer would change what it proposes.
        slots: Slots { rows: document.limit, first: 0, narrow: false },
        inputs: Inputs::Learned {
            projection: parts.linear("tok_proj"),
            masks: parts.array("mask_emb"),
            places: parts.array("block_pos"),
        },
        backbone: Backbone {
            context: parts.linear("W_c"),
            context_norm: parts.norm("ctx_norm"),
            layers: (0..document.layers).map(|layer| parts.layer(layer)).collect(),
            norm: parts.norm("out_norm"),
        },
        head: Head { matrix: HeadMatrix::Complete(parts.linear("out_proj")), multiplier: 1.0, cap: None },
        subset: None,
        walk: Walk::Sequential(parts.walk()),
    }
}

struct Parts<'a> {
    document: &'a Document,
    parameters: &'a [(String, Array)],
}

impl Parts<'_> {
    fn array(&self, name: &str) -> Array {
        named(self.parameters, name)
    }

    fn linear(&self, name: &str) -> Linear {
        Linear::from_in_out(self.array(name))
    }

    fn norm(&self, name: &str) -> Norm {
        Norm::new(self.array(name), self.document.eps)
    }

    #[expect(clippy::cast_precision_loss, reason = "head sizes are small")]
    fn layer(&self, layer: usize) -> Layer {
        let linear = |part: &str| self.linear(&format!("bb.{layer}.{part}"));
        let norm = |part: &str| self.norm(&format!("bb.{layer}.{part}"));
        let &Document { width, heads, .. } = self.document;
        let heads = Heads { queries: heads, groups: heads, scale: ((width / heads) as f32).powf(-0.5) };
        Layer {
            before_attention: norm("attn_norm"),
            norms_context: true,
            attention: Attention {
                heads,
                queries: linear("q"),
                query_norm: None,
                keys: linear("k"),
                key_norm: None,
                values: Some(linear("v")),
                value_norm: None,
                output: linear("o"),
                rope: None,
                window: None,
                causal: false,
            },
            after_attention: None,
            before_feed_forward: norm("ff_norm"),
            feed_forward: FeedForward {
                gate: linear("gate"),
                up: linear("up"),
                down: linear("down"),
                activation: Activation::Gelu,
            },
            after_feed_forward: None,
            convolutions: None,
            scalar: None,
        }
    }

    fn walk(&self) -> Sequential {
        let bias = if self.document.recurrent {
            Bias::Elman {
                state: self.linear("rnn.wH"),
                state_bias: self.array("rnn.bH"),
                output: self.linear("rnn.wO"),
            }
        } else {
            Bias::Markov { output: self.linear("markov.w2") }
        };
        let confidence = Confidence { weight: self.linear("conf.w"), bias: self.array("conf.b"), with_previous: true };
        let table = Embedding::new(Matrix::Dense(self.array("markov.w1")));
        Sequential { previous: Some(Previous { table, bias }), confidence: Some(confidence) }
    }
}
