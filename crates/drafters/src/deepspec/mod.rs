//! `DSpark` in the format of its authors' training code, `DeepSpec`: one class for `DSpark` and, without sequential head
//! and confidence, for a `DFlash` whose anchor predicts too.
//!
//! The layers are the target family's own, with values normed and attention unscaled; what the block adds is that its
//! rows see the context and each other, whatever their order.

mod config;
mod parts;
mod tensors;

use mlx_rs::Dtype;
use std::path::Path;

use config::Config;
use nn::{Inventory, Weights};
use tensors::wanted;

use crate::{
    BlockDrafter, Result, Survey,
    tensors::{dtype, fit},
};

/// Checks that the files hold every tensor, without reading them.
pub(crate) fn survey(folder: &Path, target: Dtype) -> Result<Survey> {
    let config = Config::read(folder)?;
    let inventory = Inventory::read(folder)?;
    let fitted = fit(&inventory, &wanted(&config), &config.quantization)?;
    Ok(Survey::new(config.facts(), &fitted, dtype(&inventory, "fc", target)))
}

/// Reads a drafter.
pub(crate) fn load(folder: &Path, target: Dtype) -> Result<BlockDrafter> {
    let config = Config::read(folder)?;
    let inventory = Inventory::read(folder)?;
    let fitted = fit(&inventory, &wanted(&config), &config.quantization)?;
    let dtype = dtype(&inventory, "fc", target);
    parts::assemble(&config, &Weights::read(&fitted, dtype)?, dtype)
}
