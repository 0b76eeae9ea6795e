//! What targets and drafters are made of, on MLX: strict weights, layers, caches whose rounds can be undone, and the
//! sampling arithmetic that runs on the device.
//!
//! What this crate does **not** know: any model family (it sees the names and shapes of tensors, and how MLX packs
//! matrices), text, threads. It uses `decode` for the words of a round ([`decode::Draft`], [`decode::Verdict`]), so that the
//! outcome of a rule is spoken in one language.
//!
//! Shapes: `B` is always 1. `L` rows of this call, `S` rows visible, `H` hidden size, `V` vocabulary, `D` head size.

mod activation;
#[cfg(target_os = "linux")]
mod allocator;
mod attention;
mod cache;
mod caches;
mod device;
mod donors;
mod draft;
mod error;
mod finite;
mod heads;
mod matrix;
mod norm;
mod pace;
mod placing;
mod rope;
mod sampling;
mod shares;
mod vocabulary;
mod weights;

pub use activation::{gelu, scalar, softcap};
pub use attention::{Mask, attend};
pub use cache::{Cache, Visible};
pub use caches::Caches;
pub use device::{
    begin, computed, gathers_only_float32, memory_held, memory_peak, release_memory, reset_memory_peak, wait, waits,
};
pub use donors::{Donor, Donors, LayerKind};
pub use draft::{Draft, Q, block};
pub use error::{Error, Result};
pub use finite::finite;
pub use heads::{heads_first, split_heads};
pub use matrix::{Embedding, Experts, Linear, Matrix, Mode, Packed, Packing};
pub use norm::Norm;
pub use pace::Pace;
pub use placing::Placing;
pub use rope::Rope;
pub use sampling::{Acceptance, Drawn, Judged, Penalties, Rule, Ruling, Sampler, Sampling, Subset};
pub use shares::{Shares, joined};
pub use vocabulary::Vocabulary;
pub use weights::{Fitted, Inventory, Place, Quantization, Stored, Surplus, Wanted, Weights, save, what_is_wrong};
