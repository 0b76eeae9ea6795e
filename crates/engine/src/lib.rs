//! The one thread that touches MLX. Everyone else holds an [`Engine`], which is a handle.
//!
//! What this crate does **not** know: sockets, databases, windows. A request comes with folders and text; events go
//! to a callback.

mod answer;
mod bandwidth;
mod batch;
mod doubt;
mod error;
mod event;
mod fingerprint;
mod fitted;
mod inspect;
mod leave;
mod making;
mod measuring;
mod memory;
mod models;
mod new_drafter;
mod numbers;
mod pilot;
mod reading;
mod request;
mod reuse;
mod rounds;
mod session;
mod settings;
mod thread;
mod training;
mod verify;
mod writing;

pub use bandwidth::second_best;
pub use calibration::{Calibration, Cost, Mode};
pub use decode::{Bound, Finish, Provenance, Standing, Turn};
pub use error::{Error, Result};
pub use event::{Answer, Event, Round, Speculation, Stats};
pub use fingerprint::fingerprint;
pub use fitted::{Fitted, fitted_in, holds_fitted, is_fitted, take_back_fitted, write_fitted};
pub use inspect::{Checkpoint, CheckpointRole, Drafts, Reach, Skipped, inspect, lookup, thinks};
pub use leave::leave;
pub use memory::{Machine, Need, Plan, Room, Shortage, processor, size};
pub use new_drafter::NewDrafter;
pub use pilot::Course;
pub use request::{
    Begun, Controls, DraftSource, Memory, Message, Penalties, Precision, Prompt, Request, Role, Rule, Sampling,
    Scheduling,
};
pub use reuse::Reuse;
pub use thread::{Cancel, Engine};
pub use training::{Design, DesignKind, DesignSize, Kept, Lesson, LessonEvent, LessonPlan, TrainingLength};
pub use verify::{Candidate, Claim, Divergence, Proof};
pub use writing::Unfinished;
