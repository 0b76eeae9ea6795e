//! Shards as a training sees them: which sequences teach, which are held out, and one shard at a time in memory.

use std::{
    cell::RefCell,
    path::{Path, PathBuf},
    rc::Rc,
};

use crate::{
    Error, Result,
    shard::{Document, Shard, Span, folders},
};

/// The shards in a folder.
#[derive(Debug)]
pub struct Data {
    shards: Vec<(PathBuf, Document)>,
    sequences: Vec<Place>,
    /// The shard that was read last.
    loaded: RefCell<Option<(usize, Rc<Shard>)>>,
}

/// A sequence.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    /// The number of its shard.
    pub(crate) shard: usize,
    /// Where it lies in it.
    pub(crate) span: Span,
}

impl Place {
    /// Where a block of `gamma` tokens may have its anchor: from the last token of the prompt on, with all its tokens
    /// known. The first token of all has no context before it.
    pub(crate) fn anchors(&self, gamma: usize) -> std::ops::Range<usize> {
        self.span.response_start.max(1)..self.span.len.saturating_sub(gamma)
    }
}

impl Data {
    /// Looks through the shards in `folder`; rows are not read yet.
    ///
    /// # Errors
    /// When there are none, they are damaged, or they are of different targets.
    pub fn open(folder: &Path) -> Result<Self> {
        let (mut shards, mut sequences) = (Vec::<(PathBuf, Document)>::new(), Vec::new());
        for (number, path) in folders(folder)?.into_iter().enumerate() {
            let document = Document::read(&path)?;
            let differs = |(_, other): &&(PathBuf, Document)| {
                (&other.tap_layers, other.hidden_size) != (&document.tap_layers, document.hidden_size)
            };
            if let Some((first, _)) = shards.first().filter(differs) {
                let reason =
                    format!("its rows are of other layers or another target than those of {}", first.display());
                return Err(Error::Damaged { path, reason, advice: "keep shards of different targets apart" });
            }
            let shard = Shard::read(&path, &document)?;
            sequences.extend(shard.spans.into_iter().map(|span| Place { shard: number, span }));
            shards.push((path, document));
        }
        if sequences.is_empty() {
            return Err(Error::NoData { folder: folder.to_owned() });
        }
        Ok(Self { shards, sequences, loaded: RefCell::new(None) })
    }

    /// How many sequences there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sequences.len()
    }

    /// Whether there are none; there always are some.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sequences.is_empty()
    }

    /// The layers whose rows are captured; the last is the final norm, and its number is how many layers the target has.
    #[must_use]
    pub fn taps(&self) -> &[usize] {
        &self.shards[0].1.tap_layers
    }

    /// Width of a row of the target.
    #[must_use]
    pub fn hidden_size(&self) -> usize {
        self.shards[0].1.hidden_size
    }

    /// The sequences with room for a block of `gamma` tokens: those that teach, and the last ones, `held_out` of all, that
    /// only measure. If that is 0 all do both.
    pub(crate) fn split(&self, held_out: f32, gamma: usize) -> Result<[Vec<Place>; 2]> {
        let all = self.sequences.len();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "a part of a count"
        )]
        let held = ((all as f32 * held_out).round() as usize).max(1);
        let (teach, measure) = if held_out > 0.0 && all > 1 {
            self.sequences.split_at(all - held)
        } else {
            (&self.sequences[..], &self.sequences[..])
        };
        let roomy = |places: &[Place]| {
            places.iter().filter(|place| !place.anchors(gamma).is_empty()).copied().collect::<Vec<_>>()
        };
        let (mut teach, mut measure) = (roomy(teach), roomy(measure));
        // Of few answers all on one side may be short.
        if measure.is_empty() && teach.len() > 1 {
            measure.extend(teach.pop());
        } else if teach.is_empty() && measure.len() > 1 {
            teach.extend(measure.pop());
        }
        for (what, places) in [("teaching", &teach), ("held-out", &measure)] {
            if places.is_empty() {
                return Err(Error::TooShort { what, rows: gamma });
            }
        }
        Ok([teach, measure])
    }

    /// The shard with this number.
    pub(crate) fn shard(&self, number: usize) -> Result<Rc<Shard>> {
        let mut loaded = self.loaded.borrow_mut();
        if let Some((_, shard)) = loaded.as_ref().filter(|(at, _)| *at == number) {
            return Ok(Rc::clone(shard));
        }
        *loaded = None; // both at once may not fit into memory
        let (path, document) = &self.shards[number];
        let shard = Rc::new(Shard::read(path, document)?);
        *loaded = Some((number, Rc::clone(&shard)));
        Ok(shard)
    }
}
