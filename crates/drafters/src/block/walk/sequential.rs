//! The sequential head of `DSpark`: token by token, a bias that depends on those before, and the confidence.

use mlx_rs::{
    Array, Dtype,
    ops::{self, indexing::TryIndexOp},
};
use nn::{Draft, Embedding, Linear, Q, Result};

use super::{Block, Choose};

/// Walks a block from left to right.
#[derive(Debug)]
pub(crate) struct Sequential {
    /// What depends on the tokens before, if anything does.
    pub(crate) previous: Option<Previous>,
    pub(crate) confidence: Option<Confidence>,
}

/// The token before a position, and what it says of that position.
#[derive(Debug)]
pub(crate) struct Previous {
    /// A row of `r` numbers for each of the target's tokens.
    pub(crate) table: Embedding,
    pub(crate) bias: Bias,
}

/// From the previous token's row `e` and the position's own row `h` to a bias on the logits.
#[derive(Debug)]
pub(crate) enum Bias {
    /// Of the previous token alone (paper, Eq. 5).
    Markov {
        /// From `[.., r]` to `[.., V_d]`.
        output: Linear,
    },
    /// The same, gated by what the position knows.
    Gated {
        /// From `[.., D + r]`, the position first, to `[.., r]`.
        gate: Linear,
        gate_bias: Array,
        output: Linear,
    },
    /// Of all tokens before, by a plain recurrence.
    Elman { state: Linear, state_bias: Array, output: Linear },
    /// Of all tokens before, by a gated recurrence (paper, Eq. 6).
    Recurrent {
        /// From `[.., 2r + D]`, memory, token and position, to `[.., 3r]`: gate, candidate, output.
        joint: Linear,
        joint_bias: Array,
        output: Linear,
    },
}

/// How sure the drafter is of each token, given that those before it stand (paper, Eq. 7).
#[derive(Debug)]
pub(crate) struct Confidence {
    /// From `[.., D]`, or `[.., D + r]` with the previous token's row behind, to `[.., 1]`.
    pub(crate) weight: Linear,
    pub(crate) bias: Array,
    pub(crate) with_previous: bool,
}

impl Sequential {
    pub(crate) fn draft(&self, block: &Block<'_>, choose: &dyn Choose) -> Result<Draft> {
        let Some(previous) = &self.previous else {
            let drawn = choose.pick(&block.base, block.subset, block.position(0))?;
            let confidences = self.confidences(&block.read()?, None)?;
            return Ok(Draft { tokens: drawn.token, q: drawn.q, confidences });
        };
        let mut token = Array::from_slice(&[block.anchor], &[1]);
        let mut memory = None;
        // Rows that are not read still pass through a memory.
        for row in 0..block.first {
            previous.step(&token, &block.rows.try_index((row..=row, ..))?, &mut memory)?;
        }
        let rows = block.read()?;
        let (mut embedded, mut tokens, mut qs) = (Vec::new(), Vec::new(), Vec::new());
        for k in 0..block.len() {
            let (row, bias) = previous.step(&token, &rows.try_index((k..=k, ..))?, &mut memory)?;
            let logits = block.base(k)?.add(bias.as_dtype(Dtype::Float32)?)?;
            let drawn = choose.draw(&logits, block.subset, block.position(k))?;
            embedded.push(row);
            tokens.push(drawn.token.clone());
            qs.extend(drawn.q);
            token = drawn.token;
        }
        let confidences = self.confidences(&rows, Some(&ops::concatenate(&embedded, 0)?))?;
        Ok(Draft { tokens: ops::concatenate(&tokens, 0)?, q: Q::concatenate(&qs)?, confidences })
    }

    /// `[n]` for rows `[n, D]` and the rows of the tokens *before* each position, `[n, r]`.
    fn confidences(&self, rows: &Array, previous: Option<&Array>) -> Result<Option<Array>> {
        let Some(confidence) = &self.confidence else { return Ok(None) };
        let logits = match previous.filter(|_| confidence.with_previous) {
            Some(previous) => confidence.weight.forward(&ops::concatenate(&[rows, previous], 1)?)?,
            None => confidence.weight.forward(rows)?,
        };
        let logits = logits.add(&confidence.bias)?.as_dtype(Dtype::Float32)?;
        Ok(Some(ops::sigmoid(logits)?.reshape(&[-1])?))
    }
}

impl Previous {
    /// The row `[1, r]` of `token` `[1]`, and the bias `[1, V_d]` on the position behind it, whose row is `[1, D]`.
    fn step(&self, token: &Array, row: &Array, memory: &mut Option<Array>) -> Result<(Array, Array)> {
        let embedded = self.table.rows(token)?;
        let bias = self.bias.of(&embedded, row, memory)?;
        Ok((embedded, bias))
    }
}

impl Bias {
    fn of(&self, embedded: &Array, row: &Array, memory: &mut Option<Array>) -> Result<Array> {
        match self {
            Self::Markov { output } => output.forward(embedded),
            Self::Gated { gate, gate_bias, output } => {
                let gate = gate.forward(&ops::concatenate(&[row, embedded], 1)?)?.add(gate_bias)?;
                output.forward(&ops::sigmoid(gate)?.multiply(embedded)?)
            }
            Self::Elman { state, state_bias, output } => {
                let mut next = embedded.add(state_bias)?;
                if let Some(memory) = memory.as_ref() {
                    next = next.add(state.forward(memory)?)?;
                }
                let next = ops::tanh(next)?;
                let bias = output.forward(&next)?;
                *memory = Some(next);
                Ok(bias)
            }
            Self::Recurrent { joint, joint_bias, output } => {
                let before = match memory.take() {
                    Some(memory) => memory,
                    None => ops::zeros_like(embedded)?,
                };
                let joint = joint.forward(&ops::concatenate(&[&before, embedded, row], 1)?)?.add(joint_bias)?;
                let parts = joint.split_equal(3, -1)?;
                let gate = ops::sigmoid(&parts[0])?;
                let new = ops::tanh(&parts[1])?;
                // gate·before + (1 − gate)·new
                *memory = Some(new.add(gate.multiply(before.subtract(&new)?)?)?);
                output.forward(&ops::tanh(&parts[2])?)
            }
        }
    }
}
