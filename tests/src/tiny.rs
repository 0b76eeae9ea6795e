//! A target so small that it answers at once, with a tokenizer of its own, and a fresh drafter for it.
//!
//! Its weights are random and so is what it says; its tokens are syllables, so that it can be looked at.

use std::{fs, path::Path};

use crate::{Outcome, fixtures, tokenizer};
use app::{App, Controls, NewDrafter, Preferences};
use safetensors::SafeTensors;
use serde_json::{Map, Value, json};
use tempfile::TempDir;

/// The target's folder, and its id.
pub const TARGET: &str = "tiny-target";
/// The drafter's folder, and its id.
pub const DRAFTER: &str = "tiny-drafter";
/// The most tokens that the drafter proposes.
pub const GAMMA: usize = 4;

/// A folder with both models.
///
/// # Errors
/// When they cannot be made.
pub async fn models() -> Outcome<TempDir> {
    models_that_write(typed()).await
}

/// The same, but in the place of what means something in Markdown their tokens have letters: all that was written is to
/// be seen in the window.
///
/// # Errors
/// When they cannot be made.
pub async fn plain_models() -> Outcome<TempDir> {
    let is_plain = |typed: char| typed.is_ascii_alphabetic() || ",.?▁".contains(typed);
    models_that_write(typed().zip('一'..).map(|(typed, letter)| if is_plain(typed) { typed } else { letter })).await
}

async fn models_that_write(typed: impl Iterator<Item = char>) -> Outcome<TempDir> {
    let folder = tempfile::tempdir()?;
    let target = folder.path().join(TARGET);
    write_target(&target, &tokenizer(typed))?;
    let scratch = tempfile::tempdir()?;
    let new = NewDrafter { target, out: folder.path().join(DRAFTER), gamma: GAMMA, width: 32, ..NewDrafter::default() };
    App::open(scratch.path()).await?.new_drafter(new).await?;
    Ok(folder)
}

/// Questions that a training can have. They end alike, and so do the answers of random weights: otherwise what the drafter is
/// taught would say nothing of what is held out.
pub fn questions() -> impl Iterator<Item = String> {
    (0..10).map(|number| format!("{number}, and what then?"))
}

/// Makes the drafter in `folder` as sure of every token as the sigmoid of `logit`; a fresh one is as sure as a coin.
///
/// # Errors
/// When its file cannot be changed.
pub fn be_sure(folder: &Path, logit: f32) -> Outcome {
    let path = folder.join("model.safetensors");
    let mut bytes = fs::read(&path)?;
    let at = {
        let (header, tensors) = SafeTensors::read_metadata(&bytes)?;
        let bias = tensors.info("conf.b").ok_or("the drafter has no conf.b")?;
        8 + header + bias.data_offsets.0
    };
    bytes[at..at + 4].copy_from_slice(&logit.to_le_bytes());
    Ok(fs::write(path, bytes)?)
}

/// Puts both models into the list in `home`, picked, with answers of at most `max_tokens`.
///
/// # Errors
/// When `home` or `models` cannot be used.
pub async fn register(home: &Path, models: &Path, max_tokens: usize) -> Outcome {
    let app = App::open(home).await?;
    for name in [TARGET, DRAFTER] {
        app.add_model(&models.join(name), Some(name), None).await?;
    }
    let controls = Controls { max_tokens, ..Controls::default() };
    let (target, drafter) = (Some(TARGET.into()), Some(DRAFTER.into()));
    Ok(app.set_preferences(&Preferences { target, drafter, controls, ..Preferences::default() }).await?)
}

/// The weights of a fixture, without stop tokens or an end of its positions: every answer is as long as it may be.
fn write_target(folder: &Path, tokenizer: &Value) -> Outcome {
    fs::create_dir(folder)?;
    let fixture = fixtures::path("gemma4/gemma3-text");
    let mut config: Map<String, Value> = serde_json::from_slice(&fs::read(fixture.join("config.json"))?)?;
    config.remove("eos_token_id");
    config.insert("max_position_embeddings".into(), json!(1 << 20));
    fs::copy(fixture.join("model.safetensors"), folder.join("model.safetensors"))?;
    fs::write(folder.join("config.json"), serde_json::to_vec(&config)?)?;
    fs::write(folder.join("tokenizer.json"), tokenizer.to_string())?;
    let template = "{{ bos_token }}{% for message in messages %}{{ message.content }}\n{% endfor %}";
    Ok(fs::write(folder.join("tokenizer_config.json"), json!({ "chat_template": template }).to_string())?)
}

/// Writes the tokenizer into the folder of a target.
///
/// # Errors
/// When it cannot be written.
pub fn write_tokenizer(folder: &Path) -> Outcome {
    Ok(fs::write(folder.join("tokenizer.json"), tokenizer(typed()).to_string())?)
}

/// What can be typed.
fn typed() -> impl Iterator<Item = char> {
    ('!'..='~').chain(['\n', '▁'])
}

/// As many tokens as the fixture's embedding has rows: control tokens, what can be typed, and syllables.
fn tokenizer(typed: impl Iterator<Item = char>) -> Value {
    // No <pad>: random weights may well write a run of it, and the answer would end.
    const CONTROL: [&str; 4] = ["<mask>", "<eos>", "<bos>", "<unk>"];
    let syllables =
        "bdfghjklmnprstvz".chars().flat_map(|first| "aeiou".chars().map(move |last| format!("{first}{last}")));
    let spoken = syllables.flat_map(|syllable| [format!("▁{syllable}"), syllable]);
    let tokens = CONTROL.map(String::from).into_iter().chain(typed.map(String::from)).chain(spoken).take(256);
    tokenizer::bpe(&CONTROL, tokens, &[])
}
