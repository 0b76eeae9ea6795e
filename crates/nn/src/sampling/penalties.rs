//! What penalties make of logits, row by row: each is penalised for the text before it, the drafted tokens included.
//!
//! So a verifying pass compares with what plain decoding would have come to, had it written the draft. The counts are
//! made on the device, where the draft still lies.

use decode::Token;
use mlx_rs::{
    Array, Dtype, ops,
    ops::indexing::{TryIndexOp, scatter_add_single},
};

use super::{Penalties, Subset, float32};
use crate::{Error, Result};

/// Stands where there is no token.
const NOBODY: Token = Token::MAX;

/// The text before the next token, and what is drafted behind it.
#[derive(Debug)]
pub(super) struct Text {
    penalties: Penalties,
    vocabulary: i32,
    /// The prompt and what was emitted.
    tokens: Vec<Token>,
    /// How often each token stands in the window, `[1, V]` float32.
    seen: Array,
    /// The tokens that the drafter has drawn for the next positions, u32 `[1]` each.
    drafted: Vec<Array>,
}

impl Text {
    pub(super) fn new(penalties: Penalties, tokens: &[Token], vocabulary: i32) -> Result<Self> {
        let seen = ops::zeros::<f32>(&[1, vocabulary])?;
        let mut text = Self { penalties, vocabulary, tokens: Vec::new(), seen, drafted: Vec::new() };
        text.push(tokens)?;
        Ok(text)
    }

    /// Adds tokens that were emitted.
    pub(super) fn push(&mut self, tokens: &[Token]) -> Result<()> {
        self.tokens.extend_from_slice(tokens);
        self.drafted.clear();
        // Tokens leave a window, so it is counted anew; without one, counts only grow.
        let (before, new) = match self.penalties.window {
            0 => (self.seen.reshape(&[-1])?, tokens),
            _ => (ops::zeros::<f32>(&[self.vocabulary])?, self.window()),
        };
        let ids = Array::from_slice(new, &[size(new.len())]);
        let once = ops::ones::<f32>(&[ids.dim(0), 1])?;
        self.seen = scatter_add_single(before, ids, once, 0)?.reshape(&[1, -1])?;
        Ok(())
    }

    /// Penalises a drafter's logits `[1, n]` for the token at `position`, of the whole vocabulary or of `subset`.
    pub(super) fn penalise_drafting(
        &mut self,
        logits: &Array,
        subset: Option<&Subset>,
        position: usize,
    ) -> Result<Array> {
        let ahead = position.checked_sub(self.tokens.len()).filter(|&ahead| ahead <= self.drafted.len());
        self.drafted.truncate(ahead.ok_or_else(|| self.apart(position))?);
        let drafted = self.drafted.iter().collect::<Vec<_>>();
        let counts = match drafted.as_slice() {
            [] => self.seen.clone(),
            drafted => self.counts(Some(&ops::concatenate(drafted, 0)?))?.try_index((size(drafted.len()).., ..))?,
        };
        let counts = match subset {
            Some(subset) => counts.take_axis(&subset.ids, 1)?,
            None => counts,
        };
        apply(logits, &counts, &self.penalties)
    }

    /// Notes the token that the drafter drew then, `[1]`.
    pub(super) fn draft(&mut self, token: &Array) {
        self.drafted.push(token.clone());
    }

    /// Penalises the target's logits `[d + 1, V]` for `drafted` `[d]`; row 0 chooses the token at `position`.
    pub(super) fn penalise(&self, logits: &Array, drafted: Option<&Array>, position: usize) -> Result<Array> {
        if position != self.tokens.len() {
            return Err(self.apart(position));
        }
        apply(logits, &self.counts(drafted)?, &self.penalties)
    }

    /// How often each token stands in the window before each row, `[d + 1, V]`: row `k` follows the first `k` of
    /// `drafted` `[d]`, each of which comes into the window, and perhaps pushes another one out.
    fn counts(&self, drafted: Option<&Array>) -> Result<Array> {
        let Some(drafted) = drafted else { return Ok(self.seen.clone()) };
        let mut changes = self.one_hot(drafted)?;
        if self.penalties.window > 0 {
            let rows = drafted.dim(0);
            let window = self.window();
            // Tokens are missing from a window that reaches back before the text; more of them than rows never matter.
            let missing = (self.penalties.window - window.len()).min(drafted.size());
            let window = std::iter::repeat_n(NOBODY, missing).chain(window.iter().copied());
            let window = Array::from_iter(window, &[size(missing + self.window().len())]);
            let leaving = ops::concatenate(&[&window, drafted], 0)?.try_index(..rows)?;
            changes = changes.subtract(self.one_hot(&leaving)?)?;
        }
        let behind = self.seen.add(changes.cumsum(0, None, None)?)?;
        Ok(ops::concatenate(&[&self.seen, &behind], 0)?)
    }

    /// The newest tokens, as far as they count.
    fn window(&self) -> &[Token] {
        match self.penalties.window {
            0 => &self.tokens,
            window => &self.tokens[self.tokens.len().saturating_sub(window)..],
        }
    }

    /// `[d, V]`, 1 where `tokens` `[d]` stand.
    fn one_hot(&self, tokens: &Array) -> Result<Array> {
        let ids = ops::arange::<_, u32>(None, self.vocabulary, None)?;
        Ok(tokens.expand_dims(-1)?.eq(ids)?.as_dtype(Dtype::Float32)?)
    }

    fn apart(&self, position: usize) -> Error {
        Error::Text { tokens: self.tokens.len(), position }
    }
}

/// Logits `[L, n]` less what their `counts` `[L, n]` cost; float32.
fn apply(logits: &Array, counts: &Array, penalties: &Penalties) -> Result<Array> {
    let logits = float32(logits)?;
    let [zero, repetition] = [0.0, penalties.repetition].map(Array::from_f32);
    let repeated = ops::select(logits.lt(&zero)?, logits.multiply(&repetition)?, logits.divide(&repetition)?)?;
    let seen = counts.gt(&zero)?;
    let once = seen.as_dtype(Dtype::Float32)?.multiply(Array::from_f32(penalties.presence))?;
    let each = counts.multiply(Array::from_f32(penalties.frequency))?;
    Ok(ops::select(&seen, repeated, logits)?.subtract(once)?.subtract(each)?)
}

fn size(tokens: usize) -> i32 {
    i32::try_from(tokens).unwrap_or(i32::MAX)
}
