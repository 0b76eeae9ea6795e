//! The target family: Gemma 4 text models, with experts or without, and Gemma 3 text models, from Hugging Face or MLX
//! checkpoints.
//!
//! What this crate does **not** know: drafters (it hands out tapped rows to whoever asks), text, threads. Whether a
//! feature is there follows from the configuration alone; one implementation serves the whole family.

mod attention;
mod config;
mod conversation;
mod error;
mod fault;
mod layer;
mod member;
mod memory;
mod mixture;
mod model;
mod names;
mod norm;
mod pass;
mod per_layer;
mod step;
mod survey;
mod tensors;
mod verifier;

pub use config::{Config, Family, Geometry};
pub use conversation::Conversation;
pub use error::{Error, Result};
pub use fault::Part;
pub use memory::{Needs, Passes};
pub use mixture::Route;
pub use model::{Model, Rows};
pub use names::Spare;
pub use nn::LayerKind;
pub use survey::{Skipped, Survey};
pub use verifier::Verifier;
