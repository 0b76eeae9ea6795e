//! What measured numbers say about drafting: what a round costs on this machine, and how long a draft is worth it.
//!
//! What this crate does **not** know: models, devices, clocks, files. Seconds and confidences come in, numbers and
//! lengths go out.

mod acceptance;
mod auto;
mod cost;
mod curve;

pub use acceptance::Acceptance;
pub use auto::Auto;
pub use cost::{Cost, Spent};
