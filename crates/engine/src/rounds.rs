//! The two sides of a round with a stopwatch between them, and with what a parked drafter has yet to read.

use std::{cell::Cell, time::Instant};

use calibration::Spent;
use decode::{Drafter, Pass, Target, Token};
use drafters::Proposer;
use gemma4::Verifier;
use mlx_rs::{Array, ops, ops::indexing::TryIndexOp};
use nn::Draft;

use crate::reading::CHUNK;

/// When the parts of a round began. It never makes the host wait: where drafting and verifying are told apart, the host
/// waited between them anyway, to read confidences.
#[derive(Debug, Default)]
pub(crate) struct Stopwatch {
    drafting: Cell<Option<Mark>>,
    verifying: Cell<Option<Mark>>,
}

#[derive(Debug, Clone, Copy)]
struct Mark {
    at: Instant,
    waits: u64,
}

impl Mark {
    fn now() -> Self {
        Self { at: Instant::now(), waits: nn::waits() }
    }
}

impl Stopwatch {
    /// What the round that began at `started` and ends now took. The next one begins.
    pub(crate) fn lap(&self, started: Instant) -> Spent {
        match (self.drafting.take(), self.verifying.take()) {
            (Some(draft), Some(verify)) if verify.waits > draft.waits => Spent::Apart {
                draft_s: (verify.at - started).as_secs_f64(),
                verify_s: verify.at.elapsed().as_secs_f64(),
            },
            (Some(_), _) => Spent::Together(started.elapsed().as_secs_f64()),
            (None, _) => Spent::Plain(started.elapsed().as_secs_f64()),
        }
    }
}

/// A target that says when it begins to verify.
pub(crate) struct Verifying<'a> {
    pub(crate) verifier: Verifier<'a>,
    pub(crate) watch: &'a Stopwatch,
}

impl Target for Verifying<'_> {
    type Draft = Draft;
    type Taps = Array;
    type Error = gemma4::Error;

    fn prefill(&mut self, tokens: &[Token]) -> gemma4::Result<Array> {
        self.verifier.prefill(tokens)
    }

    fn verify(&mut self, anchor: Token, draft: Option<&Draft>) -> gemma4::Result<Pass<Array>> {
        self.watch.verifying.set(Some(Mark::now()));
        self.verifier.verify(anchor, draft)
    }

    fn commit(&mut self, rows: usize) -> gemma4::Result<()> {
        self.verifier.commit(rows)
    }
}

/// A drafter that says when it begins to draft, and reads what was committed only then: while drafting is parked it
/// costs nothing but the tapped rows that wait, of which there are never many, and reads them at once when it is tried
/// again. That time counts as drafting.
pub(crate) struct Proposing<'a> {
    proposer: Proposer<'a>,
    watch: &'a Stopwatch,
    /// Tokens that it has not read.
    tokens: Vec<Token>,
    /// Their rows, `[1, n, taps · H]` each.
    taps: Vec<Array>,
}

impl<'a> Proposing<'a> {
    pub(crate) fn new(proposer: Proposer<'a>, watch: &'a Stopwatch) -> Self {
        Self { proposer, watch, tokens: Vec::new(), taps: Vec::new() }
    }

    /// Reads what waits.
    pub(crate) fn catch_up(&mut self) -> nn::Result<()> {
        let (tokens, taps) = (std::mem::take(&mut self.tokens), std::mem::take(&mut self.taps));
        match taps.as_slice() {
            [] => Ok(()),
            [taps] => self.proposer.commit(&tokens, taps),
            many => self.proposer.commit(&tokens, &ops::concatenate(many, 1)?),
        }
    }
}

impl Drafter for Proposing<'_> {
    type Draft = Draft;
    type Taps = Array;
    type Error = nn::Error;

    fn limit(&self) -> usize {
        self.proposer.limit()
    }

    fn propose(&mut self, anchor: Token, position: usize, limit: usize) -> nn::Result<Draft> {
        self.watch.drafting.set(Some(Mark::now()));
        self.catch_up()?;
        self.proposer.propose(anchor, position, limit)
    }

    fn commit(&mut self, tokens: &[Token], taps: &Array) -> nn::Result<()> {
        let rows = i32::try_from(tokens.len()).unwrap_or(i32::MAX);
        self.tokens.extend(tokens);
        self.taps.push(taps.try_index((.., ..rows, ..))?);
        if self.tokens.len() < CHUNK { Ok(()) } else { self.catch_up() }
    }
}
