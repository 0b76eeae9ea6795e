//! Attention with rotary positions, query and key norms, and a cache.

use mlx_rs::Array;
use nn::{Linear, Norm, Placing, Rope, Weights, attend, heads_first, split_heads};

use crate::{
    Config, Family, Geometry, LayerKind, Result,
    norm::norm,
    pass::{Pass, Sequence},
};

/// The attention of one layer.
#[derive(Debug)]
pub(crate) struct Attention {
    /// Its layer, counted from 0.
    layer: usize,
    kind: LayerKind,
    heads: i32,
    scale: f32,
    queries: Linear,
    source: Source,
    output: Linear,
}

/// Where keys and values come from, and how queries are placed beside them.
#[derive(Debug)]
enum Source {
    /// From an earlier layer.
    Shared(Placing<1>),
    /// From the layer itself.
    Own(Box<KeysAndValues>),
}

/// Makes a layer's own keys and values.
#[derive(Debug)]
struct KeysAndValues {
    groups: i32,
    keys: Linear,
    /// Of queries and keys.
    placing: Placing<2>,
    /// `None` where the values share the keys' projection.
    values: Option<Linear>,
    /// Gemma 3 has none.
    value_norm: Option<Norm>,
}

impl Attention {
    pub(crate) fn new(config: &Config, layer: usize, weights: &Weights, rope: Rope, name: &str) -> Result<Self> {
        let kind = config.layers[layer];
        let geometry = config.geometry(kind);
        let project = |part: &str| Linear::new(weights.matrix(&format!("{name}.self_attn.{part}_proj")));
        let norm = |part: &str| norm(config, weights, &format!("{name}.self_attn.{part}_norm"));
        let query_norm = (norm("q")?, config.heads);
        let source = if config.owns_keys(layer) {
            Source::Own(Box::new(KeysAndValues {
                groups: geometry.groups,
                keys: project("k"),
                placing: Placing::new([query_norm, (norm("k")?, geometry.groups)], rope)?,
                values: (!geometry.values_from_keys).then(|| project("v")),
                value_norm: (config.family == Family::Gemma4).then(|| Norm::plain(config.eps)),
            }))
        } else {
            Source::Shared(Placing::new([query_norm], rope)?)
        };
        Ok(Self {
            layer,
            kind,
            heads: config.heads,
            scale: config.scale,
            queries: project("q"),
            source,
            output: project("o"),
        })
    }

    /// `[1, L, H]` to `[1, L, H]`. The layer's own keys and values, if it has any, go into the caches, undecided.
    pub(crate) fn forward(&self, x: &Array, pass: &mut Pass<'_>) -> Result<Array> {
        let queries = split_heads(&self.queries.forward(x)?, self.heads)?;
        let rows = match &self.source {
            Source::Own(own) => {
                let (keys, values) = own.forward(x)?;
                pass.apart([&queries, &keys, &values], |sequence, [queries, keys, values]| {
                    let [queries, keys] = own.placing.forward([&queries, &keys], sequence.position)?;
                    sequence.write(self.layer, self.kind, &keys, &heads_first(&values)?)?;
                    self.attend(&queries, sequence)
                })?
            }
            Source::Shared(placing) => pass.apart([&queries], |sequence, [queries]| {
                let [queries] = placing.forward([&queries], sequence.position)?;
                self.attend(&queries, sequence)
            })?,
        };
        Ok(self.output.forward(&rows)?)
    }

    /// Queries `[1, heads, L, D]` of a sequence to rows `[1, L, heads·D]`.
    fn attend(&self, queries: &Array, sequence: &Sequence<'_>) -> Result<Array> {
        let seen = sequence.seen(self.kind);
        Ok(attend(queries, &seen.visible.keys, &seen.visible.values, self.scale, &seen.mask)?)
    }
}

pub(crate) fn rope(&Geometry { head_dim, rope_base, rope_partial, rope_factor, .. }: &Geometry) -> Rope {
    let rope = match rope_partial {
        Some(partial) => Rope::proportional(head_dim, rope_base, partial),
        None => Rope::full(head_dim, rope_base),
    };
    rope.stretched(rope_factor)
}

impl KeysAndValues {
    /// `[1, L, H]` to keys, not placed yet, and values, `[1, L, groups, D]` each.
    fn forward(&self, x: &Array) -> Result<(Array, Array)> {
        let projected = split_heads(&self.keys.forward(x)?, self.groups)?;
        let values = match &self.values {
            Some(values) => split_heads(&values.forward(x)?, self.groups)?,
            None => projected.clone(), // the raw projection: before the keys' norm and rotation
        };
        let values = match &self.value_norm {
            Some(norm) => norm.forward(&values)?,
            None => values,
        };
        Ok((projected, values))
    }
}
