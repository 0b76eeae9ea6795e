//! Attention of a block's rows to the context and to each other.

use mlx_rs::{Array, ops};
use nn::{Cache, Linear, Mask, Norm, Result, Rope, Shares, attend, heads_first, joined, split_heads};

/// One layer's attention. The context's rows give keys and values only (`DSpark` paper, Eq. 3).
#[derive(Debug)]
pub(crate) struct Attention {
    pub(crate) heads: Heads,
    pub(crate) queries: Linear,
    pub(crate) query_norm: Option<Norm>,
    pub(crate) keys: Linear,
    pub(crate) key_norm: Option<Norm>,
    /// `None` where the values share the keys' projection.
    pub(crate) values: Option<Linear>,
    pub(crate) value_norm: Option<Norm>,
    pub(crate) output: Linear,
    /// `None` where rows have no positions.
    pub(crate) rope: Option<Rope>,
    /// How much of the context is seen, if not all.
    pub(crate) window: Option<Window>,
    /// Whether a row sees those behind it in the block.
    pub(crate) causal: bool,
}

/// How queries are cut, and scaled.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Heads {
    /// Heads of the queries.
    pub(crate) queries: i32,
    /// Heads of keys and values, which several queries share.
    pub(crate) groups: i32,
    /// Scale of the scores.
    pub(crate) scale: f32,
}

/// How much of the context a sliding layer sees.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Window {
    /// A row sees this many positions up to its own.
    OfRow(usize),
    /// Every row sees the newest ones before the anchor, this many.
    OfAnchor(usize),
}

impl Attention {
    /// A cache that holds as much of the context as is ever seen.
    pub(crate) fn cache(&self) -> Cache {
        match self.window {
            None => Cache::full(),
            Some(Window::OfRow(window)) => Cache::sliding(window),
            Some(Window::OfAnchor(window)) => Cache::sliding(window + 1),
        }
    }

    /// Puts context rows `[1, n, D]` into `cache` for good. They depend on nothing else, so a row is projected once in
    /// its life.
    pub(crate) fn extend(&self, rows: &Array, cache: &mut Cache) -> Result<()> {
        let (keys, values) = self.keys_and_values(rows)?;
        cache.append(&self.placed(&keys, cache.position())?, &heads_first(&values)?)?;
        cache.commit(usize::try_from(rows.dim(1)).unwrap_or(0))
    }

    /// The rows of blocks behind each other, `[1, B, D]` to `[1, B, D]`. Each has a cache of its own, into which go the
    /// context rows that were `unread` so far, `[1, n, D]`, and none of its own.
    pub(crate) fn forward(
        &self,
        rows: &Array,
        unread: &[Option<Array>],
        caches: &mut [&mut Cache],
        blocks: &Shares,
    ) -> Result<Array> {
        let queries = split_heads(&self.queries.forward(rows)?, self.heads.queries)?;
        let queries = blocks.split(&normed(queries, self.query_norm.as_ref())?, 1)?;
        // A matrix is read once for both kinds of rows.
        let rows = blocks.split(rows, 1)?;
        let seen = unread.iter().zip(&rows).flat_map(|(unread, rows)| unread.iter().chain([rows])).collect::<Vec<_>>();
        let counts = unread.iter().map(|unread| unread.as_ref().map_or(0, count));
        let shares = Shares::new(counts.clone().zip(&rows).map(|(unread, rows)| unread + count(rows)));
        let (keys, values) = self.keys_and_values(&ops::concatenate(&seen, 1)?)?;
        let (keys, values) = (shares.split(&keys, 1)?, shares.split(&values, 1)?);

        let blocks = queries.iter().zip(keys.iter().zip(&values)).zip(caches).zip(counts);
        let attended = blocks.map(|(((queries, (keys, values)), cache), unread)| {
            let position = cache.position();
            let visible = cache.append(&self.placed(keys, position)?, &heads_first(values)?)?;
            cache.commit(unread)?;
            let mask = self.mask(count(queries), visible.before + unread);
            let queries = self.placed(queries, position + unread)?;
            attend(&queries, &visible.keys, &visible.values, self.heads.scale, &mask)
        });
        self.output.forward(&joined(&attended.collect::<Result<Vec<_>>>()?, 1)?)
    }

    /// Keys, which are not placed yet, and values of rows `[b, n, D]`, `[b, n, groups, D]` each.
    fn keys_and_values(&self, rows: &Array) -> Result<(Array, Array)> {
        let projected = split_heads(&self.keys.forward(rows)?, self.heads.groups)?;
        let values = match &self.values {
            Some(values) => split_heads(&values.forward(rows)?, self.heads.groups)?,
            None => projected.clone(),
        };
        Ok((normed(projected, self.key_norm.as_ref())?, normed(values, self.value_norm.as_ref())?))
    }

