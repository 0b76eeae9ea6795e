//! One decoder layer.

use mlx_rs::{Array, fast};
use nn::{Cache, Linear, Weights, gelu, scalar};

use crate::{
    Config, Family, LayerKind, Result,
    attention::{Attention, Masks},
};

/// Attention and a gated feed-forward part, each between two norms.
#[derive(Debug)]
pub(crate) struct Layer {
    eps: f32,
    before_attention: Array,
    attention: Attention,
    after_attention: Array,
    before_feed_forward: Array,
    feed_forward: FeedForward,
    after_feed_forward: Array,
    /// Scales the whole stream, not only the branch; Gemma 3 has none.
    scalar: Option<Array>,
}

impl Layer {
    pub(crate) fn new(config: &Config, kind: LayerKind, weights: &Weights, name: &str) -> Result<Self> {
        let norm = |part: &str| norm_weight(config, weights, &format!("{name}.{part}"));
        Ok(Self {
            eps: config.eps,
            before_attention: norm("input_layernorm")?,
            attention: Attention::new(config, kind, weights, name)?,
            after_attention: norm("post_attention_layernorm")?,
            before_feed_forward: norm("pre_feedforward_layernorm")?,
            feed_forward: FeedForward::new(weights, name),
            after_feed_forward: norm("post_feedforward_layernorm")?,
            scalar: (config.family == Family::Gemma4).then(|| weights.get(&format!("{name}.layer_scalar"))),
        })
    }

    /// `[1, L, H]` to `[1, L, H]`.
    pub(crate) fn forward(&self, x: &Array, cache: &mut Cache, masks: &mut Masks) -> Result<Array> {
        let norm = |x: &Array, weight: &Array| fast::rms_norm(x, Some(weight), self.eps);
        let attended = self.attention.forward(&norm(x, &self.before_attention)?, cache, masks)?;
        let x = x.add(norm(&attended, &self.after_attention)?)?;
        let fed = self.feed_forward.forward(&norm(&x, &self.before_feed_forward)?)?;
        let x = x.add(norm(&fed, &self.after_feed_forward)?)?;
        Ok(match &self.scalar {
            Some(scalar) => x.multiply(scalar)?,
            None => x,
        })
    }
}

/// `down(gelu(gate(x)) ⊙ up(x))`.
#[derive(Debug)]
struct FeedForward {
    gate: Linear,
    up: Linear,
    down: Linear,
}

impl FeedForward {
    fn new(weights: &Weights, layer: &str) -> Self {
        let project = |part: &str| Linear::from_out_in(&weights.get(&format!("{layer}.mlp.{part}_proj.weight")));
        Self { gate: project("gate"), up: project("up"), down: project("down") }
    }

    fn forward(&self, x: &Array) -> Result<Array> {
        let gated = gelu(&self.gate.forward(x)?)?.multiply(self.up.forward(x)?)?;
        Ok(self.down.forward(&gated)?)
    }
}

/// The weight of a norm. Gemma 3 stores what is to be added to 1.
pub(crate) fn norm_weight(config: &Config, weights: &Weights, name: &str) -> Result<Array> {
    let weight = weights.get(&format!("{name}.weight"));
    Ok(match config.family {
        Family::Gemma4 => weight,
        Family::Gemma3 => weight.add(scalar(1.0, weight.dtype())?)?,
    })
}
