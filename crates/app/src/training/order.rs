//! What somebody wants trained.

use std::path::PathBuf;

use engine::{Design, Precision, TrainingLength};
use serde::{Deserialize, Serialize};

/// What somebody wants trained.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrainingOrder {
    /// The target's id.
    pub target: String,
    /// What the drafter will be called.
    pub name: String,
    /// What kind of drafter.
    pub design: Design,
    /// What it learns from.
    pub data: TrainingData,
    /// How long it learns.
    pub length: TrainingLength,
    /// The number type that the target computes in.
    pub precision: Precision,
    /// The same seed gives the same drafter.
    pub seed: u64,
}

/// What the target answers, for a drafter to learn from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrainingData {
    /// Built-in suites, by id.
    Suites(Vec<String>),
    /// What was said in this app. The drafter learns from it, and may leave the machine.
    Conversations,
    /// A file with a prompt in each line.
    File(PathBuf),
}
