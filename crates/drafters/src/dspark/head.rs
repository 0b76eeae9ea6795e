//! The sequential head: token by token, a bias that depends on the token before, and the confidence.

use decode::Token;
use mlx_rs::{Array, ops, ops::indexing::TryIndexOp};
use nn::{Draft, Linear, Result, Sampler};

use super::{Document, parameters::named};

#[derive(Debug)]
pub(super) struct Head {
    /// One row of `r` numbers per token.
    previous: Array,
    bias: Bias,
    confidence: Linear,
    confidence_bias: Array,
}

/// From the previous token's row to a bias on the logits.
#[derive(Debug)]
enum Bias {
    /// Of the previous token alone (paper Eq. 5).
    Markov(Linear),
    /// Of all tokens before: a plain recurrence, simpler than the paper's Eq. 6.
    Recurrent { state: Linear, state_bias: Array, output: Linear },
}

impl Head {
    pub(super) fn new(document: &Document, parameters: &[(String, Array)]) -> Self {
        let linear = |name: &str| Linear::from_in_out(named(parameters, name));
        let bias = if document.recurrent {
            Bias::Recurrent {
                state: linear("rnn.wH"),
                state_bias: named(parameters, "rnn.bH"),
                output: linear("rnn.wO"),
            }
        } else {
            Bias::Markov(linear("markov.w2"))
        };
        Self {
            previous: named(parameters, "markov.w1"),
            bias,
            confidence: linear("conf.w"),
            confidence_bias: named(parameters, "conf.b"),
        }
    }

    /// Walks from the anchor at `position` over the base logits `[n, V]` of the block's first `n` rows `[n, D]`; each
    /// token is drawn on the device and fed to the next, so nothing waits.
    pub(super) fn walk(
        &self,
        anchor: Token,
        position: usize,
        rows: &Array,
        base: &Array,
        sampler: &Sampler,
    ) -> Result<Draft> {
        let mut token = Array::from_slice(&[anchor], &[1]);
        let mut state = None;
        let (mut previous, mut tokens, mut log_q) = (Vec::new(), Vec::new(), Vec::new());
        for k in 0..base.dim(0) {
            let embedded = self.previous.take_axis(&token, 0)?;
            let logits = base.try_index((k..=k, ..))?.add(self.bias.of(&embedded, &mut state)?)?;
            let drawn = sampler.draw(&logits, position + 1 + usize::try_from(k).unwrap_or(0))?;
            previous.push(embedded);
            tokens.push(drawn.token.clone());
            log_q.extend(drawn.log_q);
            token = drawn.token;
        }
        let confidences = self.confidences(rows, &ops::concatenate(&previous, 0)?)?;
        Ok(Draft {
            tokens: ops::concatenate(&tokens, 0)?,
            log_q: (!log_q.is_empty()).then(|| ops::concatenate(&log_q, 0)).transpose()?,
            confidences: Some(confidences),
        })
    }

    /// `σ([row ; previous token]·w + b)` per position, `[n]`. It looks at the token *before* the position only.
    fn confidences(&self, rows: &Array, previous: &Array) -> Result<Array> {
        let inputs = ops::concatenate(&[rows, previous], 1)?;
        let logits = self.confidence.forward(&inputs)?.add(&self.confidence_bias)?;
        Ok(ops::sigmoid(logits)?.reshape(&[-1])?)
    }
}

impl Bias {
    /// The bias `[1, V]` after a token whose row is `[1, r]`.
    fn of(&self, embedded: &Array, memory: &mut Option<Array>) -> Result<Array> {
        match self {
            Self::Markov(output) => Ok(output.forward(embedded)?),
            Self::Recurrent { state, state_bias, output } => {
                let mut next = embedded.add(state_bias)?;
                if let Some(memory) = memory.as_ref() {
                    next = next.add(state.forward(memory)?)?;
                }
                let next = ops::tanh(next)?;
                let bias = output.forward(&next)?;
                *memory = Some(next);
                Ok(bias)
            }
        }
    }
}
