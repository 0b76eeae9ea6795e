//! Attention with rotary positions, query and key norms, and a cache.

use mlx_rs::{Array, fast};
use nn::{Cache, Linear, Mask, Rope, Weights, attend, merge_heads, split_heads};

use crate::{Config, Family, LayerKind, Result, layer::norm_weight};

/// The attention of one layer.
#[derive(Debug)]
pub(crate) struct Attention {
    kind: LayerKind,
    heads: i32,
    groups: i32,
    scale: f32,
    eps: f32,
    normalise_values: bool,
    rope: Rope,
    queries: Linear,
    keys: Linear,
    /// `None` where the values share the keys' projection.
    values: Option<Linear>,
    output: Linear,
    query_norm: Array,
    key_norm: Array,
}

impl Attention {
    pub(crate) fn new(config: &Config, kind: LayerKind, weights: &Weights, layer: &str) -> Result<Self> {
        let geometry = config.geometry(kind);
        let head_dim = geometry.head_dim;
        let project = |part: &str| Linear::from_out_in(&weights.get(&format!("{layer}.self_attn.{part}_proj.weight")));
        Ok(Self {
            kind,
            heads: config.heads,
            groups: geometry.groups,
            scale: config.scale,
            eps: config.eps,
            normalise_values: config.family == Family::Gemma4,
            rope: match geometry.rope_partial {
                Some(partial) => Rope::proportional(head_dim, geometry.rope_base, partial),
                None => Rope::full(head_dim, geometry.rope_base),
            },
            queries: project("q"),
            keys: project("k"),
            values: (!geometry.values_from_keys).then(|| project("v")),
            output: project("o"),
            query_norm: norm_weight(config, weights, &format!("{layer}.self_attn.q_norm"))?,
            key_norm: norm_weight(config, weights, &format!("{layer}.self_attn.k_norm"))?,
        })
    }

    /// `[1, L, H]` to `[1, L, H]`. The new keys and values go into `cache`, undecided.
    pub(crate) fn forward(&self, x: &Array, cache: &mut Cache, masks: &mut Masks) -> Result<Array> {
        let position = cache.position();
        let queries = self.normed(&split_heads(&self.queries.forward(x)?, self.heads)?, Some(&self.query_norm))?;
        let projected = split_heads(&self.keys.forward(x)?, self.groups)?;
        let values = match &self.values {
            Some(values) => split_heads(&values.forward(x)?, self.groups)?,
            None => projected.clone(), // the raw projection: before the keys' norm and rotation
        };
        let values = if self.normalise_values { self.normed(&values, None)? } else { values };
        let keys = self.rope.rotate(&self.normed(&projected, Some(&self.key_norm))?, position)?;
        let visible = cache.append(&keys, &values)?;
        let mask = masks.of(self.kind, visible.before);
        let queries = self.rope.rotate(&queries, position)?;
        let rows = attend(&queries, &visible.keys, &visible.values, self.scale, mask)?;
        Ok(self.output.forward(&merge_heads(&rows)?)?)
    }

    fn normed(&self, x: &Array, weight: Option<&Array>) -> Result<Array> {
        Ok(fast::rms_norm(x, weight, self.eps)?)
    }
}

/// The masks of one pass: one per kind of layer, since all layers of a kind see the same rows.
#[derive(Debug)]
pub(crate) struct Masks {
    rows: usize,
    window: usize,
    sliding: Option<Mask>,
    full: Option<Mask>,
}

impl Masks {
    pub(crate) fn new(rows: usize, window: usize) -> Self {
        Self { rows, window, sliding: None, full: None }
    }

    /// The mask for layers of `kind`, which see `before` older rows.
    fn of(&mut self, kind: LayerKind, before: usize) -> &Mask {
        let rows = self.rows;
        match kind {
            LayerKind::Sliding => {
                let window = self.window;
                self.sliding.get_or_insert_with(|| Mask::new(rows, before, Some(window)))
            }
            LayerKind::Full => self.full.get_or_insert_with(|| Mask::new(rows, before, None)),
        }
    }
}
