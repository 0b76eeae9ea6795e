//! A target that is small, but large enough that its memory is more than small change. Its weights are random.

use std::{fs, path::Path};

use mlx_rs::{Array, Dtype, ops, random};
use serde_json::json;

use crate::{Outcome, tiny};

/// Width of the stream.
const HIDDEN: i32 = 256;
/// Width of the feed-forward part.
const INNER: i32 = 1024;
/// Layers: five sliding ones and a full one, twice.
const LAYERS: usize = 12;
/// Query heads.
const HEADS: i32 = 8;
/// Key/value heads of sliding layers, and of full ones.
const GROUPS: [i32; 2] = [4, 2];
/// Size of a head, likewise.
const HEAD: [i32; 2] = [32, 64];
/// Tokens that it knows; its tokenizer knows fewer.
const VOCABULARY: i32 = 32_768;

/// Writes a target whose numbers are stored as `dtype`.
///
/// # Errors
/// When it cannot be written.
pub fn write_target(folder: &Path, dtype: Dtype) -> Outcome {
    fs::create_dir(folder)?;
    let config = json!({
        "model_type": "gemma4_text", "hidden_size": HIDDEN, "intermediate_size": INNER, "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS, "num_key_value_heads": GROUPS[0], "num_global_key_value_heads": GROUPS[1],
        "head_dim": HEAD[0], "global_head_dim": HEAD[1], "attention_k_eq_v": true, "sliding_window": 128,
        "sliding_window_pattern": 6, "vocab_size": VOCABULARY, "max_position_embeddings": 1_000_000,
        "final_logit_softcapping": 30.0,
    });
    fs::write(folder.join("config.json"), config.to_string())?;
    tiny::write_tokenizer(folder)?;
    let tensors = shapes().into_iter().map(|(name, shape)| Ok((name, numbers(&shape)?.as_dtype(dtype)?)));
    let tensors = tensors.collect::<Outcome<Vec<(String, Array)>>>()?;
    let named = tensors.iter().map(|(name, tensor)| (name.as_str(), tensor));
    Ok(nn::save(named, &folder.join("model.safetensors"))?)
}

/// Ones for norms, or the stream would vanish; otherwise small random numbers.
fn numbers(shape: &[i32]) -> Outcome<Array> {
    Ok(match shape {
        [_] => ops::ones::<f32>(shape)?,
        _ => random::normal::<f32>(shape, None, Some(0.02), None)?,
    })
}

fn shapes() -> Vec<(String, Vec<i32>)> {
    let mut shapes = vec![
        ("model.embed_tokens.weight".to_owned(), vec![VOCABULARY, HIDDEN]),
        ("model.norm.weight".to_owned(), vec![HIDDEN]),
    ];
    for layer in 0..LAYERS {
        let kind = usize::from((layer + 1) % 6 == 0);
        let (queries, keys) = (HEADS * HEAD[kind], GROUPS[kind] * HEAD[kind]);
        let norms = ["input", "post_attention", "pre_feedforward", "post_feedforward"];
        let mut of_layer = norms.map(|norm| (format!("{norm}_layernorm.weight"), vec![HIDDEN])).to_vec();
        let rest = [
            ("self_attn.q_proj.weight", vec![queries, HIDDEN]),
            ("self_attn.k_proj.weight", vec![keys, HIDDEN]),
            ("self_attn.o_proj.weight", vec![HIDDEN, queries]),
            ("self_attn.q_norm.weight", vec![HEAD[kind]]),
            ("self_attn.k_norm.weight", vec![HEAD[kind]]),
            ("mlp.gate_proj.weight", vec![INNER, HIDDEN]),
            ("mlp.up_proj.weight", vec![INNER, HIDDEN]),
            ("mlp.down_proj.weight", vec![HIDDEN, INNER]),
            ("layer_scalar", vec![1]),
        ];
        of_layer.extend(rest.map(|(name, shape)| (name.to_owned(), shape)));
        of_layer.extend((kind == 0).then(|| ("self_attn.v_proj.weight".to_owned(), vec![keys, HIDDEN])));
        shapes.extend(of_layer.into_iter().map(|(name, shape)| (format!("model.layers.{layer}.{name}"), shape)));
    }
    shapes
}
