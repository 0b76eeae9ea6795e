//! A fresh drafter for a target.

use std::path::PathBuf;

use drafters::{DSpark, New};
use gemma4::Config;

use crate::{Checkpoint, Result, inspect};

/// What a fresh drafter should be. It proposes nothing sensible before it is trained, and is lossless all the same.
#[derive(Debug, Clone)]
pub struct NewDrafter {
    /// The target's checkpoint folder.
    pub target: PathBuf,
    /// Where the drafter goes.
    pub out: PathBuf,
    /// Tokens a round (γ).
    pub gamma: usize,
    /// Width of its backbone.
    pub width: i32,
    /// Layers of its backbone.
    pub layers: usize,
    /// Attention heads.
    pub heads: i32,
    /// Rank of its sequential head.
    pub markov_rank: i32,
    /// The target's layers that it reads; `None` spreads three over the target, the final norm last.
    pub taps: Option<Vec<usize>>,
    /// Whether its sequential head is the recurrent one.
    pub recurrent: bool,
    /// The seed of its random numbers.
    pub seed: u32,
}

impl Default for NewDrafter {
    fn default() -> Self {
        Self {
            target: PathBuf::new(),
            out: PathBuf::new(),
            gamma: 5,
            width: 256,
            layers: 2,
            heads: 4,
            markov_rank: 64,
            taps: None,
            recurrent: false,
            seed: 0,
        }
    }
}

pub(crate) fn make(new: &NewDrafter) -> Result<Checkpoint> {
    let config = Config::read(&new.target)?;
    let name = new.target.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let drafter = DSpark::fresh(&New {
        target_name: name,
        hidden_size: config.hidden_size,
        vocab_size: config.vocab_size,
        taps: new.taps.clone().unwrap_or_else(|| spread(config.layers.len())),
        gamma: new.gamma,
        width: new.width,
        layers: new.layers,
        heads: new.heads,
        markov_rank: new.markov_rank,
        ff_mult: 2,
        recurrent: new.recurrent,
        eps: config.eps,
        seed: new.seed,
    })?;
    drafter.facts().fit(config.hidden_size, config.vocab_size, config.layers.len())?;
    drafter.save(&new.out)?;
    inspect(&new.out)
}

/// The middle layer, one at three quarters, and the final norm.
fn spread(layers: usize) -> Vec<usize> {
    let mut taps = vec![layers / 2, layers * 3 / 4, layers];
    taps.dedup();
    taps
}
