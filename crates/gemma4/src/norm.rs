//! The family's norms.

use nn::{Norm, Weights, scalar};

use crate::{Config, Family, Result};

/// The norm called `name`. Gemma 3 stores what is to be added to 1.
pub(crate) fn norm(config: &Config, weights: &Weights, name: &str) -> Result<Norm> {
    let weight = weights.tensor(&format!("{name}.weight"));
    let weight = match config.family {
        Family::Gemma4 => weight,
        Family::Gemma3 => weight.add(scalar(1.0, weight.dtype())?)?,
    };
    Ok(Norm::new(weight, config.eps))
}
