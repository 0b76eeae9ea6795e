//! How much memory a drafter needs, told before any of it is asked for. All figures are bytes; everything is float32.

use mlx_rs::Dtype;
use nn::{Cache, Inventory};

use super::{Document, parameters};
use crate::Result;

const WIDTH: u64 = 4;

/// Copies of a row of logits while a token is drawn: the target's, with the head's bias, as log-probabilities, sorted,
/// summed, with noise, and kept for the ratio rule.
const LOGITS: u64 = 20;

/// Copies of a block's attention scores.
const SCORES: u64 = 2;

/// What a drafter needs.
#[derive(Debug, Clone)]
pub struct Needs {
    document: Document,
    /// The weights as they will lie in memory.
    pub weights: u64,
    /// What reading them takes besides, at most, while it lasts.
    pub loading: u64,
}

impl Needs {
    pub(crate) fn new(document: Document, inventory: &Inventory) -> Result<Self> {
        let fitted = parameters::fit(&document, inventory)?;
        let (weights, loading) = (fitted.bytes(Dtype::Float32), fitted.transient(Dtype::Float32));
        Ok(Self { document, weights, loading })
    }

    /// What the files say of the drafter.
    #[must_use]
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// Its own keys and values of a conversation of `context` tokens, with room for a block.
    #[must_use]
    pub fn context(&self, context: usize) -> u64 {
        let rows = Cache::allotted(context + self.document.limit) as u64;
        self.document.layers as u64 * rows * self.row()
    }

    /// What computing takes besides, at most, at the end of a conversation of `context` tokens of which `chunk` are
    /// read at once.
    #[must_use]
    pub fn working(&self, context: usize, chunk: usize) -> u64 {
        let Document { limit, layers, width, heads, inner, hidden_size, vocab_size, ref taps, .. } = self.document;
        let [width, heads, inner, hidden] = [width, heads, inner, hidden_size].map(number);
        let (layers, limit, rows) = (layers as u64, limit as u64, chunk.min(context) as u64);
        let reading = rows * (taps.len() as u64 * hidden + (3 + 6 * layers) * width);
        let scores = SCORES * heads * (context as u64 + limit);
        let block = limit * (layers * (scores + 8 * width + 12 * inner) + 3 * hidden);
        let logits = limit * LOGITS * number(vocab_size);
        // A cache that is full moves into a larger place, layer by layer.
        let moving = Cache::allotted(context + self.document.limit) as u64 * self.row();
        reading.max(block + logits) * WIDTH + moving
    }

    /// Keys and values of one row in one layer.
    fn row(&self) -> u64 {
        2 * number(self.document.width) * WIDTH
    }
}

fn number(size: i32) -> u64 {
    size.unsigned_abs().into()
}
