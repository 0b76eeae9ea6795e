//! One decoder layer.

use mlx_rs::Array;
use nn::{Linear, Norm, Rope, Weights, gelu};

use crate::{
    Config, Error, Family, Result, attention::Attention, mixture::Mixture, norm::norm, pass::Pass,
    per_layer::PerLayerGate,
};

/// Attention and a gated feed-forward part, each between two norms.
#[derive(Debug)]
pub(crate) struct Layer {
    before_attention: Norm,
    attention: Attention,
    after_attention: Norm,
    before_feed_forward: Norm,
    feed_forward: FeedForward,
    /// Runs beside the dense part, which then has a norm of its own behind it.
    mixture: Option<(Norm, Mixture)>,
    after_feed_forward: Norm,
    input_gate: Option<PerLayerGate>,
    /// Scales the whole stream, not only the branch; Gemma 3 has none.
    scalar: Option<Array>,
}

impl Layer {
    pub(crate) fn new(config: &Config, layer: usize, weights: &Weights, rope: Rope) -> Result<Self> {
        let name = &format!("layers.{layer}");
        let input_gate = || PerLayerGate::new(config, layer, weights, name);
        let norm = |part: &str| norm(config, weights, &format!("{name}.{part}"));
        let mixture = |sizes| {
            let mixture = Mixture::new(config, sizes, weights, name)?;
            Ok::<_, Error>((norm("post_feedforward_layernorm_1")?, mixture))
        };
        Ok(Self {
            before_attention: norm("input_layernorm")?,
            attention: Attention::new(config, layer, weights, rope, name)?,
            after_attention: norm("post_attention_layernorm")?,
            before_feed_forward: norm("pre_feedforward_layernorm")?,
            feed_forward: FeedForward::new(weights, name),
            mixture: config.mixture.map(mixture).transpose()?,
            after_feed_forward: norm("post_feedforward_layernorm")?,
            input_gate: config.per_layer_width.map(|_| input_gate()).transpose()?,
            scalar: (config.family == Family::Gemma4).then(|| weights.tensor(&format!("{name}.layer_scalar"))),
        })
    }

    /// `[1, L, H]` to `[1, L, H]`.
    pub(crate) fn forward(&self, x: &Array, pass: &mut Pass<'_>) -> Result<Array> {
        pass.pace.step(x)?;
        let attended = self.attention.forward(&self.before_attention.forward(x)?, pass)?;
        let x = x.add(self.after_attention.forward(&attended)?)?;
        pass.pace.step(&x)?;
        let mut fed = self.feed_forward.forward(&self.before_feed_forward.forward(&x)?)?;
        if let Some((after_dense, mixture)) = &self.mixture {
            fed = after_dense.forward(&fed)?.add(mixture.forward(&x, pass)?)?;
        }
        let mut x = x.add(self.after_feed_forward.forward(&fed)?)?;
        if let (Some(gate), Some(inputs)) = (&self.input_gate, &pass.per_layer) {
            x = x.add(gate.forward(&x, inputs)?)?;
        }
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
        let project = |part: &str| Linear::new(weights.matrix(&format!("{layer}.mlp.{part}_proj")));
        Self { gate: project("gate"), up: project("up"), down: project("down") }
    }

    fn forward(&self, x: &Array) -> Result<Array> {
        let gated = gelu(&self.gate.forward(x)?)?.multiply(self.up.forward(x)?)?;
        Ok(self.down.forward(&gated)?)
    }
}
