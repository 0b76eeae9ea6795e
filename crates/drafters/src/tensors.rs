//! How the tensors of published drafters are found and read: all their formats agree in this.

use mlx_rs::{Array, Dtype};
use nn::{Fitted, Inventory, Linear, Norm, Place, Quantization, Result, Surplus, Wanted, Weights};

/// What some files put before every name.
const PREFIX: &str = "model.";

/// Finds all that is `wanted`. Nothing else may be there: a drafter of another kind can have every tensor of this one,
/// and would draft badly without any error.
///
/// # Errors
/// When a tensor is missing, misshapen or not wanted.
pub(crate) fn fit<'a>(inventory: &'a Inventory, wanted: &[Wanted], quantization: &Quantization) -> Result<Fitted<'a>> {
    let place = |name: &str| Some(Place::Whole(name.strip_prefix(PREFIX).unwrap_or(name).to_owned()));
    inventory.fit(wanted, quantization, Surplus::Refuse, place)
}

/// The stored tensor called `name`, if there is one.
pub(crate) fn stored<'a>(inventory: &'a Inventory, name: &str) -> Option<&'a nn::Stored> {
    let tensors = inventory.tensors();
    tensors.get(name).or_else(|| tensors.get(&format!("{PREFIX}{name}")))
}

/// What a drafter computes in beside a target that computes in `target`: the type of the matrix called `name` that projects
/// the target's rows, or float32 if those are, which are then not rounded; the CPU backend multiplies nothing else quickly.
/// Float16 becomes bfloat16, as those rows leave the range of float16 in that projection.
pub(crate) fn dtype(inventory: &Inventory, name: &str, target: Dtype) -> Dtype {
    let numbers = ["scales", "weight"].into_iter().find_map(|part| stored(inventory, &format!("{name}.{part}")));
    match numbers.map(|stored| stored.dtype.as_str()) {
        Some("F32") => Dtype::Float32,
        _ if target == Dtype::Float32 => Dtype::Float32,
        _ => Dtype::Bfloat16,
    }
}

/// The parts that tensors make, by name.
#[derive(Debug)]
pub(crate) struct Parts<'a> {
    pub(crate) weights: &'a Weights,
    /// Added under the root of every norm.
    pub(crate) eps: f32,
}

impl Parts<'_> {
    /// A matrix that may be packed.
    pub(crate) fn linear(&self, name: &str) -> Linear {
        Linear::new(self.weights.matrix(name))
    }

    /// `{name}.weight`.
    pub(crate) fn norm(&self, name: &str) -> Norm {
        Norm::new(self.array(&format!("{name}.weight")), self.eps)
    }

    /// Numbers that are never packed.
    pub(crate) fn array(&self, name: &str) -> Array {
        self.weights.tensor(name)
    }
}
