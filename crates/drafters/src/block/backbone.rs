//! The layers of a block drafter.

use mlx_rs::{Array, ops};
use nn::{Caches, Linear, Norm, Pace, Result, Shares, gelu};

use super::{Attention, Convolution, attention::Sight};

/// Projects the target's rows into a context, and runs a block over it.
#[derive(Debug)]
pub(crate) struct Backbone {
    /// From tapped rows `[.., m·H]` to context rows `[.., D]` (`DSpark` paper, Eq. 2).
    pub(crate) context: Linear,
    pub(crate) context_norm: Norm,
    pub(crate) layers: Vec<Layer>,
    pub(crate) norm: Norm,
}

/// One layer; every part that is optional belongs to some kinds only.
#[derive(Debug)]
pub(crate) struct Layer {
    pub(crate) before_attention: Norm,
    /// Whether the context passes that norm too.
    pub(crate) norms_context: bool,
    pub(crate) attention: Attention,
    pub(crate) after_attention: Option<Norm>,
    pub(crate) before_feed_forward: Norm,
    pub(crate) feed_forward: FeedForward,
    pub(crate) after_feed_forward: Option<Norm>,
    /// Around attention and feed-forward part.
    pub(crate) convolutions: Option<[Convolution; 2]>,
    /// Scales the whole stream.
    pub(crate) scalar: Option<Array>,
}

/// `down(act(gate(x)) ⊙ up(x))`.
#[derive(Debug)]
pub(crate) struct FeedForward {
    pub(crate) gate: Linear,
    pub(crate) up: Linear,
    pub(crate) down: Linear,
    pub(crate) activation: Activation,
}

/// What bends a feed-forward part's gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Activation {
    /// In its tanh approximation.
    Gelu,
    /// `x·σ(x)`.
    Silu,
}

impl Backbone {
    /// Empty caches for the context.
    pub(crate) fn caches(&self) -> Caches {
        Caches::new(self.layers.iter().map(|layer| layer.attention.cache()).collect())
    }

    /// Tapped rows `[1, n, m·H]` as context rows `[1, n, D]`.
    pub(crate) fn project(&self, taps: &Array) -> Result<Array> {
        self.context_norm.forward(&self.context.forward(taps)?)
    }

    /// Takes context rows `[1, n, D]` into the caches.
    pub(crate) fn extend(&self, rows: &Array, caches: &mut Caches) -> Result<()> {
        let mut pace = Pace::new(rows.dim(1), self.layers.len());
        for (layer, cache) in self.layers.iter().zip(caches.layers_mut()) {
            layer.attention.extend(&layer.context(rows)?, cache)?;
            cache.arrays().try_for_each(|array| pace.step(array))?;
        }
        Ok(())
    }

    /// Blocks behind each other, `[1, B, D]`, after the last norm, `[B, D]`. Each has caches of its own, and takes the
    /// context rows that were `unread`, `[1, n, D]`, into them.
    pub(crate) fn forward(
        &self,
        rows: Array,
        unread: &[Option<Array>],
        caches: &mut [&mut Caches],
        blocks: &Shares,
    ) -> Result<Array> {
        let mut rows = rows;
        for (i, layer) in self.layers.iter().enumerate() {
            let mut caches = caches.iter_mut().map(|caches| &mut caches.layers_mut()[i]).collect::<Vec<_>>();
            let of_layer = |unread: &Option<Array>| unread.as_ref().map(|rows| layer.context(rows)).transpose();
            let unread = unread.iter().map(of_layer).collect::<Result<Vec<_>>>()?;
            rows = layer.forward(&rows, blocks, |rows| layer.attention.forward(rows, &unread, &mut caches, blocks))?;
        }
        Ok(self.norm.forward(&rows)?.squeeze_axes(&[0])?)
    }

    /// Blocks beside each other, `[n, B, D]`, after the last norm, with what `sight` says of the context rows
    /// `[s, S, D]` of their texts.
    pub(crate) fn told(&self, rows: Array, context: &Array, sight: &Sight<'_>) -> Result<Array> {
        let alone = Shares::new([usize::try_from(rows.dim(1)).unwrap_or(0)]);
        let mut rows = rows;
        for layer in &self.layers {
            let context = layer.context(context)?;
            rows = layer.forward(&rows, &alone, |rows| layer.attention.told(rows, &context, sight))?;
        }
        self.norm.forward(&rows)
    }
}

impl Layer {
    /// Context rows as its attention takes them.
    fn context(&self, rows: &Array) -> Result<Array> {
        if self.norms_context { self.before_attention.forward(rows) } else { Ok(rows.clone()) }
    }

    fn forward(&self, x: &Array, blocks: &Shares, attention: impl FnOnce(&Array) -> Result<Array>) -> Result<Array> {
        let [around_attention, around_feed_forward] = match &self.convolutions {
            Some([first, second]) => [Some(first), Some(second)],
            None => [None, None],
        };
        let branch = around(around_attention, &self.before_attention.forward(x)?, blocks, attention)?;
        let x = x.add(optional(self.after_attention.as_ref(), branch)?)?;
        let feed_forward = |rows: &Array| self.feed_forward.forward(rows);
        let branch = around(around_feed_forward, &self.before_feed_forward.forward(&x)?, blocks, feed_forward)?;
        let x = x.add(optional(self.after_feed_forward.as_ref(), branch)?)?;
        match &self.scalar {
            Some(scalar) => Ok(x.multiply(scalar)?),
            None => Ok(x),
        }
    }
}

impl FeedForward {
    pub(crate) fn forward(&self, x: &Array) -> Result<Array> {
        let gate = self.gate.forward(x)?;
        let gate = match self.activation {
            Activation::Gelu => gelu(&gate)?,
            Activation::Silu => ops::sigmoid(&gate)?.multiply(&gate)?,
        };
        self.down.forward(&gate.multiply(self.up.forward(x)?)?)
    }
}

/// A sublayer between the two stages of a convolution, if there is one.
fn around(
    convolution: Option<&Convolution>,
    x: &Array,
    blocks: &Shares,
    sublayer: impl FnOnce(&Array) -> Result<Array>,
) -> Result<Array> {
    let Some(convolution) = convolution else { return sublayer(x) };
    let kernels = convolution.kernels(x)?;
    kernels[1].apply(&sublayer(&kernels[0].apply(x, blocks)?)?, blocks)
}

fn optional(norm: Option<&Norm>, x: Array) -> Result<Array> {
    match norm {
        Some(norm) => norm.forward(&x),
        None => Ok(x),
    }
}
