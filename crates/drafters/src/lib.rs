//! The kinds of drafters: from files to proposals.
//!
//! What this crate does **not** know: any target. It borrows embedding and head through [`nn::Vocabulary`] and reads
//! tapped rows by layer number; whether a drafter suits a target is a question of numbers ([`Facts::fit`]).

mod block;
mod config;
mod context;
mod dflash;
mod dspark;
mod error;
mod facts;
mod kind;
mod speculators;
mod survey;
mod tensors;

use std::{path::Path, rc::Rc};

use nn::Vocabulary;

pub use block::{BlockContext, BlockDrafter, BlockProposer, Choose};
pub use context::{Context, Proposer};
pub use dspark::{DSpark, New};
pub use error::{Error, Result};
pub use facts::Facts;
pub use kind::{Algorithm, Kind};
pub use survey::Survey;

/// A loaded drafter of any kind. A clone shares its weights.
#[derive(Debug, Clone)]
pub enum Drafter {
    /// One that proposes a block at once.
    Block(Rc<BlockDrafter>),
}

impl Drafter {
    /// What its files say of it.
    #[must_use]
    pub fn facts(&self) -> &Facts {
        match self {
            Self::Block(drafter) => drafter.facts(),
        }
    }

    /// An empty context for one conversation with a target that lends `vocabulary`.
    #[must_use]
    pub fn context(&self, vocabulary: Rc<dyn Vocabulary>) -> Box<dyn Context> {
        match self {
            Self::Block(drafter) => Box::new(drafter.context(vocabulary)),
        }
    }

    /// Whether both are the same loaded drafter.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Block(one), Self::Block(other)) => Rc::ptr_eq(one, other),
        }
    }
}

/// Looks through the files of the drafter that a folder holds; no weights are read.
///
/// # Errors
/// When the folder holds no whole drafter that runs here, or its files are malformed.
pub fn survey(folder: &Path) -> Result<Survey> {
    match Kind::of(folder)? {
        Kind::DSpark => DSpark::survey(folder),
        kind @ (Kind::DFlash | Kind::DFlash2) => dflash::survey(folder, kind),
        Kind::Speculators(algorithm) => speculators::survey(folder, algorithm),
        kind @ (Kind::DeepSpec | Kind::Assistant) => Err(not_yet(folder, kind)),
    }
}

/// Loads the drafter that a folder holds; the kind follows from its files, never from its name.
///
/// # Errors
/// When the folder holds no drafter that runs here, or its files are malformed.
pub fn open(folder: &Path) -> Result<Drafter> {
    let drafter = match Kind::of(folder)? {
        Kind::DSpark => DSpark::load(folder)?.drafter(),
        kind @ (Kind::DFlash | Kind::DFlash2) => dflash::load(folder, kind)?,
        Kind::Speculators(algorithm) => speculators::load(folder, algorithm)?,
        kind @ (Kind::DeepSpec | Kind::Assistant) => return Err(not_yet(folder, kind)),
    };
    Ok(Drafter::Block(Rc::new(drafter)))
}

fn not_yet(folder: &Path, kind: Kind) -> Error {
    Error::OtherKind { folder: folder.to_owned(), what: format!("a drafter of the kind {kind}") }
}
