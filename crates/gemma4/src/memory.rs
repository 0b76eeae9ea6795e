//! How much memory a target needs, told before any of it is asked for. All figures are bytes.

use mlx_rs::Dtype;
use nn::{Cache, Fitted};

use crate::{Config, LayerKind};

/// Copies of a layer's attention scores: before the softmax and after it.
const SCORES: u64 = 2;

/// Copies of a row of logits while a token is chosen: capped, as log-probabilities, sorted, summed, and with noise; in
/// float32 mostly.
const LOGITS: u64 = 16;

/// Intermediate numbers for each number that a gated unit is wide: gate, up, their product, and the nine steps of the
/// curve.
const GATED: u64 = 12;

/// What a target needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Needs {
    config: Config,
    /// Bytes of a number of the activations.
    width: u64,
    /// What a layer's experts take while they are widened for a product, where only float32 can be multiplied.
    widened: u64,
    /// The weights as they will lie in memory.
    pub weights: u64,
    /// What reading them takes besides, at most, while it lasts.
    pub loading: u64,
    /// The weights that one row's pass reads.
    row: u64,
}

/// The passes that an answer makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passes {
    /// The most rows of the prompt that are read at once.
    pub chunk: usize,
    /// The rows of a verifying pass: the anchor and the longest draft.
    pub block: usize,
    /// Layers whose rows are handed to a drafter.
    pub taps: usize,
}

impl Config {
    /// What a token adds to the keys and values of the layers that keep all of them, if a number has `width` bytes.
    #[must_use]
    pub fn bytes_per_token(&self, width: u64) -> u64 {
        self.owners(LayerKind::Full) * self.keys_and_values(LayerKind::Full) * width
    }

    /// What a position takes in those of all sliding layers together, which keep a window of them.
    #[must_use]
    pub fn bytes_per_position(&self, width: u64) -> u64 {
        self.owners(LayerKind::Sliding) * self.keys_and_values(LayerKind::Sliding) * width
    }

    /// How much of a tensor of so many `bytes` one row reads: of a table its row, unless that is the head too; of a stack
    /// of experts those that are chosen; otherwise all.
    fn read_by_a_row(&self, name: &str, bytes: u64) -> u64 {
        let of = |part: u64, all: i32| bytes * part / number(all).max(1);
        match self.mixture {
            _ if name.starts_with("embed_tokens_per_layer.") => of(1, self.per_layer_vocab_size),
            _ if name.starts_with("embed_tokens.") && !self.tied => of(1, self.vocab_size),
            Some(mixture) if name.contains(".experts.") => of(number(mixture.chosen), mixture.experts),
            _ => bytes,
        }
    }

    /// Layers of `kind` with keys and values of their own.
    fn owners(&self, kind: LayerKind) -> u64 {
        self.layers[..self.first_shared].iter().filter(|&&layer| layer == kind).count() as u64
    }

    /// Numbers of the keys and values of one row in one layer of `kind`.
    fn keys_and_values(&self, kind: LayerKind) -> u64 {
        let geometry = self.geometry(kind);
        2 * number(geometry.groups) * number(geometry.head_dim)
    }
}

impl Needs {
    pub(crate) fn new(config: Config, dtype: Dtype, fitted: &Fitted) -> Self {
        let width = if dtype == Dtype::Float32 { 4 } else { 2 };
        let packed = fitted.packings().keys().any(|name| name.contains(".experts."));
        let experts = config.mixture.filter(|_| width < 4 && !packed && nn::gathers_only_float32());
        let widened = experts
            .map_or(0, |mixture| 4 * 3 * number(mixture.experts) * number(mixture.width) * number(config.hidden_size));
        let (weights, loading) = (fitted.bytes(dtype), fitted.transient(dtype));
        let row = fitted.sizes(dtype).map(|(name, bytes)| config.read_by_a_row(name, bytes)).sum();
        Self { config, width, widened, weights, loading, row }
    }

    /// What plain decoding reads for a token behind `context` tokens, at least: each weight and each key and value that it needs once,
    /// though layers that share keys and values may read them again.
    #[must_use]
    pub fn bytes_read(&self, context: usize) -> u64 {
        let seen = context.min(self.config.window);
        self.row
            + self.config.bytes_per_token(self.width) * context as u64
            + self.config.bytes_per_position(self.width) * seen as u64
    }

