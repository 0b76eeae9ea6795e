//! Drafts from the text itself: where its newest tokens stood before, what followed them may follow again. There is no
//! model, so a draft costs nothing but its verification (prompt lookup decoding; n-gram speculation).

mod history;

use std::rc::Rc;

use decode::{Drafter, Token};
use history::History;
use mlx_rs::Array;
use nn::{Draft, Error, Q, Result, Sampler};

use crate::{Facts, Kind};

/// A drafter without weights.
#[derive(Debug)]
pub struct LookupDrafter {
    facts: Facts,
}

impl LookupDrafter {
    /// One that proposes up to `limit` tokens a round.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self {
            facts: Facts {
                kind: Kind::Lookup,
                limit,
                taps: Vec::new(),
                hidden_size: 0,
                vocab_size: 0,
                target_layers: None,
                layers: 0,
                width: 0,
                heads: 0,
                inner: 0,
                cached: 0,
                confident: false,
                thresholds: Vec::new(),
                temperatures: Vec::new(),
                notes: Vec::new(),
            },
        }
    }

    /// What it is.
    #[must_use]
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// An empty context for one conversation.
    #[must_use]
    pub fn context(self: &Rc<Self>) -> LookupContext {
        LookupContext { limit: self.facts.limit, history: History::default() }
    }
}

/// The tokens of one conversation.
#[derive(Debug)]
pub struct LookupContext {
    limit: usize,
    history: History,
}

impl crate::Context for LookupContext {
    fn position(&self) -> usize {
        self.history.len()
    }

    fn rewind(&mut self, position: usize) -> Result<()> {
        let end = self.history.len();
        if position > end {
            return Err(Error::Rewind { position, floor: 0, end });
        }
        self.history.truncate(position);
        Ok(())
    }

    /// It draws nothing, so no sampler is asked.
    fn proposer(&mut self, _sampler: Sampler) -> crate::Proposer<'_> {
        crate::Proposer::Lookup(LookupProposer { context: self })
    }
}

/// A drafter as the loop sees it.
#[derive(Debug)]
pub struct LookupProposer<'a> {
    context: &'a mut LookupContext,
}

impl Drafter for LookupProposer<'_> {
    type Draft = Draft;
    type Taps = Array;
    type Error = Error;

    fn limit(&self) -> usize {
        self.context.limit
    }

    fn propose(&mut self, anchor: Token, position: usize, limit: usize) -> Result<Draft> {
        let history = &self.context.history;
        if history.len() != position {
            return Err(Error::Context { rows: history.len(), position });
        }
        let found = history.continuation(anchor, limit);
        if found.is_empty() {
            return Ok(Draft::empty());
        }
        let tokens = Array::from_slice(&found, &[i32::try_from(found.len()).unwrap_or(i32::MAX)]);
        Ok(Draft { q: Some(Q::certain(&tokens)?), tokens, confidences: None })
    }

    fn commit(&mut self, tokens: &[Token], _taps: &Array) -> Result<()> {
        for &token in tokens {
            self.context.history.push(token);
        }
        Ok(())
    }
}
