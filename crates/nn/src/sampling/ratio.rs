//! The ratio rule of speculative sampling (Leviathan et al., Chen et al.): accept `x` with probability
//! `min(1, p(x)/q(x))`; at the first refusal draw from `norm(max(0, p − q))`.

use mlx_rs::{
    Array, Dtype, ops,
    ops::indexing::{TryIndexOp, argmax_axis, take_along_axis},
    random,
};

use super::{
    Drawn, Ruling,
    noise::{Use, gumbel, keys, uniform},
};
use crate::{Draft, Result};

/// Below this mass the residual is rounding noise: p and q are equal, and p itself is drawn from.
const NO_MASS: f32 = 1e-12;

/// Draws the drafter's token for `position` from `scores` `[1, V]`, and keeps what it was drawn from.
pub(super) fn draw(scores: &Array, seed: u64, position: usize) -> Result<Drawn> {
    let noise = gumbel(seed, position, 1, scores.dim(1), Use::Draft)?;
    let token = argmax_axis(scores.add(noise)?, -1, false)?;
    Ok(Drawn { token, log_q: Some(log_softmax(scores)?) })
}

/// Judges a draft by the target's scores `[d + 1, V]`; row 0 chooses the token at `position`.
pub(super) fn judge(scores: &Array, draft: &Draft, seed: u64, position: usize) -> Result<Ruling> {
    let Some(log_q) = &draft.log_q else {
        return Err(crate::Error::Unsaid);
    };
    let (rows, vocabulary) = (log_q.dim(0), log_q.dim(1));
    let p = ops::exp(log_softmax(scores)?)?;
    let p_drafted = p.try_index((..rows, ..))?;
    let q = ops::exp(log_q)?;

    let tokens = draft.tokens.reshape(&[rows, 1])?;
    let of_token = |probabilities: &Array| take_along_axis(probabilities, &tokens, -1)?.reshape(&[rows]);
    let stands = uniform(seed, position, rows, Use::Accept)?.multiply(of_token(&q)?)?.lt(of_token(&p_drafted)?)?;
    let accepted = stands.as_dtype(Dtype::Uint32)?.cumprod(0, None, None)?.sum(None)?.as_dtype(Dtype::Uint32)?;

    let residual = ops::maximum(p_drafted.subtract(&q)?, Array::from_f32(0.0))?;
    let mass = residual.sum_axis(-1, true)?;
    let residual = ops::select(mass.gt(Array::from_f32(NO_MASS))?, &residual, &p_drafted)?;
    let weights = ops::concatenate(&[&residual, &p.try_index((rows.., ..))?], 0)?;
    // Only the row behind the last accepted token is drawn from, with the noise of its position.
    let weights = weights.take_axis(&accepted, 0)?;
    let noise =
        random::gumbel::<f32>(&[vocabulary], &keys(seed, position, rows + 1, Use::Token)?.take_axis(&accepted, 0)?)?;
    let next = argmax_axis(ops::log(weights)?.add(noise)?, -1, false)?;
    Ok(Ruling::Ruled { accepted, next })
}

fn log_softmax(scores: &Array) -> Result<Array> {
    Ok(scores.subtract(scores.logsumexp_axis(-1, true)?)?)
}
