//! Rotary settings as configurations of the family write them.

use nn::Rope;
use serde::Deserialize;
use serde_json::Value;

/// How the lanes of a head rotate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rotation {
    /// Base of the angles.
    pub(crate) base: f32,
    /// The part of the lanes that rotates.
    pub(crate) partial: f32,
}

/// The same as files write it: every key optional, absent and null alike.
#[derive(Debug, Deserialize)]
struct Raw {
    rope_type: Option<String>,
    rope_theta: Option<f32>,
    partial_rotary_factor: Option<f32>,
}

impl Rotation {
    /// All lanes rotate.
    pub(crate) const SLIDING: Self = Self { base: 1e4, partial: 1.0 };
    /// A quarter of them does ("proportional").
    pub(crate) const FULL: Self = Self { base: 1e6, partial: 0.25 };

    /// Reads `rope_parameters`: the entry for layers of `kind`, or a flat one, or flat keys of `config` itself; what
    /// none of them says is `usual`.
    pub(crate) fn read(config: &Value, kind: &str, usual: Self) -> Result<Self, String> {
        let parameters = config.get("rope_parameters").filter(|parameters| !parameters.is_null());
        let nested = parameters.and_then(|parameters| parameters.get(kind)).filter(|entry| !entry.is_null());
        // Some writers leave an empty flat entry beside the nested ones: the nested ones come first.
        let entry = nested.or(parameters).unwrap_or(config);
        let raw = Raw::deserialize(entry).map_err(|error| format!("rope_parameters cannot be read: {error}"))?;
        let silent = raw.rope_theta.is_none() && raw.partial_rotary_factor.is_none();
        let whole = (usual.partial - 1.0).abs() < f32::EPSILON;
        let partial = match raw.rope_type.as_deref() {
            Some("proportional") | None => raw.partial_rotary_factor.unwrap_or(usual.partial),
            Some("default") if whole || (silent && nested.is_none()) => usual.partial,
            Some(other) => return Err(format!("rope_type of {kind} layers is {other:?}, which they never have")),
        };
        let rotation = Self { base: raw.rope_theta.unwrap_or(usual.base), partial };
        let sound = rotation.base.is_finite() && rotation.base > 0.0 && (0.0..=1.0).contains(&partial) && partial > 0.0;
        if sound {
            Ok(rotation)
        } else {
            Err(format!("rope_theta is {} and {partial} of the lanes rotate", rotation.base))
        }
    }

    /// The positions of heads of `head_dim` numbers.
    pub(crate) fn rope(self, head_dim: i32) -> Rope {
        if self.partial < 1.0 {
            Rope::proportional(head_dim, self.base, self.partial)
        } else {
            Rope::full(head_dim, self.base)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(config: &Value, kind: &str, usual: Rotation, base: f32, partial: f32) {
        assert_eq!(Rotation::read(config, kind, usual), Ok(Rotation { base, partial }));
    }

    #[test]
    fn nested_entries_come_before_flat_ones_and_those_before_flat_keys() {
        let full = |config: &Value, base, partial| check(config, "full_attention", Rotation::FULL, base, partial);
        let nested = json!({ "full_attention": { "rope_theta": 1e5 }, "rope_theta": null, "rope_type": "default" });
        full(&json!({ "rope_parameters": nested, "rope_theta": 7.0 }), 1e5, 0.25);
        full(&json!({ "rope_parameters": { "rope_theta": 1e5, "partial_rotary_factor": 0.5 } }), 1e5, 0.5);
        full(&json!({ "rope_parameters": { "rope_theta": null, "rope_type": "default" } }), 1e6, 0.25);
        full(&json!({ "rope_theta": 1e5, "partial_rotary_factor": 0.5 }), 1e5, 0.5);
        full(&json!({}), 1e6, 0.25);
        let sliding = json!({ "rope_parameters": { "sliding_attention": { "rope_type": "default" } } });
        check(&sliding, "sliding_attention", Rotation::SLIDING, 1e4, 1.0);
    }

    #[test]
    fn rotations_of_other_kinds_are_refused() {
        for entry in [json!({ "rope_type": "yarn" }), json!({ "rope_type": "default" }), json!({ "rope_theta": 0.0 })] {
            let config = json!({ "rope_parameters": { "full_attention": entry } });
            assert!(Rotation::read(&config, "full_attention", Rotation::FULL).is_err(), "{config}");
        }
    }
}
