//! How fast this machine reads its memory, measured by what a decoding step does most: one row times a large matrix.

use std::{
    sync::OnceLock,
    time::{Duration, Instant},
};

use mlx_rs::{Array, ops};

use crate::{Result, Room};

/// Rows and columns of the matrix.
const WIDTH: i32 = 8192;

/// Its bytes, in float32. No processor keeps so many to itself.
const BYTES: u32 = 4 << (2 * 13);

/// How many products are waited for at once, at most: a wait takes a while by itself.
const AT_ONCE: u32 = 8;

/// What all of them may take, as far as that can be told before they are made.
const LONGEST: Duration = Duration::from_millis(400);

/// Bytes per second, measured when it is first asked for; `None` if the matrix would take memory that is wanted for
/// something else.
///
/// # Errors
/// When MLX fails.
pub(crate) fn bandwidth() -> Result<Option<f64>> {
    static MEASURED: OnceLock<f64> = OnceLock::new();
    if let Some(&measured) = MEASURED.get() {
        return Ok(Some(measured));
    }
    if Room::here(None, 0).bytes() < u64::from(BYTES) {
        return Ok(None);
    }
    let measured = measure();
    nn::release_memory();
    let measured = measured?;
    Ok(Some(*MEASURED.get_or_init(|| measured)))
}

/// The most that any of the passes came to. The matrix is read along its rows and along its columns, since one or the
/// other is faster.
fn measure() -> Result<f64> {
    let matrix = ops::arange::<_, f32>(None, WIDTH * WIDTH, None)?.reshape(&[WIDTH, WIDTH])?;
    let (row, turned) = (ops::ones::<f32>(&[1, WIDTH])?, matrix.t());
    nn::wait([&matrix, &row])?;
    let (started, mut most, mut products) = (Instant::now(), 0.0_f64, 1);
    loop {
        let began = Instant::now();
        for matrix in [&matrix, &turned] {
            let began = Instant::now();
            let pass = (0..products).map(|_| Ok(row.matmul(matrix)?)).collect::<Result<Vec<Array>>>()?;
            nn::wait(&pass)?;
            most = most.max(f64::from(products) * f64::from(BYTES) / began.elapsed().as_secs_f64());
        }
        let took = began.elapsed();
        if started.elapsed() + 2 * took > LONGEST {
            return Ok(most);
        }
        products = AT_ONCE.min(2 * products);
    }
}
