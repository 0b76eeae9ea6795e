//! `config.json` of `DFlash` and `DFlash` 2 as their authors write it: some keys in `dflash_config`, some beside it.

use std::path::Path;

use decode::Token;
use nn::Quantization;
use serde_json::Value;

use super::{Additions, Shape, Sight, Sizes, sizes};
use crate::{
    Facts, Kind, Result,
    block::{Activation, Slots, Window},
    config::{ConfigFile, Entry},
};

/// Rows of a block where the file does not say.
const ROWS: usize = 16;
/// Base of the rotary positions where the file does not say.
const ROPE_BASE: f32 = 10_000.0;

/// A checked `config.json`.
#[derive(Debug, Clone)]
pub(super) struct Config {
    pub(super) kind: Kind,
    pub(super) shape: Shape,
    pub(super) slots: Slots,
    pub(super) mask: Token,
    /// What the embeddings are multiplied with, besides the target's own scale.
    pub(super) embedding_scale: f32,
    /// What logits are multiplied with, before the cap.
    pub(super) multiplier: f32,
    pub(super) cap: Option<f32>,
    pub(super) quantization: Quantization,
    taps: Vec<usize>,
    target_layers: Option<usize>,
}

impl Config {
    /// Reads a folder's `config.json`.
    ///
    /// # Errors
    /// When it is malformed, or describes what is not computed here.
    pub(super) fn read(folder: &Path, kind: Kind) -> Result<Self> {
        Self::of(&ConfigFile::read(folder)?, kind)
    }

    /// The same for one that is already in memory.
    ///
    /// # Errors
    /// Likewise.
    pub(super) fn of(file: &ConfigFile, kind: Kind) -> Result<Self> {
        let (top, own) = (file.top(), file.top().entry("dflash_config")?);
        refuse_foreign(&top, &own)?;
        let sizes = Sizes::read(&top, top.size("head_dim")?)?;
        let taps = sizes::layer_ids(&own, "target_layer_ids")?;
        let rows = match own.get("block_size")? {
            Some(rows) => sizes::rows(&own, rows, 2)?,
            None => sizes::rows(&top, top.get("block_size")?.unwrap_or(ROWS), 2)?,
        };
        let additions = match kind {
            Kind::DFlash2 => Some(Additions::read(&own, &sizes, None)?),
            _ => None,
        };
        Ok(Self {
            kind,
            // A narrower block than the trained one proposes something else, but nothing worse: the authors' program
            // builds one too where fewer tokens are wanted.
            slots: Slots { rows, first: 1, narrow: true },
            mask: sizes::mask(&own, sizes.vocab)?,
            embedding_scale: own.positive("input_embedding_scale", Some(1.0))?,
            multiplier: own.positive("output_multiplier", Some(1.0))?,
            cap: cap(&own, &top)?,
            quantization: file.quantization()?,
            target_layers: top.get("num_target_layers")?,
            shape: Shape {
                rope_base: rope_base(&top)?,
                activation: Activation::Silu,
                layers: layers(&top, rows)?,
                taps: taps.len(),
                additions,
                sizes,
            },
            taps,
        })
    }

    /// What it says, in the words of all kinds.
    pub(super) fn facts(&self) -> Facts {
        let Sizes { hidden, inner, heads, groups, head, vocab, .. } = self.shape.sizes;
        Facts {
            kind: self.kind,
            limit: self.slots.limit(),
            taps: self.taps.clone(),
            hidden_size: hidden,
            vocab_size: vocab,
            target_layers: self.target_layers,
            layers: self.shape.layers.len(),
            width: hidden,
            heads,
            inner,
            cached: 2 * groups * head,
            confident: false,
            thresholds: Vec::new(),
            temperatures: Vec::new(),
            notes: Vec::new(),
        }
    }
}

/// Refuses what drafters for other targets add to this format.
fn refuse_foreign(top: &Entry<'_>, own: &Entry<'_>) -> Result<()> {
    let is_false = |value: &Value| value == &Value::Bool(false);
    let never = |_: &Value| false;
    for entry in [top, own] {
        entry.only("attention_sink_bias", "false", is_false)?;
        entry.only("v_head_dim", "a drafter without it", never)?;
        entry.only("attention_value_scale", "a drafter without it", never)?;
        entry.only("partial_rotary_factor", "a drafter without it", never)?;
    }
    for key in ["causal", "use_swa", "swa_window_size"] {
        own.only(key, "a drafter without it", never)?;
    }
    top.only("attention_bias", "false", is_false)?;
    top.only("hidden_act", "silu", |value| value == "silu")
}

/// What the rows of each layer see.
fn layers(top: &Entry<'_>, rows: usize) -> Result<Vec<Sight>> {
    let causal = top.get::<bool>("is_causal")?;
    let sight = |window: Option<usize>| match window {
        // Every row must see the whole block.
        Some(window) if window < rows => {
            Err(top.malformed("sliding_window", &format!("is {window}, less than a block of {rows} rows")))
        }
        // Where nothing is said, a layer is causal within the block if and only if it is a sliding one.
        Some(window) => Ok(Sight { window: Some(Window::OfRow(window)), causal: causal.unwrap_or(true) }),
        None => Ok(Sight { window: None, causal: causal.unwrap_or(false) }),
    };
    sizes::windows(top)?.into_iter().map(sight).collect()
}

/// Newer exports nest what older ones spell flat.
fn rope_base(top: &Entry<'_>) -> Result<f32> {
    top.only("rope_parameters", "one set for all layers", |value| {
        value.as_object().is_none_or(|keys| !keys.values().any(Value::is_object))
    })?;
    let nested = top.entry("rope_parameters")?;
    sizes::plain_rope(&nested)?;
    sizes::plain_rope(&top.entry("rope_scaling")?)?;
    let flat = top.get::<f32>("rope_theta")?;
    if flat.is_some() { top.positive("rope_theta", flat) } else { nested.positive("rope_theta", Some(ROPE_BASE)) }
}

/// The cap that logits stay within, if it is above 0.
fn cap(own: &Entry<'_>, top: &Entry<'_>) -> Result<Option<f32>> {
    let cap = own.get("final_logit_softcapping")?.or(top.get("final_logit_softcapping")?);
    Ok(cap.filter(|&cap: &f32| cap > 0.0))
}
