//! `dspark.json`: what a drafter is.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{New, parameters};
use crate::{Error, Facts, Kind, Result};

/// The file's name in a folder.
pub const DOCUMENT: &str = "dspark.json";

/// A checked `dspark.json`. Fields that are not known here are kept and written back.
#[derive(Debug, Clone)]
pub(crate) struct Document {
    /// The most tokens that a round proposes (γ).
    pub limit: usize,
    /// Width of the backbone, `D`.
    pub width: i32,
    /// Layers of the backbone.
    pub layers: usize,
    /// Attention heads.
    pub heads: i32,
    /// Rank of the sequential head, `r`.
    pub rank: i32,
    /// Width of the feed-forward part.
    pub inner: i32,
    /// The target's layers whose rows are read; the number of layers stands for the final norm.
    pub taps: Vec<usize>,
    /// Whether the sequential head is the recurrent one.
    pub recurrent: bool,
    /// The threshold of each position below which a draft ends, if the drafter is calibrated.
    pub thresholds: Vec<f32>,
    /// What the logit of each position's confidence is divided by, likewise.
    pub temperatures: Vec<f32>,
    /// The target's hidden size, `H`.
    pub hidden_size: i32,
    /// The target's vocabulary, `V`.
    pub vocab_size: i32,
    /// Added under the root of every norm.
    pub eps: f32,
    /// The file itself.
    pub(super) raw: Map<String, Value>,
}

