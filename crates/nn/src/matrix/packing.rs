//! The ways in which MLX packs the numbers of a matrix.

use std::fmt;

/// What is supported, for messages.
pub(crate) const SUPPORTED: &str = "affine with 2, 3, 4, 5, 6 or 8 bits in groups of 32, 64 or 128, mxfp4 and mxfp8 in groups of 32, and nvfp4 in groups of 16 are supported";

/// What a packed number means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// An integer, times its group's scale, plus its group's bias.
    Affine,
    /// E2M1 times a power of two.
    Mxfp4,
    /// E4M3 times a power of two.
    Mxfp8,
    /// E2M1 times an E4M3 scale.
    Nvfp4,
}

/// A supported way to pack a matrix: rows are bit streams, lowest bits first, in words of 32 bits; `group` numbers
/// along a row share a scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Packing {
    /// What a packed number means.
    pub mode: Mode,
    /// Bits of a number.
    pub bits: i32,
    /// Numbers that share a scale.
    pub group: i32,
}

impl Mode {
    /// The mode that MLX calls `name`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        [Self::Affine, Self::Mxfp4, Self::Mxfp8, Self::Nvfp4].into_iter().find(|mode| mode.name() == name)
    }

    /// What MLX calls it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Affine => "affine",
            Self::Mxfp4 => "mxfp4",
            Self::Mxfp8 => "mxfp8",
            Self::Nvfp4 => "nvfp4",
        }
    }

    /// Bits and group size where a file does not say them. Only the affine mode knows others.
    #[must_use]
    pub fn usual(self) -> Packing {
        let (bits, group) = match self {
            Self::Affine => (4, 64),
            Self::Mxfp4 => (4, 32),
            Self::Mxfp8 => (8, 32),
            Self::Nvfp4 => (4, 16),
        };
        Packing { mode: self, bits, group }
    }
}

impl Packing {
    /// Whether MLX has it.
    #[must_use]
    pub fn is_supported(self) -> bool {
        match self.mode {
            Mode::Affine => matches!(self.bits, 2..=6 | 8) && matches!(self.group, 32 | 64 | 128),
            mode => self == mode.usual(),
        }
    }
}

impl fmt::Display for Packing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { mode, bits, group } = self;
        match mode {
            Mode::Affine => write!(f, "{bits}-bit in groups of {group}"),
            mode => write!(f, "{} in groups of {group}", mode.name()),
        }
    }
}
