//! A matrix whose rows are looked up.

use mlx_rs::Array;

use super::{Linear, Matrix};
use crate::Result;

/// A table from ids to rows.
#[derive(Debug, Clone)]
pub struct Embedding {
    table: Matrix,
}

impl Embedding {
    /// From a matrix `[V, H]`.
    #[must_use]
    pub fn new(table: Matrix) -> Self {
        Self { table }
    }

    /// Ids `[..]` to `[.., H]`.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn rows(&self, ids: &Array) -> Result<Array> {
        match &self.table {
            Matrix::Dense(table) => Ok(table.take_axis(ids, 0)?),
            Matrix::Packed(packed) => packed.rows(ids),
        }
    }

    /// The same table as a head: `[.., H]` to `[.., V]`.
    #[must_use]
    pub fn head(&self) -> Linear {
        Linear::new(self.table.clone())
    }
}
