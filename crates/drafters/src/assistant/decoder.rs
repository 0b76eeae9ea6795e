//! The layers of an assistant, and one step of a draft.

use mlx_rs::{Array, ops};
use nn::{Donors, LayerKind, Linear, Mask, Norm, Result, Rope, Subset, Vocabulary, attend, merge_heads, split_heads};

use super::AssistantDrafter;
use crate::block::FeedForward;

/// Between the target's width and its own.
#[derive(Debug)]
pub(super) struct Projections {
    /// From `[.., 2H]`, the token first, to `[.., d]`.
    pub(super) before: Linear,
    /// From `[.., d]` to `[.., H]`.
    pub(super) after: Linear,
}

/// One layer; it has no keys and values.
#[derive(Debug)]
pub(super) struct Layer {
    pub(super) kind: LayerKind,
    pub(super) heads: i32,
    pub(super) before_attention: Norm,
    pub(super) queries: Linear,
    pub(super) query_norm: Norm,
    pub(super) rope: Rope,
    pub(super) output: Linear,
    pub(super) after_attention: Norm,
    pub(super) before_feed_forward: Norm,
    pub(super) feed_forward: FeedForward,
    pub(super) after_feed_forward: Norm,
    /// Scales the whole stream.
    pub(super) scalar: Array,
}

/// The target's keys and values in one round, `[1, groups, S, D]` each.
#[derive(Debug)]
pub struct Lent {
    /// Of its newest sliding layer that owns any.
    sliding: Option<(Array, Array)>,
    /// Of its newest full one.
    full: Option<(Array, Array)>,
    /// The position of their newest row. A whole round's queries stand there, as they did in training.
    position: usize,
}

/// What one step of a draft leaves behind.
#[derive(Debug)]
pub struct Step {
    /// The logits of the next token, `[1, n]` float32.
    pub logits: Array,
    /// The tokens that they stand for, if these are not all.
    pub subset: Option<Subset>,
    /// What goes in beside that token, `[1, 1, H]`.
    pub row: Array,
}

impl AssistantDrafter {
    /// What the target lends it for one round; `None` before its first row.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn borrow(&self, donors: &dyn Donors) -> Result<Option<Lent>> {
        let Some(position) = donors.position().checked_sub(1) else { return Ok(None) };
        let rows = |kind| match donors.rows(kind)? {
            Some((keys, values)) if self.config.kinds.contains(&kind) => {
                Ok::<_, nn::Error>(Some((keys.as_dtype(self.dtype)?, values.as_dtype(self.dtype)?)))
            }
            _ => Ok(None),
        };
        Ok(Some(Lent { sliding: rows(LayerKind::Sliding)?, full: rows(LayerKind::Full)?, position }))
    }

    /// One step: from `token` `[1]` and the row `[1, 1, H]` beside it to what follows.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn step(&self, token: &Array, row: &Array, lent: &Lent, vocabulary: &dyn Vocabulary) -> Result<Step> {
        let token = vocabulary.embed(&token.reshape(&[1, 1])?)?.as_dtype(self.dtype)?;
        let mut rows = self.projections.before.forward(&ops::concatenate(&[&token, row], -1)?)?;
        for layer in &self.layers {
            rows = layer.forward(&rows, lent)?;
        }
        let rows = self.norm.forward(&rows)?;
        let (logits, subset) = self.head.logits(&rows.reshape(&[1, -1])?)?;
        Ok(Step { logits, subset, row: self.projections.after.forward(&rows)? })
    }
}

impl Layer {
    /// `[1, 1, d]` to `[1, 1, d]`.
    fn forward(&self, x: &Array, lent: &Lent) -> Result<Array> {
        let attended = self.attention(&self.before_attention.forward(x)?, lent)?;
        let x = x.add(self.after_attention.forward(&attended)?)?;
        let fed = self.feed_forward.forward(&self.before_feed_forward.forward(&x)?)?;
        Ok(x.add(self.after_feed_forward.forward(&fed)?)?.multiply(&self.scalar)?)
    }

    fn attention(&self, x: &Array, lent: &Lent) -> Result<Array> {
        let queries = self.query_norm.forward(&split_heads(&self.queries.forward(x)?, self.heads)?)?;
        let queries = self.rope.rotate(&queries, lent.position)?;
        let (keys, values) = lent.of(self.kind).ok_or(nn::Error::NothingLent)?;
        // The family leaves the scale to its norms. Every row is older than the query, so nothing is masked.
        let rows = attend(&queries, keys, values, 1.0, &Mask::None)?;
        self.output.forward(&merge_heads(&rows)?)
    }
}

impl Lent {
    fn of(&self, kind: LayerKind) -> Option<(&Array, &Array)> {
        let rows = match kind {
            LayerKind::Sliding => &self.sliding,
            LayerKind::Full => &self.full,
        };
        rows.as_ref().map(|(keys, values)| (keys, values))
    }
}
