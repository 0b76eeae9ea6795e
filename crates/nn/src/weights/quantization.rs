//! What a checkpoint's configuration says about packed matrices, in MLX's spelling.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::{
    Error, Result,
    matrix::{Mode, Packing, SUPPORTED},
};

/// Which matrices are packed, and how, as far as the configuration says. It may speak of parts that nobody needs, so
/// what it says is only judged where it matters.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Quantization {
    /// For matrices that are not listed.
    default: Option<Map<String, Value>>,
    /// By module path as the configuration spells it; `None` says that this one is not packed.
    modules: BTreeMap<String, Option<Map<String, Value>>>,
}

impl Quantization {
    /// Reads the `quantization` entry of a `config.json`, or its copy `quantization_config`; without either nothing is
    /// said.
    ///
    /// # Errors
    /// When the weights are packed by another program's method.
    pub fn read(config: &Value) -> Result<Self> {
        let entry = |key: &str| config.get(key).and_then(Value::as_object);
        if let Some(entry) = entry("quantization") {
            return Ok(Self::parse(entry));
        }
        let Some(entry) = entry("quantization_config") else { return Ok(Self::default()) };
        match entry.get("quant_method") {
            None | Some(Value::Null) => Ok(Self::parse(entry)),
            Some(method) => Err(Error::QuantizationMethod(method.as_str().unwrap_or("unknown").to_owned())),
        }
    }

    /// Whether nothing is said.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        self.default.is_none()
    }

    fn parse(entry: &Map<String, Value>) -> Self {
        let nested = entry.get("per_layer_config").and_then(Value::as_object).into_iter().flatten();
        let mut modules = BTreeMap::new();
        for (path, value) in entry.iter().chain(nested).filter(|(path, _)| *path != "per_layer_config") {
            match value {
                Value::Object(settings) => {
                    modules.insert(path.clone(), Some(settings.clone()));
                }
                Value::Bool(false) => {
                    modules.insert(path.clone(), None);
                }
                _ => {}
            }
        }
        Self { default: Some(entry.clone()), modules }
    }

    /// How matrices are packed that are not listed.
    ///
    /// # Errors
    /// When MLX does not have it.
    pub(super) fn unlisted(&self) -> Result<Option<Packing>> {
        self.default.as_ref().map(|settings| packing("quantization", settings)).transpose()
    }

    /// The paths of the modules that are listed.
    pub(super) fn modules(&self) -> impl Iterator<Item = &str> {
        self.modules.keys().map(String::as_str)
    }

    /// How a listed module is packed, if it is.
    ///
    /// # Errors
    /// When MLX does not have it.
    pub(super) fn module(&self, path: &str) -> Result<Option<Packing>> {
        self.modules.get(path).and_then(Option::as_ref).map(|settings| packing(path, settings)).transpose()
    }
}

/// What one entry sets; what it leaves out is the mode's usual, and the usual mode is affine.
fn packing(path: &str, settings: &Map<String, Value>) -> Result<Packing> {
    let unsupported =
        |what: String| Error::Layout { name: path.to_owned(), reason: format!("config.json sets {what}; {SUPPORTED}") };
    let usual = match settings.get("mode") {
        None | Some(Value::Null) => Mode::Affine.usual(),
        Some(mode) => {
            let named = mode.as_str().and_then(Mode::named);
            named.ok_or_else(|| unsupported(format!("mode to {mode}")))?.usual()
        }
    };
    let number = |key: &str, usual: i32| match settings.get(key) {
        None | Some(Value::Null) => Ok(usual),
        Some(value) => {
            let number = value.as_i64().and_then(|value| i32::try_from(value).ok());
            number.ok_or_else(|| unsupported(format!("{key} to {value}")))
        }
    };
    let packing = Packing { bits: number("bits", usual.bits)?, group: number("group_size", usual.group)?, ..usual };
    if packing.is_supported() { Ok(packing) } else { Err(unsupported(packing.to_string())) }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "what cannot be read fails its test")]

    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(entry: &Value, default: &str, module: Option<&str>) {
        let read = Quantization::read(&json!({ "quantization": entry })).unwrap();
        assert_eq!(read.unlisted().unwrap().unwrap().to_string(), default);
        let in_words = |packing: Option<Packing>| packing.map_or("dense".into(), |packing| packing.to_string());
        let said = read.modules().next().map(|path| in_words(read.module(path).unwrap()));
        assert_eq!(said.as_deref(), module);
    }

    #[test]
    fn what_an_entry_leaves_out_is_its_own_modes_usual() {
        check(&json!({}), "4-bit in groups of 64", None);
        check(&json!({ "mode": "mxfp4", "a.b": {} }), "mxfp4 in groups of 32", Some("4-bit in groups of 64"));
        check(
            &json!({ "bits": 3, "a.b": { "mode": "nvfp4" } }),
            "3-bit in groups of 64",
            Some("nvfp4 in groups of 16"),
        );
        check(
            &json!({ "per_layer_config": { "a.b": { "bits": 8 } } }),
            "4-bit in groups of 64",
            Some("8-bit in groups of 64"),
        );
        check(&json!({ "group_size": 128, "a.b": false }), "4-bit in groups of 128", Some("dense"));
    }

    #[test]
    fn what_mlx_does_not_have_is_refused_with_what_it_has() {
        for entry in [
            json!({ "bits": 7 }),
            json!({ "group_size": 48 }),
            json!({ "mode": "nf4" }),
            json!({ "mode": "mxfp4", "bits": 8 }),
            json!({ "bits": "four" }),
            json!({ "a.b": { "group_size": 16 } }),
        ] {
            let read = Quantization::read(&json!({ "quantization": entry })).unwrap();
            let error = read.unlisted().and(read.module("a.b")).unwrap_err().to_string();
            assert!(error.contains("groups of 32, 64 or 128"), "{error}");
        }
    }

    #[test]
    fn other_programs_packed_files_are_refused_by_name() {
        let config = json!({ "quantization_config": { "quant_method": "compressed-tensors" } });
        let error = Quantization::read(&config).unwrap_err().to_string();
        assert!(error.contains("compressed-tensors"), "{error}");
        assert_eq!(Quantization::read(&json!({ "quantization_config": null })).unwrap(), Quantization::default());
    }
}
