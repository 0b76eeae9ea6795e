//! `config.json` of the format, parsed once into what the parts need.

use std::path::Path;

use nn::Quantization;

use crate::{
    Facts, Kind, Result,
    config::{ConfigFile, Entry},
    heads::{SequentialHeads, Unsaid},
    rotation::Rotation,
};

/// A checked configuration.
#[derive(Debug, Clone)]
pub(super) struct Config {
    /// Width of the target's rows and of its own, `H`.
    pub hidden_size: i32,
    /// Tokens, `V`.
    pub vocab_size: i32,
    /// Its own layers.
    pub layers: usize,
    /// Layers of the target.
    pub target_layers: usize,
    /// The target's layers whose rows are read.
    pub taps: Vec<usize>,
    /// Tokens a round (γ), which are as many rows: the anchor's own predicts the first.
    pub limit: usize,
    /// The token in the rows behind the anchor's.
    pub mask: u32,
    /// Query heads.
    pub heads: i32,
    /// Heads of keys and values.
    pub groups: i32,
    /// Size of a head.
    pub head_dim: i32,
    /// Whether values share the keys' projection.
    pub values_from_keys: bool,
    /// Width of the feed-forward part.
    pub inner: i32,
    /// Added under the root of every norm.
    pub eps: f32,
    pub rotation: Rotation,
    /// Logits stay within ± this, before the sequential head adds to them.
    pub cap: Option<f32>,
    /// The sequential head and the confidence, if there are any.
    pub sequential: SequentialHeads,
    /// Whether the head is the table.
    pub tied: bool,
    /// Which matrices are packed, as far as the file says.
    pub quantization: Quantization,
}

/// What the format means where the file says nothing of the heads.
const UNSAID: Unsaid = Unsaid { rank: 0, confident: false };

/// What drafters of this format never have; its own code refuses the first two.
const ABSENT: [&str; 5] = [
    "enable_moe_block",
    "hidden_size_per_layer_input",
    "num_kv_shared_layers",
    "use_double_wide_mlp",
    "attention_bias",
];

impl Config {
    /// Reads a folder's `config.json`.
    ///
    /// # Errors
    /// When it cannot be read, or describes no drafter of this format that runs here.
    pub(super) fn read(folder: &Path) -> Result<Self> {
        let file = ConfigFile::read(folder)?;
        let top = &file.top();
        top.none_of(&ABSENT)?;
        top.only("hidden_activation", "gelu_pytorch_tanh", |value| value == "gelu_pytorch_tanh")?;
        let values_from_keys = top.require("attention_k_eq_v")?;
        let groups = if values_from_keys { "num_global_key_value_heads" } else { "num_key_value_heads" };
        let (layers, target_layers) = (count(top, "num_hidden_layers")?, count(top, "num_target_layers")?);
        let config = Self {
            hidden_size: top.size("hidden_size")?,
            vocab_size: top.size("vocab_size")?,
            layers,
            target_layers,
            taps: taps(top, target_layers)?,
            limit: count(top, "block_size")?,
            mask: top.require("mask_token_id")?,
            heads: top.size("num_attention_heads")?,
            groups: top.size(groups)?,
            head_dim: top.size("global_head_dim")?,
            values_from_keys,
            inner: top.size("intermediate_size")?,
            eps: top.positive("rms_norm_eps", Some(1e-6))?,
            rotation: Rotation::read(top, "full_attention", Rotation::FULL)?,
            cap: top.get::<f32>("final_logit_softcapping")?,
            sequential: SequentialHeads::read(top, UNSAID)?,
            tied: top.get("tie_word_embeddings")?.unwrap_or(false),
            quantization: file.quantization()?,
        };
        config.check(top)?;
        Ok(config)
    }

    /// Refuses numbers that do not go together.
    fn check(&self, top: &Entry<'_>) -> Result<()> {
        let &Self { heads, groups, head_dim, mask, vocab_size, layers, .. } = self;
        if heads % groups != 0 {
            let reason = format!("is {heads}, not a multiple of the {groups} key/value heads");
            return Err(top.malformed("num_attention_heads", &reason));
        }
        if head_dim % 2 != 0 {
            return Err(top.malformed("global_head_dim", &format!("is {head_dim}, and lanes rotate in pairs")));
        }
        if i64::from(mask) >= i64::from(vocab_size) {
            let reason = format!("is {mask}, the vocabulary has {vocab_size} tokens");
            return Err(top.malformed("mask_token_id", &reason));
        }
        if self.cap.is_some() {
            top.positive("final_logit_softcapping", None)?;
        }
        let kinds = top.get::<Vec<String>>("layer_types")?.unwrap_or_else(|| vec!["full_attention".into(); layers]);
        if kinds.len() != layers {
            return Err(top.malformed("layer_types", &format!("lists {}, num_hidden_layers is {layers}", kinds.len())));
        }
        match kinds.iter().find(|&kind| kind != "full_attention") {
            Some(other) => Err(top.unsupported("layer_types", other, "full_attention")),
            None => Ok(()),
        }
    }

    /// What it says, in the words of all kinds.
    pub(super) fn facts(&self) -> Facts {
        Facts {
            kind: Kind::DeepSpec,
            limit: self.limit,
            taps: self.taps.clone(),
            hidden_size: self.hidden_size,
            vocab_size: self.vocab_size,
            target_layers: Some(self.target_layers),
            layers: self.layers,
            width: self.hidden_size,
            heads: self.heads,
            inner: self.inner,
            cached: 2 * self.groups * self.head_dim,
            confident: self.sequential.confident(),
            thresholds: Vec::new(),
            temperatures: Vec::new(),
            notes: Vec::new(),
        }
    }
}

/// The target's layers. The last one is refused: whether the final norm belongs to it differs between programs.
fn taps(top: &Entry<'_>, layers: usize) -> Result<Vec<usize>> {
    const KEY: &str = "target_layer_ids";
    let ids = top.require::<Vec<i64>>(KEY)?;
    if ids.is_empty() || !ids.is_sorted_by(|a, b| a < b) {
        return Err(top.malformed(KEY, &format!("is {ids:?} and must be strictly increasing")));
    }
    let tap = |id: i64| {
        let tap = usize::try_from(id).ok().filter(|&tap| tap + 1 < layers);
        let reason = format!("lists {id}, of {layers} layers 0 to {} can be read", layers.saturating_sub(2));
        tap.ok_or_else(|| top.malformed(KEY, &reason))
    };
    ids.into_iter().map(tap).collect()
}

/// A number of layers or rows, which is never large.
fn count(top: &Entry<'_>, key: &str) -> Result<usize> {
    const MOST: usize = 1000;
    let count = top.require(key)?;
    let fits = (1..=MOST).contains(&count);
    if fits { Ok(count) } else { Err(top.malformed(key, &format!("is {count}, not between 1 and {MOST}"))) }
}
