//! The keys and values that a drafter borrows of its target.

use mlx_rs::Array;
use serde::Deserialize;

use crate::Result;

/// How far back a layer's rows see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum LayerKind {
    /// The newest rows only.
    #[serde(rename = "sliding_attention")]
    Sliding,
    /// All rows.
    #[serde(rename = "full_attention")]
    Full,
}

/// What the keys and values of a donor are like: the target's last layer of its kind that owns any.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Donor {
    /// Size of a head, `D`.
    pub head_dim: i32,
    /// Heads of keys and values.
    pub groups: i32,
    /// Rows that a row sees, itself included, if not all.
    pub window: Option<usize>,
    /// Base of the rotary angles.
    pub rope_base: f32,
    /// The part of the lanes that rotates.
    pub rope_partial: f32,
    /// What positions are divided by.
    pub rope_factor: f32,
}

/// One conversation's keys and values, to read between rounds.
///
/// The caches behind them hold committed rows only then, so a rejected token is never read.
pub trait Donors {
    /// What the donor of `kind` is like, if the target has one.
    fn donor(&self, kind: LayerKind) -> Option<Donor>;

    /// How many layers the target has; as a tap that number is its final norm.
    fn layers(&self) -> usize;

    /// How many rows are committed, `P`.
    fn position(&self) -> usize;

    /// Keys, as they were rotated, and values, `[1, groups, S, D]` each: those that the newest committed row sees, all
    /// or those of the window, oldest first. `None` before the first row, and where there is no donor.
    ///
    /// # Errors
    /// When MLX fails.
    fn rows(&self, kind: LayerKind) -> Result<Option<(Array, Array)>>;
}
