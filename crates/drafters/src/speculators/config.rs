//! `config.json` of the speculators library: the algorithm's keys at the top, the layers' in `transformer_layer_config`.

use std::path::Path;

use decode::Token;
use nn::Quantization;
use serde_json::Value;

use super::slots;
use crate::{
    Facts, Kind, Result,
    block::{Activation, Slots, Window},
    config::{ConfigFile, Entry},
    dflash::{Additions, Shape, Sight, Sizes, sizes},
    heads::{SequentialHeads, Unsaid},
    kind::Algorithm,
};

/// Base of the rotary positions where the file does not say.
const ROPE_BASE: f32 = 10_000.0;
/// What the library takes for kernel, group, rank and candidates where the file does not say.
const ADDITIONS: [i32; 4] = [2, 16, 256, 16];

/// What the library takes for the heads of `DSpark` likewise.
const UNSAID: Unsaid = Unsaid { rank: 256, confident: true };

/// A checked `config.json`.
#[derive(Debug)]
pub(super) struct Config {
    pub(super) algorithm: Algorithm,
    pub(super) shape: Shape,
    pub(super) slots: Slots,
    pub(super) mask: Token,
    /// How many tokens can be proposed, `V_d`, if the file says so.
    pub(super) draft_vocab: Option<i32>,
    /// The heads of `DSpark`.
    pub(super) heads: Option<SequentialHeads>,
    /// What the embeddings are multiplied with.
    pub(super) embedding_scale: f32,
    /// What logits are multiplied with, before the cap.
    pub(super) multiplier: f32,
    pub(super) cap: Option<f32>,
    pub(super) quantization: Quantization,
    taps: Vec<usize>,
    notes: Vec<String>,
}

impl Config {
    /// Reads a folder's `config.json`.
    ///
    /// # Errors
    /// When it is malformed, or describes what is not computed here.
    pub(super) fn read(folder: &Path, algorithm: Algorithm) -> Result<Self> {
        let file = ConfigFile::read(folder)?;
        let (top, inner) = (file.top(), file.top().entry("transformer_layer_config")?);
        if !inner.exists() {
            return Err(top.malformed("transformer_layer_config", "is missing"));
        }
        let sizes = sizes(&inner)?;
        refuse_foreign(&top, &inner, algorithm, sizes.hidden)?;
        let taps = taps(&top)?;
        let promised = promised(&top)?;
        let slots = slots::read(&top, algorithm, promised)?;
        let additions = match algorithm {
            Algorithm::DFlash2 => Some(Additions::read(&top, &sizes, Some(ADDITIONS))?),
            _ => None,
        };
        Ok(Self {
            algorithm,
            mask: sizes::mask(&top, sizes.vocab)?,
            draft_vocab: draft_vocab(&top, algorithm, sizes.vocab)?,
            heads: match algorithm {
                Algorithm::DSpark => Some(SequentialHeads::read(&top, UNSAID)?),
                _ => None,
            },
            embedding_scale: top.positive("input_embedding_scale", Some(1.0))?,
            multiplier: top.positive("output_multiplier", Some(1.0))?,
            // The target's own cap is never inherited: the library trains on bare logits.
            cap: top.get("final_logit_softcapping")?.filter(|&cap: &f32| cap > 0.0),
            quantization: file.quantization()?,
            notes: notes(&top, slots, promised)?,
            shape: Shape {
                rope_base: rope_base(&inner)?,
                activation: activation(&inner)?,
                layers: layers(&top, &inner, algorithm)?,
                taps: taps.len(),
                additions,
                sizes,
            },
            slots,
            taps,
        }
        .narrowed())
    }

    /// Where no row sees one behind it, a block may be cut to the rows that are read, with the same results.
    fn narrowed(mut self) -> Self {
        self.slots.narrow = self.shape.layers.iter().all(|sight| sight.causal);
        self
    }

    /// What it says, in the words of all kinds.
    pub(super) fn facts(&self) -> Facts {
        let Sizes { hidden, inner, heads, groups, head, vocab, .. } = self.shape.sizes;
        Facts {
            kind: Kind::Speculators(self.algorithm),
            limit: self.slots.limit(),
            taps: self.taps.clone(),
            hidden_size: hidden,
            vocab_size: vocab,
            target_layers: None,
            layers: self.shape.layers.len(),
            width: hidden,
            heads,
            inner,
            cached: 2 * groups * head,
            confident: self.heads.as_ref().is_some_and(SequentialHeads::confident),
            thresholds: Vec::new(),
            temperatures: Vec::new(),
            notes: self.notes.clone(),
        }
    }
}

/// Refuses what would change the numbers, and contradictions.
fn refuse_foreign(top: &Entry<'_>, inner: &Entry<'_>, algorithm: Algorithm, hidden: i32) -> Result<()> {
    top.only("causal", "a drafter without it", |_| false)?;
    for key in ["attention_bias", "mlp_bias"] {
        inner.only(key, "false", |value| value == &Value::Bool(false))?;
    }
    if let Some(width) = top.get::<i64>("target_hidden_size")?.filter(|&width| width != i64::from(hidden)) {
        let reason = format!("is {width}, but transformer_layer_config.hidden_size is {hidden}");
        return Err(top.malformed("target_hidden_size", &reason));
    }
    let nested = top.entry("speculators_config")?;
    match nested.get::<String>("algorithm")? {
        Some(name) if name != algorithm.name() => {
            let reason = format!("is {name:?}, but speculators_model_type is {:?}", algorithm.name());
            Err(nested.malformed("algorithm", &reason))
        }
        _ => Ok(()),
    }
}

