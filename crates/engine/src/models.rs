//! The models that are loaded: at most one target and one drafter.

use std::{
    path::{Path, PathBuf},
    rc::Rc,
};

use chat::Codec;
use drafters::DSpark;
use gemma4::{Config, Model};

use crate::{
    Precision, Request, Result,
    memory::{self, Admitted, exists},
};

/// The loaded models. Asking for another one drops the one before.
#[derive(Default)]
pub(crate) struct Models {
    target: Option<Target>,
    drafter: Option<Drafter>,
    admitted: Option<Admitted>,
}

/// A loaded target with its way from text to ids.
#[derive(Clone)]
pub(crate) struct Target {
    folder: PathBuf,
    precision: Precision,
    pub(crate) model: Rc<Model>,
    pub(crate) codec: Codec,
}

struct Drafter {
    folder: PathBuf,
    weights: Rc<DSpark>,
}

impl Models {
    /// Refuses what does not fit into memory, unless the user insists: before anything is loaded, and again when it is
    /// known how many tokens the `prompt` has.
    pub(crate) fn admit(&mut self, request: &Request, prompt: usize) -> Result<()> {
        memory::admit(&mut self.admitted, request, prompt)
    }

    /// The target in `folder`, loaded unless it is; `loading` hears of it first.
    pub(crate) fn target(
        &mut self,
        folder: &Path,
        precision: Precision,
        loading: impl FnOnce(&Path),
    ) -> Result<Target> {
        if let Some(target) = &self.target
            && target.folder == folder
            && target.precision == precision
        {
            return Ok(target.clone());
        }
        exists(folder)?;
        loading(folder);
        *self = Self { admitted: self.admitted.take(), ..Self::default() }; // two targets at once may not fit into memory
        nn::release_memory();
        Config::read(folder)?; // a folder of another kind is refused as such, not for lack of a tokenizer
        let codec = Codec::open(folder)?;
        let model = Rc::new(Model::load(folder, memory::dtype(precision))?);
        let target = Target { folder: folder.to_owned(), precision, model, codec };
        self.target = Some(target.clone());
        Ok(target)
    }

    /// The drafter in `folder`, loaded unless it is, if it fits `target`.
    pub(crate) fn drafter(
        &mut self,
        folder: &Path,
        target: &Target,
        loading: impl FnOnce(&Path),
    ) -> Result<Rc<DSpark>> {
        let fits = |drafter: &DSpark| drafter.fit(&*target.model, target.model.config().layers.len());
        if let Some(drafter) = &self.drafter
            && drafter.folder == folder
        {
            fits(&drafter.weights)?;
            return Ok(Rc::clone(&drafter.weights));
        }
        exists(folder)?;
        loading(folder);
        self.drop_drafter();
        let weights = Rc::new(drafters::open(folder)?);
        fits(&weights)?;
        self.drafter = Some(Drafter { folder: folder.to_owned(), weights: Rc::clone(&weights) });
        Ok(weights)
    }

    /// Drops the drafter: an answer without one needs no memory for it.
    pub(crate) fn drop_drafter(&mut self) {
        if self.drafter.take().is_some() {
            nn::release_memory();
        }
    }
}
