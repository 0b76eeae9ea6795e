//! How the drafters of the app are taught.

use training::Settings;

/// Sequences of a step, and blocks in each.
pub(super) const SEQUENCES: usize = 4;
pub(super) const ANCHORS: usize = 6;

/// The most rows of context before a block.
pub(super) const CONTEXT: usize = 512;

/// Measurements of a long training, besides the first; and the fewest steps between two, since each takes as long as
/// several steps.
pub(super) const MEASUREMENTS: usize = 12;
pub(super) const BETWEEN: usize = 25;

/// A training of so many steps that holds out this part of the answers.
pub(super) fn settings(steps: usize, seed: u64, held_out: f32) -> Settings {
    Settings {
        steps,
        sequences: SEQUENCES,
        anchors: ANCHORS,
        max_context: CONTEXT,
        least_rate: 0.05,
        warm_up: (steps / 20).clamp(1, 150),
        held_out,
        measured: 96,
        measure_every: (steps / MEASUREMENTS).max(BETWEEN),
        save_every: 50,
        seed,
        ..Settings::default()
    }
}
