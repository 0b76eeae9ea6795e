//! Per-layer inputs: each layer gets a small vector of its own for each token, beside the stream.

use mlx_rs::{Array, Dtype, ops::indexing::TryIndexOp};
use nn::{Embedding, Linear, Norm, Weights, gelu, scalar};

use crate::{Config, Result, norm::norm};

/// Makes the inputs of all layers at once, before the first.
#[derive(Debug)]
pub(crate) struct PerLayerInputs {
    layers: i32,
    width: i32,
    table: Embedding,
    table_scale: Array,
    projection: Linear,
    projection_scale: Array,
    norm: Norm,
    sum_scale: Array,
}

impl PerLayerInputs {
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        reason = "widths and layer counts are small"
    )]
    pub(crate) fn new(config: &Config, width: i32, weights: &Weights, dtype: Dtype) -> Result<Self> {
        let constant = |value: f32| scalar(value, dtype);
        Ok(Self {
            layers: config.layers.len() as i32,
            width,
            table: Embedding::new(weights.matrix("embed_tokens_per_layer")),
            table_scale: constant((width as f32).sqrt())?,
            projection: Linear::new(weights.matrix("per_layer_model_projection")),
            projection_scale: constant((config.hidden_size as f32).powf(-0.5))?,
            norm: norm(config, weights, "per_layer_projection_norm")?,
            sum_scale: constant(0.5_f32.sqrt())?,
        })
    }

    /// From ids `[1, L]` and their scaled embedding `[1, L, H]` to `[1, L, N, P]` for `N` layers: what the token is,
    /// and what its embedding says, half and half. Only the second part is normalised.
    pub(crate) fn forward(&self, ids: &Array, embedded: &Array) -> Result<Array> {
        let split = |x: &Array| x.reshape(&[1, x.dim(1), self.layers, self.width]);
        let token = split(&self.table.rows(ids)?.multiply(&self.table_scale)?)?;
        let context = split(&self.projection.forward(embedded)?.multiply(&self.projection_scale)?)?;
        Ok(self.norm.forward(&context)?.add(token)?.multiply(&self.sum_scale)?)
    }
}

/// Lets one layer's input into its stream.
#[derive(Debug)]
pub(crate) struct PerLayerGate {
    layer: i32,
    gate: Linear,
    projection: Linear,
    norm: Norm,
}

impl PerLayerGate {
    #[expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "layer counts are small")]
    pub(crate) fn new(config: &Config, layer: usize, weights: &Weights, name: &str) -> Result<Self> {
        let linear = |part: &str| Linear::new(weights.matrix(&format!("{name}.{part}")));
        Ok(Self {
            layer: layer as i32,
            gate: linear("per_layer_input_gate"),
            projection: linear("per_layer_projection"),
            norm: norm(config, weights, &format!("{name}.post_per_layer_input_norm"))?,
        })
    }

    /// What is added to the stream `x` `[1, L, H]`, given the inputs of all layers `[1, L, N, P]`.
    pub(crate) fn forward(&self, x: &Array, inputs: &Array) -> Result<Array> {
        let input = inputs.try_index((.., .., self.layer, ..))?;
        let gated = gelu(&self.gate.forward(x)?)?.multiply(input)?;
        Ok(self.norm.forward(&self.projection.forward(&gated)?)?)
    }
}
