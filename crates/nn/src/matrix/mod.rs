//! Matrices as checkpoints hold them, and the layers that are nothing but one: dense, or packed and never unpacked
//! whole.

mod embedding;
mod experts;
mod linear;
mod microscaling;
mod packed;
mod packing;

use mlx_rs::Array;

pub use embedding::Embedding;
pub use experts::Experts;
pub use linear::Linear;
pub use packed::Packed;
pub(crate) use packing::SUPPORTED;
pub use packing::{Mode, Packing};

/// The numbers of `[out, in]`, or of a stack `[E, out, in]`.
#[derive(Debug, Clone)]
pub enum Matrix {
    /// As they are.
    Dense(Array),
    /// Packed.
    Packed(Packed),
}
