//! Random choices that are the same each time.

/// xorshift32.
#[derive(Debug)]
pub struct Random {
    state: u32,
}

impl Random {
    /// A generator; neighbouring seeds are unrelated.
    #[must_use]
    pub fn new(seed: u32) -> Self {
        Self { state: seed.wrapping_add(1).wrapping_mul(0x9E37_79B9) | 1 }
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 17;
        self.state ^= self.state << 5;
        self.state as usize % bound
    }

    /// Tokens of a vocabulary of `size`.
    pub fn ids(&mut self, count: usize, size: usize) -> Vec<u32> {
        (0..count).filter_map(|_| u32::try_from(self.below(size)).ok()).collect()
    }

    /// One of `choices`.
    pub fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }
}
