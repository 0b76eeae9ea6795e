//! Attention with rotary positions, query and key norms, and a cache.

use mlx_rs::Array;
use nn::{Cache, Linear, Mask, Norm, Rope, Weights, attend, merge_heads, split_heads};

use crate::{Config, Family, LayerKind, Result, norm::norm};

/// The attention of one layer.
#[derive(Debug)]
pub(crate) struct Attention {
    kind: LayerKind,
    heads: i32,
    groups: i32,
    scale: f32,
    rope: Rope,
    queries: Linear,
    keys: Linear,
    /// `None` where the values share the keys' projection.
    values: Option<Linear>,
    output: Linear,
    query_norm: Norm,
    key_norm: Norm,
    /// Gemma 3 has none.
    value_norm: Option<Norm>,
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
            rope: match geometry.rope_partial {
                Some(partial) => Rope::proportional(head_dim, geometry.rope_base, partial),
                None => Rope::full(head_dim, geometry.rope_base),
            },
            queries: project("q"),
            keys: project("k"),
            values: (!geometry.values_from_keys).then(|| project("v")),
            output: project("o"),
            query_norm: norm(config, weights, &format!("{layer}.self_attn.q_norm"))?,
            key_norm: norm(config, weights, &format!("{layer}.self_attn.k_norm"))?,
            value_norm: (config.family == Family::Gemma4).then(|| Norm::plain(config.eps)),
        })
    }

    /// `[1, L, H]` to `[1, L, H]`. The new keys and values go into `cache`, undecided.
    pub(crate) fn forward(&self, x: &Array, cache: &mut Cache, masks: &mut Masks) -> Result<Array> {
        let position = cache.position();
        let queries = self.query_norm.forward(&split_heads(&self.queries.forward(x)?, self.heads)?)?;
        let projected = split_heads(&self.keys.forward(x)?, self.groups)?;
        let values = match &self.values {
            Some(values) => split_heads(&values.forward(x)?, self.groups)?,
            None => projected.clone(), // the raw projection: before the keys' norm and rotation
        };
        let values = match &self.value_norm {
            Some(norm) => norm.forward(&values)?,
            None => values,
        };
        let keys = self.rope.rotate(&self.key_norm.forward(&projected)?, position)?;
        let visible = cache.append(&keys, &values)?;
        let mask = masks.of(self.kind, visible.before);
        let queries = self.rope.rotate(&queries, position)?;
        let rows = attend(&queries, &visible.keys, &visible.values, self.scale, mask)?;
        Ok(self.output.forward(&merge_heads(&rows)?)?)
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
