//! The caches of one conversation, and the target that one answer decodes with.

use std::{
    cell::{Ref, RefCell, RefMut},
    rc::Rc,
};

use decode::{Pass, Token};
use mlx_rs::{Array, ops::indexing::TryIndexOp};
use nn::{Cache, Caches, Donor, Donors, Draft, LayerKind, Sampler, Vocabulary, block, finite, wait};

use crate::{Error, Model, Result};

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
        Verifier { conversation: self, sampler, taps }
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

/// The target as the loop sees it.
#[derive(Debug)]
pub struct Verifier<'a> {
    conversation: &'a mut Conversation,
    sampler: Sampler,
    taps: &'a [usize],
}

impl decode::Target for Verifier<'_> {
    type Draft = Draft;
    type Taps = Array;
    type Error = Error;

    fn prefill(&mut self, tokens: &[Token]) -> Result<Array> {
        let Conversation { model, caches } = &mut *self.conversation;
        let mut caches = caches.borrow_mut();
        let ids = Array::from_slice(tokens, &[1, i32::try_from(tokens.len()).unwrap_or(i32::MAX)]);
        let rows = model.forward(&ids, caches.layers_mut(), self.taps)?;
        let sound = sound(caches.layers(), tokens.len(), &rows.taps)?;
        // The graph must not grow from chunk to chunk; the head is not computed.
        wait(caches.arrays().chain([&rows.taps, &sound]))?;
        if !sound.item_exact::<bool>() {
            drop(caches);
            return Err(self.conversation.locate(&ids, false)?);
        }
        caches.commit(tokens.len())?;
        Ok(rows.taps)
    }

    fn verify(&mut self, anchor: Token, draft: Option<&Draft>) -> Result<Pass<Array>> {
        let Conversation { model, caches } = &mut *self.conversation;
        let position = caches.borrow().position();
        let ids = block(anchor, draft)?;
        let rows = model.forward(&ids, caches.borrow_mut().layers_mut(), self.taps)?;
        let logits = model.logits(&rows.normed)?.try_index(0)?;
        let judged = self.sampler.judge(&logits, draft, position + 1)?;
        match draft {
            _ if judged.finite => {}
            // What is not finite may be a drafted token that plain decoding would never come by.
            Some(_) => {
                self.conversation.caches_mut().commit(0)?;
                return self.verify(anchor, None);
            }
            None => return Err(self.conversation.locate(&ids, true)?),
        }
        Ok(Pass { draft: judged.draft, confidences: judged.confidences, verdict: judged.verdict, taps: rows.taps })
    }

    fn commit(&mut self, rows: usize) -> Result<()> {
        Ok(self.conversation.caches_mut().commit(rows)?)
    }
}

/// Whether all that a pass of `rows` rows leaves behind is finite. What goes wrong in a layer reaches the keys and
/// values of each layer behind it, so the last ones stand for all.
fn sound(caches: &[Cache], rows: usize, taps: &Array) -> Result<Array> {
    let tapped = finite(taps)?.all(None)?;
    match caches.last().map(|cache| cache.newest(rows)).transpose()?.flatten() {
        Some((keys, values)) => {
            Ok(tapped.logical_and(finite(&keys)?.all(None)?)?.logical_and(finite(&values)?.all(None)?)?)
        }
        None => Ok(tapped),
    }
}
