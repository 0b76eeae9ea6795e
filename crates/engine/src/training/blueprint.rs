//! From a design and a target to the drafter that is made for it.

use drafters::{DFlash, DSpark, New, NewFlash, NewSelector, Trainable};
use gemma4::Config;
use serde::{Deserialize, Serialize};

use super::{Design, DesignKind, DesignSize};
use crate::{Error, Result};

/// Width of an attention head, unless a drafter is narrower.
const HEAD: i32 = 64;

/// All measures of a drafter.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Blueprint {
    Spark(New),
    Flash(NewFlash),
}

impl Blueprint {
    /// Of a drafter by this design for a target called `name`, in whose vocabulary `mask` stands where a token is to be
    /// guessed.
    pub(super) fn new(design: Design, name: String, config: &Config, mask: u32, seed: u64) -> Result<Self> {
        if !Design::GAMMAS.contains(&design.gamma) {
            return Err(Error::Gamma { gamma: design.gamma });
        }
        Ok(match design.kind {
            DesignKind::DSpark => Self::Spark(spark(design, name, config, seed, false)),
            DesignKind::DSparkRecurrent => Self::Spark(spark(design, name, config, seed, true)),
            DesignKind::DFlash => Self::Flash(flash(design, config, mask, seed, false)),
            DesignKind::DFlash2 => Self::Flash(flash(design, config, mask, seed, true)),
        })
    }

    /// The drafter with fresh numbers.
    pub(super) fn fresh(&self) -> Result<Trainable> {
        Ok(match self {
            Self::Spark(new) => Trainable::DSpark(DSpark::fresh(new)?),
            Self::Flash(new) => Trainable::DFlash(DFlash::fresh(new)?),
        })
    }

    /// How many numbers it consists of.
    pub(super) fn numbers(&self) -> Result<u64> {
        Ok(match self {
            Self::Spark(new) => new.numbers()?,
            Self::Flash(new) => new.numbers()?,
        })
    }

    /// The target's layers that it reads.
    pub(super) fn taps(&self) -> &[usize] {
        match self {
            Self::Spark(new) => &new.taps,
            Self::Flash(new) => &new.taps,
        }
    }
}

/// A `DSpark` half as wide as the target, or as wide.
fn spark(design: Design, target_name: String, config: &Config, seed: u64, recurrent: bool) -> New {
    let (layers, width, markov_rank) = match design.size {
        DesignSize::Small => (2, rounded(config.hidden_size / 2).min(512), 64),
        DesignSize::Medium => (4, rounded(config.hidden_size).min(1024), 128),
    };
    let of = config.layers.len();
    New {
        target_name,
        hidden_size: config.hidden_size,
        vocab_size: config.vocab_size,
        taps: increasing([of / 2, of * 3 / 4, of]),
        gamma: design.gamma,
        width,
        layers,
        heads: (width / HEAD).max(1),
        markov_rank: markov_rank.min(width),
        ff_mult: 2,
        recurrent,
        eps: config.eps,
        seed: folded(seed),
    }
}

/// A `DFlash`, which is as wide as the target, with a narrower or a wider middle.
fn flash(design: Design, config: &Config, mask: u32, seed: u64, selects: bool) -> NewFlash {
    let hidden = config.hidden_size;
    let (layers, inner) = match design.size {
        DesignSize::Small => (2, hidden.saturating_mul(2)),
        DesignSize::Medium => (4, hidden.saturating_mul(3)),
    };
    let of = config.layers.len();
    let group = [16, 8, 4, 2].into_iter().find(|group| hidden % group == 0).unwrap_or(1);
    NewFlash {
        hidden_size: hidden,
        vocab_size: config.vocab_size,
        target_layers: of,
        taps: increasing([of / 4, of / 2, of * 3 / 4].map(|layer| layer.min(of.saturating_sub(2)))),
        softcap: config.softcap,
        mask,
        gamma: design.gamma,
        layers,
        heads: (hidden / HEAD).max(1),
        head_width: HEAD.min(rounded(hidden)),
        inner,
        window: None,
        eps: config.eps,
        selector: selects.then(|| NewSelector { group, rank: 32, candidates: 8.min(config.vocab_size) }),
        seed,
    }
}

/// The same or the next multiple of 32.
fn rounded(width: i32) -> i32 {
    width.saturating_add(31) / 32 * 32
}

/// Without what is there twice.
fn increasing<const N: usize>(layers: [usize; N]) -> Vec<usize> {
    let mut layers = layers.to_vec();
    layers.dedup();
    layers
}

/// A seed in half its bits, all of which count.
#[expect(clippy::cast_possible_truncation, reason = "the other half is folded in")]
fn folded(seed: u64) -> u32 {
    (seed ^ (seed >> 32)) as u32
}
