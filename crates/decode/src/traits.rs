//! What the loop asks of a target, of a drafter and of a draft on its way between them.

use crate::{Token, Verdict};

/// The model whose text must be reproduced, with the caches of one conversation.
///
/// Between rounds its caches hold every token but the newest, the *anchor*.
pub trait Target {
    /// Tokens on their way from the drafter, perhaps still on the device.
    type Draft;
    /// Hidden rows handed to the drafter.
    type Taps;
    /// Why a pass failed.
    type Error;

    /// Runs `tokens` through the model and keeps all of them; no token is chosen. Returns their tapped rows.
    ///
    /// # Errors
    /// When the pass fails; the caches are then unusable.
    fn prefill(&mut self, tokens: &[Token]) -> Result<Self::Taps, Self::Error>;

    /// One pass over the anchor and the draft behind it. The rows stay undecided until [`Target::commit`].
    ///
    /// # Errors
    /// When the pass fails, or when the caches could not be rolled back exactly (nothing is written then).
    fn verify(&mut self, anchor: Token, draft: Option<&Self::Draft>) -> Result<Pass<Self::Taps>, Self::Error>;

    /// Runs [`Target::verify`] for several conversations, in one pass where the target knows how to. One that fails by
    /// itself leaves the others' outcomes as they are.
    ///
    /// # Errors
    /// When the pass fails for all of them.
    fn verify_all(blocks: Vec<Block<'_, Self>>) -> Result<Vec<Verified<Self>>, Self::Error>
    where
        Self: Sized,
    {
        Ok(blocks.into_iter().map(|Block { target, anchor, draft }| target.verify(anchor, draft)).collect())
    }

    /// Keeps the first `rows` rows of the last pass (the anchor is row 0) and rolls the others back.
    ///
    /// # Errors
    /// When there is no pass to commit, or it had fewer rows.
    fn commit(&mut self, rows: usize) -> Result<(), Self::Error>;
}

/// A small model that guesses what the target will say, with its own context of one conversation.
pub trait Drafter {
    /// What it proposes.
    type Draft: Draft<Error = Self::Error>;
    /// The target's hidden rows that it reads.
    type Taps;
    /// Why proposing failed.
    type Error;

    /// The most tokens that one round can propose (γ).
    fn limit(&self) -> usize;

    /// Proposes up to `limit` tokens to follow `anchor`, which stands at `position` (0-based) of the sequence.
    ///
    /// # Errors
    /// When the pass fails.
    fn propose(&mut self, anchor: Token, position: usize, limit: usize) -> Result<Self::Draft, Self::Error>;

    /// Runs [`Drafter::propose`] for several conversations, in one pass where the drafter knows how to.
    ///
    /// # Errors
    /// When one of them fails.
    fn propose_all(asks: Vec<Ask<'_, Self>>) -> Result<Vec<Self::Draft>, Self::Error>
    where
        Self: Sized,
    {
        let propose =
            |Ask { drafter, anchor, position, limit }: Ask<'_, Self>| drafter.propose(anchor, position, limit);
        asks.into_iter().map(propose).collect()
    }

    /// Takes `tokens` into its context, which the first tapped rows of a pass belong to; the rows behind them belong to
    /// rejected tokens.
    ///
    /// # Errors
    /// When the projection of the rows fails.
    fn commit(&mut self, tokens: &[Token], taps: &Self::Taps) -> Result<(), Self::Error>;
}

/// What one conversation puts into a verifying pass.
pub struct Block<'a, T: Target> {
    /// The target, with this conversation's caches.
    pub target: &'a mut T,
    /// The newest token.
    pub anchor: Token,
    /// The draft behind it.
    pub draft: Option<&'a T::Draft>,
}

/// What became of one conversation's share of a pass.
pub type Verified<T> = Result<Pass<<T as Target>::Taps>, <T as Target>::Error>;

/// What one conversation asks of its drafter in a round.
pub struct Ask<'a, D> {
    /// The drafter, with this conversation's context.
    pub drafter: &'a mut D,
    /// The newest token.
    pub anchor: Token,
    /// Where it stands.
    pub position: usize,
    /// The most tokens to propose.
    pub limit: usize,
}

/// Proposed tokens before verification.
pub trait Draft {
    /// Why the confidences could not be read.
    type Error;

    /// How many tokens are proposed.
    fn len(&self) -> usize;

    /// Whether nothing is proposed.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The drafter's confidence per position, in 0..=1, or `None` if this drafter has none. May wait for the device.
    ///
    /// # Errors
    /// When the device fails.
    fn confidences(&self) -> Result<Option<Vec<f32>>, Self::Error>;

    /// The same for several drafts, with one wait where that is possible.
    ///
    /// # Errors
    /// When the device fails.
    fn confidences_of(drafts: &[&Self]) -> Result<Vec<Option<Vec<f32>>>, Self::Error>
    where
        Self: Sized,
    {
        drafts.iter().map(|draft| draft.confidences()).collect()
    }

    /// Drops every token from position `len` on.
    ///
    /// # Errors
    /// When the device fails.
    fn truncate(&mut self, len: usize) -> Result<(), Self::Error>;
}

/// How probable the tokens of a round were to the models that chose them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Probabilities {
    /// The target's probability (p) of each drafted token, given that those before it stand.
    pub p: Vec<f32>,
    /// The drafter's probability (q) of each; empty if the draft does not say what it was drawn from.
    pub q: Vec<f32>,
    /// The target's probability of its own token; `None` if the round ended before it.
    pub own: Option<f32>,
}

/// The outcome of one verifying pass.
#[derive(Debug)]
pub struct Pass<Taps> {
    /// The draft's tokens, now known.
    pub draft: Vec<Token>,
    /// The drafter's confidence per drafted position; empty if it has none.
    pub confidences: Vec<f32>,
    /// What the target says of the draft.
    pub verdict: Verdict,
    /// How probable the tokens were, if that was asked for.
    pub probabilities: Option<Probabilities>,
    /// One tapped row for the anchor and each drafted token.
    pub taps: Taps,
}
