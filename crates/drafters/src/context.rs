//! What a drafter keeps of one conversation, whatever its kind.

use mlx_rs::Array;
use nn::{Draft, Error, Result, Sampler};

/// A drafter as the loop sees it.
pub type Proposer<'a> = dyn decode::Drafter<Draft = Draft, Taps = Array, Error = Error> + 'a;

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
    fn proposer(&mut self, sampler: Sampler) -> Box<Proposer<'_>>;
}
