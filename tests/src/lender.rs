//! A stand-in for a target: what drafters borrow, and no more.

use mlx_rs::{Array, Dtype};
use nn::{Linear, Matrix, Vocabulary, scalar, softcap};

/// A table, tied.
#[derive(Debug)]
pub struct Lender {
    table: Array,
    head: Linear,
    scale: f32,
    cap: Option<f32>,
}

impl Lender {
    /// From a table `[V, H]`, the scale of its embeddings, and the cap of its logits.
    #[must_use]
    pub fn new(table: Array, scale: f32, cap: Option<f32>) -> Self {
        Self { head: Linear::new(Matrix::Dense(table.clone())), table, scale, cap }
    }
}

impl Vocabulary for Lender {
    fn embed_raw(&self, ids: &Array) -> nn::Result<Array> {
        Ok(self.table.take_axis(ids, 0)?)
    }

    fn embed(&self, ids: &Array) -> nn::Result<Array> {
        Ok(self.embed_raw(ids)?.multiply(scalar(self.scale, self.dtype())?)?)
    }

    fn head(&self, hidden: &Array) -> nn::Result<Array> {
        self.head.forward(hidden)
    }

    fn logits(&self, hidden: &Array) -> nn::Result<Array> {
        let logits = self.head(hidden)?;
        self.cap.map_or(Ok(logits.clone()), |cap| softcap(&logits, cap))
    }

    fn dtype(&self) -> Dtype {
        Dtype::Float32
    }

    fn hidden_size(&self) -> i32 {
        self.table.dim(1)
    }

    fn size(&self) -> i32 {
        self.table.dim(0)
    }
}
