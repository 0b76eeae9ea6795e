//! What a drafter borrows of its target.

use mlx_rs::{Array, Dtype};

use crate::Result;

/// The target's table from ids to rows, and its head from rows to logits.
pub trait Vocabulary {
    /// The table's rows as stored, without the target's embedding scale: ids `[..]` to `[.., H]`.
    ///
    /// # Errors
    /// When MLX fails.
    fn embed_raw(&self, ids: &Array) -> Result<Array>;

    /// The same with the scale that the target itself gives them.
    ///
    /// # Errors
    /// When MLX fails.
    fn embed(&self, ids: &Array) -> Result<Array>;

    /// The product with the head's matrix alone, without final norm and cap: `[.., H]` to `[.., V]`.
    ///
    /// # Errors
    /// When MLX fails.
    fn head(&self, hidden: &Array) -> Result<Array>;

    /// The complete head, softcap included, without the target's final norm: `[.., H]` to `[.., V]`.
    ///
    /// # Errors
    /// When MLX fails.
    fn logits(&self, hidden: &Array) -> Result<Array>;

    /// The type that the target's activations have.
    fn dtype(&self) -> Dtype;

    /// Width of a row, `H`.
    fn hidden_size(&self) -> i32;

    /// Rows of the table, `V`.
    fn size(&self) -> i32;
}
