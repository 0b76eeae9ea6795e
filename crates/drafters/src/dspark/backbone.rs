//! The parallel backbone: all rows of a block at once, attending to the context and to each other.

use mlx_rs::{Array, Dtype, ops, ops::indexing::TryIndexOp};
use nn::{Cache, Linear, Mask, Norm, Result, attend, gelu, merge_heads, split_heads};

use super::{Document, parameters::named};

#[derive(Debug)]
pub(super) struct Backbone {
    heads: i32,
    scale: f32,
    blocks: Vec<Block>,
    context: Linear,
    context_norm: Norm,
    token: Linear,
    masks: Array,
    positions: Array,
    norm: Norm,
    output: Linear,
}

#[derive(Debug)]
struct Block {
    attention_norm: Norm,
    queries: Linear,
    keys: Linear,
    values: Linear,
    output: Linear,
    feed_forward_norm: Norm,
    gate: Linear,
    up: Linear,
    down: Linear,
}

impl Backbone {
    #[expect(clippy::cast_precision_loss, reason = "head sizes are small")]
    pub(super) fn new(document: &Document, parameters: &[(String, Array)]) -> Self {
        let norm = |name: &str| Norm::new(named(parameters, name), document.eps);
        let linear = |name: &str| Linear::from_in_out(named(parameters, name));
        let block = |layer: usize| Block {
            attention_norm: norm(&format!("bb.{layer}.attn_norm")),
            queries: linear(&format!("bb.{layer}.q")),
            keys: linear(&format!("bb.{layer}.k")),
            values: linear(&format!("bb.{layer}.v")),
            output: linear(&format!("bb.{layer}.o")),
            feed_forward_norm: norm(&format!("bb.{layer}.ff_norm")),
            gate: linear(&format!("bb.{layer}.gate")),
            up: linear(&format!("bb.{layer}.up")),
            down: linear(&format!("bb.{layer}.down")),
        };
        Self {
            heads: document.heads,
            scale: ((document.width / document.heads) as f32).powf(-0.5),
            blocks: (0..document.layers).map(block).collect(),
            context: linear("W_c"),
            context_norm: norm("ctx_norm"),
            token: linear("tok_proj"),
            masks: named(parameters, "mask_emb"),
            positions: named(parameters, "block_pos"),
            norm: norm("out_norm"),
            output: linear("out_proj"),
        }
    }

    /// Projects tapped rows `[1, N, m·H]` into each block's keys and values (paper Eq. 2 and 3). They depend on nothing
    /// else, so a row is projected once in its life.
    pub(super) fn extend(&self, taps: &Array, caches: &mut [Cache]) -> Result<()> {
        let rows = self.context_norm.forward(&self.context.forward(&taps.as_dtype(Dtype::Float32)?)?)?;
        for (block, cache) in self.blocks.iter().zip(caches) {
            let rows = block.attention_norm.forward(&rows)?;
            let (keys, values) = self.keys_and_values(block, &rows)?;
            cache.append(&keys, &values)?;
            cache.commit(usize::try_from(taps.dim(1)).unwrap_or(0))?;
        }
        Ok(())
    }

    /// The block behind an anchor whose raw embedding is `[1, 1, H]`: all γ rows after the last norm, `[γ, D]`.
    ///
    /// A block always has all its rows, since each sees all others: fewer would change the predictions.
    pub(super) fn forward(&self, anchor: &Array, caches: &mut [Cache]) -> Result<Array> {
        let anchor = self.token.forward(&anchor.as_dtype(Dtype::Float32)?)?;
        let masks = self.masks.expand_dims(0)?;
        let mut rows = ops::concatenate(&[&anchor, &masks], 1)?.add(&self.positions)?;
        for (block, cache) in self.blocks.iter().zip(caches) {
            rows = rows.add(self.attention(block, &rows, cache)?)?;
            let normed = block.feed_forward_norm.forward(&rows)?;
            let gated = gelu(&block.gate.forward(&normed)?)?.multiply(block.up.forward(&normed)?)?;
            rows = rows.add(block.down.forward(&gated)?)?;
        }
        Ok(self.norm.forward(&rows)?.try_index(0)?)
    }

    /// Rows of a block `[n, D]` at the target's width, `[n, H]`.
    pub(super) fn to_target(&self, rows: &Array) -> Result<Array> {
        self.output.forward(rows)
    }

    fn attention(&self, block: &Block, rows: &Array, cache: &mut Cache) -> Result<Array> {
        let rows = block.attention_norm.forward(rows)?;
        let queries = split_heads(&block.queries.forward(&rows)?, self.heads)?;
        let (keys, values) = self.keys_and_values(block, &rows)?;
        let visible = cache.append(&keys, &values)?;
        cache.commit(0)?; // the block's own rows never enter the context
        let attended = attend(&queries, &visible.keys, &visible.values, self.scale, &Mask::None)?;
        block.output.forward(&merge_heads(&attended)?)
    }

    fn keys_and_values(&self, block: &Block, rows: &Array) -> Result<(Array, Array)> {
        let project = |linear: &Linear| split_heads(&linear.forward(rows)?, self.heads);
        Ok((project(&block.keys)?, project(&block.values)?))
    }
}
