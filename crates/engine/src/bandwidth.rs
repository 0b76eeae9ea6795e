//! How fast this machine reads its memory, measured by what a decoding step does most: one row times a large matrix.

use std::time::{Duration, Instant};

use mlx_rs::{Array, ops};

use crate::{Result, Room};

/// Rows and columns of the matrix.
const WIDTH: u16 = 8192;

/// Its bytes, in float32. No processor keeps so many to itself.
const BYTES: u32 = 4 << (2 * 13);

/// How many products are waited for at once, at most: a wait takes a while by itself.
const AT_ONCE: u32 = 8;

/// What all of them may take, as far as that can be told before they are made.
const LONGEST: Duration = Duration::from_millis(400);

/// Bytes per second; `None` if the matrix would take memory that is wanted for something else, the `reserve` included
/// (bytes, or else the usual one).
///
/// # Errors
/// When MLX fails.
pub(crate) fn bandwidth(reserve: Option<u64>) -> Result<Option<f64>> {
    // What is held is not let go for this, so none of it can be used again.
    if Room::here(reserve, u64::MAX).bytes() < u64::from(BYTES) {
        return Ok(None);
    }
    let measured = measure();
    nn::release_memory();
    Ok(second_best(&measured?))
}

/// The most that was measured more than once, or else all that was: a single one may be out of line.
#[must_use]
pub fn second_best(measured: &[f64]) -> Option<f64> {
    let mut sorted = measured.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    sorted.get(1).or(sorted.first()).copied()
}

/// What each of the passes came to. The matrix is read along its rows and along its columns, since one or the other is
/// faster.
fn measure() -> Result<Vec<f64>> {
    let width = i32::from(WIDTH);
    // A row of ones stays one, however often it is multiplied.
    let matrix = ops::full::<f32>(&[width, width], &Array::from_f32(1.0 / f32::from(WIDTH)))?;
    let (row, turned) = (ops::ones::<f32>(&[1, width])?, matrix.t());
    nn::wait([&matrix, &row])?;
    let (started, mut measured, mut products) = (Instant::now(), Vec::new(), 1);
    loop {
        let round = Instant::now();
        for matrix in [&matrix, &turned] {
            let began = Instant::now();
            // Each needs the one before, or a GPU would make several at a time and read the matrix once for them.
            let last = (0..products).try_fold(row.clone(), |row, _| row.matmul(matrix))?;
            nn::wait([&last])?;
            measured.push(f64::from(products) * f64::from(BYTES) / began.elapsed().as_secs_f64());
        }
        if started.elapsed() + 2 * round.elapsed() > LONGEST {
            return Ok(measured);
        }
        products = AT_ONCE.min(2 * products);
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

    use super::{bandwidth, second_best};

    #[test]
    fn nothing_is_measured_within_the_reserve() {
        assert_eq!(bandwidth(Some(u64::MAX)).unwrap(), None);
    }

    #[test]
    fn one_that_is_out_of_line_is_not_believed() {
        assert_eq!(second_best(&[]), None);
        assert_eq!(second_best(&[2.0]), Some(2.0));
        assert_eq!(second_best(&[2.0, 9.0, 3.0]), Some(3.0));
    }
}
