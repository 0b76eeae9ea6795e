//! What kind of drafter is trained, and how large.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use crate::NewDrafter;

/// What kind of drafter is trained, and how large.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Design {
    /// How it drafts.
    pub kind: DesignKind,
    /// How much of it there is; its measures follow from the target's.
    pub size: DesignSize,
    /// Tokens a round (γ).
    pub gamma: usize,
}

impl Design {
    /// Tokens a round (γ) that a drafter may be designed for.
    pub const GAMMAS: RangeInclusive<usize> = 2..=16;
}

impl Default for Design {
    fn default() -> Self {
        let (kind, size) = (DesignKind::default(), DesignSize::default());
        Self { kind, size, gamma: NewDrafter::default().gamma }
    }
}

/// How a drafter drafts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DesignKind {
    /// `DSpark`, whose head sees one token back.
    #[default]
    DSpark,
    /// `DSpark`, whose head carries a state from token to token.
    DSparkRecurrent,
    /// `DFlash`.
    DFlash,
    /// `DFlash` 2.
    DFlash2,
}

/// How much of a drafter there is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DesignSize {
    /// Two narrow layers: quick to train, and quick to ask.
    #[default]
    Small,
    /// Four wider ones.
    Medium,
}

/// How long a drafter learns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrainingLength {
    /// So many steps.
    Steps(usize),
    /// As many steps as take about so many minutes here. The answers come before that.
    Minutes(u32),
}

impl TrainingLength {
    /// As many steps as there are where nobody says how long.
    pub const STEPS: usize = 2000;
    /// As many minutes as there are where somebody wants a time and nobody says which.
    pub const MINUTES: u32 = 60;
}

impl Default for TrainingLength {
    fn default() -> Self {
        Self::Steps(Self::STEPS)
    }
}
