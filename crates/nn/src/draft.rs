//! Proposed tokens on their way to the target, still on the device.

use decode::Token;
use mlx_rs::{Array, ops, ops::indexing::TryIndexOp};

use crate::{Error, Result, wait};

/// A draft of `d` tokens.
#[derive(Debug, Clone)]
pub struct Draft {
    /// `[d]`, u32.
    pub tokens: Array,
    /// What each token was drawn from; `None` if the rule does not need it.
    pub q: Option<Q>,
    /// The drafter's confidence in each token, `[d]` float32, if it has one.
    pub confidences: Option<Array>,
}

/// What drafted tokens were drawn from: one distribution for each.
#[derive(Debug, Clone)]
pub enum Q {
    /// Log-probabilities of the whole vocabulary, `[d, V]`.
    Dense(Array),
    /// Of `n` tokens alone; all others are impossible.
    Sparse {
        /// Their ids, `[d, n]`, u32.
        ids: Array,
        /// Their log-probabilities, `[d, n]`.
        log_q: Array,
    },
}

impl Draft {
    /// No token at all: the round is then a plain step.
    #[must_use]
    pub fn empty() -> Self {
        Self { tokens: Array::from_slice::<Token>(&[], &[0]), q: None, confidences: None }
    }
}

impl Q {
    /// Of `tokens` `[d]` that nothing but their choice could have become.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn certain(tokens: &Array) -> Result<Self> {
        let ids = tokens.expand_dims(-1)?;
        Ok(Self::Sparse { log_q: ops::zeros::<f32>(ids.shape())?, ids })
    }

    /// One behind the other; they are all of one form.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn concatenate(qs: &[Self]) -> Result<Option<Self>> {
        let (mut ids_of, mut log_q_of) = (Vec::new(), Vec::new());
        for q in qs {
            match q {
                Self::Dense(log_q) => log_q_of.push(log_q),
                Self::Sparse { ids, log_q } => {
                    ids_of.push(ids);
                    log_q_of.push(log_q);
                }
            }
        }
        if log_q_of.is_empty() {
            return Ok(None);
        }
        let log_q = ops::concatenate(&log_q_of, 0)?;
        Ok(Some(match ids_of.as_slice() {
            [] => Self::Dense(log_q),
            ids => Self::Sparse { ids: ops::concatenate(ids, 0)?, log_q },
        }))
    }

    fn arrays_mut(&mut self) -> Vec<&mut Array> {
        match self {
            Self::Dense(log_q) => vec![log_q],
            Self::Sparse { ids, log_q } => vec![ids, log_q],
        }
    }
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

    fn confidences_of(drafts: &[&Self]) -> Result<Vec<Option<Vec<f32>>>> {
        let with = drafts.iter().filter_map(|draft| Some((draft.confidences.as_ref()?, &draft.tokens)));
        let wanted = with.flat_map(|(confidences, tokens)| [confidences, tokens]).collect::<Vec<_>>();
        if !wanted.is_empty() {
            wait(wanted)?;
        }
        let read = |confidences: &Array| confidences.as_slice::<f32>().to_vec();
        Ok(drafts.iter().map(|draft| draft.confidences.as_ref().map(read)).collect())
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "a draft is short")]
    fn truncate(&mut self, len: usize) -> Result<()> {
        let q = self.q.iter_mut().flat_map(Q::arrays_mut);
        for array in [&mut self.tokens].into_iter().chain(&mut self.confidences).chain(q) {
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
