//! What became of verifying an answer.

use serde::Serialize;
use specta::Type;

use super::sentence;

/// What plain decoding says of an answer.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Proof {
    /// Whether the answer is what it should be; a near-tie is no fault.
    holds: bool,
    /// How many tokens are the same, or the first that is not, with both logits and their margin.
    sentence: String,
}

impl From<app::Proof> for Proof {
    fn from(proof: app::Proof) -> Self {
        Self { holds: !proof.is_fault(), sentence: sentence(&proof.to_string()) }
    }
}
