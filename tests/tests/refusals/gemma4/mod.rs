//! Targets.

mod configuration;
mod experts;
mod files;
mod packings;
mod tensors;
