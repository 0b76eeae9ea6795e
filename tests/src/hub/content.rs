//! What files hold.

use std::{
    fs::File,
    io::Write,
    ops::Range,
    sync::{Arc, OnceLock},
};

use hub::Hash;

use crate::random::Random;

/// The length of the pattern that large contents repeat: no multiple of a piece, so that no two pieces are alike.
const PATTERN: usize = (1 << 20) + 7;

/// Bytes, or a pattern repeated up to any size without taking its memory.
#[derive(Debug, Clone)]
pub struct Content {
    block: Arc<[u8]>,
    size: u64,
    /// In git, and as a large file.
    hashes: Arc<[OnceLock<Hash>; 2]>,
    /// The pattern once more.
    file: Arc<OnceLock<Option<File>>>,
}

impl Content {
    /// These bytes.
    #[must_use]
    pub fn of(bytes: impl Into<Arc<[u8]>>) -> Self {
        let block = bytes.into();
        Self { size: block.len() as u64, block, hashes: Arc::default(), file: Arc::default() }
    }

    /// `size` bytes of noise; another `seed` gives other noise.
    #[must_use]
    pub fn noise(size: u64, seed: u32) -> Self {
        let mut random = Random::new(seed);
        let length = usize::try_from(size).unwrap_or(PATTERN).clamp(1, PATTERN);
        let block = (0..length).map(|_| u8::try_from(random.below(256)).unwrap_or_default()).collect();
        Self { block, size, ..Self::of([]) }
    }

    /// What claims to have `size` bytes, however many; its hash is nobody's.
    #[must_use]
    pub fn claimed(size: u64) -> Self {
        let hashes = [Hash::GitSha1([7; 20]), Hash::Sha256([7; 32])].map(OnceLock::from);
        Self { size, hashes: Arc::new(hashes), ..Self::of(*b"?") }
    }

    /// How many bytes there are.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Some bytes from `offset` on, at most `most`.
    #[must_use]
    pub fn at(&self, offset: u64, most: u64) -> &[u8] {
        &self.block[self.place(offset, most)]
    }

    /// Where in the pattern they are.
    pub(super) fn place(&self, offset: u64, most: u64) -> Range<usize> {
        let most = most.min(self.size.saturating_sub(offset));
        let start = usize::try_from(offset % self.block.len().max(1) as u64).unwrap_or_default();
        start..self.block.len().min(start.saturating_add(usize::try_from(most).unwrap_or(usize::MAX)))
    }

    /// The pattern as a file; not for what is small.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only there files are sent without a copy"))]
    pub(super) fn file(&self) -> Option<&File> {
        let copy = || {
            let mut file = tempfile::tempfile().ok()?;
            file.write_all(&self.block).ok()?;
            Some(file)
        };
        if self.block.len() == PATTERN { self.file.get_or_init(copy).as_ref() } else { None }
    }

    /// All bytes.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        while (bytes.len() as u64) < self.size {
            bytes.extend_from_slice(self.at(bytes.len() as u64, self.size));
        }
        bytes
    }

    /// Its hash: that of a large file, or of one that lies in git itself.
    #[must_use]
    pub fn hash(&self, is_large: bool) -> Hash {
        *self.hashes[usize::from(is_large)].get_or_init(|| {
            let kind = if is_large { Hash::Sha256([0; 32]) } else { Hash::GitSha1([0; 20]) };
            let (mut hasher, mut at) = (kind.hasher(self.size), 0);
            while at < self.size {
                let bytes = self.at(at, self.size - at);
                hasher.update(bytes);
                at += bytes.len() as u64;
            }
            hasher.finish()
        })
    }
}
