//! What the window can ask for. Each command asks the app one thing and translates the answer.

pub(crate) mod calibration;
pub(crate) mod chat;
pub(crate) mod comparison;
pub(crate) mod conversations;
pub(crate) mod downloads;
pub(crate) mod files;
pub(crate) mod hub;
pub(crate) mod models;
pub(crate) mod preferences;
pub(crate) mod settings;
pub(crate) mod training;
pub(crate) mod window;
