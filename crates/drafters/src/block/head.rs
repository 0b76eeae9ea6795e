//! From a block's rows to logits.

use mlx_rs::{Array, Dtype};
use nn::{Linear, Result, Vocabulary, scalar, softcap};

/// A head, and what becomes of its logits.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) matrix: HeadMatrix,
    /// What logits are multiplied with.
    pub(crate) multiplier: f32,
    /// Logits then stay within ± this.
    pub(crate) cap: Option<f32>,
}

/// Whose head it is.
#[derive(Debug)]
pub(crate) enum HeadMatrix {
    /// The target's complete one, cap included, behind a projection to the target's width.
    Complete(Linear),
    /// The target's matrix alone.
    Borrowed,
    /// One of its own, `[V_d, D]`.
    Own(Linear),
}

impl Head {
    /// Rows `[n, D]` to logits `[n, V_d]`, float32.
    pub(crate) fn logits(&self, rows: &Array, vocabulary: &dyn Vocabulary) -> Result<Array> {
        let logits = match &self.matrix {
            HeadMatrix::Complete(projection) => {
                vocabulary.logits(&projection.forward(rows)?.as_dtype(vocabulary.dtype())?)?
            }
            HeadMatrix::Borrowed => vocabulary.head(&rows.as_dtype(vocabulary.dtype())?)?,
            HeadMatrix::Own(matrix) => matrix.forward(rows)?,
        };
        let mut logits = logits.as_dtype(Dtype::Float32)?;
        if (self.multiplier - 1.0).abs() > f32::EPSILON {
            logits = logits.multiply(scalar(self.multiplier, Dtype::Float32)?)?;
        }
        match self.cap {
            Some(cap) => softcap(&logits, cap),
            None => Ok(logits),
        }
    }
}
