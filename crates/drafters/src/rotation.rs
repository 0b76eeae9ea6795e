//! Rotary settings as configurations of the family write them.

use nn::Rope;

use crate::{Result, config::Entry};

/// How the lanes of a head rotate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rotation {
    /// Base of the angles.
    pub(crate) base: f32,
    /// The part of the lanes that rotates.
    pub(crate) partial: f32,
}

impl Rotation {
    /// All lanes rotate.
    pub(crate) const SLIDING: Self = Self { base: 1e4, partial: 1.0 };
    /// A quarter of them does ("proportional").
    pub(crate) const FULL: Self = Self { base: 1e6, partial: 0.25 };

    /// Reads `rope_parameters`: the entry for layers of `kind`, or a flat one, or flat keys of `config` itself; what
    /// none of them says is `usual`.
    ///
    /// # Errors
    /// When it is malformed, or lanes rotate in a way that such layers never have.
    pub(crate) fn read(config: &Entry<'_>, kind: &str, usual: Self) -> Result<Self> {
        let parameters = config.entry("rope_parameters")?;
        let nested = parameters.entry(kind)?;
        let is_nested = nested.exists();
        // Some writers leave an empty flat entry beside the nested ones: the nested ones come first.
        let entry = [nested, parameters].into_iter().find(Entry::exists).unwrap_or_else(|| config.clone());
        let partial = entry.get::<f32>("partial_rotary_factor")?;
        let silent = !is_nested && partial.is_none() && entry.get::<f32>("rope_theta")?.is_none();
        let whole = (usual.partial - 1.0).abs() < f32::EPSILON;
        entry.only("rope_type", if whole { "default" } else { "proportional" }, |rope_type| {
            rope_type == "proportional" || (rope_type == "default" && (whole || silent))
        })?;
        let base = entry.positive("rope_theta", Some(usual.base))?;
        let partial = entry.positive("partial_rotary_factor", Some(usual.partial))?;
        if partial > 1.0 {
            return Err(entry.malformed("partial_rotary_factor", &format!("is {partial}, more than all lanes")));
        }
        Ok(Self { base, partial })
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
    use serde_json::{Value, json};

    use super::*;
    use crate::config::ConfigFile;

    #[track_caller]
    fn check(config: &Value, kind: &str, usual: Rotation, base: f32, partial: f32) {
        let read = Rotation::read(&ConfigFile::of(config.clone()).top(), kind, usual);
        assert_eq!(read.ok(), Some(Rotation { base, partial }), "{config}");
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
            let config = ConfigFile::of(config);
            assert!(Rotation::read(&config.top(), "full_attention", Rotation::FULL).is_err(), "{config:?}");
        }
    }
}
