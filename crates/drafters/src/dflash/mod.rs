//! `DFlash` and `DFlash` 2 in the format of their authors: a backbone that borrows embeddings and head of the target and
//! proposes a block at once (`DFlash` paper, arXiv:2602.06036; the package `dflash` 0.1.0).

mod additions;
mod config;
mod initial;
mod shape;
pub(crate) mod sizes;
mod whole;

use std::path::Path;

pub(crate) use additions::Additions;
use config::Config;
pub use initial::{NewFlash, NewSelector};
use mlx_rs::Dtype;
use nn::{Inventory, Weights};
pub(crate) use shape::{Shape, Sight};
pub(crate) use sizes::Sizes;
pub use whole::DFlash;

use crate::{
    BlockDrafter, Kind, Result, Survey,
    block::{Head, HeadMatrix, Inputs, Walk},
    tensors::{self, Parts},
};

/// Checks that the files hold every tensor and no other, without reading them.
pub(crate) fn survey(folder: &Path, kind: Kind, target: Dtype) -> Result<Survey> {
    let config = Config::read(folder, kind)?;
    let inventory = Inventory::read(folder)?;
    let fitted = tensors::fit(&inventory, &config.shape.tensors(), &config.quantization)?;
    Ok(Survey::new(config.facts(), &fitted, tensors::dtype(&inventory, "fc", target)))
}

/// Reads a drafter.
pub(crate) fn load(folder: &Path, kind: Kind, target: Dtype) -> Result<BlockDrafter> {
    let config = Config::read(folder, kind)?;
    let inventory = Inventory::read(folder)?;
    let fitted = tensors::fit(&inventory, &config.shape.tensors(), &config.quantization)?;
    let dtype = tensors::dtype(&inventory, "fc", target);
    Ok(assemble(&config, &Weights::read(&fitted, dtype)?, dtype))
}

/// The drafter that these tensors make.
fn assemble(config: &Config, weights: &Weights, dtype: Dtype) -> BlockDrafter {
    let parts = Parts { weights, eps: config.shape.sizes.eps };
    BlockDrafter {
        facts: config.facts(),
        dtype,
        slots: config.slots,
        inputs: Inputs::Borrowed { mask: config.mask, scaled: true, factor: config.embedding_scale },
        backbone: config.shape.backbone(&parts),
        head: Head { matrix: HeadMatrix::Borrowed, multiplier: config.multiplier, cap: config.cap },
        subset: None,
        walk: match config.shape.additions {
            Some(additions) => Walk::Selector(additions.selector(&parts)),
            None => Walk::Rows,
        },
    }
}
