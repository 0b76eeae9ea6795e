//! The target family's own drafter: a few layers without keys and values. They read those of the target, and what goes
//! in is the newest token's row of the target's table beside the target's last row. One token comes out at a time; its
//! row, projected back to the target's width, goes in with it for the next.

mod config;
mod context;
mod decoder;
mod drafting;
mod head;
mod pairing;
mod parts;
mod tensors;

use std::{path::Path, rc::Rc};

use config::Config;
pub use context::{AssistantContext, AssistantProposer};
use decoder::{Layer, Projections};
pub use decoder::{Lent, Step};
pub(crate) use drafting::together;
use head::Head;
use mlx_rs::Dtype;
use nn::{Donors, Inventory, LayerKind, Norm, Vocabulary, Weights};

use crate::{Facts, Result, Survey, tensors::dtype};

/// The most tokens that are drafted a round. There is no trained block, so any number would do.
pub(crate) const MOST: usize = 8;
/// As many as are worth it usually.
pub(crate) const USUAL: usize = 3;

/// A loaded assistant: immutable weights.
#[derive(Debug)]
pub struct AssistantDrafter {
    config: Config,
    facts: Facts,
    /// What it computes in.
    dtype: Dtype,
    projections: Projections,
    layers: Vec<Layer>,
    norm: Norm,
    head: Head,
}

/// Checks that the files hold every tensor, without reading them.
pub(crate) fn survey(folder: &Path, target: Dtype) -> Result<Survey> {
    let config = Config::read(folder)?;
    let inventory = Inventory::read(folder)?;
    let fitted = tensors::fit(&config, &inventory)?;
    Ok(Survey::new(config.facts(), &fitted, dtype(&inventory, "pre_projection", target)))
}

impl AssistantDrafter {
    /// Reads a drafter for a target that computes in `target`.
    ///
    /// # Errors
    /// When its files are malformed, or lack a tensor.
    pub fn load(folder: &Path, target: Dtype) -> Result<Self> {
        let config = Config::read(folder)?;
        let inventory = Inventory::read(folder)?;
        let fitted = tensors::fit(&config, &inventory)?;
        let dtype = dtype(&inventory, "pre_projection", target);
        parts::assemble(config, &Weights::read(&fitted, dtype)?, tensors::table(&inventory), dtype)
    }

    /// What its files say of it.
    #[must_use]
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Whether it was made for a target that lends such keys and values.
    ///
    /// # Errors
    /// Names the first thing that differs, and both values.
    pub fn fit(&self, donors: &dyn Donors) -> Result<()> {
        let read = |kind: &LayerKind| self.config.kinds.contains(kind);
        let mut kinds = [LayerKind::Sliding, LayerKind::Full].into_iter().filter(read);
        kinds.try_for_each(|kind| pairing::check(&self.config, kind, donors.donor(kind)))
    }

    /// A context for one conversation with a target that lends `vocabulary` and `donors`.
    ///
    /// # Errors
    /// When the target is not one that it was made for.
    pub fn context(
        self: &Rc<Self>,
        vocabulary: Rc<dyn Vocabulary>,
        donors: Rc<dyn Donors>,
    ) -> Result<AssistantContext> {
        self.fit(&*donors)?;
        Ok(AssistantContext::new(Rc::clone(self), vocabulary, donors))
    }
}
