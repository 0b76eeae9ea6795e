//! Proof of content.

use std::{fmt, str::FromStr};

use sha1::Sha1;
use sha2::{Digest, Sha256};

use crate::{Error, Result};

/// What a file's content must hash to. Large files have a SHA-256, the others git's own hash of a blob.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Hash {
    /// SHA-256 of the content.
    Sha256([u8; 32]),
    /// SHA-1 of `blob`, a space, the size in decimal, NUL, and the content.
    GitSha1([u8; 20]),
}

impl Hash {
    /// Hashes a content of `size` bytes, piece by piece and in order, the way `self` was made.
    #[must_use]
    pub fn hasher(&self, size: u64) -> Hasher {
        match self {
            Self::Sha256(_) => Hasher::Sha256(Sha256::new()),
            Self::GitSha1(_) => Hasher::GitSha1(Sha1::new_with_prefix(format!("blob {size}\0"))),
        }
    }

    /// Whether `content` is what was hashed.
    #[must_use]
    pub fn is_of(&self, content: &[u8]) -> bool {
        let mut hasher = self.hasher(content.len() as u64);
        hasher.update(content);
        hasher.finish() == *self
    }
}

/// 64 or 40 hexadecimal digits in lower case.
impl FromStr for Hash {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let hash = match text.len() {
            64 => bytes(text).map(Self::Sha256),
            40 => bytes(text).map(Self::GitSha1),
            _ => None,
        };
        hash.ok_or_else(|| Error::BadHash { text: text.to_owned() })
    }
}

/// The bytes that twice as many digits spell.
fn bytes<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(bytes)
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let bytes: &[u8] = match self {
            Self::Sha256(bytes) => bytes,
            Self::GitSha1(bytes) => bytes,
        };
        bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// A hash in the making.
#[derive(Debug, Clone)]
pub enum Hasher {
    /// Makes a [`Hash::Sha256`].
    Sha256(Sha256),
    /// Makes a [`Hash::GitSha1`].
    GitSha1(Sha1),
}

impl Hasher {
    /// Takes the next bytes of the content.
    pub fn update(&mut self, bytes: &[u8]) {
        match self {
            Self::Sha256(hasher) => hasher.update(bytes),
            Self::GitSha1(hasher) => hasher.update(bytes),
        }
    }

    /// The hash of all that was taken.
    #[must_use]
    pub fn finish(self) -> Hash {
        match self {
            Self::Sha256(hasher) => Hash::Sha256(hasher.finalize().into()),
            Self::GitSha1(hasher) => Hash::GitSha1(hasher.finalize().into()),
        }
    }
}
