//! What a drafter keeps of one conversation, whatever its kind.

use decode::{Ask, Token};
use mlx_rs::Array;
use nn::{Draft, Error, Result, Sampler};

use crate::{AssistantProposer, BlockProposer, LookupProposer, assistant, block};

/// What a drafter has read of one conversation.
pub trait Context {
    /// How many tokens it has read.
    fn position(&self) -> usize;

    /// The first position from which on [`Context::rewind`] goes back anywhere; 0 unless something is forgotten.
    fn floor(&self) -> usize {
        0
    }

    /// The one position before [`Context::floor`] that can be gone back to, besides 0.
    fn remembered(&self) -> Option<usize> {
        None
    }

    /// Remembers this place, in the stead of the one before. What forgets nothing has no need to.
    ///
    /// # Errors
    /// When MLX fails.
    fn remember(&mut self) -> Result<()> {
        Ok(())
    }

    /// Forgets every token from `position` on, exactly.
    ///
    /// # Errors
    /// When that cannot be done (nothing is written then), or MLX fails.
    fn rewind(&mut self, position: usize) -> Result<()>;

    /// The drafter of one answer, which draws with `sampler`.
    fn proposer(&mut self, sampler: Sampler) -> Proposer<'_>;
}

/// A drafter as the loop sees it.
pub enum Proposer<'a> {
    /// One that proposes a block at once.
    Block(BlockProposer<'a, Sampler>),
    /// One that reads the target's keys and values, token by token.
    Assistant(AssistantProposer<'a>),
    /// One without a model.
    Lookup(LookupProposer<'a>),
}

impl Proposer<'_> {
    /// Whether both draft with the same weights, if there are any.
    fn shares(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Block(one), Self::Block(other)) => one.shares(other),
            (Self::Assistant(one), Self::Assistant(other)) => one.shares(other),
            _ => false,
        }
    }
}

impl decode::Drafter for Proposer<'_> {
    type Draft = Draft;
    type Taps = Array;
    type Error = Error;

    fn limit(&self) -> usize {
        match self {
            Self::Block(proposer) => proposer.limit(),
            Self::Assistant(proposer) => proposer.limit(),
            Self::Lookup(proposer) => proposer.limit(),
        }
    }

    fn propose(&mut self, anchor: Token, position: usize, limit: usize) -> Result<Draft> {
        match self {
            Self::Block(proposer) => proposer.propose(anchor, position, limit),
            Self::Assistant(proposer) => proposer.propose(anchor, position, limit),
            Self::Lookup(proposer) => proposer.propose(anchor, position, limit),
        }
    }

    /// In one pass, if all of them draft with the same weights.
    fn propose_all(asks: Vec<Ask<'_, Self>>) -> Result<Vec<Draft>> {
        let share = |first: &Ask<'_, Self>| asks.iter().all(|ask| ask.drafter.shares(first.drafter));
        if asks.first().is_some_and(share) {
            let (mut blocks, mut assistants) = (Vec::new(), Vec::new());
            for Ask { drafter, anchor, position, limit } in asks {
                match drafter {
                    Self::Block(drafter) => blocks.push(Ask { drafter, anchor, position, limit }),
                    Self::Assistant(drafter) => assistants.push(Ask { drafter, anchor, position, limit }),
                    Self::Lookup(_) => {}
                }
            }
            return if assistants.is_empty() { block::together(blocks) } else { assistant::together(&assistants) };
        }
        asks.into_iter().map(|ask| ask.drafter.propose(ask.anchor, ask.position, ask.limit)).collect()
    }

    fn commit(&mut self, tokens: &[Token], taps: &Array) -> Result<()> {
        match self {
            Self::Block(proposer) => proposer.commit(tokens, taps),
            Self::Assistant(proposer) => proposer.commit(tokens, taps),
            Self::Lookup(proposer) => proposer.commit(tokens, taps),
        }
    }
}
