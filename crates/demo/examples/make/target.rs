//! The target: a Gemma 4 of full depth and little width, since on a small machine an operation costs more than its numbers.

use std::{fs, ops::ControlFlow, path::Path, rc::Rc};

use chat::{Codec, Message, PromptOptions, Role};
use decode::Limits;
use demo::TARGET;
use gemma4::{Config, Model};
use nn::{Sampler, Sampling};
use serde_json::{Value, json};
use training::{Random, Settings, TargetTrainer, Text, regenerate};

use crate::{Outcome, corpus::Corpus, paths::Paths, tokenizer::id};

/// Whole conversations of a step, and questions beside them of whose answers only the beginning is learnt.
const WHOLE: usize = 2;
const SHORT: usize = 24;

/// Tokens of such a beginning: they say which answer it is. The rest follows from them, and is learnt long before the
/// questions are understood.
const BEGINNING: usize = 12;

/// Steps from one report to the next.
const REPORT: usize = 50;

/// Held-out questions that are looked at while it learns.
const WATCHED: usize = 48;

fn settings() -> Settings {
    Settings {
        steps: 1200,
        learning_rate: 2.5e-3,
        least_rate: 0.02,
        warm_up: 60,
        weight_decay: 0.1,
        save_every: 50,
        seed: 6,
        ..Settings::default()
    }
}

/// Its `config.json`.
fn config(vocab_size: usize) -> Value {
    let layers = ["sliding_attention"; 2].into_iter().chain(["full_attention"]).cycle().take(6).collect::<Vec<_>>();
    json!({
        "architectures": ["Gemma4ForCausalLM"],
        "model_type": "gemma4_text",
        "dtype": "float32",
        "vocab_size": vocab_size,
        "hidden_size": 160,
        "num_hidden_layers": layers.len(),
        "layer_types": layers,
        "intermediate_size": 480,
        "num_attention_heads": 3,
        "num_key_value_heads": 1,
        "num_global_key_value_heads": 1,
        "head_dim": 64,
        "global_head_dim": 64,
        "attention_k_eq_v": true,
        "attention_bias": false,
        "sliding_window": 128,
        "max_position_embeddings": 2048,
        "hidden_activation": "gelu_pytorch_tanh",
        "hidden_size_per_layer_input": 0,
        "num_kv_shared_layers": 0,
        "rms_norm_eps": 1e-6,
        "final_logit_softcapping": 30.0,
        "tie_word_embeddings": true,
        "rope_parameters": {
            "sliding_attention": { "rope_type": "default", "rope_theta": 10_000.0 },
            "full_attention": { "rope_type": "proportional", "rope_theta": 1_000_000.0, "partial_rotary_factor": 0.25 },
        },
        "bos_token_id": id("<bos>"),
        "eos_token_id": [id("<eos>"), id("<turn|>")],
        "pad_token_id": id("<pad>"),
    })
}

/// Trains the target.
pub(crate) fn make(paths: &Paths, corpus: &Corpus) -> Outcome {
    let folder = paths.checkpoint(TARGET);
    describe(&folder)?;
    let codec = Codec::open(&folder)?;
    let mut trainer = TargetTrainer::open(Config::read(&folder)?, settings(), &paths.training("target"))?;
    println!("{} parameters", trainer.numbers());
    let watched = watched(&codec, corpus)?;
    let (mut losses, mut started) = (Vec::new(), std::time::Instant::now());
    while !trainer.done() {
        losses.push(trainer.learn(&batch(&codec, corpus, trainer.step())?)?);
        if trainer.step().is_multiple_of(REPORT) || trainer.done() {
            let mean = losses.iter().sum::<f32>() / f32::from(u16::try_from(losses.len())?);
            let held = trainer.loss(&watched)?;
            println!(
                "step {:5}: loss {mean:.4}, beginnings of answers to questions that are not taught {held:.4}, {:.0} s",
                trainer.step(),
                started.elapsed().as_secs_f64()
            );
            (losses, started) = (Vec::new(), std::time::Instant::now());
        }
    }
    Ok(trainer.export(&folder)?)
}

