//! The caches of one conversation, and the target that one answer decodes with.

use std::rc::Rc;

use decode::{Pass, Token};
use mlx_rs::{Array, ops::indexing::TryIndexOp};
use nn::{Cache, Draft, Sampler, Snapshot, Vocabulary, block, finite, wait};

use crate::{Error, Model, Result};

/// What one conversation has put into the target's caches.
#[derive(Debug)]
pub struct Conversation {
    pub(crate) model: Rc<Model>,
    pub(crate) caches: Vec<Cache>,
    /// A place to go back to although the sliding layers have forgotten it: a snapshot of each cache.
    remembered: Option<Vec<Snapshot>>,
}

impl Conversation {
    /// An empty one.
    #[must_use]
    pub fn new(model: Rc<Model>) -> Self {
        let caches = model.caches();
        Self { model, caches, remembered: None }
    }

    /// The position of the next row: how many rows the caches hold or have held.
    #[must_use]
    pub fn position(&self) -> usize {
        self.caches.first().map_or(0, Cache::position)
    }

    /// The first position from which on [`Conversation::rewind`] goes back anywhere.
    #[must_use]
    pub fn floor(&self) -> usize {
        self.caches.iter().map(Cache::floor).max().unwrap_or(0)
    }

    /// The one position before [`Conversation::floor`] that can be gone back to, besides 0.
    #[must_use]
    pub fn remembered(&self) -> Option<usize> {
        self.remembered.as_ref().and_then(|snapshots| snapshots.first()).map(Snapshot::position)
    }

    /// The caches, one for each layer that owns keys and values.
    #[must_use]
    pub fn caches(&self) -> &[Cache] {
        &self.caches
    }

    /// Remembers this place, in the stead of the one before, at the price of one window of the sliding layers' rows.
    ///
    /// # Errors
    /// When the last pass is undecided, or MLX fails.
    pub fn remember(&mut self) -> Result<()> {
        self.remembered = None; // both at once may not fit into memory
        let snapshots = self.caches.iter().map(Cache::snapshot).collect::<nn::Result<Vec<_>>>()?;
        wait(snapshots.iter().flat_map(Snapshot::arrays))?;
        self.remembered = Some(snapshots);
        Ok(())
    }

    /// Goes back to `position`, exactly: the caches are then as if nothing had ever followed.
    ///
    /// # Errors
    /// When that cannot be done (nothing is written then), or MLX fails.
    pub fn rewind(&mut self, position: usize) -> Result<()> {
        let floor = self.floor();
        let Self { model, caches, remembered } = self;
        match remembered {
            _ if position == 0 => *caches = model.caches(),
            Some(snapshots) if position < floor && snapshots.iter().all(|snapshot| snapshot.position() == position) => {
                caches.iter_mut().zip(snapshots).try_for_each(|(cache, snapshot)| cache.restore(snapshot))?;
            }
            _ => caches.iter_mut().try_for_each(|cache| cache.rewind(position))?,
        }
        if self.remembered().is_some_and(|remembered| remembered > position) {
            self.remembered = None;
        }
        Ok(())
    }

    /// The target of one answer: chooses with `sampler`, and hands out the rows of the layers in `taps`, which are
    /// strictly increasing.
    #[must_use]
    pub fn verifier<'a>(&'a mut self, sampler: Sampler, taps: &'a [usize]) -> Verifier<'a> {
        Verifier { conversation: self, sampler, taps }
    }

    pub(crate) fn commit(&mut self, rows: usize) -> Result<()> {
        self.caches.iter_mut().try_for_each(|cache| cache.commit(rows))?;
        Ok(())
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
        let Conversation { model, caches, .. } = &mut *self.conversation;
        let ids = Array::from_slice(tokens, &[1, i32::try_from(tokens.len()).unwrap_or(i32::MAX)]);
        let rows = model.forward(&ids, caches, self.taps)?;
        let sound = sound(caches, tokens.len(), &rows.taps)?;
        // The graph must not grow from chunk to chunk; the head is not computed.
        wait(caches.iter().flat_map(Cache::arrays).chain([&rows.taps, &sound]))?;
        if !sound.item_exact::<bool>() {
            return Err(self.conversation.locate(&ids, false)?);
        }
        self.conversation.commit(tokens.len())?;
        Ok(rows.taps)
    }

    fn verify(&mut self, anchor: Token, draft: Option<&Draft>) -> Result<Pass<Array>> {
        let position = self.conversation.position();
        let Conversation { model, caches, .. } = &mut *self.conversation;
        let ids = block(anchor, draft)?;
        let rows = model.forward(&ids, caches, self.taps)?;
        let logits = model.logits(&rows.normed)?.try_index(0)?;
        let judged = self.sampler.judge(&logits, draft, position + 1)?;
        match draft {
            _ if judged.finite => {}
            // What is not finite may be a drafted token that plain decoding would never come by.
            Some(_) => {
                self.conversation.commit(0)?;
                return self.verify(anchor, None);
            }
            None => return Err(self.conversation.locate(&ids, true)?),
        }
        Ok(Pass { draft: judged.draft, confidences: judged.confidences, verdict: judged.verdict, taps: rows.taps })
    }

    fn commit(&mut self, rows: usize) -> Result<()> {
        self.conversation.commit(rows)
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
