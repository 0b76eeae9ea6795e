//! Lossless speculative decoding: one loop over three traits, [`Target`], [`Drafter`] and [`Schedule`].
//!
//! A *round* is: the drafter proposes, the schedule cuts, the target verifies in one pass, the longest agreed
//! prefix plus exactly one token of the target's own is emitted, everything else is rolled back. Plain decoding is
//! the same loop with an empty draft, so there is one stop rule and one way to count.
//!
//! What this crate does **not** know: tensors, text, files, clocks, threads. A draft may still lie on the device when
//! it passes through here; only its length is known until the target has verified it.

mod accept;
mod adaptive;
mod answer;
mod batch;
mod bound;
mod parking;
mod prefill;
mod schedule;
mod standing;
mod stats;
mod traits;

pub use accept::{Verdict, agree};
pub use adaptive::Adaptive;
pub use answer::{Answer, Emitted, EmptyPrompt, Finish, Limits, Provenance, Round};
pub use batch::{Batched, rounds};
pub use bound::Bound;
pub use parking::{Parking, Turn};
pub use prefill::prefill;
pub use schedule::{Fixed, Gate, Schedule, Thresholds};
pub use standing::{Standing, Tally};
pub use stats::Stats;
pub use traits::{Ask, Block, Draft, Drafter, Pass, Probabilities, Target, Verified};

/// A token id of the target's vocabulary.
pub type Token = u32;
