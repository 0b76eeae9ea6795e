//! The kinds of drafters: from files to proposals.
//!
//! What this crate does **not** know: any target. It borrows embedding and head through [`nn::Vocabulary`] and reads
//! tapped rows by layer number; whether a drafter suits a target is a question of numbers ([`DSpark::fit`]).

mod dspark;
mod error;

use std::path::Path;

use nn::Inventory;

pub use dspark::{Context, DSpark, Document, Needs, New, Proposer};
pub use error::{Error, Result};

/// What a drafter's files say of it; no weights are read.
///
/// # Errors
/// When the folder holds no drafter that runs here, or its description is malformed.
pub fn describe(folder: &Path) -> Result<Document> {
    if folder.join(dspark::DOCUMENT).exists() {
        Document::read(folder)
    } else {
        Err(Error::NoDrafter { folder: folder.to_owned() })
    }
}

/// Checks that a folder holds a whole drafter that runs here; no weights are read.
///
/// # Errors
/// When it does not, or its files are malformed.
pub fn check(folder: &Path) -> Result<(Document, Inventory)> {
    let document = describe(folder)?;
    let inventory = DSpark::check(&document, folder)?;
    Ok((document, inventory))
}

/// What the drafter that a folder holds needs of memory; no weights are read.
///
/// # Errors
/// When the folder holds no drafter that runs here, or its files are malformed.
pub fn needs(folder: &Path) -> Result<Needs> {
    let (document, inventory) = check(folder)?;
    Needs::new(document, &inventory)
}

/// Loads the drafter that a folder holds; the kind follows from its files, never from its name.
///
/// # Errors
/// When the folder holds no drafter that runs here, or its files are malformed.
pub fn open(folder: &Path) -> Result<DSpark> {
    DSpark::load(describe(folder)?, folder)
}
