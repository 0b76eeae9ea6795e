//! The kinds of drafters: from files to proposals.
//!
//! What this crate does **not** know: any target. It borrows embedding and head through [`nn::Vocabulary`] and reads
//! tapped rows by layer number, or keys and values through [`nn::Donors`]; whether a drafter suits a target is a question
//! of numbers ([`Facts::fit`]).

mod assistant;
mod block;
mod config;
mod context;
mod deepspec;
mod dflash;
mod dspark;
mod error;
mod facts;
mod heads;
mod kind;
mod lookup;
mod rotation;
mod saving;
mod speculators;
mod survey;
mod tensors;
mod trainable;

use mlx_rs::Dtype;
use std::{path::Path, rc::Rc};

use nn::{Donors, Vocabulary};

pub use assistant::{AssistantContext, AssistantDrafter, AssistantProposer, Lent, Step};
pub use block::{BlockContext, BlockDrafter, BlockProposer, Choose, Texts, Told};
pub use context::{Context, Proposer};
pub use dflash::{DFlash, NewFlash, NewSelector};
pub use dspark::{DOCUMENT, DSpark, Fitted, New, fitted_in, is_fitted};
pub use error::{Error, Result};
pub use facts::Facts;
pub use kind::{Algorithm, Kind};
pub use lookup::{LookupContext, LookupDrafter, LookupProposer};
pub use survey::Survey;
pub use trainable::Trainable;

/// A loaded drafter of any kind. A clone shares its weights.
#[derive(Debug, Clone)]
pub enum Drafter {
    /// One that proposes a block at once.
    Block(Rc<BlockDrafter>),
    /// One that reads the target's keys and values, token by token.
    Assistant(Rc<AssistantDrafter>),
    /// One without a model.
    Lookup(Rc<LookupDrafter>),
}

impl Drafter {
    /// One that needs no files: it looks up in the text itself, up to `limit` tokens a round.
    #[must_use]
    pub fn lookup(limit: usize) -> Self {
        Self::Lookup(Rc::new(LookupDrafter::new(limit)))
    }

    /// What its files say of it.
    #[must_use]
    pub fn facts(&self) -> &Facts {
        match self {
            Self::Block(drafter) => drafter.facts(),
            Self::Assistant(drafter) => drafter.facts(),
            Self::Lookup(drafter) => drafter.facts(),
        }
    }

    /// The layers whose output it reads of a target with `layers` of them; that number stands for the final norm.
    #[must_use]
    pub fn taps(&self, layers: usize) -> Vec<usize> {
        match self {
            Self::Block(drafter) => drafter.facts().taps.clone(),
            Self::Assistant(_) => vec![layers],
            Self::Lookup(_) => Vec::new(),
        }
    }

    /// An empty context for one conversation with a target that lends `vocabulary` and `donors`.
    ///
    /// # Errors
    /// When it reads keys and values, and those are not what it was made for.
    pub fn context(&self, vocabulary: Rc<dyn Vocabulary>, donors: Rc<dyn Donors>) -> Result<Box<dyn Context>> {
        Ok(match self {
            Self::Block(drafter) => Box::new(drafter.context(vocabulary)),
            Self::Assistant(drafter) => Box::new(drafter.context(vocabulary, donors)?),
            Self::Lookup(drafter) => Box::new(drafter.context()),
        })
    }

    /// Whether both are the same loaded drafter.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Block(one), Self::Block(other)) => Rc::ptr_eq(one, other),
            (Self::Assistant(one), Self::Assistant(other)) => Rc::ptr_eq(one, other),
            (Self::Lookup(one), Self::Lookup(other)) => Rc::ptr_eq(one, other),
            _ => false,
        }
    }
}

/// Looks through the files of the drafter that a folder holds, for a target that computes in `target`; no weights are read.
///
/// # Errors
/// When the folder holds no whole drafter that runs here, or its files are malformed.
pub fn survey(folder: &Path, target: Dtype) -> Result<Survey> {
    match Kind::of(folder)? {
        Kind::DSpark => DSpark::survey(folder),
        kind @ (Kind::DFlash | Kind::DFlash2) => dflash::survey(folder, kind, target),
        Kind::Speculators(algorithm) => speculators::survey(folder, algorithm, target),
        Kind::DeepSpec => deepspec::survey(folder, target),
        Kind::Assistant => assistant::survey(folder, target),
        Kind::Lookup => Err(no_files(folder)),
    }
}

/// Loads the drafter that a folder holds, for a target that computes in `target`; the kind follows from its files, never from
/// its name. Beside a target in float32 it computes in float32 whatever its files hold.
///
/// # Errors
/// When the folder holds no drafter that runs here, or its files are malformed.
pub fn open(folder: &Path, target: Dtype) -> Result<Drafter> {
    let drafter = match Kind::of(folder)? {
        Kind::DSpark => DSpark::load(folder)?.drafter(),
        Kind::DeepSpec => deepspec::load(folder, target)?,
        kind @ (Kind::DFlash | Kind::DFlash2) => dflash::load(folder, kind, target)?,
        Kind::Speculators(algorithm) => speculators::load(folder, algorithm, target)?,
        Kind::Assistant => return Ok(Drafter::Assistant(Rc::new(AssistantDrafter::load(folder, target)?))),
        Kind::Lookup => return Err(no_files(folder)),
    };
    Ok(Drafter::Block(Rc::new(drafter)))
}

/// No files make a drafter without a model.
fn no_files(folder: &Path) -> Error {
    Error::NoDrafter { folder: folder.to_owned(), architecture: None }
}
