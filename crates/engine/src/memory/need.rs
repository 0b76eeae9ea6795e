//! What a target and its drafter need together, from their files' headers. All figures are bytes.

use std::path::Path;

use gemma4::{Passes, Survey};
use mlx_rs::Dtype;
use serde::Serialize;

use super::{Room, Shortage};
use crate::{DraftSource, Error, Precision, Result, models::LOOKUP, reading::CHUNK};

/// Contexts are looked for in steps of this many tokens, the smallest in which caches grow.
const STEP: usize = 256;

/// More tokens than any model reads: a configuration may claim any number, and figures must stay figures.
const MOST: usize = 1 << 24;

/// Fewer bits a number than this are as few as checkpoints come with.
const FEW_BITS: u64 = 6;

/// What an answer needs of memory, at most. It is an estimate, made before anything is loaded, that is meant to be
/// above what is used and below twice as much.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Need {
    /// Tokens of prompt and answer together.
    pub context: usize,
    /// The target's weights, in the type that they are converted to.
    pub weights: u64,
    /// The target's keys and values of so many tokens, and the window of them that is kept for the next answer.
    pub caches: u64,
    /// The drafter's weights, and its own keys and values.
    pub drafter: u64,
    /// The intermediate numbers of the largest pass, or what loading takes for a while.
    pub working: u64,
}

impl Need {
    /// All of it.
    #[must_use]
    pub fn total(&self) -> u64 {
        [self.weights, self.caches, self.drafter, self.working].into_iter().fold(0, u64::saturating_add)
    }
}

/// What a target and its drafter need, for a context of any size.
#[derive(Debug, Clone)]
pub struct Plan {
    target: gemma4::Needs,
    drafter: Option<drafters::Survey>,
    /// Rows of a verifying pass, at most.
    block: usize,
    /// The longest sequence that the target reads.
    most: usize,
    /// Bits of each of the target's numbers, on average.
    bits: u64,
    /// Answers that are made together, each with caches of its own.
    at_once: usize,
}

impl Plan {
    /// Looks at the files; no weights are read.
    ///
    /// # Errors
    /// When the folders hold no such checkpoints, or the two do not belong together.
    pub fn of(target: &Path, drafter: Option<&DraftSource>, precision: Precision) -> Result<Self> {
        exists(target)?;
        let survey = Survey::of(target)?;
        let config = &survey.config;
        let (drafter, limit) = match drafter {
            Some(DraftSource::Folder(folder)) => {
                exists(folder)?;
                let drafter = drafters::survey(folder, dtype(precision).unwrap_or(survey.dtype))?;
                drafter.facts.fit(config.hidden_size, config.vocab_size, config.layers.len())?;
                let limit = drafter.facts.limit;
                (Some(drafter), limit)
            }
            Some(DraftSource::Lookup) => (None, LOOKUP),
            None => (None, 0),
        };
        let target = survey.needs(dtype(precision))?;
        let bits = target.weights.saturating_mul(8) / survey.parameters.max(1);
        Ok(Self { target, drafter, block: 1 + limit, most: config.max_positions.min(MOST), bits, at_once: 1 })
    }

    /// The same for so many answers at once.
    #[must_use]
    pub fn at_once(self, answers: usize) -> Self {
        Self { at_once: answers.max(1), ..self }
    }

    /// What is needed for so many tokens of prompt and answer, or as many as the target reads.
    #[must_use]
    pub fn need(&self, context: usize) -> Need {
        let context = context.min(self.most);
        let facts = self.drafter.as_ref().map(|drafter| &drafter.facts);
        let passes =
            Passes { chunk: CHUNK, block: self.block * self.at_once, taps: facts.map_or(0, |facts| facts.taps.len()) };
        let at_once = u64::try_from(self.at_once).unwrap_or(u64::MAX);
        let caches = self.target.caches(context, passes).saturating_mul(at_once);
        let of_drafter = |of: fn(&drafters::Survey, usize) -> u64| self.drafter.as_ref().map_or(0, |d| of(d, context));
        let context_of_drafter = of_drafter(drafters::Survey::context).saturating_mul(at_once);
        let drafter = of_drafter(|drafter, _| drafter.weights).saturating_add(context_of_drafter);
        let answering =
            self.target.working(context, passes) + of_drafter(|drafter, context| drafter.working(context, CHUNK));
        // There are no caches yet while anything is loaded.
        let loading = self.target.loading.max(of_drafter(|drafter, _| drafter.loading)).saturating_sub(caches);
        Need { context, weights: self.target.weights, caches, drafter, working: answering.max(loading) }
    }

    /// The same, if there is room for it.
    ///
    /// # Errors
    /// When there is not: says what would help.
    pub fn check(&self, context: usize, room: Room) -> Result<Need, Box<Shortage>> {
        let (need, bytes) = (self.need(context), room.bytes());
        if need.total() <= bytes {
            return Ok(need);
        }
        let without_drafter = Self { drafter: None, block: 1, ..self.clone() };
        Err(Box::new(Shortage {
            need,
            at_once: self.at_once,
            room,
            context: self.largest_context(bytes),
            without_drafter: self.drafter.is_some() && without_drafter.need(context).total() <= bytes,
            fewer_bits: self.bits >= FEW_BITS,
        }))
    }

    /// What the target reads of memory for a token of plain decoding behind so many, bytes: each number that it needs once.
    #[must_use]
    pub fn bytes_read(&self, context: usize) -> u64 {
        self.target.bytes_read(context.min(self.most))
    }

    /// The largest context whose need is within `bytes`, if any is.
    fn largest_context(&self, bytes: u64) -> Option<usize> {
        let steps = (1..=self.most.div_ceil(STEP)).collect::<Vec<_>>();
        let fitting = steps.partition_point(|steps| self.need(steps * STEP).total() <= bytes);
        Some((fitting * STEP).min(self.most)).filter(|&context| context > 0)
    }
}

/// The type that weights are converted to; `None` leaves them in their own.
pub(crate) fn dtype(precision: Precision) -> Option<Dtype> {
    match precision {
        Precision::AsStored => None,
        Precision::Float32 => Some(Dtype::Float32),
    }
}

pub(crate) fn exists(folder: &Path) -> Result<()> {
    if folder.is_dir() { Ok(()) } else { Err(Error::NoFolder(folder.to_owned())) }
}
