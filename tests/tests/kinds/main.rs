//! What holds for each kind of drafter, in each layout that it is published in, under each schedule.

mod crown;
mod endings;
mod ratio;
mod sessions;
mod waits;

use nn::{Rule, Sampling};

/// Longer than the targets' window of 8.
const TOKENS: usize = 9;

/// One prompt that is a single token, one shorter than the window, one longer, and one that repeats itself.
fn prompts() -> [Vec<u32>; 4] {
    let long = (0..10).map(|i| (i * 37 + 11) % 90 + 3).collect::<Vec<_>>();
    let again = [&long[..4], &long[..4], &long[..2]].concat();
    [vec![2], [&[2], &long[..4]].concat(), [&[2], &long[..]].concat(), [&[2], &again[..]].concat()]
}

/// Hot enough for texts that do not repeat themselves.
fn hot(rule: Rule, seed: u64) -> Sampling {
    Sampling { temperature: 3.0, top_p: 1.0, top_k: 0, seed, rule, ..Sampling::default() }
}
