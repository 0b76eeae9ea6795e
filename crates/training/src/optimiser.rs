//! How parameters follow their gradients.

use mlx_rs::{Array, ops};
use nn::Result;

/// `AdamW` (arXiv:1711.05101) with bias correction: β = (0.9, 0.999), ε = 1e-8. Its moments belong to parameters by
/// their order.
#[derive(Debug, Clone)]
pub struct AdamW {
    /// How much of each parameter is taken away a step, in learning rates.
    pub weight_decay: f32,
    /// Running means of the gradients.
    pub first: Vec<Array>,
    /// Running means of their squares.
    pub second: Vec<Array>,
    /// Steps taken.
    pub steps: usize,
}

const BETAS: [f32; 2] = [0.9, 0.999];
const EPS: f32 = 1e-8;

impl AdamW {
    /// For these parameters.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn new(parameters: &[Array], weight_decay: f32) -> Result<Self> {
        let zeros = parameters.iter().map(ops::zeros_like).collect::<Result<Vec<_>, _>>()?;
        Ok(Self { weight_decay, first: zeros.clone(), second: zeros, steps: 0 })
    }

    /// The parameters after one step; the gradients stand in their order.
    ///
    /// # Errors
    /// When MLX fails.
    pub fn step(&mut self, parameters: &[Array], gradients: &[Array], learning_rate: f32) -> Result<Vec<Array>> {
        self.steps += 1;
        let power = i32::try_from(self.steps).unwrap_or(i32::MAX);
        let [first, second] = BETAS.map(|beta| 1.0 / (1.0 - beta.powi(power)));
        let moments = self.first.iter_mut().zip(&mut self.second);
        let one = |((parameter, gradient), (mean, square)): ((&Array, &Array), (&mut Array, &mut Array))| {
            *mean = blended(mean, gradient, BETAS[0])?;
            *square = blended(square, &ops::square(gradient)?, BETAS[1])?;
            let spread = ops::sqrt(square.multiply(Array::from_f32(second))?)?.add(Array::from_f32(EPS))?;
            let change = mean.multiply(Array::from_f32(learning_rate * first))?.divide(spread)?;
            let kept = parameter.multiply(Array::from_f32(1.0 - learning_rate * self.weight_decay))?;
            Ok(kept.subtract(change)?)
        };
        parameters.iter().zip(gradients).zip(moments).map(one).collect()
    }
}

/// Gradients whose joint length is at most `most`, and the length that they had, a scalar.
///
/// # Errors
/// When MLX fails.
pub(crate) fn clipped(gradients: &[Array], most: f32) -> Result<(Vec<Array>, Array)> {
    let squares = gradients.iter().map(|gradient| ops::square(gradient)?.sum(None)).collect::<Result<Vec<_>, _>>()?;
    let norm = ops::sqrt(ops::stack(&squares, 0)?.sum(None)?)?;
    let factor = ops::minimum(Array::from_f32(most).divide(norm.add(Array::from_f32(1e-6))?)?, Array::from_f32(1.0))?;
    let clip = |gradient: &Array| gradient.multiply(&factor);
    Ok((gradients.iter().map(clip).collect::<Result<_, _>>()?, norm))
}

/// `β·old + (1 − β)·new`.
fn blended(old: &Array, new: &Array, beta: f32) -> Result<Array> {
    Ok(old.multiply(Array::from_f32(beta))?.add(new.multiply(Array::from_f32(1.0 - beta))?)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_step_is_one_learning_rate_against_each_gradients_sign() -> Result<()> {
        let parameters = [Array::from_slice(&[1.0_f32, -2.0, 3.0], &[3])];
        let mut adam = AdamW::new(&parameters, 0.0)?;
        let moved = adam.step(&parameters, &[Array::from_slice(&[5.0_f32, -0.01, 0.0], &[3])], 0.1)?;
        let moved = moved[0].as_slice::<f32>();
        for (found, wanted) in moved.iter().zip([0.9, -1.9, 3.0]) {
            assert!((found - wanted).abs() < 1e-5, "{moved:?}");
        }
        Ok(())
    }

    #[test]
    fn long_gradients_are_clipped_to_one_length_together_and_short_ones_stay() -> Result<()> {
        let gradients = [Array::from_slice(&[3.0_f32, 0.0], &[2]), Array::from_slice(&[4.0_f32], &[1])];
        let (clipped_ones, norm) = clipped(&gradients, 1.0)?;
        assert!((norm.item_exact::<f32>() - 5.0).abs() < 1e-5);
        assert!((clipped_ones[1].as_slice::<f32>()[0] - 0.8).abs() < 1e-4);
        let (kept, _) = clipped(&gradients, 6.0)?;
        assert_eq!(kept[0].as_slice::<f32>(), gradients[0].as_slice::<f32>());
        Ok(())
    }
}
