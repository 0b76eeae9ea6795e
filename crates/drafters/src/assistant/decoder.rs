//! The layers of an assistant, and one step of a draft.

use mlx_rs::{Array, ops};
use nn::{Donors, LayerKind, Linear, Mask, Norm, Result, Rope, Shares, Subset, Vocabulary, attend, split_heads};

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

    /// One step of the drafts of `n` conversations: from `tokens` `[n]` and the rows `[1, n, H]` beside them to what follows
    /// each, given what each one's target lends.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn step(&self, tokens: &Array, rows: &Array, lent: &[&Lent], vocabulary: &dyn Vocabulary) -> Result<Vec<Step>> {
        let tokens = vocabulary.embed(&tokens.reshape(&[1, -1])?)?.as_dtype(self.dtype)?;
        let mut rows = self.projections.before.forward(&ops::concatenate(&[&tokens, rows], -1)?)?;
        let one_each = Shares::new(vec![1; lent.len()]);
        for layer in &self.layers {
            rows = layer.forward(&rows, lent, &one_each)?;
        }
        let rows = self.norm.forward(&rows)?;
        let after = one_each.split(&self.projections.after.forward(&rows)?, 1)?;
        let said = self.head.logits(&rows.squeeze_axes(&[0])?, &one_each)?;
        let step = |((logits, subset), row)| Step { logits, subset, row };
        Ok(said.into_iter().zip(after).map(step).collect())
    }
}

impl Layer {
    /// `[1, n, d]` to `[1, n, d]`, a row for each conversation.
    fn forward(&self, x: &Array, lent: &[&Lent], one_each: &Shares) -> Result<Array> {
        let attended = self.attention(&self.before_attention.forward(x)?, lent, one_each)?;
        let x = x.add(self.after_attention.forward(&attended)?)?;
        let fed = self.feed_forward.forward(&self.before_feed_forward.forward(&x)?)?;
        Ok(x.add(self.after_feed_forward.forward(&fed)?)?.multiply(&self.scalar)?)
    }

    fn attention(&self, x: &Array, lent: &[&Lent], one_each: &Shares) -> Result<Array> {
        let queries = self.query_norm.forward(&split_heads(&self.queries.forward(x)?, self.heads)?)?;
        let rows = one_each.apart([&queries], 1, |conversation, [queries]| {
            let lent = lent[conversation];
            let queries = self.rope.rotate(&queries, lent.position)?;
            let (keys, values) = lent.of(self.kind).ok_or(nn::Error::NothingLent)?;
            // The family leaves the scale to its norms. Every row is older than the query, so nothing is masked.
            attend(&queries, keys, values, 1.0, &Mask::None)
        })?;
        self.output.forward(&rows)
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
