//! Noise that depends on nothing but the seed, the position in the sequence and what it is for.
//!
//! Keys follow positions, not the order of draws, so that a draft of another length, or none, leaves the noise of
//! every later position as it was. A position may be drafted in several rounds with the same noise: only the draw of
//! the round that settles the position reaches the text, so its noise is as good as fresh.

use mlx_rs::{Array, error::Exception, ops, random};

use crate::Result;

/// What a draw is for; different uses must not share noise.
#[derive(Debug, Clone, Copy)]
pub(super) enum Use {
    /// The target's token, and the drafter's where they are coupled.
    Token = 1,
    /// The drafter's own token under the ratio rule.
    Draft = 2,
    /// Whether a drafted token is accepted.
    Accept = 3,
}

/// Standard Gumbel noise for `rows` positions from `position` on, `[rows, vocabulary]`.
pub(super) fn gumbel(seed: u64, position: usize, rows: i32, vocabulary: i32, purpose: Use) -> Result<Array> {
    let row = |key: &Array| random::gumbel::<f32>(&[1, vocabulary], key);
    each(seed, position, rows, purpose, row)
}

/// Uniform noise in [0, 1) for `rows` positions from `position` on, `[rows]`.
pub(super) fn uniform(seed: u64, position: usize, rows: i32, purpose: Use) -> Result<Array> {
    each(seed, position, rows, purpose, |key| random::uniform::<_, f32>(0.0, 1.0, &[1], key))
}

/// The keys themselves, for a position that only the device knows, `[rows, 2]`.
pub(super) fn keys(seed: u64, position: usize, rows: i32, purpose: Use) -> Result<Array> {
    each(seed, position, rows, purpose, |key| key.reshape(&[1, 2]))
}

fn each(
    seed: u64,
    position: usize,
    rows: i32,
    purpose: Use,
    row: impl Fn(&Array) -> Result<Array, Exception>,
) -> Result<Array> {
    let rows = (0..rows).zip(position..).map(|(_, position)| row(&key(seed, position, purpose)?));
    Ok(ops::concatenate(&rows.collect::<Result<Vec<_>, _>>()?, 0)?)
}

fn key(seed: u64, position: usize, purpose: Use) -> Result<Array, Exception> {
    random::key(mix(mix(seed ^ purpose as u64) ^ position as u64))
}

/// The finaliser of `SplitMix64`: neighbouring inputs give unrelated outputs.
fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}
