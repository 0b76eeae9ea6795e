//! What crosses between the window and the app, and nothing else does. `ui/src/lib/bindings.ts` is made from these
//! types.

mod answer;
mod calibration;
mod comparison;
mod controls;
mod conversation;
mod details;
mod download;
mod failure;
mod files;
mod hub;
mod model;
mod offer;
mod proof;
mod report;
mod settings;
mod speculation;
mod training;
mod window;

pub(crate) use answer::{Frame, Outcome, Phase, Round, Trace, Written};
pub(crate) use calibration::{
    Calibration, CalibrationChoices, CalibrationEstimate, CalibrationExport, CalibrationOrder, CalibrationStanding,
};
pub(crate) use comparison::{
    Comparison, ComparisonChoices, ComparisonEstimate, ComparisonExport, ComparisonOrder, ComparisonReport, Race,
};
pub(crate) use controls::{Asking, Controls, Precision, Preferences, Preset};
pub(crate) use conversation::{Attachment, Conversation, ConversationExport, Found, Message, Said, UnsentMessage};
pub(crate) use details::{BandwidthCeiling, Details};
pub(crate) use download::{Download, Got};
pub(crate) use failure::{Failure, sentence};
pub(crate) use files::{Check, Checked, Checking, MissingFiles, Work};
pub(crate) use hub::{CataloguePair, Discovered, HubStatus, InPlace, Wanted};
pub(crate) use model::{Model, Shelf, Trashed};
pub(crate) use offer::{Fit, Offer};
pub(crate) use proof::Proof;
pub(crate) use report::{CalibrationAdvice, CalibrationReport};
pub(crate) use settings::{About, MemoryReserve, Storage};
pub(crate) use speculation::{Bound, Course, Schedule, Speculation, Standing};
pub(crate) use training::{Training, TrainingChoices, TrainingEstimate, TrainingOrder};
pub(crate) use window::{Appearance, Menu, MenuAction};
