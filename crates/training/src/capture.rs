//! What the target computes of a sequence.

use std::rc::Rc;

use decode::{Target, Token};
use gemma4::{Conversation, Model};
use mlx_rs::{Dtype, ops};
use nn::{Sampler, Sampling, wait};

use crate::{Result, Sequence, answers::CHUNK};

/// The layers to capture for drafters that read the layers `taps` of a target with `layers` of them: those, and the
/// final norm, from whose rows the target's distribution follows.
#[must_use]
pub fn captured(taps: &[usize], layers: usize) -> Vec<usize> {
    let mut all = taps.iter().copied().chain([layers]).collect::<Vec<_>>();
    all.sort_unstable();
    all.dedup();
    all
}

/// Runs `ids` through the target and keeps the rows of the layers `taps`, of which the last is the final norm (see
/// [`captured`]). The first token that may be an anchor is `response_start`, the last one of the prompt.
///
/// # Errors
/// When the target fails, or its numbers are not finite.
pub fn capture(model: &Rc<Model>, taps: &[usize], ids: &[Token], response_start: usize) -> Result<Sequence> {
    let mut conversation = Conversation::new(Rc::clone(model));
    let mut target = conversation.verifier(Sampler::new(Sampling::default()), taps);
    let mut chunks = Vec::new();
    for chunk in ids.chunks(CHUNK) {
        chunks.push(target.prefill(chunk)?.as_dtype(Dtype::Bfloat16)?);
    }
    let rows = ops::concatenate(&chunks, 1)?.squeeze_axes(&[0])?;
    wait([&rows])?;
    Ok(Sequence { ids: ids.to_vec(), response_start, rows })
}
