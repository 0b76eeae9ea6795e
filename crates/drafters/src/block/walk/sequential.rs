//! The sequential head of `DSpark`: token by token, a bias that depends on those before, and the confidence.

use mlx_rs::{
    Array, Dtype,
    ops::{self, indexing::TryIndexOp},
};
use nn::{Draft, Drawn, Embedding, Linear, Q, Result, Shares, joined};

use super::{Block, Known};

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

/// What a block has come to so far.
struct Walked {
    /// The newest token, `[1]`.
    token: Array,
    /// The rows of the tokens before each position, `[1, r]` each.
    embedded: Vec<Array>,
    tokens: Vec<Array>,
    qs: Vec<Q>,
}

impl Sequential {
    pub(crate) fn draft(&self, blocks: &[Block<'_>]) -> Result<Vec<Draft>> {
        let Some(previous) = &self.previous else {
            let picked = |block: &Block<'_>| {
                let drawn = block.pick()?;
                let confidences = self.confidences(&block.read()?, None)?;
                Ok(Draft { tokens: drawn.token, q: drawn.q, confidences })
            };
            return blocks.iter().map(picked).collect();
        };
        let finish = |(block, Walked { embedded, tokens, qs, .. }): (&Block<'_>, Walked)| {
            let confidences = self.confidences(&block.read()?, Some(&joined(&embedded, 0)?))?;
            Ok(Draft { tokens: joined(&tokens, 0)?, q: Q::concatenate(&qs)?, confidences })
        };
        blocks.iter().zip(previous.walk(blocks)?).map(finish).collect()
    }

    /// The logits `[n, γ, V_d]` of blocks whose tokens are known, and those of the confidences, `[n, γ]`.
    pub(super) fn told(&self, blocks: &Known) -> Result<(Array, Option<Array>)> {
        let read = blocks.read()?;
        let Some(previous) = &self.previous else {
            return Ok((blocks.base.clone(), self.confidence_logits(&read, None)?));
        };
        let embedded = previous.table.rows(&blocks.previous)?;
        let bias = previous.along(blocks, &embedded)?.as_dtype(Dtype::Float32)?;
        Ok((blocks.base.add(bias)?, self.confidence_logits(&read, Some(&embedded))?))
    }

    /// `[n]` for rows `[n, D]` and the rows of the tokens *before* each position, `[n, r]`.
    fn confidences(&self, rows: &Array, previous: Option<&Array>) -> Result<Option<Array>> {
        Ok(self.confidence_logits(rows, previous)?.map(ops::sigmoid).transpose()?)
    }

    /// The same before they are squashed into 0..=1, with any axes before.
    fn confidence_logits(&self, rows: &Array, previous: Option<&Array>) -> Result<Option<Array>> {
        let Some(confidence) = &self.confidence else { return Ok(None) };
        let logits = match previous.filter(|_| confidence.with_previous) {
            Some(previous) => confidence.weight.forward(&ops::concatenate(&[rows, previous], -1)?)?,
            None => confidence.weight.forward(rows)?,
        };
        Ok(Some(logits.add(&confidence.bias)?.as_dtype(Dtype::Float32)?.squeeze_axes(&[-1])?))
    }
}

impl Previous {
    /// Walks blocks side by side, so that a step reads the weights once for all of them.
    fn walk(&self, blocks: &[Block<'_>]) -> Result<Vec<Walked>> {
        let mut walked = blocks.iter().map(Walked::new).collect::<Vec<_>>();
        let mut memory = None;
        let (first, longest) = blocks.iter().map(|block| (block.first, block.len())).max().unwrap_or_default();
        for row in 0..first + longest {
            let tokens = walked.iter().map(|walked| walked.token.clone()).collect::<Vec<_>>();
            let rows = blocks.iter().map(|block| block.row(row)).collect::<Result<Vec<_>>>()?;
            let (embedded, bias) = self.step(&joined(&tokens, 0)?, &joined(&rows, 0)?, &mut memory)?;
            // Rows that are not read still pass through a memory.
            let Some(k) = row.checked_sub(first).filter(|&k| k >= 0) else { continue };
            let one_each = Shares::new(vec![1; blocks.len()]);
            let steps = one_each.split(&embedded, 0)?.into_iter().zip(one_each.split(&bias, 0)?);
            for ((block, walked), (embedded, bias)) in blocks.iter().zip(&mut walked).zip(steps) {
                if k < block.len() {
                    let logits = block.base(k)?.add(bias.as_dtype(Dtype::Float32)?)?;
                    walked.take(embedded, block.choose.draw(&logits, block.subset, block.position(k))?);
                }
            }
        }
        Ok(walked)
    }

    /// The biases `[n, γ, V_d]` of blocks whose tokens are known; those before each position have the rows `embedded`,
    /// `[n, γ, r]`.
    fn along(&self, blocks: &Known, embedded: &Array) -> Result<Array> {
        if !self.bias.remembers() {
            return self.bias.of(embedded, &blocks.read()?, &mut None);
        }
        let (mut memory, mut biases) = (None, Vec::new());
        for row in 0..blocks.rows.dim(1) {
            let k = row - blocks.first;
            let embedded = embedded.try_index((.., k.max(0), ..))?;
            let bias = self.bias.of(&embedded, &blocks.rows.try_index((.., row, ..))?, &mut memory)?;
            if k >= 0 {
                biases.push(bias);
            }
        }
        Ok(ops::stack(&biases, 1)?)
    }

    /// The rows `[n, r]` of `tokens` `[n]`, and the biases `[n, V_d]` on the positions behind them, whose rows are
    /// `[n, D]`.
    fn step(&self, tokens: &Array, rows: &Array, memory: &mut Option<Array>) -> Result<(Array, Array)> {
        let embedded = self.table.rows(tokens)?;
        let bias = self.bias.of(&embedded, rows, memory)?;
        Ok((embedded, bias))
    }
}

impl Walked {
    fn new(block: &Block<'_>) -> Self {
        let token = Array::from_slice(&[block.anchor], &[1]);
        Self { token, embedded: Vec::new(), tokens: Vec::new(), qs: Vec::new() }
    }

    /// The next token, behind the one whose row is `embedded`.
    fn take(&mut self, embedded: Array, drawn: Drawn) {
        self.embedded.push(embedded);
        self.tokens.push(drawn.token.clone());
        self.qs.extend(drawn.q);
        self.token = drawn.token;
    }
}

impl Bias {
    /// Whether it depends on more than the token before.
    fn remembers(&self) -> bool {
        matches!(self, Self::Elman { .. } | Self::Recurrent { .. })
    }

    /// The bias `[.., V_d]` behind a token whose row is `embedded`, `[.., r]`, on a position whose row is `[.., D]`.
    fn of(&self, embedded: &Array, row: &Array, memory: &mut Option<Array>) -> Result<Array> {
        match self {
            Self::Markov { output } => output.forward(embedded),
            Self::Gated { gate, gate_bias, output } => {
                let gate = gate.forward(&ops::concatenate(&[row, embedded], -1)?)?.add(gate_bias)?;
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
                let joint = joint.forward(&ops::concatenate(&[&before, embedded, row], -1)?)?.add(joint_bias)?;
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
