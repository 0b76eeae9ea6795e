//! `config.json` of the format, parsed once into what the parts need.

use std::path::Path;

use nn::{Donor, LayerKind, Quantization};

use super::MOST;
use crate::{
    Facts, Kind, Result,
    config::{ConfigFile, Entry},
    rotation::Rotation,
};

/// What assistants never have.
const ABSENT: [&str; 4] = ["hidden_size_per_layer_input", "enable_moe_block", "use_double_wide_mlp", "attention_bias"];

/// A checked configuration.
#[derive(Debug, Clone)]
pub(super) struct Config {
    /// Width of the target's rows, `H`.
    pub hidden_size: i32,
    /// Tokens, `V`.
    pub vocab_size: i32,
    /// Its own width, `d`.
    pub width: i32,
    /// The kind of each of its layers: of the target's keys and values it reads those of the same kind.
    pub kinds: Vec<LayerKind>,
    /// Query heads.
    pub heads: i32,
    /// What the target's sliding layers must be like.
    pub sliding: Donor,
    /// What its full layers must be like.
    pub full: Donor,
    /// Width of the feed-forward part.
    pub inner: i32,
    /// Added under the root of every norm.
    pub eps: f32,
    /// Logits stay within ± this.
    pub cap: Option<f32>,
    /// The centroids of the head, if it looks at some tokens only.
    pub centroids: Option<Centroids>,
    /// Which matrices are packed, as far as the file says.
    pub quantization: Quantization,
}

/// The sizes of a centroid head.
#[derive(Debug, Clone, Copy)]
pub(super) struct Centroids {
    /// How many there are; each stands for as many tokens as the others.
    pub count: i32,
    /// How many are looked at.
    pub chosen: i32,
}

impl Config {
    /// Reads a folder's `config.json`.
    ///
    /// # Errors
    /// When it cannot be read, or describes no drafter of this format that runs here.
    pub(super) fn read(folder: &Path) -> Result<Self> {
        let file = ConfigFile::read(folder)?;
        let (top, text) = (&file.top(), &file.top().entry("text_config")?);
        text.none_of(&ABSENT)?;
        text.only("hidden_activation", "gelu_pytorch_tanh", |value| value == "gelu_pytorch_tanh")?;
        let (vocab_size, kinds) = (text.size("vocab_size")?, kinds(text)?);
        Ok(Self {
            hidden_size: top.size("backbone_hidden_size")?,
            vocab_size,
            width: text.size("hidden_size")?,
            heads: text.size("num_attention_heads")?,
            sliding: donor(text, &kinds, LayerKind::Sliding)?,
            full: donor(text, &kinds, LayerKind::Full)?,
            inner: text.size("intermediate_size")?,
            eps: text.positive("rms_norm_eps", Some(1e-6))?,
            cap: match text.get::<f32>("final_logit_softcapping")? {
                Some(_) => Some(text.positive("final_logit_softcapping", None)?),
                None => None,
            },
            centroids: centroids(top, vocab_size)?,
            quantization: file.quantization()?,
            kinds,
        })
    }

    /// What the keys and values must be like that layers of `kind` read.
    pub(super) fn wants(&self, kind: LayerKind) -> Donor {
        match kind {
            LayerKind::Sliding => self.sliding,
            LayerKind::Full => self.full,
        }
    }

    /// What it says, in the words of all kinds.
    pub(super) fn facts(&self) -> Facts {
        Facts {
            kind: Kind::Assistant,
            limit: MOST,
            // It reads the final norm, whose number the files do not know: see [`crate::Drafter::taps`].
            taps: Vec::new(),
            hidden_size: self.hidden_size,
            vocab_size: self.vocab_size,
            target_layers: None,
            layers: self.kinds.len(),
            width: self.width,
            heads: self.heads,
            inner: self.inner,
            cached: 0,
            confident: false,
            thresholds: Vec::new(),
            temperatures: Vec::new(),
            notes: Vec::new(),
        }
    }
}

fn kinds(text: &Entry<'_>) -> Result<Vec<LayerKind>> {
    let (layers, kinds) = (text.size("num_hidden_layers")?, text.require::<Vec<LayerKind>>("layer_types")?);
    if usize::try_from(layers) != Ok(kinds.len()) {
        return Err(text.malformed("layer_types", &format!("lists {}, num_hidden_layers is {layers}", kinds.len())));
    }
    let shared = "as many layers as there are, or none said,";
    text.only("num_kv_shared_layers", shared, |value| *value == 0 || *value == layers)?;
    Ok(kinds)
}

/// What the target's layers of `kind` must be like. Newer files list what differs in single layers, by their numbers.
fn donor(text: &Entry<'_>, kinds: &[LayerKind], kind: LayerKind) -> Result<Donor> {
    let full = kind == LayerKind::Full;
    let shared = full && text.get("attention_k_eq_v")?.unwrap_or(false);
    let (name, usual) =
        if full { ("full_attention", Rotation::FULL) } else { ("sliding_attention", Rotation::SLIDING) };
    let rotation = Rotation::read(text, name, usual)?;
    let mut head_dim = text.size("head_dim")?;
    if full {
        head_dim = text.size_or("global_head_dim", head_dim)?;
    }
    let mut groups = text.size("num_key_value_heads")?;
    if shared {
        groups = text.size_or("num_global_key_value_heads", groups)?;
    }
    if let Some(layer) = kinds.iter().position(|&other| other == kind) {
        let own = text.entry("per_layer_config")?.entry(&layer.to_string())?;
        head_dim = own.size_or("head_dim", head_dim)?;
        groups = own.size_or("num_key_value_heads", groups)?;
    }
    if head_dim % 2 != 0 {
        return Err(text.malformed("head_dim", &format!("is {head_dim} in {name}, and lanes rotate in pairs")));
    }
    let heads = text.size("num_attention_heads")?;
    if heads % groups != 0 {
        let reason = format!("is {heads}, not a multiple of the {groups} key/value heads");
        return Err(text.malformed("num_attention_heads", &reason));
    }
    let window = if full { None } else { Some(text.size("sliding_window")?.unsigned_abs() as usize) };
    let Rotation { base: rope_base, partial: rope_partial } = rotation;
    Ok(Donor { head_dim, groups, window, rope_base, rope_partial, rope_factor: 1.0 })
}

fn centroids(top: &Entry<'_>, vocabulary: i32) -> Result<Option<Centroids>> {
    if !top.get("use_ordered_embeddings")?.unwrap_or(false) {
        return Ok(None);
    }
    let (count, chosen) = (top.size("num_centroids")?, top.size("centroid_intermediate_top_k")?);
    if vocabulary % count != 0 {
        let reason = format!("is {count}, and {vocabulary} tokens are no multiple of it");
        return Err(top.malformed("num_centroids", &reason));
    }
    if chosen > count {
        let reason = format!("is {chosen}, more than the {count} centroids");
        return Err(top.malformed("centroid_intermediate_top_k", &reason));
    }
    Ok(Some(Centroids { count, chosen }))
}
