//! The target that one answer decodes with.

use std::rc::Rc;

use decode::{Block, Pass, Token, Verified};
use mlx_rs::{Array, ops::indexing::TryIndexOp};
use nn::{Cache, Draft, Judged, Ruling, Sampler, Shares, Vocabulary, block, finite, joined, wait};

use crate::{Conversation, Error, Result};

/// The target as the loop sees it.
#[derive(Debug)]
pub struct Verifier<'a> {
    conversation: &'a mut Conversation,
    sampler: Sampler,
    taps: &'a [usize],
}

impl<'a> Verifier<'a> {
    pub(crate) fn new(conversation: &'a mut Conversation, sampler: Sampler, taps: &'a [usize]) -> Self {
        Self { conversation, sampler, taps }
    }

    /// What became of a block that has been judged, given its tapped rows.
    fn pass(&mut self, anchor: Token, draft: Option<&Draft>, judged: Judged, taps: Array) -> Result<Pass<Array>> {
        let Judged { draft: drafted, confidences, verdict, probabilities, finite } = judged;
        match draft {
            _ if finite => Ok(Pass { draft: drafted, confidences, verdict, probabilities, taps }),
            // What is not finite may be a drafted token that plain decoding would never come by.
            Some(_) => {
                self.conversation.caches_mut().commit(0)?;
                decode::Target::verify(self, anchor, None)
            }
            None => Err(self.conversation.locate(&block(anchor, None)?, true)?),
        }
    }

    /// Whether these can share a pass: they have the same weights and hand out the same rows.
    fn share(blocks: &[Block<'_, Self>]) -> bool {
        let alike = |one: &Self, other: &Self| {
            Rc::ptr_eq(&one.conversation.model, &other.conversation.model) && one.taps == other.taps
        };
        blocks.windows(2).all(|pair| alike(pair[0].target, pair[1].target))
    }
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
        // Other taps are read by some layer whose keys and values are looked at.
        let unread = self.taps.iter().any(|tap| tap + 1 >= caches.layers().len());
        let sound = sound(caches.layers(), tokens.len(), unread.then_some(&rows.taps))?;
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
        let rows = model.forward(&block(anchor, draft)?, caches.borrow_mut().layers_mut(), self.taps)?;
        let logits = model.logits(&rows.normed)?.try_index(0)?;
        let judged = self.sampler.judge(&logits, draft, position + 1)?;
        self.pass(anchor, draft, judged, rows.taps)
    }

    fn verify_all(mut blocks: Vec<Block<'_, Self>>) -> Result<Vec<Verified<Self>>> {
        if blocks.len() < 2 || !Self::share(&blocks) {
            let verify = |block: Block<'_, Self>| block.target.verify(block.anchor, block.draft);
            return Ok(blocks.into_iter().map(verify).collect());
        }
        let ids = blocks.iter().map(|one| block(one.anchor, one.draft)).collect::<nn::Result<Vec<_>>>()?;
        let counts = ids.iter().map(|ids| usize::try_from(ids.dim(1)).unwrap_or_default());
        let (shares, first) = (Shares::new(counts.clone()), &blocks[0].target);
        let (model, taps) = (Rc::clone(&first.conversation.model), first.taps);
        let rows = {
            let caches = blocks.iter_mut().map(|one| one.target.conversation.caches_mut());
            let mut caches = caches.collect::<Vec<_>>();
            let sequences = caches.iter_mut().map(|caches| caches.layers_mut()).zip(counts);
            model.forward_all(&joined(&ids, 1)?, sequences.collect(), taps)?
        };
        let logits = shares.split(&model.logits(&rows.normed)?.try_index(0)?, 0)?;
        let mut rulings = Vec::with_capacity(blocks.len());
        for (one, logits) in blocks.iter().zip(&logits) {
            let position = one.target.conversation.caches().position();
            rulings.push(one.target.sampler.rule(logits, one.draft, position + 1)?);
        }
        let judged = Ruling::read(&rulings)?;
        drop(rulings);
        let passes = blocks.iter_mut().zip(judged).zip(shares.split(&rows.taps, 1)?);
        Ok(passes.map(|((one, judged), taps)| one.target.pass(one.anchor, one.draft, judged, taps)).collect())
    }

    fn commit(&mut self, rows: usize) -> Result<()> {
        Ok(self.conversation.caches_mut().commit(rows)?)
    }
}

/// Whether all that a pass of `rows` rows leaves behind is finite. What goes wrong in a layer reaches the keys and
/// values of each layer behind it, so the last ones stand for all.
fn sound(caches: &[Cache], rows: usize, taps: Option<&Array>) -> Result<Array> {
    let newest = caches.last().map(|cache| cache.newest(rows)).transpose()?.flatten();
    let (keys, values) = newest.unzip();
    let mut sound = Array::from_bool(true);
    for array in [keys.as_ref(), values.as_ref(), taps].into_iter().flatten() {
        sound = sound.logical_and(finite(array)?.all(None)?)?;
    }
    Ok(sound)
}
