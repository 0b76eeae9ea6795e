//! What crosses between the window and the app, and nothing else does. `ui/src/lib/bindings.ts` is made from these
//! types.

mod answer;
mod controls;
mod conversation;
mod details;
mod failure;
mod model;
mod proof;
mod speculation;

pub(crate) use answer::{Frame, Outcome, Phase, Round};
pub(crate) use controls::{Controls, Preferences};
pub(crate) use conversation::{Conversation, Message, Said};
pub(crate) use details::Details;
pub(crate) use failure::{Failure, sentence};
pub(crate) use model::Model;
pub(crate) use proof::Proof;
pub(crate) use speculation::{Course, Schedule, Speculation, Standing};
