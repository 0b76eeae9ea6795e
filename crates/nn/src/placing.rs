//! What queries and keys go through on their way from a projection to attention.

use mlx_rs::{Array, ops, ops::indexing::TryIndexOp};

use crate::{Norm, Result, Rope, device::is_cpu};

/// Norms `N` kinds of heads, each with its own norm, and rotates them to their positions.
#[derive(Debug)]
pub struct Placing<const N: usize> {
    norms: [Norm; N],
    /// One norm for all heads beside each other, on the CPU backend: there an operation costs more than the rows that it is
    /// for, so that one for all heads is cheaper than one for each kind.
    joint: Option<Norm>,
    rope: Rope,
}

impl<const N: usize> Placing<N> {
    /// Each norm with how many heads it is for.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn new(norms: [(Norm, i32); N], rope: Rope) -> Result<Self> {
        let joint = if N > 1 && is_cpu() { Norm::of_heads(&norms)? } else { None };
        Ok(Self { norms: norms.map(|(norm, _)| norm), joint, rope })
    }

    /// Projected heads `[b, L, heads, D]`, whose rows stand at positions from `offset` on, to `[b, heads, L, D]`.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn forward(&self, heads: [&Array; N], offset: usize) -> Result<[Array; N]> {
        let mut placed = heads.map(Array::clone);
        if let Some(norm) = &self.joint {
            let together = norm.forward(&ops::concatenate(&heads, 2)?)?;
            let mut first = 0;
            let rotated = self.rope.rotate(&together, offset)?;
            for heads in &mut placed {
                let end = first + heads.dim(2);
                *heads = rotated.try_index((.., first..end))?;
                first = end;
            }
        } else {
            for (norm, heads) in self.norms.iter().zip(&mut placed) {
                *heads = self.rope.rotate(&norm.forward(heads)?, offset)?;
            }
        }
        Ok(placed)
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "what cannot be computed fails its test")]

    use super::*;

    #[test]
    fn together_or_not_heads_are_normed_and_rotated_alike() {
        let numbers = (0..72_u8).map(|number| f32::from(number % 13) - 5.5).collect::<Vec<_>>();
        let (queries, keys) =
            (Array::from_slice(&numbers[..48], &[1, 3, 4, 4]), Array::from_slice(&numbers[48..], &[1, 3, 2, 4]));
        let norm = |weight: [f32; 4]| Norm::new(Array::from_slice(&weight, &[4]), 1e-3);
        let norms = || [(norm([0.5, 1.0, -2.0, 1.5]), 4), (norm([3.0, 0.25, 1.0, 2.0]), 2)];
        let together = Placing::new(norms(), Rope::full(4, 1e4)).unwrap();
        let apart = Placing { joint: None, ..Placing::new(norms(), Rope::full(4, 1e4)).unwrap() };
        assert!(together.joint.is_some());
        let [together, apart] = [together, apart].map(|placing| placing.forward([&queries, &keys], 70).unwrap());
        for (one, other) in together.iter().zip(&apart) {
            assert!(one.all_close(other, 1e-5, 1e-5, None).unwrap());
        }
    }
}