    /// The caches of one conversation of `context` tokens, and the window of each sliding layer that is kept beside
    /// them so that the next answer can go back to it.
    #[must_use]
    pub fn caches(&self, context: usize, passes: Passes) -> u64 {
        let config = &self.config;
        let all = Cache::allotted(context + passes.block);
        let sliding = Cache::allotted(context.min(config.window - 1) + passes.rows(context));
        let kept = context.min(config.window - 1);
        config.bytes_per_token(self.width) * all as u64
            + config.bytes_per_position(self.width) * (sliding + kept) as u64
    }

    /// What computing takes besides, at most: reading a chunk of the prompt or verifying a block, whichever is more,
    /// at the end of a conversation of `context` tokens.
    #[must_use]
    pub fn working(&self, context: usize, passes: Passes) -> u64 {
        let reading = self.pass(context, passes.rows(context), passes.taps);
        let logits = passes.block as u64 * number(self.config.vocab_size) * (2 * self.width + LOGITS * 4);
        let verifying = self.pass(context, passes.block, passes.taps) + logits;
        reading.max(verifying) + self.moving(context, passes) + self.widened
    }

    /// One pass over `rows` rows, without its logits: everything that one layer computes, as if nothing of it were freed
    /// before the layer is done, since MLX runs ahead of its own computations.
    fn pass(&self, context: usize, rows: usize, taps: usize) -> u64 {
        let config = &self.config;
        let hidden = number(config.hidden_size);
        let layers = config.layers.len() as u64;
        let layer = (0..config.layers.len()).map(|layer| self.numbers_in_layer(layer)).max().unwrap_or_default();
        let per_layer = config.per_layer_width.map_or(0, |width| 5 * layers * number(width));
        let tapped = taps as u64 * hidden * 2;
        let activations = layer + 4 * hidden + per_layer + tapped;
        let seen = |kind| match kind {
            LayerKind::Sliding => context.min(config.window - 1) + rows,
            LayerKind::Full => context + rows,
        };
        let kinds = [LayerKind::Sliding, LayerKind::Full].into_iter().filter(|kind| config.layers.contains(kind));
        let seen = kinds.map(seen).max().unwrap_or_default() as u64;
        // Four bytes a place for the mask at most, beside the scores.
        let scores = SCORES * number(config.heads) * self.width + 4;
        rows as u64 * (activations * self.width + scores * seen)
    }

    /// Intermediate numbers of one row in one layer.
    fn numbers_in_layer(&self, layer: usize) -> u64 {
        let config = &self.config;
        let hidden = number(config.hidden_size);
        let geometry = config.geometry(config.layers[layer]);
        let heads = number(config.heads) * number(geometry.head_dim);
        let attention = 6 * hidden + 5 * heads + 4 * self.config.keys_and_values(config.layers[layer]);
        let dense = 4 * hidden + GATED * number(config.inner_size(layer));
        let mixture = config.mixture.map_or(0, |mixture| {
            number(mixture.chosen) * (5 * hidden + GATED * number(mixture.width)) + 3 * number(mixture.experts)
        });
        let per_layer = config.per_layer_width.map_or(0, |width| 3 * hidden + GATED * number(width));
        attention + dense + mixture + per_layer
    }

    /// A cache that is full moves into a larger place, layer by layer.
    fn moving(&self, context: usize, passes: Passes) -> u64 {
        let all = Cache::allotted(context + passes.block) as u64;
        let sliding = Cache::allotted(context.min(self.config.window - 1) + passes.rows(context)) as u64;
        let of = |kind, rows| rows * self.config.keys_and_values(kind) * self.width;
        of(LayerKind::Full, all).max(of(LayerKind::Sliding, sliding))
    }
}

impl Passes {
    /// The most rows of a pass while `context` tokens are read.
    fn rows(self, context: usize) -> usize {
        self.chunk.min(context).max(self.block)
    }
}

fn number(size: i32) -> u64 {
    size.unsigned_abs().into()
}
