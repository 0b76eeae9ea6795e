//! The prompt, in pieces.

use std::ops::ControlFlow;

use crate::{Drafter, Target, Token};

/// Runs all but the last token of `prompt` through the target, at most `chunk` rows at a time so that memory stays
/// bounded, and gives the drafter the tapped rows. The last token is the first anchor: it belongs to the first round.
///
/// `progress` hears how many rows are done, of how many, before each chunk and at the end, and may say stop each time.
/// Returns whether it never did.
///
/// # Errors
/// When the target or the drafter fails.
pub fn prefill<T, D>(
    target: &mut T,
    mut drafter: Option<&mut D>,
    prompt: &[Token],
    chunk: usize,
    progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
) -> Result<bool, T::Error>
where
    T: Target,
    D: Drafter<Draft = T::Draft, Taps = T::Taps>,
    T::Error: From<D::Error>,
{
    let rows = &prompt[..prompt.len().saturating_sub(1)];
    let mut done = 0;
    for chunk in rows.chunks(chunk.max(1)) {
        if progress(done, rows.len()).is_break() {
            return Ok(false);
        }
        let taps = target.prefill(chunk)?;
        if let Some(drafter) = &mut drafter {
            drafter.commit(&taps, chunk.len())?;
        }
        done += chunk.len();
    }
    Ok(progress(done, rows.len()).is_continue())
}
