//! The prompt, in pieces.

use std::ops::ControlFlow;

use crate::{Drafter, Target, Token};

/// Runs `rows`, tokens of the prompt behind those that the caches hold, through the target, at most `chunk` at a time
/// so that memory stays bounded, and gives the drafter the tapped rows. The prompt's last token is not among them: it
/// is the first anchor and belongs to the first round.
///
/// `progress` hears how many rows are done, before each chunk, and may say stop. Returns whether it never did.
///
/// # Errors
/// When the target or the drafter fails.
pub fn prefill<T, D>(
    target: &mut T,
    mut drafter: Option<&mut D>,
    rows: &[Token],
    chunk: usize,
    progress: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> Result<bool, T::Error>
where
    T: Target,
    D: Drafter<Draft = T::Draft, Taps = T::Taps>,
    T::Error: From<D::Error>,
{
    let mut done = 0;
    for chunk in rows.chunks(chunk.max(1)) {
        if progress(done).is_break() {
            return Ok(false);
        }
        let taps = target.prefill(chunk)?;
        if let Some(drafter) = &mut drafter {
            drafter.commit(chunk, &taps)?;
        }
        done += chunk.len();
    }
    Ok(true)
}
