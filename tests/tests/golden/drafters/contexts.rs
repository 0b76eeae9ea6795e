//! What a drafter has read of a conversation must not depend on how it came to read it.

use std::path::{Path, PathBuf};

use ::decode::Drafter as _;
use ::drafters::{BlockContext, Context as _, Kind};
use mlx_rs::ops::indexing::IndexOp;
use tests::{Outcome, random::Random, tensors::check_close};

use super::{Stage, TOLERANCE, folders, greedy};

/// Longer than the fixtures' windows of 8 several times over.
const ROWS: usize = 60;

#[test]
fn contexts_of_drafters_do_not_depend_on_the_pieces_they_are_read_in() -> Outcome {
    for folder in block_drafters()? {
        for seed in 0..3 {
            let mut trial = Trial::new(&folder, seed)?;
            while trial.kept.len() < ROWS {
                let rows = *trial.random.pick(&[1, 1, 1, 2, 3, 5, 11]);
                trial.commit(rows)?;
                trial.check()?;
            }
        }
    }
    Ok(())
}

#[test]
fn contexts_of_drafters_that_went_back_are_as_if_nothing_had_followed() -> Outcome {
    for folder in block_drafters()? {
        for seed in 0..3 {
            let mut trial = Trial::new(&folder, seed)?;
            for _ in 0..20 {
                let rows = 1 + trial.random.below(13);
                trial.commit(rows)?;
                if trial.random.below(3) == 0 {
                    trial.context.remember()?;
                }
                trial.rewind()?;
                trial.check()?;
            }
        }
    }
    Ok(())
}

#[test]
fn shorter_drafts_of_drafters_begin_like_the_longest() -> Outcome {
    // The authors' DFlash builds a narrower block for a shorter draft, which is another one.
    let drafters = block_drafters()?.into_iter().map(|folder| folder.join("checkpoint"));
    for folder in drafters {
        if matches!(Kind::of(&folder)?, Kind::DFlash | Kind::DFlash2) {
            continue;
        }
        let stage = Stage::new(&folder)?;
        let (rows, logits) = stage.block(stage.drafter.facts().limit)?;
        for limit in 1..stage.drafter.facts().limit {
            let (first_rows, first_logits) = stage.block(limit)?;
            let what = format!("{}, {limit} tokens", folder.display());
            check_close(&what, &first_rows, &rows.index((..first_rows.dim(0), ..)), TOLERANCE)?;
            check_close(&what, &first_logits, &logits.index((..i32::try_from(limit)?, ..)), TOLERANCE)?;
        }
    }
    Ok(())
}

/// Every drafter that keeps a context of its own.
fn block_drafters() -> Outcome<Vec<PathBuf>> {
    folders(|kind| kind != Kind::Assistant)
}

/// A context that is read in pieces.
struct Trial {
    random: Random,
    stage: Stage,
    context: BlockContext,
    /// The rows that the context should hold, in order.
    kept: Vec<u32>,
}

impl Trial {
    fn new(folder: &Path, seed: u32) -> Outcome<Self> {
        let stage = Stage::new(&folder.join("checkpoint"))?;
        let context = stage.drafter.context(stage.target.clone());
        Ok(Self { random: Random::new(seed), stage, context, kept: Vec::new() })
    }

    /// Reads some rows, no matter which.
    fn commit(&mut self, rows: usize) -> Outcome {
        let ids = self.random.ids(rows, Stage::ROWS);
        let taps = self.stage.taps(&ids)?;
        self.context.proposer(greedy()).commit(&ids, &taps)?;
        self.kept.extend(ids);
        Ok(())
    }

    /// Goes back to where that can be done, or stays.
    fn rewind(&mut self) -> Outcome {
        let (floor, end) = (self.context.floor(), self.context.position());
        let within = floor + self.random.below(end - floor + 1);
        let mut places = vec![end, within, within];
        places.extend(self.context.remembered());
        let position = *self.random.pick(&places);
        self.context.rewind(position)?;
        self.kept.truncate(position);
        Ok(())
    }

    /// A block behind the context has the rows of one behind a context that was read at once.
    fn check(&mut self) -> Outcome {
        assert_eq!(self.context.position(), self.kept.len());
        if self.kept.is_empty() {
            return Ok(());
        }
        let limit = self.stage.drafter.facts().limit;
        let mut whole = self.stage.drafter.context(self.stage.target.clone());
        whole.proposer(greedy()).commit(&self.kept, &self.stage.taps(&self.kept)?)?;
        let [found, wanted] = [&mut self.context, &mut whole].map(|context| context.proposer(greedy()).block(3, limit));
        let ((rows, base), (whole_rows, whole_base)) = (found?, wanted?);
        let what = format!("{} after {} rows", self.stage.drafter.facts().kind, self.kept.len());
        check_close(&what, &rows, &whole_rows, TOLERANCE)?;
        check_close(&what, &base, &whole_base, TOLERANCE)
    }
}
