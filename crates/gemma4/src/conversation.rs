//! The caches of one conversation, and what it lends of them.

use std::{
    cell::{Ref, RefCell, RefMut},
    rc::Rc,
};

use mlx_rs::Array;
use nn::{Caches, Donor, Donors, LayerKind, Sampler};

use crate::{Model, Verifier};

/// What one conversation has put into the target's caches.
#[derive(Debug)]
pub struct Conversation {
    pub(crate) model: Rc<Model>,
    /// Shared with a drafter that reads them. Each borrows them for a moment, and never while the other runs.
    pub(crate) caches: Rc<RefCell<Caches>>,
}

impl Conversation {
    /// An empty one.
    #[must_use]
    pub fn new(model: Rc<Model>) -> Self {
        let caches = Rc::new(RefCell::new(Caches::new(model.caches())));
        Self { model, caches }
    }

    /// The caches, one for each layer that owns keys and values.
    #[must_use]
    pub fn caches(&self) -> Ref<'_, Caches> {
        self.caches.borrow()
    }

    /// The same, to go back in.
    pub fn caches_mut(&mut self) -> RefMut<'_, Caches> {
        self.caches.borrow_mut()
    }

    /// Its keys and values, for a drafter to read; they follow it wherever it goes.
    #[must_use]
    pub fn donors(&self) -> Rc<dyn Donors> {
        Rc::new(Lent { model: Rc::clone(&self.model), caches: Rc::clone(&self.caches) })
    }

    /// The target of one answer: chooses with `sampler`, and hands out the rows of the layers in `taps`, which are
    /// strictly increasing.
    #[must_use]
    pub fn verifier<'a>(&'a mut self, sampler: Sampler, taps: &'a [usize]) -> Verifier<'a> {
        Verifier::new(self, sampler, taps)
    }
}

/// A conversation's keys and values as a drafter sees them.
#[derive(Debug)]
struct Lent {
    model: Rc<Model>,
    caches: Rc<RefCell<Caches>>,
}

impl Donors for Lent {
    fn donor(&self, kind: LayerKind) -> Option<Donor> {
        self.model.config().donor(kind)
    }

    fn layers(&self) -> usize {
        self.model.config().layers.len()
    }

    fn position(&self) -> usize {
        self.caches.borrow().position()
    }

    fn rows(&self, kind: LayerKind) -> nn::Result<Option<(Array, Array)>> {
        let config = self.model.config();
        let Some(layer) = config.donor_layer(kind) else { return Ok(None) };
        self.caches.borrow().layers()[layer].newest(match kind {
            LayerKind::Sliding => config.window,
            LayerKind::Full => usize::MAX,
        })
    }
}