fn sizes(inner: &Entry<'_>) -> Result<Sizes> {
    let even = inner.size("hidden_size")? / inner.size("num_attention_heads")?;
    Sizes::read(inner, inner.size_or("head_dim", even)?)
}

/// The library names a layer by what enters it: its ids are one more than ours.
fn taps(top: &Entry<'_>) -> Result<Vec<usize>> {
    const KEY: &str = "aux_hidden_state_layer_ids";
    let ids = sizes::layer_ids(top, KEY)?;
    if ids.contains(&0) {
        return Err(top.unsupported(KEY, &format!("{ids:?}"), "ids from 1 on (0 would be the embeddings)"));
    }
    Ok(ids.into_iter().map(|id| id - 1).collect())
}

/// How many tokens a round the file promises.
fn promised(top: &Entry<'_>) -> Result<Option<usize>> {
    let methods = top.entry("speculators_config")?.get::<Vec<Value>>("proposal_methods")?.unwrap_or_default();
    let tokens = methods.first().and_then(|method| method.get("speculative_tokens")).and_then(Value::as_u64);
    Ok(tokens.and_then(|tokens| usize::try_from(tokens).ok()))
}

fn draft_vocab(top: &Entry<'_>, algorithm: Algorithm, vocab: i32) -> Result<Option<i32>> {
    const KEY: &str = "draft_vocab_size";
    if top.get::<Value>(KEY)?.is_none() {
        return Ok(None);
    }
    let size = top.size(KEY)?;
    if size > vocab {
        return Err(top.malformed(KEY, &format!("is {size}, more than transformer_layer_config.vocab_size, {vocab}")));
    }
    if size != vocab && algorithm == Algorithm::DFlash2 {
        let reason = format!("is {size}, but dflash2 always proposes from the whole vocabulary of {vocab}");
        return Err(top.malformed(KEY, &reason));
    }
    Ok(Some(size))
}

/// Newer exports nest what older ones spell flat. Of sets for each kind of layer the library uses one for all.
fn rope_base(inner: &Entry<'_>) -> Result<f32> {
    let nested = inner.entry("rope_parameters")?;
    sizes::plain_rope(&inner.entry("rope_scaling")?)?;
    if nested.nests() {
        let sliding = nested.entry("sliding_attention")?;
        sizes::plain_rope(&sliding)?;
        return sliding.positive("rope_theta", None);
    }
    sizes::plain_rope(&nested)?;
    match nested.get::<f32>("rope_theta")? {
        Some(base) => nested.positive("rope_theta", Some(base)),
        None => inner.positive("rope_theta", Some(ROPE_BASE)),
    }
}

fn activation(inner: &Entry<'_>) -> Result<Activation> {
    for key in ["hidden_act", "hidden_activation"] {
        match inner.get::<String>(key)?.as_deref() {
            Some("silu") => return Ok(Activation::Silu),
            Some("gelu_pytorch_tanh") => return Ok(Activation::Gelu),
            Some(other) => return Err(inner.unsupported(key, &other, "silu or gelu_pytorch_tanh")),
            None => {}
        }
    }
    Ok(Activation::Silu)
}

/// What the rows of each layer see. Full layers look both ways, whatever is said of the sliding ones.
fn layers(top: &Entry<'_>, inner: &Entry<'_>, algorithm: Algorithm) -> Result<Vec<Sight>> {
    if inner.get::<Value>("layer_types")?.is_none() {
        // The library would invent a pattern.
        inner
            .only("use_sliding_window", "a drafter that lists its layer_types", |value| value == &Value::Bool(false))?;
    }
    let both_ways = top.get("sliding_window_non_causal")?.unwrap_or(algorithm == Algorithm::DFlash2);
    let sight = |window: Option<usize>| match window {
        Some(window) => Sight { window: Some(Window::OfAnchor(window)), causal: !both_ways },
        None => Sight { window: None, causal: false },
    };
    Ok(sizes::windows(inner)?.into_iter().map(sight).collect())
}

/// What costs nothing but acceptance.
fn notes(top: &Entry<'_>, slots: Slots, promised: Option<usize>) -> Result<Vec<String>> {
    let mut notes = Vec::new();
    let verifier = top.entry("speculators_config")?.entry("verifier")?;
    if let Some(name) = verifier.get::<String>("name_or_path")? {
        notes.push(format!("It was made for {name}."));
    }
    if let Some(promised) = promised.filter(|&promised| promised != slots.limit()) {
        let limit = slots.limit();
        notes.push(format!("Its file promises {promised} tokens a round, but its rows were trained for {limit}."));
    }
    Ok(notes)
}
