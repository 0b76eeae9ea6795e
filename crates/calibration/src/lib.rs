//! What measured numbers say about drafting: how true a confidence is and what makes it true, what a round costs on this
//! machine, how long a draft is worth it, and whether drafting is worth it at all.
//!
//! What this crate does **not** know: models, devices, clocks, files. Seconds and confidences come in, numbers and
//! lengths go out.

mod acceptance;
mod advice;
mod auto;
mod cost;
mod curve;
mod error;
mod mode;
mod recording;
mod reliability;
mod scaling;
mod speed;
mod spread;
mod temperatures;
mod thresholds;
mod turns;

pub use acceptance::Acceptance;
pub use advice::{Advice, Measured, recommend, worth};
pub use auto::Auto;
pub use cost::{Cost, CostRow, Spent};
pub use error::CalibrationError;
pub use mode::Mode;
pub use recording::{Recorded, Recording, Sample, is_held_out, survivals};
pub use reliability::{Bin, Reliability};
pub use scaling::{Calibration, Scaled};
pub use speed::{Interval, Timed, speed, surely_greatest, times};
pub use spread::Spread;
pub use temperatures::{ENOUGH_ROUNDS, temperatures};
pub use thresholds::{ENOUGH_SAMPLES, PRECISION, thresholds};
pub use turns::in_turn;