/// Writes what is known of the target before it is trained.
fn describe(folder: &Path) -> Outcome {
    let tokenizer: Value = serde_json::from_slice(&fs::read(folder.join("tokenizer.json"))?)?;
    let tokens = tokenizer["model"]["vocab"].as_object().map_or(0, serde_json::Map::len);
    let generation = json!({
        "bos_token_id": id("<bos>"),
        "eos_token_id": [id("<eos>"), id("<turn|>"), id("<|tool_response>")],
        "pad_token_id": id("<pad>"),
        "do_sample": true,
        "temperature": 1.0,
        "top_k": 64,
        "top_p": 0.95,
    });
    fs::write(folder.join("config.json"), serde_json::to_vec_pretty(&config(tokens))?)?;
    fs::write(folder.join("generation_config.json"), serde_json::to_vec_pretty(&generation)?)?;
    Ok(())
}

/// The conversations of a step, which follow from its number alone.
fn batch(codec: &Codec, corpus: &Corpus, step: usize) -> Outcome<Vec<Text>> {
    let mut random = Random::new(settings().seed, step as u64);
    let mut text = |number: usize| -> Outcome<Text> {
        // Whole ones lie apart, so that every part of the step has some.
        if number.is_multiple_of((SHORT + WHOLE) / WHOLE) {
            lesson(codec, &corpus.conversation(&mut random))
        } else {
            Ok(beginning(lesson(codec, &corpus.question(&mut random))?))
        }
    };
    (0..SHORT + WHOLE).map(&mut text).collect()
}

/// A conversation as the target reads it; what the model says in it is to be learnt.
fn lesson(codec: &Codec, messages: &[Message]) -> Outcome<Text> {
    let ids = codec.prompt(messages, PromptOptions { add_generation_prompt: false, ..PromptOptions::default() })?.ids;
    let opening = codec.complete("<|turn>model\n")?.split_off(1);
    let end = id("<turn|>");
    let mut said = vec![false; ids.len()];
    let mut speaks = false;
    for at in 0..ids.len() {
        said[at] = speaks;
        speaks = (speaks && ids[at] != end) || ids[..=at].ends_with(&opening);
    }
    Ok(Text { ids, said })
}

/// A question and its answer as far as its beginning goes.
fn beginning(Text { mut ids, mut said }: Text) -> Text {
    let end = said.iter().position(|&said| said).map_or(said.len(), |first| first + BEGINNING);
    ids.truncate(end);
    said.truncate(end);
    Text { ids, said }
}

/// Some questions that are not taught, and the beginnings of their answers.
fn watched(codec: &Codec, corpus: &Corpus) -> Outcome<Vec<Text>> {
    let every = corpus.entries.len() / WATCHED;
    let of = |entry: &crate::corpus::Entry| {
        let question = Message::new(Role::User, entry.watched());
        Ok(beginning(lesson(codec, &[question, Message::new(Role::Assistant, entry.answer.clone())])?))
    };
    corpus.entries.iter().step_by(every.max(1)).map(of).collect()
}

/// What the target says to a question, greedily.
pub(crate) fn answer(model: &Rc<Model>, codec: &Codec, question: &str) -> Outcome<String> {
    let prompt = codec.prompt(&[Message::new(Role::User, question)], PromptOptions::default())?.ids;
    let greedy = Sampler::new(Sampling { temperature: 0.0, ..Sampling::default() });
    let said = regenerate(model, &prompt, greedy, limits(codec), &mut |_| ControlFlow::Continue(()))?;
    Ok(codec.decode(&said))
}

/// Where an answer ends.
pub(crate) fn limits(codec: &Codec) -> Limits {
    Limits { stop: codec.stop_ids().clone(), pad: codec.pad_id(), max_tokens: 160 }
}
