//! The ratio rule of speculative sampling (Leviathan et al., Chen et al.): accept `x` with probability
//! `min(1, p(x)/q(x))`; at the first refusal draw from `norm(max(0, p − q))`.

use mlx_rs::{
    Array, Dtype, ops,
    ops::indexing::{TryIndexOp, argmax_axis, take_along_axis},
    random,
};

use super::{
    Drawn, Says, Subset, named,
    noise::{Use, gumbel, keys, uniform},
};
use crate::{Draft, Q, Result};

/// Below this mass the residual is rounding noise: p and q are equal, and p itself is drawn from.
const NO_MASS: f32 = 1e-12;

/// Draws the drafter's token for `position` from `scores` `[1, n]`, and keeps what it was drawn from.
pub(super) fn draw(scores: &Array, subset: Option<&Subset>, seed: u64, position: usize) -> Result<Drawn> {
    let noise = gumbel(seed, position, 1, scores.dim(1), Use::Draft)?;
    let token = named(argmax_axis(scores.add(noise)?, -1, false)?, subset)?;
    Ok(Drawn { token, q: Some(Q::of_scores(scores, subset)?) })
}

/// What the ratio rule makes of a draft of `d` tokens.
#[derive(Debug)]
pub struct Acceptance {
    /// How many of them stand, a scalar, u32.
    pub accepted: Array,
    /// What the next token is drawn from, `[V]`, not normalised: the residual behind the first refusal, or the last
    /// row if everything stands.
    pub rest: Array,
}

impl Acceptance {
    /// Judges a draft by the target's probabilities `p` `[d + 1, V]`, with a `uniform` number in [0, 1) for each token,
    /// `[d]`.
    ///
    /// A drafter whose `q` is no number is refused: nothing compares with it, and its residual has no mass.
    ///
    /// # Errors
    /// When the draft does not say what it was drawn from, or MLX fails.
    pub fn new(p: &Array, draft: &Draft, uniform: &Array) -> Result<Self> {
        let Some(q) = &draft.q else {
            return Err(crate::Error::Unsaid);
        };
        let rows = draft.tokens.dim(0);
        let p_drafted = p.try_index((..rows, ..))?;
        let tokens = draft.tokens.reshape(&[rows, 1])?;

        let p_of_token = take_along_axis(&p_drafted, &tokens, -1)?.reshape(&[rows])?;
        let stands = uniform.multiply(q.of(&tokens)?)?.lt(p_of_token)?;
        let accepted = stands.as_dtype(Dtype::Uint32)?.cumprod(0, None, None)?.sum(None)?.as_dtype(Dtype::Uint32)?;

        let residual = q.residual(&p_drafted)?;
        let mass = residual.sum_axis(-1, true)?;
        let residual = ops::select(mass.gt(Array::from_f32(NO_MASS))?, &residual, &p_drafted)?;
        let rest = ops::concatenate(&[&residual, &p.try_index((rows.., ..))?], 0)?;
        Ok(Self { rest: rest.take_axis(&accepted, 0)?, accepted })
    }
}

/// Judges a draft by the target's scores `[d + 1, V]`; row 0 chooses the token at `position`.
pub(super) fn judge(scores: &Array, draft: &Draft, seed: u64, position: usize) -> Result<Says> {
    let rows = draft.tokens.dim(0);
    let p = ops::exp(log_softmax(scores)?)?;
    let uniform = uniform(seed, position, rows, Use::Accept)?;
    let Acceptance { accepted, rest } = Acceptance::new(&p, draft, &uniform)?;
    // Only the row behind the last accepted token is drawn from, with the noise of its position.
    let key = keys(seed, position, rows + 1, Use::Token)?.take_axis(&accepted, 0)?;
    let noise = random::gumbel::<f32>(&[scores.dim(1)], &key)?;
    let next = argmax_axis(ops::log(rest)?.add(noise)?, -1, false)?;
    Ok(Says::Ruled { accepted, next })
}

impl Q {
    /// The probabilities of `tokens` `[d, 1]`, one in each row; `[d]`.
    pub(super) fn of(&self, tokens: &Array) -> Result<Array> {
        let probabilities = match self {
            Self::Dense(log_q) => ops::exp(take_along_axis(log_q, tokens, -1)?)?,
            Self::Sparse { ids, log_q } => {
                ops::select(ids.eq(tokens)?, ops::exp(log_q)?, Array::from_f32(0.0))?.sum_axis(-1, false)?
            }
        };
        Ok(probabilities.reshape(&[-1])?)
    }

    /// `max(0, p − q)` for `p` `[d, V]`. What a sparse `q` does not name keeps its full `p`.
    fn residual(&self, p: &Array) -> Result<Array> {
        let zero = Array::from_f32(0.0);
        match self {
            Self::Dense(log_q) => Ok(ops::maximum(p.subtract(ops::exp(log_q)?)?, zero)?),
            Self::Sparse { ids, log_q } => {
                let left = ops::maximum(take_along_axis(p, ids, -1)?.subtract(ops::exp(log_q)?)?, zero)?;
                Ok(p.put_along_axis(ids, left, -1)?)
            }
        }
    }
}

pub(super) fn log_softmax(scores: &Array) -> Result<Array> {
    Ok(scores.subtract(scores.logsumexp_axis(-1, true)?)?)
}
