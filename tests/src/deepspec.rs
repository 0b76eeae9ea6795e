//! Random drafters in the format of `DeepSpec`, for any target.

use std::collections::BTreeMap;

use drafters::Drafter;
use gemma4::Model;
use mlx_rs::{Array, random};
use nn::Vocabulary;
use serde_json::{Value, json};

use crate::{Outcome, checkpoint::Checkpoint};

/// Rank of the sequential head.
const RANK: i32 = 8;
const LAYERS: i32 = 2;
const HEADS: i32 = 4;
const HEAD: i32 = 16;
const INNER: i32 = 64;

/// A drafter of up to `limit` tokens for `target`; `head` is a kind of sequential head, or empty for none.
///
/// # Errors
/// When it cannot be made.
pub fn random(target: &Model, limit: usize, head: &str, seed: u64) -> Outcome<Drafter> {
    let folder = checkpoint(target, limit, head, seed)?.write()?;
    Ok(drafters::open(folder.path())?)
}

/// The same as its files hold it.
///
/// # Errors
/// When MLX fails.
pub fn checkpoint(target: &Model, limit: usize, head: &str, seed: u64) -> Outcome<Checkpoint> {
    let tensors = shapes(target.hidden_size(), target.size(), head);
    let keys = (0..).map(|i| random::key(seed << 16 | i));
    let tensors = tensors.into_iter().zip(keys).map(|((name, shape), key)| {
        let noise = random::normal::<f32>(&shape, None, None, &key?)?;
        let small = noise.multiply(Array::from_f32(if shape.len() == 1 { 0.05 } else { 0.3 }))?;
        // Norms and scalars are near one.
        let centre = if name.ends_with("norm.weight") || name.ends_with("scalar") { 1.0 } else { 0.0 };
        Ok((name, small.add(Array::from_f32(centre))?))
    });
    let tensors = tensors.collect::<Outcome<BTreeMap<_, _>>>()?;
    Ok(Checkpoint { config: config(target, limit, head), tensors })
}

fn config(target: &Model, limit: usize, head: &str) -> Value {
    let layers = target.config().layers.len();
    json!({
        "architectures": ["Gemma4DSparkModel"], "model_type": "gemma4_text",
        "hidden_size": target.hidden_size(), "vocab_size": target.size(), "num_hidden_layers": LAYERS,
        "num_target_layers": layers, "target_layer_ids": [0, layers / 2], "block_size": limit, "mask_token_id": 4,
        "num_attention_heads": HEADS, "num_global_key_value_heads": 1, "global_head_dim": HEAD,
        "attention_k_eq_v": true, "intermediate_size": INNER, "final_logit_softcapping": 30.0,
        "markov_rank": if head.is_empty() { 0 } else { RANK },
        "markov_head_type": if head.is_empty() { "vanilla" } else { head },
        "enable_confidence_head": !head.is_empty(), "confidence_head_with_markov": head == "gated",
        "tie_word_embeddings": false,
    })
}

fn shapes(hidden: i32, vocabulary: i32, head: &str) -> Vec<(String, Vec<i32>)> {
    let mut shapes = vec![
        ("embed_tokens.weight".to_owned(), vec![vocabulary, hidden]),
        ("lm_head.weight".into(), vec![vocabulary, hidden]),
        ("fc.weight".into(), vec![hidden, 2 * hidden]),
        ("hidden_norm.weight".into(), vec![hidden]),
        ("norm.weight".into(), vec![hidden]),
    ];
    for layer in 0..LAYERS {
        let of_layer: [(&str, Vec<i32>); 13] = [
            ("input_layernorm.weight", vec![hidden]),
            ("post_attention_layernorm.weight", vec![hidden]),
            ("pre_feedforward_layernorm.weight", vec![hidden]),
            ("post_feedforward_layernorm.weight", vec![hidden]),
            ("layer_scalar", vec![1]),
            ("self_attn.q_proj.weight", vec![HEADS * HEAD, hidden]),
            ("self_attn.k_proj.weight", vec![HEAD, hidden]),
            ("self_attn.o_proj.weight", vec![hidden, HEADS * HEAD]),
            ("self_attn.q_norm.weight", vec![HEAD]),
            ("self_attn.k_norm.weight", vec![HEAD]),
            ("mlp.gate_proj.weight", vec![INNER, hidden]),
            ("mlp.up_proj.weight", vec![INNER, hidden]),
            ("mlp.down_proj.weight", vec![hidden, INNER]),
        ];
        shapes.extend(of_layer.map(|(part, shape)| (format!("layers.{layer}.{part}"), shape)));
    }
    let table = ["markov_w1.weight", "markov_w2.weight"].map(|part| (part, vec![vocabulary, RANK]));
    let of_head = match head {
        "gated" => vec![("gate_proj.weight", vec![RANK, hidden + RANK]), ("gate_proj.bias", vec![RANK])],
        "rnn" => vec![("joint_proj.weight", vec![3 * RANK, 2 * RANK + hidden]), ("joint_proj.bias", vec![3 * RANK])],
        _ => Vec::new(),
    };
    if !head.is_empty() {
        let named = |(part, shape)| (format!("markov_head.{part}"), shape);
        shapes.extend(table.into_iter().chain(of_head).map(named));
        let width = if head == "gated" { hidden + RANK } else { hidden };
        shapes.push(("confidence_head.proj.weight".into(), vec![1, width]));
        shapes.push(("confidence_head.proj.bias".into(), vec![1]));
    }
    shapes
}
