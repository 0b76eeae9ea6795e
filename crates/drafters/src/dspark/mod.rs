//! `DSpark` in its own format: a parallel backbone that attends to the target's hidden rows, a sequential head that lets
//! each drafted token lean on the one before, and a confidence per position (`DSpark` paper, arXiv:2607.05147).
//!
//! There are no rotary positions, no causal mask and no window; everything is computed in float32.

mod backbone;
mod context;
mod document;
mod head;
mod initial;
mod memory;
mod parameters;

use std::{
    fs,
    path::{Path, PathBuf},
    rc::Rc,
};

pub use context::{Context, Proposer};
pub(crate) use document::DOCUMENT;
pub use document::Document;
pub use initial::New;
pub use memory::Needs;

use backbone::Backbone;
use head::Head;
use mlx_rs::{Array, Dtype};
use nn::{Inventory, Vocabulary, Weights, save};

use crate::{Error, Result};

/// A loaded drafter: immutable weights.
#[derive(Debug)]
pub struct DSpark {
    document: Document,
    backbone: Backbone,
    head: Head,
    /// Every parameter under its name in the file, to save them.
    parameters: Vec<(String, Array)>,
}

impl DSpark {
    /// Checks that the files hold every parameter, without reading them.
    pub(crate) fn check(document: &Document, folder: &Path) -> Result<Inventory> {
        let inventory = Inventory::read(folder)?;
        parameters::fit(document, &inventory)?;
        Ok(inventory)
    }

    pub(crate) fn load(document: Document, folder: &Path) -> Result<Self> {
        let inventory = Inventory::read(folder)?;
        let weights = Weights::read(&parameters::fit(&document, &inventory)?, Dtype::Float32)?;
        let names = parameters::shapes(&document).into_iter().map(|(name, _)| name);
        let parameters = names.map(|name| (name.clone(), weights.tensor(&name))).collect();
        Ok(Self::new(document, parameters))
    }

    fn new(document: Document, parameters: Vec<(String, Array)>) -> Self {
        let backbone = Backbone::new(&document, &parameters);
        let head = Head::new(&document, &parameters);
        Self { document, backbone, head, parameters }
    }

    /// A fresh drafter: the backbone is drawn at random, the sequential head and the confidence start at zero.
    ///
    /// The numbers are those of the format's own generator for this seed, bit for bit.
    ///
    /// # Errors
    /// When `new` describes no drafter, or one that is larger than any target.
    pub fn fresh(new: &New) -> Result<Self> {
        let document = Document::new(new)?;
        parameters::check_size(&document)?;
        let parameters = initial::parameters(&document, new.seed);
        Ok(Self::new(document, parameters))
    }

    /// Writes the drafter as a new folder, whole or not at all.
    ///
    /// # Errors
    /// When there is already something in the folder, or it cannot be written.
    pub fn save(&self, folder: &Path) -> Result<()> {
        let failed = |source| Error::File { path: folder.to_owned(), source };
        if fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
            return Err(Error::Exists { folder: folder.to_owned() });
        }
        // Beside the folder, not in it, whether or not its path ends in a separator.
        let mut unfinished = folder.components().collect::<PathBuf>().into_os_string();
        unfinished.push(".unfinished");
        let unfinished = PathBuf::from(unfinished);
        fs::create_dir_all(&unfinished).map_err(failed)?;
        let tensors = self.parameters.iter().map(|(name, parameter)| (name.as_str(), parameter));
        save(tensors, &unfinished.join("model.safetensors"))?;
        self.document.write(&unfinished)?;
        fs::rename(&unfinished, folder).map_err(failed)
    }

    /// What the drafter's files say of it.
    #[must_use]
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// Every parameter under its name in the file, in the file's order.
    #[must_use]
    pub fn parameters(&self) -> &[(String, Array)] {
        &self.parameters
    }

    /// Whether the drafter was made for a target like this one, of `layers` layers.
    ///
    /// # Errors
    /// Names the first number that differs, and both values.
    pub fn fit(&self, target: &dyn Vocabulary, layers: usize) -> Result<()> {
        self.document.fit(target.hidden_size(), target.size(), layers)
    }

    /// An empty context for one conversation with a target that lends `vocabulary`.
    #[must_use]
    pub fn context(self: &Rc<Self>, vocabulary: Rc<dyn Vocabulary>) -> Context {
        Context::new(Rc::clone(self), vocabulary)
    }
}
