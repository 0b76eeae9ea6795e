//! Every member of the family at its real widths: what it weighs, that it runs as published and packed, and what of it
//! is refused. `cargo test --test family -- --nocapture` prints it as a table.
//!
//! What runs here is smaller than what is published in three ways. There are only as many layers as it takes to have
//! one of each kind that owns its keys and, where layers share them, one of each that does not. The embedding tables
//! have few rows: rows are looked up, and nothing else depends on their number. And there are twice as many experts as
//! a row goes through: all 128 of a single layer take 3 GB in float32, as which the CPU multiplies them. The rows of a
//! matrix repeat, since drawing so many random numbers takes longer than multiplying them.

use std::{fs, path::Path, sync::Mutex, thread};

use ::gemma4::{Model, Survey};
use mlx_rs::{Array, Dtype, ops};
use nn::{Mode, Packing, Vocabulary};
use serde_json::{Value, json};
use tests::{
    Outcome,
    checkpoint::Checkpoint,
    fixtures, hollow,
    quantise::{Twins, affine, quantise},
    tensors::{check_near, floats},
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

/// The small member that is packed in more ways, each beside a dense twin with the same numbers.
const COMPARED: &str = "e2b";

/// Rows of the embedding tables.
const VOCABULARY: i32 = 1024;

/// Rows of a matrix before they repeat.
const ROWS: i32 = 64;

/// How far logits may be from those of a dense twin, in their own length.
const NEAR: f64 = 1e-4;

impl Member {
    fn config(&self) -> Outcome<Value> {
        let path = fixtures::path(&format!("family/{}.json", self.name));
        Ok(serde_json::from_slice(&fs::read(path)?)?)
    }

    fn checkpoint(&self) -> Outcome<Checkpoint> {
        weights::checkpoint(&shallow(self.config()?), ROWS)
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
    FAMILY.iter().try_for_each(|member| weigh(member).map(drop))
}

/// A member's figures, for the table.
fn weigh(member: &Member) -> Outcome<String> {
    let Member { name, .. } = member;
    let folder = hollow::checkpoint(&member.config()?)?;
    let Survey { config, inventory, parameters, .. } = Survey::of(folder.path())?;
    let tensors = inventory.tensors().len();
    let context = [config.bytes_per_token(2), config.bytes_per_position(2)];
    assert_eq!(tensors, member.tensors, "{name}: tensors");
    assert_eq!(parameters, member.parameters, "{name}: parameters");
    assert_eq!(context, member.context, "{name}: bytes of context");
    let [full, sliding] = context;
    Ok(format!("{name:<12}{tensors:>8}{parameters:>16}{full:>14}{sliding:>10}"))
}

#[test]
fn every_member_runs_at_its_real_widths_as_published_and_packed() -> Outcome {
    let queue = Mutex::new(FAMILY.iter());
    let work = || {
        let mut lines = Vec::new();
        loop {
            let next = queue.lock().map_err(|error| error.to_string())?.next();
            let Some(member) = next else { return Ok::<_, String>(lines) };
            let line = line(member).map_err(|error| format!("{}: {error}", member.name))?;
            lines.push(line);
        }
    };
    let two = thread::scope(|scope| [scope.spawn(work), scope.spawn(work)].map(thread::ScopedJoinHandle::join));
    println!("{:<12}{:>8}{:>16}{:>14}{:>10}  runs", "", "tensors", "parameters", "full B/token", "sliding");
    for lines in two {
        println!("{}", lines.map_err(|_| "a member panicked")??.join("\n"));
    }
    println!("{}", refusals()?.join("\n"));
    Ok(())
}

/// Runs a member; its line of the table.
fn line(member: &Member) -> Outcome<String> {
    let mut line = weigh(member)?;
    // The tensors in memory are gone before those of the file are read.
    let folder = weights::whole(member.checkpoint()?)?.write()?;
    logits(folder.path(), None)?;
    line.push_str("  bfloat16");
    let compared = member.name == COMPARED;
    let packings = [affine(4, 64), affine(8, 64), Mode::Mxfp4.usual()];
    for packing in packings.into_iter().take(if compared { 3 } else { 1 }) {
        check(member, packing, compared)?;
        line = format!("{line}; {packing}");
    }
    Ok(line)
}

/// Runs a member packed; if it is `compared`, its logits are those of the numbers that are packed.
fn check(member: &Member, packing: Packing, compared: bool) -> Outcome {
    let Twins { packed, dense } = quantise(member.checkpoint()?, packing, |_| None)?;
    // Rows are packed each by itself, so they may as well repeat afterwards. The CPU multiplies packed numbers ten times
    // faster in float32.
    let run = |checkpoint| logits(weights::whole(checkpoint)?.write()?.path(), Some(Dtype::Float32));
    let found = run(packed)?;
    if compared { check_near(&packing.to_string(), &found, &run(dense)?, NEAR) } else { Ok(()) }
}

/// Reads a prompt and then token by token; the logits, all of which are finite.
fn logits(folder: &Path, dtype: Option<Dtype>) -> Outcome<Array> {
    nn::release_memory();
    let model = Model::load(folder, dtype)?;
    let mut caches = model.caches();
    let mut rows = Vec::new();
    for ids in [&[2_u32, 105][..], &[7], &[1000]] {
        let block = Array::from_slice(ids, &[1, i32::try_from(ids.len())?]);
        rows.push(model.forward(&block, &mut caches, &[])?.normed);
        caches.iter_mut().try_for_each(|cache| cache.commit(ids.len()))?;
    }
    let logits = model.logits(&ops::concatenate(&rows, 1)?)?;
    if floats(&logits)?.into_iter().all(f32::is_finite) { Ok(logits) } else { Err("some logits are not finite".into()) }
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
    refusals().map(drop)
}

/// The sentence for each, which is the same for every member.
fn refusals() -> Outcome<Vec<String>> {
    REFUSED.iter().map(|(key, value, word)| refusal(key, value, word)).collect()
}

fn refusal(key: &str, value: &str, word: &str) -> Outcome<String> {
    let mut sentence = String::new();
    for member in FAMILY {
        let mut config = member.config()?;
        config[key] = serde_json::from_str(value)?;
        let folder = tempfile::tempdir()?;
        fs::write(folder.path().join("config.json"), config.to_string())?;
        sentence = Survey::of(folder.path()).err().ok_or("it is accepted")?.to_string();
        assert!(sentence.contains(word), "{}, {value}: {sentence}", member.name);
    }
    Ok(format!("refused: {sentence}"))
}
