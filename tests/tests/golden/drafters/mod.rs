//! Drafters: rows, logits, tokens, confidences and context of successive rounds with a growing context.

mod agreeing;
mod assistant;
mod contexts;
mod deepspec;
mod packed;
mod published;
mod seed;
mod spellings;
mod told;

use std::{
    path::{Path, PathBuf},
    rc::Rc,
};

use ::decode::Drafter as _;
use ::drafters::{BlockDrafter, Drafter, Kind};
use mlx_rs::{Array, Dtype, random};
use nn::{Sampler, Sampling, Vocabulary};
use tests::{Outcome, fixtures, lender::Lender};

/// On rows, logits and probabilities; tokens are exact.
const TOLERANCE: f32 = 2e-4;

fn greedy() -> Sampler {
    Sampler::new(Sampling { temperature: 0.0, ..Sampling::default() })
}

/// Every folder with golden data of a drafter of one of these kinds.
fn folders(is_wanted: impl Fn(Kind) -> bool) -> Outcome<Vec<PathBuf>> {
    let mut found = Vec::new();
    for folder in fixtures::drafters()? {
        if is_wanted(Kind::of(&folder.join("checkpoint"))?) {
            found.push(folder);
        }
    }
    Ok(found)
}

/// The block drafter in a folder.
fn open(folder: &Path) -> Outcome<Rc<BlockDrafter>> {
    let Drafter::Block(drafter) = ::drafters::open(folder, Dtype::Bfloat16)? else {
        return Err("it proposes no blocks".into());
    };
    Ok(drafter)
}

/// A drafter between a target of random numbers and rows that no target has made.
struct Stage {
    drafter: Rc<BlockDrafter>,
    target: Rc<dyn Vocabulary>,
    /// Rows to read, `[1, ROWS, m·H]`.
    source: Array,
}

impl Stage {
    /// How many rows there are to read.
    const ROWS: usize = 60;

    fn new(checkpoint: &Path) -> Outcome<Self> {
        let drafter = open(checkpoint)?;
        let facts = drafter.facts();
        let normal =
            |shape: &[i32], spread: f32, seed: u64| random::normal::<f32>(shape, 0.0, spread, &random::key(seed)?);
        let table = normal(&[facts.vocab_size, facts.hidden_size], 0.1, 1)?;
        let width = facts.hidden_size * i32::try_from(facts.taps.len())?;
        Ok(Self {
            source: normal(&[1, i32::try_from(Self::ROWS)?, width], 1.0, 2)?,
            target: Rc::new(Lender::new(table, 8.0, Some(30.0))),
            drafter,
        })
    }

    /// The rows with these numbers, `[1, n, m·H]`.
    fn taps(&self, ids: &[u32]) -> Outcome<Array> {
        Ok(self.source.take_axis(Array::from_slice(ids, &[i32::try_from(ids.len())?]), 1)?)
    }

    /// The rows and logits of the longest block behind a context longer than the fixtures' windows.
    fn longest(&self) -> Outcome<(Array, Array)> {
        self.block(self.drafter.facts().limit)
    }

    /// Likewise of a block for `limit` tokens.
    fn block(&self, limit: usize) -> Outcome<(Array, Array)> {
        let ids = (0..17).collect::<Vec<_>>();
        let mut context = self.drafter.context(self.target.clone());
        let mut proposer = context.proposer(greedy());
        proposer.commit(&ids, &self.taps(&ids)?)?;
        Ok(proposer.block(3, limit)?)
    }
}
