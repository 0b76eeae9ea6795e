//! How far the host runs ahead of the device within a pass.

use mlx_rs::Array;

use crate::{Result, begin, device::is_cpu, wait};

/// Steps between two beginnings: describing fewer costs the host more than it gains.
const STRIDE: usize = 16;

/// The step that is begun at first: the one behind the first layer.
const FIRST: usize = 3;

/// Rows from which on arrays of a pass are large, and the host's own time is nothing beside the device's.
const MANY: i32 = 64;

/// Follows a pass from step to step, two in each layer. The device computes the first layers while the host describes the
/// others. On the CPU backend the host allots the results of about a hundred operations that have not begun yet, which is
/// all of a layer; passes over many rows wait at each step there, so that half a layer's results are in memory at once.
#[derive(Debug)]
pub struct Pace {
    /// Whether it waits at each step.
    waits: bool,
    /// Steps to come.
    left: usize,
    done: usize,
}

impl Pace {
    /// For a pass over so many rows through so many layers. The last half layer is left alone: nobody may want to know what
    /// comes of it.
    #[must_use]
    pub fn new(rows: i32, layers: usize) -> Self {
        Self { waits: rows >= MANY && is_cpu(), left: (2 * layers).saturating_sub(1), done: 0 }
    }

    /// For a pass that gradients are taken through: the device begins nothing.
    #[must_use]
    pub fn free() -> Self {
        Self::new(0, 0)
    }

    /// The pass has come to `stream`.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn step(&mut self, stream: &Array) -> Result<()> {
        let Some(left) = self.left.checked_sub(1) else { return Ok(()) };
        (self.left, self.done) = (left, self.done + 1);
        if self.waits {
            wait([stream])
        } else if self.done % STRIDE == FIRST {
            begin([stream])
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "what cannot be computed fails its test")]

    use super::*;

    #[test]
    fn only_a_pass_over_many_rows_waits_and_never_for_its_last_half_layer() {
        let stream = Array::from_slice(&[1.0_f32], &[1]);
        for (mut pace, expected) in [(Pace::new(64, 3), 5), (Pace::new(8, 3), 0), (Pace::free(), 0)] {
            let before = crate::waits();
            for _ in 0..6 {
                pace.step(&stream).unwrap();
            }
            assert_eq!(crate::waits() - before, expected, "{pace:?}");
        }
    }
}
