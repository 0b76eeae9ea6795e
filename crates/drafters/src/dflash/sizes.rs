//! What all formats of `DFlash` spell alike in their configurations.

use serde::Deserialize;

use crate::{Result, config::Entry};

/// More layers, or rows in a block, than any drafter has.
const MOST: usize = 1000;

/// The sizes of a backbone.
#[derive(Debug, Clone)]
pub(crate) struct Sizes {
    /// Width of its rows, which is that of the target's, `H`.
    pub(crate) hidden: i32,
    /// Width of the feed-forward part.
    pub(crate) inner: i32,
    /// Heads of the queries.
    pub(crate) heads: i32,
    /// Heads of keys and values.
    pub(crate) groups: i32,
    /// Width of a head.
    pub(crate) head: i32,
    /// The target's vocabulary, `V`.
    pub(crate) vocab: i32,
    /// Added under the root of every norm.
    pub(crate) eps: f32,
}

impl Sizes {
    /// Reads them; heads are `head` wide.
    ///
    /// # Errors
    /// When one is missing, or they do not go together.
    pub(crate) fn read(entry: &Entry<'_>, head: i32) -> Result<Self> {
        let (heads, groups) = (entry.size("num_attention_heads")?, entry.size("num_key_value_heads")?);
        if heads % groups != 0 {
            let reason = format!("is {heads}, not a multiple of num_key_value_heads, {groups}");
            return Err(entry.malformed("num_attention_heads", &reason));
        }
        if head % 2 != 0 {
            return Err(entry.malformed("head_dim", &format!("is {head}, and rotary positions need pairs")));
        }
        Ok(Self {
            hidden: entry.size("hidden_size")?,
            inner: entry.size("intermediate_size")?,
            heads,
            groups,
            head,
            vocab: entry.size("vocab_size")?,
            eps: entry.positive("rms_norm_eps", None)?,
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
enum LayerKind {
    #[serde(rename = "sliding_attention")]
    Sliding,
    #[serde(rename = "full_attention")]
    Full,
}

/// The window of each layer; `None` for those that see the whole context, which all do if nothing is said.
///
/// # Errors
/// When kinds and number of the layers do not go together, or a sliding one has no window.
pub(crate) fn windows(entry: &Entry<'_>) -> Result<Vec<Option<usize>>> {
    let count = number(entry, "num_hidden_layers", entry.require("num_hidden_layers")?, 1)?;
    let Some(kinds) = entry.get::<Vec<LayerKind>>("layer_types")? else { return Ok(vec![None; count]) };
    if kinds.len() != count {
        let reason = format!("names {} layers, num_hidden_layers is {count}", kinds.len());
        return Err(entry.malformed("layer_types", &reason));
    }
    let window = |kind| match kind {
        LayerKind::Sliding => entry.size("sliding_window").map(|window| Some(window.unsigned_abs() as usize)),
        LayerKind::Full => Ok(None),
    };
    kinds.into_iter().map(window).collect()
}

/// The rows of a block, of which `least` are needed to propose anything.
///
/// # Errors
/// When there are fewer, or more than there can be.
pub(crate) fn rows(entry: &Entry<'_>, rows: usize, least: usize) -> Result<usize> {
    number(entry, "block_size", rows, least)
}

fn number(entry: &Entry<'_>, key: &str, number: usize, least: usize) -> Result<usize> {
    let fits = (least..=MOST).contains(&number);
    let reason = || format!("is {number}, not between {least} and {MOST}");
    if fits { Ok(number) } else { Err(entry.malformed(key, &reason())) }
}

/// Numbers of the target's layers, strictly increasing.
///
/// # Errors
/// When they are missing, none, or in another order. There is no default: any guess loads, and drafts badly.
pub(crate) fn layer_ids(entry: &Entry<'_>, key: &str) -> Result<Vec<usize>> {
    let ids = entry.require::<Vec<usize>>(key)?;
    let increasing = !ids.is_empty() && ids.is_sorted_by(|a, b| a < b);
    if increasing { Ok(ids) } else { Err(entry.malformed(key, &format!("is {ids:?} and must be strictly increasing"))) }
}

/// The token that stands where one is to be guessed.
///
/// # Errors
/// When it is missing, or outside the vocabulary of `vocab` tokens.
pub(crate) fn mask(entry: &Entry<'_>, vocab: i32) -> Result<decode::Token> {
    let mask = entry.require::<u32>("mask_token_id")?;
    let reason = || format!("is {mask}, and vocab_size is {vocab}");
    if mask < vocab.unsigned_abs() { Ok(mask) } else { Err(entry.malformed("mask_token_id", &reason())) }
}

/// Refuses rotary positions of another kind than the plain one, in which every lane turns.
///
/// # Errors
/// When `rope` asks for them.
pub(crate) fn plain_rope(rope: &Entry<'_>) -> Result<()> {
    for key in ["rope_type", "type"] {
        rope.only(key, "default", |value| value == "default")?;
    }
    rope.only("partial_rotary_factor", "1", |value| value.as_f64() == Some(1.0))
}
