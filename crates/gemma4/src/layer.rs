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
    pub(crate) fn load(config: &Config, kind: LayerKind, weights: &mut Weights, name: &str) -> Result<Self> {
        let attention = Attention::load(config, kind, weights, name)?;
        let feed_forward = FeedForward::load(config, weights, name)?;
        let scalar = match config.family {
            Family::Gemma4 => Some(weights.take(&format!("{name}.layer_scalar"), &[1])?),
            Family::Gemma3 => None,
        };
        let mut norm = |part: &str| norm_weight(config, weights, &format!("{name}.{part}"), config.hidden_size);
        Ok(Self {
            eps: config.eps,
            before_attention: norm("input_layernorm")?,
            attention,
            after_attention: norm("post_attention_layernorm")?,
            before_feed_forward: norm("pre_feedforward_layernorm")?,
            feed_forward,
            after_feed_forward: norm("post_feedforward_layernorm")?,
            scalar,
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
    fn load(config: &Config, weights: &mut Weights, layer: &str) -> Result<Self> {
        let (hidden, inner) = (config.hidden_size, config.intermediate_size);
        let mut project = |part: &str, out: i32, input: i32| {
            let weight = weights.take(&format!("{layer}.mlp.{part}_proj.weight"), &[out, input])?;
            Ok::<_, crate::Error>(Linear::from_out_in(&weight))
        };
        Ok(Self {
            gate: project("gate", inner, hidden)?,
            up: project("up", inner, hidden)?,
            down: project("down", hidden, inner)?,
        })
    }

    fn forward(&self, x: &Array) -> Result<Array> {
        let gated = gelu(&self.gate.forward(x)?)?.multiply(self.up.forward(x)?)?;
        Ok(self.down.forward(&gated)?)
    }
}

/// The weight of a norm. Gemma 3 stores what is to be added to 1.
pub(crate) fn norm_weight(config: &Config, weights: &mut Weights, name: &str, size: i32) -> Result<Array> {
    let weight = weights.take(&format!("{name}.weight"), &[size])?;
    Ok(match config.family {
        Family::Gemma4 => weight,
        Family::Gemma3 => weight.add(scalar(1.0, weight.dtype())?)?,
    })
}
