//! Rotary positions.

use std::{cell::RefCell, rc::Rc};

use mlx_rs::{Array, fast, ops, ops::indexing::TryIndexOp};

use crate::{Result, device::is_cpu, heads_first};

/// Rotates pairs of lanes by an angle that grows with the position; lane `j` pairs with lane `j + D/2`. A clone shares what is
/// worked out for the newest positions.
#[derive(Debug, Clone)]
pub struct Rope {
    dims: i32,
    base: Option<f32>,
    divisors: Option<Array>,
    /// What positions are multiplied by.
    scale: f32,
    /// Where MLX has no kernel for it.
    composed: Option<Rc<Composed>>,
}

impl Rope {
    /// All lanes rotate: pair `j` by `position·base^(−2j/dims)`.
    #[must_use]
    pub fn full(dims: i32, base: f32) -> Self {
        let composed = Composed::new((0..dims / 2).map(|pair| power(base, pair, dims).recip()));
        Self { dims, base: Some(base), divisors: None, scale: 1.0, composed }
    }

    /// Only the first `partial·dims/2` pairs rotate; the exponent still divides by all of `dims` ("proportional").
    ///
    /// An infinite divisor makes a pair stand still. Passing fewer `dims` instead would pair the wrong lanes.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "head sizes are small")]
    pub fn proportional(dims: i32, base: f32, partial: f32) -> Self {
        let rotated = (partial * dims as f32) as i32 / 2;
        let divisor = |pair: i32| if pair < rotated { power(base, pair, dims) } else { f32::INFINITY };
        let divisors = (0..dims / 2).map(divisor).collect::<Vec<_>>();
        let composed = Composed::new(divisors.iter().map(|divisor| divisor.recip()));
        Self { dims, base: None, divisors: Some(Array::from_slice(&divisors, &[dims / 2])), scale: 1.0, composed }
    }

    /// The same with all positions divided by `factor`, so that longer texts span the angles that were trained.
    #[must_use]
    pub fn stretched(self, factor: f32) -> Self {
        let scale = 1.0 / factor;
        let composed = self.composed.map(|composed| {
            Rc::new(Composed { scale, frequencies: composed.frequencies.clone(), newest: RefCell::default() })
        });
        Self { scale, composed, ..self }
    }

    /// `[b, L, heads, D]`, whose rows stand at positions `offset..offset + L`, to `[b, heads, L, D]`.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn rotate(&self, x: &Array, offset: usize) -> Result<Array> {
        if let Some(composed) = &self.composed {
            return heads_first(&composed.rotate(x, &[offset])?);
        }
        let (x, divisors) = (heads_first(x)?, self.divisors.as_ref());
        Ok(fast::rope(x, self.dims, false, self.base, self.scale, index(offset), divisors)?)
    }

    /// The same with the rows of each of the `b` at positions from its own of `offsets` on.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn rotate_each(&self, x: &Array, offsets: &[usize]) -> Result<Array> {
        if let Some(composed) = &self.composed {
            return heads_first(&composed.rotate(x, offsets)?);
        }
        let x = heads_first(x)?;
        let offsets = Array::from_iter(offsets.iter().map(|&offset| index(offset)), &[x.dim(0)]);
        Ok(fast::rope_dynamic(x, self.dims, false, self.base, self.scale, offsets, self.divisors.as_ref())?)
    }
}

/// The same of few operations: the host works out sines and cosines, once for all layers that share a rope. MLX
/// would have the device make them anew for every rotation, of operations that each cost more than a row's sines.
#[derive(Debug)]
struct Composed {
    /// What a pair's angle grows by from each position to the next.
    frequencies: Vec<f32>,
    /// What positions are multiplied by.
    scale: f32,
    newest: RefCell<Option<Angles>>,
}

/// Of rows at some positions.
#[derive(Debug)]
struct Angles {
    offsets: Vec<usize>,
    rows: i32,
    /// Of each lane, `[b, L, 1, D]`.
    cosines: Array,
    /// Likewise; of the first lane of a pair with the other sign.
    sines: Array,
}

