//! Why a draft was no longer.

use serde::{Deserialize, Serialize};

/// What kept a draft from being longer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// γ: the user's, or the most that the drafter can propose. Without a drafter it is 0.
    #[default]
    Limit,
    /// The drafter had nothing to propose: nothing like it stood in the text, or it lacks a row of the target's.
    Drafter,
    /// What is still allowed to be written: the target adds a token of its own.
    Budget,
    /// The confidence of the next position lies below its threshold.
    Threshold,
    /// Too few tokens of the last rounds stood.
    Acceptance,
    /// One more token would have cost more time than it was likely to save.
    Cost,
}
