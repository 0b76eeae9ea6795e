//! `DSpark` in the format of its authors' training code, `DeepSpec`: one class for `DSpark` and, without sequential head
//! and confidence, for a `DFlash` whose anchor predicts too.
//!
//! The layers are the target family's own, with values normed and attention unscaled; what the block adds is that its
//! rows see the context and each other, whatever their order.

mod config;
mod parts;
mod tensors;

use std::path::Path;

use config::Config;
use nn::{Inventory, Weights};
use tensors::wanted;

use crate::{
    BlockDrafter, Facts, Result,
    tensors::{dtype, fit},
};

/// What a drafter's files say of it.
pub(crate) fn describe(folder: &Path) -> Result<Facts> {
    Ok(Config::read(folder)?.facts())
}

/// Checks that the files hold every tensor, without reading them.
pub(crate) fn check(folder: &Path) -> Result<(Facts, Inventory)> {
    let config = Config::read(folder)?;
    let inventory = Inventory::read(folder)?;
    fit(&inventory, &wanted(&config), &config.quantization)?;
    Ok((config.facts(), inventory))
}

/// Reads a drafter.
pub(crate) fn load(folder: &Path) -> Result<BlockDrafter> {
    let config = Config::read(folder)?;
    let inventory = Inventory::read(folder)?;
    let fitted = fit(&inventory, &wanted(&config), &config.quantization)?;
    let dtype = dtype(&inventory, "fc");
    parts::assemble(&config, &Weights::read(&fitted, dtype)?, dtype)
}
