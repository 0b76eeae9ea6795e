//! How much memory tensors take, from their files' headers.

use std::cmp::Reverse;

use mlx_rs::Dtype;

use super::{Fitted, Stored, source::Source};

/// Tensors that MLX may have read and not yet converted while it reads a checkpoint. It runs ahead of its own
/// computations by some dozens of operations.
const IN_FLIGHT: usize = 32;

impl Stored {
    /// Its size in the file, bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let number = match self.dtype.as_str() {
            "F64" | "I64" | "U64" | "C64" => 8,
            "F32" | "I32" | "U32" => 4,
            "BF16" | "F16" | "I16" | "U16" => 2,
            _ => 1, // booleans, bytes, and the floats of 8 bits and fewer
        };
        self.count() as u64 * number
    }

    /// Whether it stays as it is when floats are converted: words and scales of a packed matrix.
    fn is_packed(&self) -> bool {
        matches!(self.dtype.as_str(), "U32" | "U8")
    }

    /// Its size once floats are of type `dtype`, bytes.
    fn bytes_as(&self, dtype: Dtype) -> u64 {
        if self.is_packed() { self.bytes() } else { self.count() as u64 * width(dtype) }
    }
}

impl Fitted<'_> {
    /// How many numbers were asked for, whether they are packed or not.
    #[must_use]
    pub fn numbers(&self) -> u64 {
        self.numbers
    }

    /// What [`Weights::read`](super::Weights::read) holds when it is done, bytes.
    #[must_use]
    pub fn bytes(&self, dtype: Dtype) -> u64 {
        self.sizes(dtype).map(|(_, bytes)| bytes).sum()
    }

    /// The same of each tensor, by the name that was asked for; a packed matrix is several.
    pub fn sizes(&self, dtype: Dtype) -> impl Iterator<Item = (&str, u64)> {
        self.stored().map(move |(name, stored, _)| (name, stored.bytes_as(dtype)))
    }

    /// What it holds besides on its way there, at most, bytes: numbers as they were read, before they are converted,
    /// cut out of a larger tensor, or stacked.
    #[must_use]
    pub fn transient(&self, dtype: Dtype) -> u64 {
        let is_converted = |stored: &Stored| !stored.is_packed() && stored.dtype != name(dtype);
        let copied = self.stored().filter(|(_, stored, whole)| !whole || is_converted(stored));
        // Cut or stacked numbers that are converted too are there three times.
        let besides = |(_, stored, whole): (&str, Stored, bool)| stored.bytes() * if whole { 1 } else { 2 };
        let mut sizes = copied.map(besides).collect::<Vec<_>>();
        sizes.sort_unstable_by_key(|&bytes| Reverse(bytes));
        sizes.iter().take(IN_FLIGHT).sum()
    }

    /// Every tensor that was asked for by its name, and whether it is one of the files' as a whole.
    fn stored(&self) -> impl Iterator<Item = (&str, Stored, bool)> {
        self.sources.iter().filter_map(|(name, source)| {
            let stored = source.stored(name, self.inventory).ok()?; // they were all found to fit
            Some((name.as_str(), stored, matches!(source, Source::Whole(_))))
        })
    }
}

/// Bytes of a number.
fn width(dtype: Dtype) -> u64 {
    if dtype == Dtype::Float32 { 4 } else { 2 }
}

/// What files call the type.
fn name(dtype: Dtype) -> &'static str {
    match dtype {
        Dtype::Float32 => "F32",
        Dtype::Float16 => "F16",
        _ => "BF16",
    }
}
