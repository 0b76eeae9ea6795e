//! What a drafter is and needs, told from its files' headers before anything is loaded. All figures are bytes.

use mlx_rs::Dtype;
use nn::{Cache, Fitted, Inventory};

use crate::Facts;

/// Copies of a row of logits while a token is drawn: the target's, with the head's bias, as log-probabilities, sorted,
/// summed, with noise, and kept for the ratio rule.
const LOGITS: u64 = 20;

/// Copies of a block's attention scores.
const SCORES: u64 = 2;

/// A drafter's files, looked through.
#[derive(Debug, Clone)]
pub struct Survey {
    /// What they say of it.
    pub facts: Facts,
    /// What they hold.
    pub inventory: Inventory,
    /// The weights as they will lie in memory.
    pub weights: u64,
    /// What reading them takes besides, at most, while it lasts.
    pub loading: u64,
    /// The size of a number of the activations.
    width: u64,
}

impl Survey {
    pub(crate) fn new(facts: Facts, fitted: &Fitted<'_>, dtype: Dtype) -> Self {
        Self {
            facts,
            weights: fitted.bytes(dtype),
            loading: fitted.transient(dtype),
            inventory: fitted.inventory().clone(),
            width: if dtype == Dtype::Float32 { 4 } else { 2 },
        }
    }

    /// Its own keys and values of a conversation of `context` tokens, with room for a block.
    #[must_use]
    pub fn context(&self, context: usize) -> u64 {
        self.facts.layers as u64 * self.rows(context) * self.row()
    }

    /// What computing takes besides, at most, at the end of a conversation of `context` tokens of which `chunk` are
    /// read at once.
    #[must_use]
    pub fn working(&self, context: usize, chunk: usize) -> u64 {
        let Facts { limit, layers, width, heads, inner, hidden_size, vocab_size, ref taps, .. } = self.facts;
        let [width, heads, inner, hidden] = [width, heads, inner, hidden_size].map(number);
        let (layers, block, rows) = (layers as u64, limit as u64 + 1, chunk.min(context) as u64);
        let reading = rows * (taps.len() as u64 * hidden + (3 + 6 * layers) * width);
        let scores = SCORES * heads * (context as u64 + block);
        let drafting = block * (layers * (scores + 8 * width + 12 * inner) + 3 * hidden);
        let logits = block * LOGITS * number(vocab_size) * 4;
        // A cache that is full moves into a larger place, layer by layer.
        reading.max(drafting) * self.width + logits + self.rows(context) * self.row()
    }

    /// Rows allotted in each layer.
    fn rows(&self, context: usize) -> u64 {
        Cache::allotted(context + self.facts.limit + 1) as u64
    }

    /// Keys and values of one row in one layer.
    fn row(&self) -> u64 {
        number(self.facts.cached) * self.width
    }
}

fn number(size: i32) -> u64 {
    size.unsigned_abs().into()
}
