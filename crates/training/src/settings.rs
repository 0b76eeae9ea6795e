//! How a drafter is trained.

use serde::{Deserialize, Serialize};

use crate::{Error, Loss, Result};

/// How a drafter is trained.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Steps in all.
    pub steps: usize,
    /// Sequences that a step looks at.
    pub sequences: usize,
    /// Blocks that it trains in each of them.
    pub anchors: usize,
    /// The most rows of context before an anchor.
    pub max_context: usize,
    /// The highest learning rate.
    pub learning_rate: f32,
    /// The learning rate at the end, as a part of the highest.
    pub least_rate: f32,
    /// Steps until the learning rate is at its highest.
    pub warm_up: usize,
    /// How much of each parameter is taken away a step, in learning rates.
    pub weight_decay: f32,
    /// The most that all gradients together may be long.
    pub clip: f32,
    /// How the parts of the loss are weighed.
    pub loss: Loss,
    /// A position `k`, counted from 0, counts `exp(−k/decay)`; `None` is γ.
    pub decay: Option<f32>,
    /// The part of the sequences that is held out to measure with; if none are, all of them measure.
    pub held_out: f32,
    /// Blocks that are measured.
    pub measured: usize,
    /// Steps from one measurement to the next.
    pub measure_every: usize,
    /// Steps from one saved state to the next.
    pub save_every: usize,
    /// Which blocks are seen, and in what order.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            steps: 6000,
            sequences: 2,
            anchors: 4,
            max_context: 512,
            learning_rate: 1.5e-3,
            least_rate: 0.1,
            warm_up: 150,
            weight_decay: 0.0,
            clip: 1.0,
            loss: Loss::default(),
            decay: None,
            held_out: 0.1,
            measured: 256,
            measure_every: 500,
            save_every: 100,
            seed: 0,
        }
    }
}

impl Settings {
    /// Refuses what trains nothing.
    ///
    /// # Errors
    /// When it would.
    pub fn check(&self) -> Result<()> {
        let counts = [
            ("the number of steps", self.steps),
            ("the number of sequences a step", self.sequences),
            ("the number of anchors a sequence", self.anchors),
            ("the longest context", self.max_context),
            ("the number of measured blocks", self.measured),
            ("the distance between measurements", self.measure_every),
            ("the distance between saved states", self.save_every),
        ];
        if let Some((setting, value)) = counts.into_iter().find(|&(_, value)| value == 0) {
            return Err(Error::Setting { setting, value: value.to_string(), wanted: "at least 1" });
        }
        let positive = [
            ("the learning rate", self.learning_rate),
            ("the longest gradient", self.clip),
            ("the decay", self.decay.unwrap_or(1.0)),
        ];
        if let Some((setting, value)) = positive.into_iter().find(|(_, value)| !(value.is_finite() && *value > 0.0)) {
            return Err(Error::Setting { setting, value: value.to_string(), wanted: "a positive number" });
        }
        if (0.0..1.0).contains(&self.held_out) {
            return Ok(());
        }
        let (setting, value) = ("the part that is held out", self.held_out.to_string());
        Err(Error::Setting { setting, value, wanted: "at least 0 and less than 1" })
    }
}
