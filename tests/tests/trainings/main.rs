//! Drafters trained on this machine: by the engine between answers, by the app, and from a terminal that is killed.

mod app;
mod lessons;
mod refusals;
mod terminal;
