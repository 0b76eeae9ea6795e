//! Checkpoints of any size that take no space: a file with its header and a hole where the numbers would be.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::Write,
};

use nn::Wanted;
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use crate::{Outcome, weights};

/// All tensors of a configuration in bfloat16, as the original files name and fuse them.
///
/// # Errors
/// When nothing with this configuration runs, or the folder cannot be written.
pub fn checkpoint(config: &Value) -> Outcome<TempDir> {
    let prefix = if config["text_config"].is_object() { "model.language_model." } else { "model." };
    let tensors = weights::parsed(config)?.tensors().iter().filter_map(original).collect::<BTreeMap<_, _>>();
    let (mut header, mut end) = (Map::new(), 0);
    for (name, shape) in tensors {
        let start = end;
        end += 2 * shape.iter().map(|&n| u64::from(n.unsigned_abs())).product::<u64>();
        let described = json!({ "dtype": "BF16", "shape": shape, "data_offsets": [start, end] });
        header.insert(format!("{prefix}{name}"), described);
    }
    let header = Value::Object(header).to_string();
    let folder = tempfile::tempdir()?;
    fs::write(folder.path().join("config.json"), config.to_string())?;
    let mut file = File::create(folder.path().join("model.safetensors"))?;
    let length = header.len() as u64;
    file.write_all(&length.to_le_bytes())?;
    file.write_all(header.as_bytes())?;
    file.set_len(8 + length + end)?;
    Ok(folder)
}

/// What the original files call a tensor, and its shape there; gates and ups of experts are one tensor.
fn original(wanted: &Wanted) -> Option<(String, Vec<i32>)> {
    let (name, mut shape) = (wanted.name(), wanted.shape().to_vec());
    let Some((layer, projection)) = name.split_once(".experts.") else {
        let end = if wanted.is_matrix() { ".weight" } else { "" };
        return Some((format!("{name}{end}"), shape));
    };
    match projection {
        "gate_proj" => {
            shape[1] *= 2;
            Some((format!("{layer}.experts.gate_up_proj"), shape))
        }
        "up_proj" => None,
        _ => Some((name.to_owned(), shape)),
    }
}
