//! Proposed tokens on their way to the target, still on the device.

use decode::Token;
use mlx_rs::{Array, ops, ops::indexing::TryIndexOp};

use crate::{Error, Result, wait};

/// A draft of `d` tokens.
#[derive(Debug, Clone)]
pub struct Draft {
    /// `[d]`, u32.
    pub tokens: Array,
    /// What each token was drawn from, log-probabilities `[d, V]`; `None` if the rule does not need it.
    pub log_q: Option<Array>,
    /// The drafter's confidence in each token, `[d]` float32, if it has one.
    pub confidences: Option<Array>,
}

impl decode::Draft for Draft {
    type Error = Error;

    #[expect(clippy::cast_sign_loss, reason = "a dimension is never negative")]
    fn len(&self) -> usize {
        self.tokens.dim(0) as usize
    }

    fn confidences(&self) -> Result<Option<Vec<f32>>> {
        let Some(confidences) = &self.confidences else { return Ok(None) };
        wait([confidences, &self.tokens])?;
        Ok(Some(confidences.as_slice::<f32>().to_vec()))
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "a draft is short")]
    fn truncate(&mut self, len: usize) -> Result<()> {
        for array in [Some(&mut self.tokens), self.log_q.as_mut(), self.confidences.as_mut()].into_iter().flatten() {
            *array = array.try_index(..len as i32)?;
        }
        Ok(())
    }
}

/// The rows of one verifying pass, anchor first: ids `[1, d + 1]`, u32.
///
/// # Errors
/// When MLX fails.
pub fn block(anchor: Token, draft: Option<&Draft>) -> Result<Array> {
    let anchor = Array::from_slice(&[anchor], &[1]);
    let ids = match draft {
        Some(draft) => ops::concatenate(&[&anchor, &draft.tokens], 0)?,
        None => anchor,
    };
    Ok(ids.reshape(&[1, -1])?)
}