    /// The rows of blocks beside each other, `[n, B, D]` to `[n, B, D]`, as [`Attention::forward`] makes them over the
    /// context rows `[s, S, D]` of their texts.
    pub(crate) fn told(&self, rows: &Array, context: &Array, sight: &Sight<'_>) -> Result<Array> {
        let queries = split_heads(&self.queries.forward(rows)?, self.heads.queries)?;
        let queries = self.placed_each(&normed(queries, self.query_norm.as_ref())?, sight)?;
        let (keys, values) = self.keys_and_values(rows)?;
        let (seen, said) = self.keys_and_values(context)?;
        let keys =
            ops::concatenate(&[&sight.of_blocks(&self.placed(&seen, 0)?)?, &self.placed_each(&keys, sight)?], 2)?;
        let values = ops::concatenate(&[&sight.of_blocks(&heads_first(&said)?)?, &heads_first(&values)?], 2)?;
        let attended = attend(&queries, &keys, &values, self.heads.scale, &self.mask_of(rows, context, sight))?;
        self.output.forward(&attended)
    }

    fn placed_each(&self, rows: &Array, sight: &Sight<'_>) -> Result<Array> {
        self.rope.as_ref().map_or_else(|| heads_first(rows), |rope| rope.rotate_each(rows, sight.anchors))
    }

    /// `[b, n, heads, D]` at the positions from `position` on, `[b, heads, n, D]`.
    fn placed(&self, rows: &Array, position: usize) -> Result<Array> {
        self.rope.as_ref().map_or_else(|| heads_first(rows), |rope| rope.rotate(rows, position))
    }

    /// Whom a block of `rows` rows sees of itself and of `before` context rows. Masks follow positions, never places in a buffer.
    fn mask(&self, rows: usize, before: usize) -> Mask {
        match self.window {
            Some(Window::OfRow(window)) if before + rows > window => {}
            Some(Window::OfAnchor(window)) if before > window => {}
            _ if self.causal => return Mask::causal(rows, before),
            _ => return Mask::None,
        }
        let sees = |row: usize, key: usize| match key.checked_sub(before) {
            Some(other) => self.sees(row, other),
            None => self.sees_context(row, before - key),
        };
        Mask::where_seen(rows, before, sees)
    }

    /// The same for blocks beside each other: `[n, 1, B, S + B]`.
    fn mask_of(&self, rows: &Array, context: &Array, sight: &Sight<'_>) -> Mask {
        let (rows, behind) = (rows.dim(1).unsigned_abs() as usize, context.dim(1).unsigned_abs() as usize);
        let sees = |anchor: usize, row: usize, key: usize| match key.checked_sub(behind) {
            Some(other) => self.sees(row, other),
            None => key < anchor && anchor - key <= sight.most && self.sees_context(row, anchor - key),
        };
        let of_row = |(anchor, row)| (0..behind + rows).map(move |key| sees(anchor, row, key));
        let mask = sight.anchors.iter().flat_map(|&anchor| (0..rows).map(move |row| (anchor, row))).flat_map(of_row);
        Mask::rows(mask, &[size(sight.anchors.len()), 1, size(rows), size(behind + rows)])
    }

    /// Whether row `row` of a block sees another one of the block.
    fn sees(&self, row: usize, other: usize) -> bool {
        !self.causal || other <= row
    }

    /// Whether row `row` of a block may see the context row that stands so far before the anchor.
    fn sees_context(&self, row: usize, before: usize) -> bool {
        match self.window {
            None => true,
            Some(Window::OfRow(window)) => row + before < window,
            Some(Window::OfAnchor(window)) => before <= window,
        }
    }
}

/// What blocks beside each other see of their texts.
#[derive(Debug)]
pub(crate) struct Sight<'a> {
    /// Where the anchor of each block stands, text by text and as many in each.
    anchors: &'a [usize],
    /// The most rows before its anchor that a block sees.
    most: usize,
}

impl<'a> Sight<'a> {
    pub(crate) fn new(anchors: &'a [usize], most: usize) -> Self {
        Self { anchors, most }
    }

    /// What texts have, `[s, groups, S, D]`, for each of their blocks, `[n, groups, S, D]`.
    fn of_blocks(&self, texts: &Array) -> Result<Array> {
        let (blocks, shape) = (size(self.anchors.len()), texts.shape());
        let (count, groups, rows, width) = (shape[0], shape[1], shape[2], shape[3]);
        let each = ops::broadcast_to(&texts.expand_dims(1)?, &[count, blocks / count, groups, rows, width])?;
        Ok(each.reshape(&[blocks, groups, rows, width])?)
    }
}

fn normed(rows: Array, norm: Option<&Norm>) -> Result<Array> {
    match norm {
        Some(norm) => norm.forward(&rows),
        None => Ok(rows),
    }
}

/// How many rows `[1, n, ..]` are.
fn count(rows: &Array) -> usize {
    rows.dim(1).unsigned_abs() as usize
}

fn size(rows: usize) -> i32 {
    i32::try_from(rows).unwrap_or(i32::MAX)
}
