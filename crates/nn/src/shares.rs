//! Rows of several sequences behind each other in one array. What reads weights sees them as one; what depends on a
//! sequence's past sees each share by itself.

use mlx_rs::{Array, error::Exception, ops};

/// How many rows belong to each sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shares(Vec<i32>);

impl Shares {
    /// Shares of so many rows.
    #[must_use]
    pub fn new(rows: impl IntoIterator<Item = usize>) -> Self {
        Self(rows.into_iter().map(|rows| i32::try_from(rows).unwrap_or(i32::MAX)).collect())
    }

    /// The rows of each sequence along `axis`.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn split(&self, array: &Array, axis: i32) -> Result<Vec<Array>, Exception> {
        let Some((_, before)) = self.0.split_last() else { return Ok(Vec::new()) };
        let ends = before.iter().scan(0, |end, rows| {
            *end += rows;
            Some(*end)
        });
        match before {
            [] => Ok(vec![array.clone()]),
            _ => array.split_at_indices(&ends.collect::<Vec<_>>(), axis),
        }
    }

    /// What `work` makes of each sequence's rows of `parts` along `axis`, given the sequence's number; behind each other
    /// again.
    ///
    /// # Errors
    /// When `work` or MLX fails.
    pub fn apart<const N: usize, E: From<Exception>>(
        &self,
        parts: [&Array; N],
        axis: i32,
        mut work: impl FnMut(usize, [Array; N]) -> Result<Array, E>,
    ) -> Result<Array, E> {
        if self.0.len() == 1 {
            return work(0, parts.map(Array::clone));
        }
        let mut of_part = parts.map(|_| Vec::new());
        for (shares, part) in of_part.iter_mut().zip(parts) {
            *shares = self.split(part, axis)?;
        }
        let share = |sequence: usize| std::array::from_fn(|part| of_part[part][sequence].clone());
        let done = (0..self.0.len()).map(|sequence| work(sequence, share(sequence))).collect::<Result<Vec<_>, E>>()?;
        Ok(joined(&done, axis)?)
    }
}

/// `arrays` behind each other along `axis`; a single one as it is.
///
/// # Errors
/// When there are none, or MLX fails.
pub fn joined(arrays: &[Array], axis: i32) -> Result<Array, Exception> {
    match arrays {
        [alone] => Ok(alone.clone()),
        several => ops::concatenate(several, axis),
    }
}
