//! Every member of the family at its real widths: what it weighs, that it runs as published and packed, and what of it
//! is refused. `cargo test --test family -- --nocapture` prints it as tables.
//!
//! What runs here is smaller than what is published in three ways. There are only as many layers as it takes to have
//! one of each kind that owns its keys and, where layers share them, one of each that does not. The embedding tables
//! have few rows: rows are looked up, and nothing else depends on their number. And there are twice as many experts as
//! a row goes through: all 128 of a single layer take 3 GB in float32, as which the CPU multiplies them. The rows of a
//! matrix repeat, since drawing so many random numbers takes longer than multiplying them.

use std::{fs, path::Path};

use gemma4::{Config, LayerKind, Model};
use mlx_rs::{
    Array, Dtype,
    ops::indexing::{IndexOp, argmax},
};
use nn::{Packing, Vocabulary};
use serde_json::{Value, json};
use tests::{
    Outcome,
    checkpoint::Checkpoint,
    fixtures, hollow,
    quantise::{affine, quantise},
    tensors::floats,
    weights,
};

/// A member, and what the specification says of it at full depth.
struct Member {
    name: &'static str,
    /// Tensors of the text model in the original file, without keys and values that no layer reads.
    tensors: usize,
    parameters: u64,
    /// Bytes that one more token of context takes in full layers, and in sliding ones up to the window, in bfloat16.
    context: [u64; 2],
}

const FAMILY: [Member; 7] = [
    Member { name: "e2b", tensors: 540, parameters: 4_628_569_379, context: [6_144, 12_288] },
    Member { name: "e4b", tensors: 665, parameters: 7_463_013_418, context: [16_384, 40_960] },
    Member { name: "12b", tensors: 666, parameters: 11_907_350_320, context: [16_384, 327_680] },
    Member { name: "26b-a4b", tensors: 657, parameters: 25_233_141_790, context: [20_480, 204_800] },
    Member { name: "31b", tensors: 832, parameters: 30_697_345_340, context: [81_920, 819_200] },
    Member { name: "gemma3-270m", tensors: 236, parameters: 268_098_176, context: [3_072, 15_360] },
    Member { name: "gemma3-1b", tensors: 340, parameters: 999_885_952, context: [4_096, 22_528] },
];

/// Rows of the embedding tables.
const VOCABULARY: i32 = 1024;

/// Rows of a matrix before they repeat.
const ROWS: i32 = 64;

impl Member {
    fn config(&self) -> Outcome<Value> {
        let path = fixtures::path(&format!("family/{}.json", self.name));
        Ok(serde_json::from_slice(&fs::read(path)?)?)
    }

    /// Packed, or as published without a packing.
    fn checkpoint(&self, packing: Option<Packing>) -> Outcome<Checkpoint> {
        let checkpoint = weights::checkpoint(&shallow(self.config()?), ROWS)?;
        weights::whole(match packing {
            // Rows are packed each by itself, so they may as well repeat afterwards.
            Some(packing) => quantise(checkpoint, packing, |_| None)?.packed,
            None => checkpoint,
        })
    }
}

/// The same with the fewest layers of every kind, and small tables.
fn shallow(mut config: Value) -> Value {
    let text = if config["text_config"].is_object() { &mut config["text_config"] } else { &mut config };
    let pair = [json!("sliding_attention"), json!("full_attention")];
    let shared = text["num_kv_shared_layers"].as_u64().is_some_and(|layers| layers > 0);
    let layers = if shared { [pair.clone(), pair].concat() } else { pair.to_vec() };
    if shared {
        text["num_kv_shared_layers"] = json!(2);
        text["vocab_size_per_layer_input"] = json!(VOCABULARY);
    }
    if let Some(chosen) = text["top_k_experts"].as_i64() {
        text["num_experts"] = json!(2 * chosen);
    }
    text["vocab_size"] = json!(VOCABULARY);
    text["num_hidden_layers"] = json!(layers.len());
    text["layer_types"] = layers.into();
    config
}

#[test]
fn what_every_member_weighs_is_what_the_specification_says() -> Outcome {
    let mut table =
        vec![format!("{:<12}{:>8}{:>16}{:>14}{:>14}", "", "tensors", "parameters", "full B/token", "sliding")];
    for member in FAMILY {
        let folder = hollow::checkpoint(&member.config()?)?;
        let (config, inventory) = Model::check(folder.path())?;
        let tensors = inventory.tensors().len();
        let context = [LayerKind::Full, LayerKind::Sliding].map(|kind| bytes_per_token(&config, kind));
        let Member { name, .. } = member;
        assert_eq!(tensors, member.tensors, "{name}: tensors");
        assert_eq!(config.parameters(), member.parameters, "{name}: parameters");
        assert_eq!(context, member.context, "{name}: bytes of context");
        let [full, sliding] = context;
        table.push(format!("{name:<12}{tensors:>8}{:>16}{full:>14}{sliding:>14}", config.parameters()));
    }
    println!("{}\n", table.join("\n"));
    Ok(())
}

