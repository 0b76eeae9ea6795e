//! Drafters: rows, logits, tokens, confidences and context of successive rounds with a growing context.

mod seed;

use nn::{Sampler, Sampling};

/// On rows, logits and probabilities; tokens are exact.
const TOLERANCE: f32 = 2e-4;

fn greedy() -> Sampler {
    Sampler::new(Sampling { temperature: 0.0, ..Sampling::default() })
}
