//! `DFlash`, `DSpark` and `DFlash` 2 in the layout of the speculators library (the package `speculators` 0.5 to 0.9).
//!
//! The same layers as in their authors' formats and yet other numbers: embeddings are not scaled, logits not capped, and
//! windows end at the anchor. A drafter may bring a table and a head of its own, for a part of the vocabulary.

mod config;
mod extras;
mod slots;
mod vocabulary;

use mlx_rs::Dtype;
use std::path::Path;

use config::Config;
use extras::Extras;
use nn::{Inventory, Wanted, Weights};

use crate::{
    BlockDrafter, Result, Survey,
    block::{Head, Walk},
    dflash::Sizes,
    kind::Algorithm,
    tensors::{self, Parts},
};

/// Checks that the files hold every tensor and no other, without reading them.
pub(crate) fn survey(folder: &Path, algorithm: Algorithm, target: Dtype) -> Result<Survey> {
    let config = Config::read(folder, algorithm)?;
    let inventory = Inventory::read(folder)?;
    let wanted = tensors(&config, &Extras::of(&config, &inventory));
    let fitted = tensors::fit(&inventory, &wanted, &config.quantization)?;
    Ok(Survey::new(config.facts(), &fitted, tensors::dtype(&inventory, "fc", target)))
}

/// Reads a drafter.
pub(crate) fn load(folder: &Path, algorithm: Algorithm, target: Dtype) -> Result<BlockDrafter> {
    let config = Config::read(folder, algorithm)?;
    let inventory = Inventory::read(folder)?;
    let extras = Extras::of(&config, &inventory);
    let fitted = tensors::fit(&inventory, &tensors(&config, &extras), &config.quantization)?;
    let dtype = tensors::dtype(&inventory, "fc", target);
    let weights = Weights::read(&fitted, dtype)?;
    let Sizes { eps, vocab, .. } = config.shape.sizes;
    let parts = Parts { weights: &weights, eps };
    let mut facts = config.facts();
    Ok(BlockDrafter {
        subset: extras.subset(vocab, &parts, folder, &mut facts.notes)?,
        facts,
        dtype,
        slots: config.slots,
        inputs: extras.inputs(&config, &parts, dtype)?,
        backbone: config.shape.backbone(&parts),
        head: Head { matrix: extras.head(&parts), multiplier: config.multiplier, cap: config.cap },
        walk: match (&config.heads, config.shape.additions) {
            (Some(heads), _) => heads.walk(&parts),
            (None, Some(additions)) => Walk::Selector(additions.selector(&parts)),
            (None, None) => Walk::Rows,
        },
    })
}

/// Every tensor of a drafter.
fn tensors(config: &Config, extras: &Extras) -> Vec<Wanted> {
    let &Sizes { hidden, vocab, .. } = &config.shape.sizes;
    let heads = config.heads.iter().flat_map(|heads| heads.tensors(hidden, vocab, extras.drafted));
    config.shape.tensors().into_iter().chain(heads).chain(extras.tensors.iter().cloned()).collect()
}