/// Keys and values of one token in all layers of `kind` that own some, in bfloat16.
fn bytes_per_token(config: &Config, kind: LayerKind) -> u64 {
    let owners = config.layers[..config.first_shared].iter().filter(|&&layer| layer == kind).count();
    let width = config.geometry(kind).groups * config.geometry(kind).head_dim;
    2 * 2 * owners as u64 * u64::from(width.unsigned_abs())
}

#[test]
fn gemma4_e2b_runs_at_its_real_widths_as_published_and_packed() -> Outcome {
    check("e2b")
}

#[test]
fn gemma4_e4b_runs_at_its_real_widths_as_published_and_packed() -> Outcome {
    check("e4b")
}

#[test]
fn gemma4_12b_runs_at_its_real_widths_as_published_and_packed() -> Outcome {
    check("12b")
}

#[test]
fn gemma4_26b_a4b_runs_at_its_real_widths_as_published_and_packed() -> Outcome {
    check("26b-a4b")
}

#[test]
fn gemma4_31b_runs_at_its_real_widths_as_published_and_packed() -> Outcome {
    check("31b")
}

#[test]
fn gemma3_270m_runs_at_its_real_widths_as_published_and_packed() -> Outcome {
    check("gemma3-270m")
}

#[test]
fn gemma3_1b_runs_at_its_real_widths_as_published_and_packed() -> Outcome {
    check("gemma3-1b")
}

fn check(name: &str) -> Outcome {
    let member = FAMILY.iter().find(|member| member.name == name).ok_or("no such member")?;
    // The tensors in memory are gone before those of the file are read.
    let folder = member.checkpoint(None)?.write()?;
    run(folder.path(), None)?;
    let packing = affine(4, 64);
    let folder = member.checkpoint(Some(packing))?.write()?;
    // The CPU multiplies packed numbers ten times faster in float32.
    run(folder.path(), Some(Dtype::Float32))?;
    println!("{name:<12} runs in bfloat16, and {packing}");
    Ok(())
}

/// Reads a prompt and writes a few tokens; all numbers are finite.
fn run(folder: &Path, dtype: Option<Dtype>) -> Outcome {
    nn::release_memory();
    let model = Model::load(folder, dtype)?;
    let mut caches = model.caches();
    let mut next = vec![2, 105];
    for written in 0..2 {
        let count = i32::try_from(next.len())?;
        let pass = model.forward(&Array::from_slice(&next, &[1, count]), &mut caches, &[])?;
        caches.iter_mut().try_for_each(|cache| cache.commit(next.len()))?;
        let logits = model.logits(&pass.normed)?.index((0, -1));
        if !floats(&logits)?.into_iter().all(f32::is_finite) {
            return Err(format!("after {written} tokens some logits are not finite").into());
        }
        next = argmax(&logits, false)?.reshape(&[-1])?.to_vec_exact::<u32>()?;
    }
    Ok(())
}

/// What of the family is published and does not run here: a change to the configuration, and how the refusal names it.
const REFUSED: [(&str, &str, &str); 7] = [
    ("quantization_config", r#"{ "quant_method": "compressed-tensors" }"#, "compressed-tensors"),
    ("quantization_config", r#"{ "quant_method": "awq", "bits": 4 }"#, "awq"),
    ("quantization_config", r#"{ "quant_method": "gptq", "bits": 4 }"#, "gptq"),
    ("quantization_config", r#"{ "quant_method": "bitsandbytes" }"#, "bitsandbytes"),
    ("model_type", r#""gemma4_assistant""#, "it is a drafter"),
    ("model_type", r#""gemma4_unified_assistant""#, "it is a drafter"),
    ("model_type", r#""diffusion_gemma""#, "diffusion_gemma"),
];

#[test]
fn what_does_not_run_is_refused_by_name_whichever_member_it_is_of() -> Outcome {
    for (key, value, word) in REFUSED {
        let mut refusal = String::new();
        for member in FAMILY {
            let mut config = member.config()?;
            config[key] = serde_json::from_str(value)?;
            let folder = tempfile::tempdir()?;
            fs::write(folder.path().join("config.json"), config.to_string())?;
            refusal = Model::check(folder.path()).err().ok_or("it is accepted")?.to_string();
            assert!(refusal.contains(word), "{}, {value}: {refusal}", member.name);
        }
        println!("refused: {refusal}");
    }
    Ok(())
}
