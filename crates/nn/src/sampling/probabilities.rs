//! How probable a round's tokens were, for whoever watches. Nothing is chosen by it.

use decode::Probabilities;
use mlx_rs::{
    Array, ops,
    ops::indexing::{TryIndexOp, take_along_axis},
};

use super::{Says, Subset, float32, ratio::log_softmax};
use crate::{Draft, Q, Result};

/// The same, on the device.
#[derive(Debug)]
pub(super) struct Probable {
    /// The target's probability of each drafted token and the drafter's, `[d]` both.
    drafted: Option<(Array, Option<Array>)>,
    /// The target's probability of its token in each row, `[d + 1]`, or of the one that is decided, `[1]`.
    own: Array,
}

impl Probable {
    /// Of what the target `says` of a draft by its scores `[d + 1, V]`.
    pub(super) fn new(scores: &Array, draft: Option<&Draft>, says: &Says) -> Result<Self> {
        let scores = float32(scores)?;
        let of_draft = |draft: &Draft| -> Result<_> {
            let tokens = draft.tokens.expand_dims(-1)?;
            let p = probabilities(&scores.try_index((..tokens.dim(0), ..))?, &tokens)?;
            Ok((p, draft.q.as_ref().map(|q| q.of(&tokens)).transpose()?))
        };
        let own = match says {
            Says::Choices(choices) => probabilities(&scores, &choices.expand_dims(-1)?)?,
            Says::Ruled { accepted, next } => {
                probabilities(&scores.take_axis(&accepted.reshape(&[1])?, 0)?, &next.reshape(&[1, 1])?)?
            }
        };
        Ok(Self { drafted: draft.map(of_draft).transpose()?, own })
    }

    pub(super) fn arrays(&self) -> impl Iterator<Item = &Array> {
        let drafted = self.drafted.iter().flat_map(|(p, q)| [p].into_iter().chain(q));
        drafted.chain([&self.own])
    }

    /// What has been waited for, of a round in which `accepted` tokens stand.
    pub(super) fn told(&self, accepted: usize) -> Probabilities {
        let read = |array: &Array| array.as_slice::<f32>().to_vec();
        let (p, q) = self.drafted.as_ref().map_or_else(Default::default, |(p, q)| (read(p), q.as_ref().map(read)));
        let own = self.own.as_slice::<f32>();
        Probabilities { p, q: q.unwrap_or_default(), own: own.get(accepted).or(own.last()).copied() }
    }
}

/// The probabilities of `tokens` `[r, 1]`, one in each row of scores `[r, n]`; `[r]`.
fn probabilities(scores: &Array, tokens: &Array) -> Result<Array> {
    let log = take_along_axis(scores, tokens, -1)?.subtract(scores.logsumexp_axis(-1, true)?)?;
    Ok(ops::exp(log)?.reshape(&[-1])?)
}

impl Q {
    /// What tokens are drawn from by `scores` `[d, n]`, of the whole vocabulary or of `subset`.
    pub(super) fn of_scores(scores: &Array, subset: Option<&Subset>) -> Result<Self> {
        let log_q = log_softmax(&float32(scores)?)?;
        Ok(match subset {
            Some(subset) => Self::Sparse { ids: ops::broadcast_to(&subset.ids, log_q.shape())?, log_q },
            None => Self::Dense(log_q),
        })
    }
}
