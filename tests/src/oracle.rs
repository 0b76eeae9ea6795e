//! A fake drafter that knows the plain answer and spoils it on purpose, so that every pattern of acceptance occurs.

use decode::{Drafter, Token};
use mlx_rs::Array;
use nn::{Draft, Error, Result};

/// They follow the position in the sequence, so that a schedule that reads them cuts each block elsewhere.
const CONFIDENCES: [f32; 6] = [1.0, 0.95, 0.9, 0.85, 0.8, 0.45];

/// Proposes the plain answer, wrong wherever `wrong` says so.
pub struct Oracle<'a> {
    /// The prompt and then the plain answer.
    pub sequence: &'a [Token],
    /// The most tokens a round.
    pub limit: usize,
    /// Whether the proposal for a position of the sequence, made from an anchor at another, is wrong.
    pub wrong: &'a dyn Fn(usize, usize) -> bool,
    /// The rows that it was given; they must be all that stand before each anchor.
    pub rows: usize,
}

impl Drafter for Oracle<'_> {
    type Draft = Draft;
    type Taps = Array;
    type Error = Error;

    fn limit(&self) -> usize {
        self.limit
    }

    fn propose(&mut self, _anchor: Token, position: usize, limit: usize) -> Result<Draft> {
        if self.rows != position {
            return Err(Error::Context { rows: self.rows, position });
        }
        let token = |at: usize| match self.sequence.get(at) {
            Some(&token) if (self.wrong)(position, at) => token ^ 1,
            Some(&token) => token,
            None => 0,
        };
        let tokens = (position + 1..=position + limit).map(token).collect::<Vec<_>>();
        let confidences = (position + 1..=position + limit).map(|at| CONFIDENCES[at % 6]).collect::<Vec<_>>();
        let shape = [i32::try_from(limit).unwrap_or(0)];
        Ok(Draft {
            tokens: Array::from_slice(&tokens, &shape),
            q: None,
            confidences: Some(Array::from_slice(&confidences, &shape)),
        })
    }

    fn commit(&mut self, tokens: &[Token], taps: &Array) -> Result<()> {
        let rows = tokens.len();
        if usize::try_from(taps.dim(1)).unwrap_or(0) < rows {
            return Err(Error::Commit { rows, pending: usize::try_from(taps.dim(1)).unwrap_or(0) });
        }
        self.rows += rows;
        Ok(())
    }
}