#[derive(Deserialize)]
struct Raw {
    config: RawConfig,
    dims: RawDims,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawConfig {
    gamma: usize,
    d_draft: i32,
    n_layers: usize,
    n_heads: i32,
    markov_rank: i32,
    ff_mult: i32,
    tap_layers: Vec<usize>,
    seq_head: Option<SequentialHead>,
    sts: Option<RawFitted>,
}

#[derive(Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum SequentialHead {
    Markov,
    Rnn,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct RawFitted {
    thresholds: Vec<f32>,
    temperatures: Vec<f32>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawDims {
    hidden_size: i32,
    vocab_size: i32,
    eps: f32,
}

impl Document {
    /// Reads and checks a folder's `dspark.json`.
    ///
    /// # Errors
    /// When it cannot be read, is malformed, or describes an older kind of drafter.
    pub(super) fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(DOCUMENT);
        let text = std::fs::read(&path).map_err(|source| Error::File { path: path.clone(), source })?;
        let malformed = |reason: String| Error::Malformed { path: path.clone(), reason };
        let raw = serde_json::from_slice(&text).map_err(|error| malformed(error.to_string()))?;
        match variant(&raw) {
            "dspark" | "dflash" => Self::parse(raw).map_err(malformed),
            other => Err(Error::Variant { folder: folder.to_owned(), variant: other.to_owned() }),
        }
    }

    /// The document of a new drafter.
    pub(super) fn new(new: &New) -> Result<Self> {
        let raw = json!({
            "kind": "dspark-drafter",
            "variant": "dspark",
            "version": 1,
            "target_id": format!("{}@{}x{}", new.target_name, new.hidden_size, new.vocab_size),
            "config": {
                "gamma": new.gamma, "dDraft": new.width, "nLayers": new.layers, "nHeads": new.heads,
                "markovRank": new.markov_rank, "ffMult": new.ff_mult, "tapLayers": new.taps,
                "seqHead": if new.recurrent { "rnn" } else { "markov" },
            },
            "dims": { "hiddenSize": new.hidden_size, "vocabSize": new.vocab_size, "eps": new.eps },
        });
        let Value::Object(raw) = raw else { unreachable!("an object was written") };
        let mut document = Self::parse(raw).map_err(|reason| Error::Malformed { path: DOCUMENT.into(), reason })?;
        let names = parameters::shapes(&document).into_iter().map(|(name, _)| name);
        document.raw.insert("param_names".into(), names.collect());
        Ok(document)
    }

    pub(super) fn parse(raw: Map<String, Value>) -> Result<Self, String> {
        let Raw { config, dims, .. } =
            Raw::deserialize(Value::Object(raw.clone())).map_err(|error| error.to_string())?;
        check(&config, &dims)?;
        let RawFitted { thresholds, temperatures } = config.sts.unwrap_or_default();
        Ok(Self {
            limit: config.gamma,
            width: config.d_draft,
            layers: config.n_layers,
            heads: config.n_heads,
            rank: config.markov_rank,
            inner: config.ff_mult * config.d_draft,
            taps: config.tap_layers,
            recurrent: config.seq_head == Some(SequentialHead::Rnn),
            thresholds,
            temperatures,
            hidden_size: dims.hidden_size,
            vocab_size: dims.vocab_size,
            eps: dims.eps,
            raw,
        })
    }

    /// Writes the document, the fields that are not known here included.
    pub(super) fn write(&self, folder: &Path) -> Result<()> {
        let path = folder.join(DOCUMENT);
        let text = format!("{:#}\n", Value::Object(self.raw.clone()));
        std::fs::write(&path, text).map_err(|source| Error::File { path, source })
    }

    /// What the document says, in the words of all kinds.
    pub(super) fn facts(&self) -> Facts {
        Facts {
            kind: Kind::DSpark,
            limit: self.limit,
            taps: self.taps.clone(),
            hidden_size: self.hidden_size,
            vocab_size: self.vocab_size,
            target_layers: None,
            layers: self.layers,
            width: self.width,
            heads: self.heads,
            inner: self.inner,
            cached: 2 * self.width,
            confident: true,
            thresholds: self.thresholds.clone(),
            temperatures: self.temperatures.clone(),
            notes: Vec::new(),
        }
    }
}

fn variant(raw: &Map<String, Value>) -> &str {
    raw.get("variant").and_then(Value::as_str).unwrap_or_default()
}

/// Refuses numbers that describe no drafter, in words.
fn check(config: &RawConfig, dims: &RawDims) -> Result<(), String> {
    let small = |name: &str, value: usize, most: usize| {
        if (1..=most).contains(&value) { Ok(()) } else { Err(format!("{name} is {value}, not between 1 and {most}")) }
    };
    let size = |name: &str, value: i32| small(name, usize::try_from(value).unwrap_or(0), 1 << 20);
    small("config.gamma", config.gamma, 1000)?;
    small("config.nLayers", config.n_layers, 1000)?;
    size("config.dDraft", config.d_draft)?;
    size("config.nHeads", config.n_heads)?;
    size("config.markovRank", config.markov_rank)?;
    small("config.ffMult", usize::try_from(config.ff_mult).unwrap_or(0), 1000)?;
    size("dims.hiddenSize", dims.hidden_size)?;
    size("dims.vocabSize", dims.vocab_size)?;
    if let Some(fitted) = &config.sts {
        check_fitted(fitted, config.gamma)?;
    }
    if !(dims.eps.is_finite() && dims.eps > 0.0) {
        return Err(format!("dims.eps is {} and must be positive", dims.eps));
    }
    if config.d_draft % config.n_heads != 0 {
        return Err(format!("config.dDraft is {}, not a multiple of nHeads, {}", config.d_draft, config.n_heads));
    }
    if config.tap_layers.is_empty() || !config.tap_layers.is_sorted_by(|a, b| a < b) {
        return Err(format!("config.tapLayers is {:?} and must be strictly increasing", config.tap_layers));
    }
    Ok(())
}

/// Refuses a calibration that is none of so many positions.
fn check_fitted(RawFitted { thresholds, temperatures }: &RawFitted, limit: usize) -> Result<(), String> {
    if thresholds.len() > limit || !thresholds.iter().all(|threshold| (0.0..=1.0).contains(threshold)) {
        return Err(format!("config.sts.thresholds is {thresholds:?}, not at most {limit} numbers in 0..=1"));
    }
    if temperatures.len() > limit || !temperatures.iter().all(|number| number.is_finite() && *number > 0.0) {
        return Err(format!("config.sts.temperatures is {temperatures:?}, not at most {limit} positive numbers"));
    }
    Ok(())
}
