//! What `DFlash` 2 adds to `DFlash`: convolutions around attention and feed-forward part, and a candidate selector.

use nn::{Linear, Matrix, Wanted};

use super::Sizes;
use crate::{
    Result,
    block::{Convolution, Selector},
    config::Entry,
    tensors::Parts,
};

/// The sublayers with a convolution around them.
const CONVOLUTIONS: [&str; 2] = ["attention_conv", "mlp_conv"];

/// Their sizes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Additions {
    /// Rows that a convolution mixes, the row itself included, `K`.
    kernel: i32,
    /// Channels that share a coefficient.
    group: i32,
    /// Width of what the selector knows of a token, `r`.
    rank: i32,
    /// Candidates of each row.
    candidates: i32,
}

impl Additions {
    /// Reads them; `default` is what the format's program takes for a missing one, if it takes anything.
    ///
    /// # Errors
    /// When one is missing, or does not go with the other sizes.
    pub(crate) fn read(entry: &Entry<'_>, sizes: &Sizes, default: Option<[i32; 4]>) -> Result<Self> {
        let size = |place: usize, key: &str| match default {
            Some(default) => entry.size_or(key, default[place]),
            None => entry.size(key),
        };
        let additions = Self {
            kernel: size(0, "conv_kernel_size")?,
            group: size(1, "conv_group_size")?,
            rank: size(2, "selector_rank")?,
            candidates: size(3, "selector_top_k")?,
        };
        let Self { group, candidates, .. } = additions;
        let Sizes { hidden, vocab, .. } = *sizes;
        if hidden % group != 0 {
            let reason = format!("is {group}, which does not divide hidden_size, {hidden}");
            return Err(entry.malformed("conv_group_size", &reason));
        }
        if candidates > vocab {
            let reason = format!("is {candidates}, more than vocab_size, {vocab}");
            return Err(entry.malformed("selector_top_k", &reason));
        }
        Ok(additions)
    }

    pub(super) fn layer_tensors(self, layer: &str, hidden: i32) -> Vec<Wanted> {
        let coefficients = self.kernel.saturating_mul(2).saturating_mul(hidden / self.group);
        let of = |convolution: &str| {
            let name = format!("{layer}.{convolution}");
            [
                Wanted::tensor(format!("{name}.base_kernel"), &[2, self.kernel, hidden]),
                Wanted::tensor(format!("{name}.kernel_projection.weight"), &[coefficients, hidden]),
            ]
        };
        CONVOLUTIONS.into_iter().flat_map(of).collect()
    }

    pub(super) fn tensors(self, sizes: &Sizes) -> [Wanted; 3] {
        let &Sizes { hidden, vocab, .. } = sizes;
        [
            Wanted::tensor("candidate_selector.hidden_projection.weight", &[self.rank, hidden]),
            Wanted::tensor("candidate_selector.predecessor_codebook", &[vocab, self.rank]),
            Wanted::tensor("candidate_selector.successor_codebook", &[vocab, self.rank]),
        ]
    }

    pub(super) fn convolutions(self, layer: &str, parts: &Parts<'_>) -> [Convolution; 2] {
        CONVOLUTIONS.map(|convolution| Convolution {
            base: parts.array(&format!("{layer}.{convolution}.base_kernel")),
            projection: dense(parts, &format!("{layer}.{convolution}.kernel_projection.weight")),
            group: self.group,
        })
    }

    /// The selector of these tensors.
    pub(crate) fn selector(self, parts: &Parts<'_>) -> Selector {
        Selector {
            projection: dense(parts, "candidate_selector.hidden_projection.weight"),
            predecessors: parts.array("candidate_selector.predecessor_codebook"),
            successors: parts.array("candidate_selector.successor_codebook"),
            candidates: self.candidates,
        }
    }
}

/// Coefficients and scores are small numbers that packing would blur; whoever packs a drafter leaves them as they are.
fn dense(parts: &Parts<'_>, name: &str) -> Linear {
    Linear::new(Matrix::Dense(parts.array(name)))
}
