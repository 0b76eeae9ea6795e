//! What somebody wants trained.

use std::path::PathBuf;

use engine::{Design, Precision, TrainingLength};
use serde::{Deserialize, Serialize};

use crate::Suite;

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

impl TrainingOrder {
    /// What is trained where nobody chooses more than the target's id and what to call the drafter.
    #[must_use]
    pub fn usual(target: String, name: String) -> Self {
        Self {
            target,
            name,
            design: Design::default(),
            data: TrainingData::default(),
            length: TrainingLength::default(),
            precision: Precision::default(),
            seed: 0,
        }
    }
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

impl Default for TrainingData {
    fn default() -> Self {
        let usual = Suite::ALL.into_iter().filter(|suite| suite.usual);
        Self::Suites(usual.map(|suite| suite.id.to_owned()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::{TrainingData, TrainingOrder};

    #[test]
    fn the_usual_training_asks_the_suites_that_are_about_anything_but_this_app() {
        let usual = TrainingOrder::usual("t".into(), "n".into());
        assert_eq!(usual.data, TrainingData::Suites(["chat", "code", "maths", "structured"].map(String::from).into()));
    }
}
