//! A new drafter in the layout of `DFlash`'s authors.

use mlx_rs::{Array, ops, random};
use nn::Wanted;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Config;
use crate::{Kind, Result, config::ConfigFile};

/// What a new `DFlash` or `DFlash` 2 drafter should be.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct NewFlash {
    /// The target's hidden size, which is the drafter's own too.
    pub hidden_size: i32,
    /// The target's vocabulary.
    pub vocab_size: i32,
    /// How many layers the target has.
    pub target_layers: usize,
    /// The target's layers to read, in increasing order, the last one not among them.
    pub taps: Vec<usize>,
    /// Within which logits stay, as the target's do.
    pub softcap: Option<f32>,
    /// The token that stands where one is to be guessed.
    pub mask: u32,
    /// Tokens a round (γ).
    pub gamma: usize,
    /// Layers of the backbone.
    pub layers: usize,
    /// Attention heads, which have keys of their own.
    pub heads: i32,
    /// Width of a head, an even number.
    pub head_width: i32,
    /// Width of the feed-forward part.
    pub inner: i32,
    /// How much of the context is seen, if not all.
    pub window: Option<usize>,
    /// Added under the root of every norm.
    pub eps: f32,
    /// What `DFlash` 2 adds; without it the drafter is a `DFlash`.
    pub selector: Option<NewSelector>,
    /// The seed of the random numbers.
    pub seed: u64,
}

/// The sizes of what `DFlash` 2 adds.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct NewSelector {
    /// Channels that share a coefficient of the convolutions.
    pub group: i32,
    /// Width of what the selector knows of a token.
    pub rank: i32,
    /// Candidates of each row.
    pub candidates: i32,
}

/// Base of the rotary positions.
const ROPE_BASE: f32 = 10_000.0;

/// What other programs want to be told; a drafter itself knows no end.
const POSITIONS: u32 = 131_072;

/// Rows that a convolution mixes, as in every published drafter.
const KERNEL: i32 = 2;

impl NewFlash {
    /// How many numbers it would consist of.
    ///
    /// # Errors
    /// When it describes no drafter.
    pub fn numbers(&self) -> Result<u64> {
        let (_, config) = self.described()?;
        let numbers = |wanted: &Wanted| wanted.shape().iter().map(|&n| u64::from(n.unsigned_abs())).product::<u64>();
        Ok(config.shape.tensors().iter().map(numbers).sum())
    }

    /// Its `config.json`, and what that says.
    pub(super) fn described(&self) -> Result<(ConfigFile, Config)> {
        let file = ConfigFile::of(self.config());
        let kind = if self.selector.is_some() { Kind::DFlash2 } else { Kind::DFlash };
        let config = Config::of(&file, kind)?;
        Ok((file, config))
    }

    fn config(&self) -> Value {
        let rows = self.gamma.saturating_add(1);
        let kind = if self.window.is_some() { "sliding_attention" } else { "full_attention" };
        let class = if self.selector.is_some() { "DFlash2DraftModel" } else { "DFlashDraftModel" };
        let mut config = json!({
            "architectures": [class],
            "model_type": "qwen3",
            "hidden_size": self.hidden_size,
            "vocab_size": self.vocab_size,
            "num_target_layers": self.target_layers,
            "num_hidden_layers": self.layers,
            "num_attention_heads": self.heads,
            "num_key_value_heads": self.heads,
            "head_dim": self.head_width,
            "intermediate_size": self.inner,
            "layer_types": vec![kind; self.layers],
            "sliding_window": self.window,
            "is_causal": false,
            "hidden_act": "silu",
            "rms_norm_eps": self.eps,
            "rope_theta": ROPE_BASE,
            "max_position_embeddings": POSITIONS,
            "final_logit_softcapping": self.softcap,
            "block_size": rows,
            "dflash_config": { "target_layer_ids": self.taps, "mask_token_id": self.mask, "block_size": rows },
        });
        if let Some(NewSelector { group, rank, candidates }) = self.selector {
            let own = &mut config["dflash_config"];
            own["conv_kernel_size"] = KERNEL.into();
            own["conv_group_size"] = group.into();
            own["selector_rank"] = rank.into();
            own["selector_top_k"] = candidates.into();
        }
        config
    }
}

/// Numbers for `tensors`, by the names that the files give them, so that what `DFlash` 2 adds changes nothing yet:
/// each convolution lets a row through as it is, and the selector scores every candidate with 0.
pub(super) fn parameters(tensors: &[Wanted], seed: u64) -> Result<Vec<(String, Array)>> {
    let draw = |(wanted, seed): (&Wanted, u64)| {
        let (name, shape) = (name(wanted), wanted.shape());
        let part = name.trim_end_matches(".weight").rsplit('.').next().unwrap_or_default();
        let numbers = match part {
            "base_kernel" => identity(shape)?,
            "kernel_projection" | "successor_codebook" => ops::zeros::<f32>(shape)?,
            part if part.ends_with("norm") => ops::ones::<f32>(shape)?,
            _ => random::normal::<f32>(shape, 0.0, deviation(shape), &random::key(seed)?)?,
        };
        Ok((name, numbers))
    };
    // Each tensor has a key of its own, so that adding one would not change the others.
    tensors.iter().zip(seed.wrapping_mul(1 << 20)..).map(draw).collect()
}

/// So that sums over a row are about as large as what is summed: a small drafter would else hardly see its context.
#[expect(clippy::cast_precision_loss, reason = "a width is small")]
fn deviation(shape: &[i32]) -> f32 {
    1.0 / (shape[shape.len() - 1] as f32).sqrt()
}

/// What files call a tensor that is not packed.
pub(super) fn name(wanted: &Wanted) -> String {
    if wanted.is_matrix() { format!("{}.weight", wanted.name()) } else { wanted.name().to_owned() }
}

/// Kernels `[2, K, D]` whose first tap alone counts.
fn identity(shape: &[i32]) -> Result<Array> {
    let taps = (0..shape[1]).map(|tap| if tap == 0 { 1.0 } else { 0.0 });
    Ok(ops::broadcast_to(Array::from_iter::<_, f32>(taps, &[1, shape[1], 1]), shape)?.contiguous()?)
}
