//! How far the host runs ahead of the device within a pass.

use mlx_rs::Array;

use crate::{Result, begin, device::is_cpu, wait};

/// Steps between two beginnings: describing fewer costs the host more than it gains.
const STRIDE: usize = 16;

/// Rows from which on arrays of a pass are large, and the host's own time is nothing beside the device's.
const MANY: i32 = 64;

/// Follows a pass from step to step, two in each layer. The device computes the first layers while the host describes the
/// others. On the CPU backend the host allots the results of about a hundred operations that have not begun yet, which is
/// all of a layer; passes over many rows wait at each step there, so that half a layer's results are in memory at once.
#[derive(Debug)]
pub struct Pace {
    runs: Runs,
    /// Steps to come.
    left: usize,
    done: usize,
}

#[derive(Debug, Clone, Copy)]
enum Runs {
    Free,
    Ahead,
    Beside,
}

impl Pace {
    /// For a pass over so many rows through so many layers. The last half layer is left alone: nobody may want to know what
    /// comes of it.
    #[must_use]
    pub fn new(rows: i32, layers: usize) -> Self {
        let runs = if rows >= MANY && is_cpu() { Runs::Beside } else { Runs::Ahead };
        Self { runs, left: (2 * layers).saturating_sub(1), done: 0 }
    }

    /// For a pass that gradients are taken through: the device begins nothing.
    #[must_use]
    pub fn free() -> Self {
        Self { runs: Runs::Free, left: 0, done: 0 }
    }

    /// The pass has come to `stream`.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn step(&mut self, stream: &Array) -> Result<()> {
        let Some(left) = self.left.checked_sub(1) else { return Ok(()) };
        (self.left, self.done) = (left, self.done + 1);
        match self.runs {
            Runs::Beside => wait([stream]),
            Runs::Ahead if self.done % STRIDE == 3 => begin([stream]),
            Runs::Ahead | Runs::Free => Ok(()),
        }
    }
}
