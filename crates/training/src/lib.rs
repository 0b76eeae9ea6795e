//! Trains a drafter for a target on this machine: the target's answers become shards of what it computed, and the
//! drafter learns to say what the target will say. Small targets can be taught, too ([`TargetTrainer`]).
//!
//! What this crate does **not** know: text (it sees token ids), windows, clocks on a wall, the network, the library of
//! models. The forward pass that it differentiates is the one that drafts; see [`drafters::BlockDrafter::told`].
//!
//! The order of things: [`regenerate`] answers with the target, [`capture`] what it computes of them, write that as
//! shards ([`ShardWriter`]), read those as [`Data`], and give both to a [`Trainer`].

mod answers;
mod batch;
mod capture;
mod data;
mod error;
mod loss;
mod optimiser;
mod random;
mod schedule;
mod settings;
mod shard;
mod state;
mod target;
mod trainer;

pub use answers::regenerate;
pub use batch::Batch;
pub use capture::{capture, captured};
pub use data::Data;
pub use error::{Error, Result};
pub use loss::{Loss, Parts, acceptance, position_weights, tokens_per_round};
pub use optimiser::AdamW;
pub use random::Random;
pub use schedule::learning_rate;
pub use settings::Settings;
pub use shard::{SHARD_ROWS, Sequence, ShardWriter};
pub use target::{TargetTrainer, Text};
pub use trainer::{Ended, Event, Held, Trainer};
