//! Packs a checkpoint as mlx-lm does: every matrix in one way, but for those that are set apart.

use std::collections::BTreeMap;

use mlx_rs::{Array, Dtype, ops};
use nn::{Mode, Packed, Packing};
use serde_json::{Map, Value, json};

use crate::{Outcome, checkpoint::Checkpoint, microscaling};

/// How mlx-lm packs routers, whatever it does with the rest.
pub const ROUTER: Packing = Packing { mode: Mode::Affine, bits: 8, group: 64 };

/// One model twice.
#[derive(Debug)]
pub struct Twins {
    /// Packed, in MLX's spelling.
    pub packed: Checkpoint,
    /// The numbers that the packed matrices hold, as they are, in float32.
    pub dense: Checkpoint,
}

/// Every way of packing that there is.
#[must_use]
pub fn all() -> Vec<Packing> {
    let affine = [2, 3, 4, 5, 6, 8].into_iter().flat_map(|bits| [32, 64, 128].map(|group| affine(bits, group)));
    affine.chain([Mode::Mxfp4, Mode::Mxfp8, Mode::Nvfp4].map(Mode::usual)).collect()
}

/// `bits` in groups of `group` with scale and bias.
#[must_use]
pub fn affine(bits: i32, group: i32) -> Packing {
    Packing { mode: Mode::Affine, bits, group }
}

/// Packs every matrix as `global` says, but routers as [`ROUTER`], and those for whose path `apart` has an answer as it
/// says. A matrix whose width its groups do not divide stays as it is.
///
/// # Errors
/// When MLX fails.
pub fn quantise(of: Checkpoint, global: Packing, apart: impl Fn(&str) -> Option<Packing>) -> Outcome<Twins> {
    let Checkpoint { mut config, tensors } = of.as_mlx()?;
    let mut settings = entry(global);
    let (mut packed, mut dense) = (BTreeMap::new(), BTreeMap::new());
    for (name, tensor) in tensors {
        let Some(path) = name.strip_suffix(".weight").filter(|_| tensor.ndim() > 1) else {
            packed.insert(name.clone(), tensor.clone());
            dense.insert(name, tensor);
            continue;
        };
        let router = path.ends_with("router.proj").then_some(ROUTER);
        let packing = apart(path).or(router).unwrap_or(global);
        if tensor.dim(-1) % packing.group != 0 {
            settings.insert(path.to_owned(), json!(false));
            packed.insert(name.clone(), tensor.clone());
            dense.insert(name, tensor);
            continue;
        }
        if packing != global {
            settings.insert(path.to_owned(), entry(packing).into());
        }
        let parts = pack(&tensor, packing)?;
        let named = parts.named.into_iter().map(|(part, tensor)| (format!("{path}.{part}"), tensor));
        packed.extend(named);
        dense.insert(name, parts.numbers);
    }
    let dense = Checkpoint { config: config.clone(), tensors: dense };
    config["quantization"] = Value::Object(settings.clone());
    config["quantization_config"] = Value::Object(settings);
    Ok(Twins { packed: Checkpoint { config, tensors: packed }, dense })
}

struct Parts {
    named: Vec<(&'static str, Array)>,
    numbers: Array,
}

fn pack(matrix: &Array, packing: Packing) -> Outcome<Parts> {
    let Packing { mode, bits, group } = packing;
    if mode != Mode::Affine {
        let microscaling::Microscaled { words, scales, numbers } = microscaling::pack(matrix, packing)?;
        return Ok(Parts { named: vec![("weight", words), ("scales", scales)], numbers });
    }
    let (words, scales, biases) = ops::quantize(matrix, group, bits)?;
    let wide = |array: &Array| array.as_dtype(Dtype::Float32);
    let (wide_scales, wide_biases) = (wide(&scales)?, wide(&biases)?);
    let numbers = Packed::new(packing, words.clone(), wide_scales, Some(wide_biases), Dtype::Float32).unpacked()?;
    Ok(Parts { named: vec![("weight", words), ("scales", scales), ("biases", biases)], numbers })
}

/// As mlx-lm writes it; the affine mode of a single layer goes without saying.
fn entry(Packing { mode, bits, group }: Packing) -> Map<String, Value> {
    let mut entry = Map::from_iter([("group_size".into(), group.into()), ("bits".into(), bits.into())]);
    if mode != Mode::Affine {
        entry.insert("mode".into(), mode.name().into());
    }
    entry
}
