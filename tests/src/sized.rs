//! Random targets of the kinds that the fixtures have, as wide as a test needs them.

use mlx_rs::Dtype;
use nn::Packing;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{Outcome, checkpoint::Checkpoint, fixtures, quantise::quantise, tiny, weights};

/// Tokens that a large target knows; its tokenizer knows fewer.
const VOCABULARY: i32 = 32_768;

/// Width of a large target's stream.
const WIDTH: i32 = 512;

/// A fixture's configuration with a stream of `width`, which every group of packed numbers divides, and with one layer
/// of each kind that owns its keys, and one that does not where layers share them.
///
/// # Errors
/// When there is no such fixture.
pub fn config(kind: &str, width: i32) -> Outcome<Value> {
    let mut of = Checkpoint::read(&fixtures::path(&format!("gemma4/{kind}")))?;
    let text = of.text();
    let has = |text: &Value, key: &str| text[key].as_i64().is_some_and(|number| number > 0);
    let mut layers = vec![json!("sliding_attention"), json!("full_attention")];
    if has(text, "num_kv_shared_layers") {
        layers.extend_from_within(..);
        text["num_kv_shared_layers"] = json!(2);
        text["hidden_size_per_layer_input"] = json!(128);
    }
    if has(text, "num_experts") {
        // More than ten, so that their order by number is not that by spelling.
        text["num_experts"] = json!(12);
        text["moe_intermediate_size"] = json!(width);
    }
    for (key, value) in [
        ("hidden_size", json!(width)),
        ("intermediate_size", json!(2 * width)),
        ("num_attention_heads", json!(4)),
        ("head_dim", json!(32)),
        ("global_head_dim", json!(64)),
        ("num_hidden_layers", json!(layers.len())),
        ("layer_types", layers.into()),
    ] {
        text[key] = value;
    }
    Ok(of.config)
}

/// A target with a tokenizer that is small, but large enough that its memory is more than small change: packed, or in
/// `dtype` with its experts as the original files have them.
///
/// # Errors
/// When there is no such fixture, or the target cannot be written.
pub fn target(kind: &str, dtype: Dtype, packing: Option<Packing>) -> Outcome<TempDir> {
    let mut of = Checkpoint { config: config(kind, WIDTH)?, tensors: [].into() };
    let keys = ["vocab_size", "vocab_size_per_layer_input", "sliding_window", "max_position_embeddings"];
    for (key, value) in keys.into_iter().zip([VOCABULARY, VOCABULARY, 128, 1_000_000]) {
        of.text()[key] = json!(value);
    }
    // Such answers would end before all of their tokens are written.
    of.text()["eos_token_id"] = Value::Null;
    let plain = weights::checkpoint(&of.config, i32::MAX)?;
    let written = match packing {
        Some(packing) => quantise(plain, packing, |_| None)?.packed,
        None => plain.stacked()?.fused(|part| if part == "weight" { String::new() } else { format!(".{part}") })?,
    };
    let folder = match dtype {
        Dtype::Float32 => written.converted(dtype)?,
        _ => written,
    }
    .write()?;
    tiny::write_tokenizer(folder.path())?;
    Ok(folder)
}
