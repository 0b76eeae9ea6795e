//! The caches of one conversation, and the target that one answer decodes with.

use std::rc::Rc;

use decode::{Pass, Token};
use mlx_rs::{Array, ops::indexing::TryIndexOp};
use nn::{Cache, Caches, Draft, Sampler, Vocabulary, block, finite, wait};

use crate::{Error, Model, Result};

/// What one conversation has put into the target's caches.
#[derive(Debug)]
pub struct Conversation {
    pub(crate) model: Rc<Model>,
    pub(crate) caches: Caches,
}

impl Conversation {
    /// An empty one.
    #[must_use]
    pub fn new(model: Rc<Model>) -> Self {
        let caches = Caches::new(model.caches());
        Self { model, caches }
    }

    /// The caches, one for each layer that owns keys and values.
    #[must_use]
    pub fn caches(&self) -> &Caches {
        &self.caches
    }

    /// The same, to go back in.
    pub fn caches_mut(&mut self) -> &mut Caches {
        &mut self.caches
    }

    /// The target of one answer: chooses with `sampler`, and hands out the rows of the layers in `taps`, which are
    /// strictly increasing.
    #[must_use]
    pub fn verifier<'a>(&'a mut self, sampler: Sampler, taps: &'a [usize]) -> Verifier<'a> {
        Verifier { conversation: self, sampler, taps }
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
        let ids = Array::from_slice(tokens, &[1, i32::try_from(tokens.len()).unwrap_or(i32::MAX)]);
        let rows = model.forward(&ids, caches.layers_mut(), self.taps)?;
        let sound = sound(caches.layers(), tokens.len(), &rows.taps)?;
        // The graph must not grow from chunk to chunk; the head is not computed.
        wait(caches.arrays().chain([&rows.taps, &sound]))?;
        if !sound.item_exact::<bool>() {
            return Err(self.conversation.locate(&ids, false)?);
        }
        self.conversation.caches.commit(tokens.len())?;
        Ok(rows.taps)
    }

    fn verify(&mut self, anchor: Token, draft: Option<&Draft>) -> Result<Pass<Array>> {
        let position = self.conversation.caches.position();
        let Conversation { model, caches } = &mut *self.conversation;
        let ids = block(anchor, draft)?;
        let rows = model.forward(&ids, caches.layers_mut(), self.taps)?;
        let logits = model.logits(&rows.normed)?.try_index(0)?;
        let judged = self.sampler.judge(&logits, draft, position + 1)?;
        match draft {
            _ if judged.finite => {}
            // What is not finite may be a drafted token that plain decoding would never come by.
            Some(_) => {
                self.conversation.caches.commit(0)?;
                return self.verify(anchor, None);
            }
            None => return Err(self.conversation.locate(&ids, true)?),
        }
        Ok(Pass { draft: judged.draft, confidences: judged.confidences, verdict: judged.verdict, taps: rows.taps })
    }

    fn commit(&mut self, rows: usize) -> Result<()> {
        Ok(self.conversation.caches.commit(rows)?)
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
