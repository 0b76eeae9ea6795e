//! Random numbers that can be drawn again: those of a step follow from the seed and the step alone, so that a training
//! that goes on later has no state of a generator to keep.

/// `SplitMix64`.
#[derive(Debug)]
pub struct Random(u64);

impl Random {
    /// The numbers of stream `stream` under `seed`.
    #[must_use]
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut random = Self(seed);
        let start = random.next() ^ stream.wrapping_mul(0xD134_2543_DE82_EF95);
        Self(start)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// One of `0..end`, which is not empty.
    pub fn below(&mut self, end: usize) -> usize {
        let wide = u128::from(self.next()) * end as u128;
        usize::try_from(wide >> 64).unwrap_or(0)
    }
}
