//! Random checkpoints of any configuration, in MLX's spelling.

use std::fs;

use gemma4::Config;
use mlx_rs::{Array, Dtype, ops, random};
use serde_json::Value;

use crate::{Outcome, checkpoint::Checkpoint};

/// How MLX's programs begin the names of the decoder's tensors.
const PREFIX: &str = "language_model.model.";

/// What a `config.json` of this text says.
///
/// # Errors
/// When it says nothing that runs.
pub fn parsed(config: &Value) -> Outcome<Config> {
    let folder = tempfile::tempdir()?;
    fs::write(folder.path().join("config.json"), config.to_string())?;
    Ok(Config::read(folder.path())?)
}

/// Weights in bfloat16 that keep the stream about as long as it is, and of each matrix the first `rows` at most: a
/// whole checkpoint if there are no more, else one to be [made whole](whole).
///
/// # Errors
/// When nothing with this configuration runs, or MLX fails.
pub fn checkpoint(config: &Value, rows: i32) -> Outcome<Checkpoint> {
    let mut tensors = Vec::new();
    for (seed, wanted) in parsed(config)?.tensors().iter().enumerate() {
        let key = random::key(u64::try_from(seed)?)?;
        let mut shape = wanted.shape().to_vec();
        let name = format!("{PREFIX}{}", wanted.name().replace(".experts.", ".experts.switch_glu."));
        let (name, numbers) = if let (true, [.., out, inner]) = (wanted.is_matrix(), shape.as_mut_slice()) {
            *out = rows.min(*out);
            // A router that decides clearly: near-ties would be decided by the last digit.
            let spread = if name.ends_with("router.proj") { 1.0 } else { root(*inner).recip() };
            (format!("{name}.weight"), random::normal::<f32>(shape.as_slice(), 0.0, spread, &key)?)
        } else {
            (name, random::uniform::<_, f32>(0.5, 1.5, shape.as_slice(), &key)?)
        };
        tensors.push((name, numbers.as_dtype(Dtype::Bfloat16)?));
    }
    Ok(Checkpoint { config: config.clone(), tensors: tensors.into_iter().collect() })
}

/// Repeats the rows of each matrix, or of its packed parts, until there are as many as the configuration asks for.
///
/// # Errors
/// When MLX fails.
pub fn whole(mut checkpoint: Checkpoint) -> Outcome<Checkpoint> {
    for wanted in parsed(&checkpoint.config)?.tensors().iter().filter(|wanted| wanted.is_matrix()) {
        let Some(&[out, _]) = wanted.shape().last_chunk() else { return Err("a matrix has two axes".into()) };
        let name = wanted.name().replace(".experts.", ".experts.switch_glu.");
        for part in ["weight", "scales", "biases"] {
            if let Some(tensor) = checkpoint.tensors.get_mut(&format!("{PREFIX}{name}.{part}")) {
                *tensor = repeated(tensor, out)?;
            }
        }
    }
    Ok(checkpoint)
}

/// The rows along the last axis but one, again and again until there are `rows`.
fn repeated(tensor: &Array, rows: i32) -> Outcome<Array> {
    let times = rows / tensor.dim(-2);
    if times * tensor.dim(-2) != rows {
        return Err(format!("{rows} rows are no multiple of {}", tensor.dim(-2)).into());
    }
    let mut axes = vec![1; tensor.ndim()];
    axes[tensor.ndim() - 2] = times;
    Ok(ops::tile(tensor, &axes)?)
}

#[expect(clippy::cast_precision_loss, reason = "a width is small")]
fn root(width: i32) -> f32 {
    (width as f32).sqrt()
}