impl Composed {
    fn new(frequencies: impl Iterator<Item = f32>) -> Option<Rc<Self>> {
        is_cpu().then(|| Rc::new(Self { frequencies: frequencies.collect(), scale: 1.0, newest: RefCell::default() }))
    }

    fn rotate(&self, x: &Array, offsets: &[usize]) -> Result<Array> {
        let mut newest = self.newest.borrow_mut();
        let known = newest.take().filter(|known| known.offsets == offsets && known.rows == x.dim(1));
        let angles = newest.insert(known.unwrap_or_else(|| self.angles(offsets, x.dim(1))));
        let half = x.dim(3) / 2;
        let (first, second) = (x.try_index((.., .., .., ..half))?, x.try_index((.., .., .., half..))?);
        let others = ops::concatenate(&[second, first], -1)?;
        let rotated = x.multiply(&angles.cosines)?.add(others.multiply(&angles.sines)?)?;
        Ok(rotated.as_dtype(x.dtype())?)
    }

    fn angles(&self, offsets: &[usize], rows: i32) -> Angles {
        let (mut cosines, mut sines) = (Vec::new(), Vec::new());
        for position in offsets.iter().flat_map(|&offset| (0..rows).map(move |row| index(offset).saturating_add(row))) {
            #[expect(clippy::cast_precision_loss, reason = "as MLX counts positions")]
            let position = position as f32 * self.scale;
            let of_lane = self.frequencies.iter().map(|frequency| (position * frequency).sin_cos()).collect::<Vec<_>>();
            sines.extend(of_lane.iter().map(|(sine, _)| -sine).chain(of_lane.iter().map(|(sine, _)| *sine)));
            cosines.extend(of_lane.iter().chain(&of_lane).map(|(_, cosine)| *cosine));
        }
        let lanes = i32::try_from(2 * self.frequencies.len()).unwrap_or(i32::MAX);
        let shape = [i32::try_from(offsets.len()).unwrap_or(i32::MAX), rows, 1, lanes];
        let [cosines, sines] = [cosines, sines].map(|lanes: Vec<f32>| Array::from_slice(&lanes, &shape));
        Angles { offsets: offsets.to_vec(), rows, cosines, sines }
    }
}

/// `base^(2·pair/dims)`.
#[expect(clippy::cast_precision_loss, reason = "head sizes are small")]
fn power(base: f32, pair: i32, dims: i32) -> f32 {
    base.powf(2.0 * pair as f32 / dims as f32)
}

/// Far beyond any context at most.
fn index(position: usize) -> i32 {
    i32::try_from(position).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "what cannot be computed fails its test")]

    use super::*;

    #[test]
    fn composed_or_not_it_is_the_rotation_that_mlx_knows() {
        let numbers = (0..48_u8).map(|number| f32::from(number % 11) - 4.0).collect::<Vec<_>>();
        let x = Array::from_slice(&numbers, &[2, 2, 3, 4]);
        for rope in [Rope::full(4, 1e4), Rope::proportional(4, 1e6, 0.5), Rope::full(4, 1e4).stretched(8.0)] {
            let offsets = Array::from_slice(&[5, 300], &[2]);
            let of_rows = x.swap_axes(1, 2).unwrap();
            let (base, divisors) = (rope.base, rope.divisors.as_ref());
            let [one, each] = [
                fast::rope(&x, 4, false, base, rope.scale, 300, divisors).unwrap(),
                fast::rope_dynamic(&x, 4, false, base, rope.scale, offsets, divisors).unwrap(),
            ];
            for (ours, its) in [(rope.rotate(&of_rows, 300), one), (rope.rotate_each(&of_rows, &[5, 300]), each)] {
                assert!(ours.unwrap().all_close(its, 1e-4, 1e-4, None).unwrap());
            }
        }
    }
}
