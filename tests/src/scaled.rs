//! Fixtures made wide: with the same parts and random weights, but large enough that computing takes longer than asking
//! for it.

use std::path::Path;

use mlx_rs::{Array, random};
use serde_json::{Value, json};

use crate::{Outcome, checkpoint::Checkpoint};

/// Tokens of a wide model; a fixture has [`TOKENS`].
pub const VOCABULARY: i32 = 4096;

/// Tokens of a fixture.
const TOKENS: i32 = 256;

/// What its configuration calls widths, wherever they stand.
const WIDTHS: [&str; 6] =
    ["hidden_size", "backbone_hidden_size", "intermediate_size", "head_dim", "global_head_dim", "conv_group_size"];

/// The checkpoint in `folder` with every width `times` as large; the sizes in `kept` are none. The text is not ended by
/// any token or position, and sliding layers see `window` rows.
///
/// # Errors
/// When it cannot be read, or MLX fails.
pub fn checkpoint(folder: &Path, times: i32, kept: &[i32], window: usize) -> Outcome<Checkpoint> {
    let Checkpoint { mut config, tensors } = Checkpoint::read(folder)?;
    scale(&mut config, times);
    for (key, value) in [
        ("vocab_size", json!(VOCABULARY)),
        ("sliding_window", json!(window)),
        ("max_position_embeddings", json!(1 << 20)),
        ("eos_token_id", Value::Null),
    ] {
        let text = if config["text_config"].is_object() { &mut config["text_config"] } else { &mut config };
        text[key] = value;
    }
    let wide = |&size: &i32| match size {
        TOKENS => VOCABULARY,
        size if kept.contains(&size) => size,
        size => size * times,
    };
    let random = |(seed, (name, tensor)): (u64, (String, Array))| {
        let (shape, key) = (tensor.shape().iter().map(wide).collect::<Vec<_>>(), random::key(seed)?);
        let numbers = match *shape.as_slice() {
            [.., _, inner] => random::normal::<f32>(&shape, 0.0, root(inner).recip(), &key)?,
            _ => random::uniform::<_, f32>(0.5, 1.5, &shape, &key)?,
        };
        Ok((name, numbers))
    };
    let tensors = (0..).zip(tensors).map(random).collect::<Outcome<_>>()?;
    Ok(Checkpoint { config, tensors })
}

/// Multiplies every width in `config`.
fn scale(config: &mut Value, times: i32) {
    let Some(entries) = config.as_object_mut() else { return };
    for (key, value) in entries {
        match value.as_i64() {
            Some(width) if WIDTHS.contains(&key.as_str()) => *value = json!(width * i64::from(times)),
            _ => scale(value, times),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a width is small")]
fn root(width: i32) -> f32 {
    (width as f32).sqrt()
}
