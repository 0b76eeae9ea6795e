//! A tiny target that reads what it writes: its answers, read again as history, are mostly the same tokens.

use std::fs;

use serde_json::{Value, json};

use crate::{Outcome, copy::Copy, tokenizer};

/// A template that writes an answer in the history as it was asked for.
pub const PLAIN: &str = "{{ bos_token }}{% for message in messages %}{{ message.role[0] }}:{{ message.content }}\n\
                         {% endfor %}{% if add_generation_prompt %}a:{% endif %}";

/// A template whose history lacks what it writes before a new answer, like the empty thought of Gemma 4's.
pub const QUIRKY: &str = "{{ bos_token }}{% for message in messages %}{{ message.role[0] }}:{{ message.content }}\n\
                          {% endfor %}{% if add_generation_prompt %}a:??{% endif %}";

/// A template that knows how to think, and then opens the thought itself. An earlier thought is read again only behind
/// the last question, as with Gemma 4's.
pub const THINKING: &str = "{{ bos_token }}{% for message in messages %}{{ message.role[0] }}:\
                            {% if message.reasoning_content and loop.last %}<|channel>thought\n\
                            {{ message.reasoning_content }}\n<channel|>{% endif %}{{ message.content }}\n{% endfor %}\
                            {% if add_generation_prompt %}a:\
                            {% if enable_thinking %}<|channel>thought\n{% endif %}{% endif %}";

/// What every tokenizer has.
const PLAIN_CONTROL: [&str; 4] = ["<pad>", "<eos>", "<bos>", "<unk>"];

/// The markers around thoughts and calls of tools.
const TURNS: [&str; 4] = ["<|channel>", "<channel|>", "<|tool_call>", "<tool_call|>"];

/// A fixture with a vocabulary of `size` tokens, a tokenizer for it and a template.
///
/// # Errors
/// When it cannot be made.
pub fn target(fixture: &str, size: usize, template: &str) -> Outcome<Copy> {
    with_markers(fixture, size, template, &[])
}

/// The same with the markers around thoughts and calls of tools among its tokens, so that it also writes them.
///
/// # Errors
/// When it cannot be made.
pub fn thinker(fixture: &str, size: usize, template: &str) -> Outcome<Copy> {
    with_markers(fixture, size, template, &TURNS)
}

/// The same, but its likeliest token is never one of control: a thought goes on and on.
///
/// # Errors
/// When it cannot be made.
pub fn muser(fixture: &str, size: usize, template: &str) -> Outcome<Copy> {
    let copy = thinker(fixture, size, template)?;
    copy.rewrite(|tensors| {
        for table in tensors.iter_mut().filter(|tensor| tensor.name.ends_with("embed_tokens.weight")) {
            let row = table.data.len() / table.shape[0];
            // The embedding is also the head, so these logits are 0, which others exceed.
            table.data[..row * (PLAIN_CONTROL.len() + TURNS.len())].fill(0);
        }
    })?;
    Ok(copy)
}

fn with_markers(fixture: &str, size: usize, template: &str, markers: &[&str]) -> Outcome<Copy> {
    let copy = Copy::of(fixture)?;
    copy.rewrite(|tensors| {
        for table in tensors.iter_mut().filter(|tensor| tensor.name.ends_with("embed_tokens.weight")) {
            let row = table.data.len() / table.shape[0];
            table.shape[0] = size;
            table.data.truncate(size * row);
        }
    })?;
    copy.configure("vocab_size", &json!(size))?;
    let write = |name: &str, json: Value| fs::write(copy.path().join(name), json.to_string());
    write("tokenizer.json", tokenizer(size, markers))?;
    write("tokenizer_config.json", json!({ "chat_template": template, "bos_token": "<bos>" }))?;
    Ok(copy)
}

/// Control tokens, single characters, and syllables that are merged of them.
fn tokenizer(size: usize, markers: &[&str]) -> Value {
    let control = [&PLAIN_CONTROL, markers].concat();
    let letters = "\n▁:?abcdefghijklmnopqrstuvwxyz".chars().map(String::from).collect::<Vec<_>>();
    let syllables = "bdfghjklmnprstvz".chars().flat_map(|first| "aeiou".chars().map(move |last| (first, last)));
    let syllables = syllables.map(|(first, last)| (first.to_string(), last.to_string()));
    let behind_spaces = syllables.clone().map(|(first, last)| ("▁".to_owned(), first + &last));
    let merges = syllables.chain(behind_spaces).take(size.saturating_sub(control.len() + letters.len()));
    let merges = merges.collect::<Vec<_>>();

    let combined = merges.iter().map(|(first, last)| format!("{first}{last}"));
    let tokens = control.iter().map(ToString::to_string).chain(letters).chain(combined);
    let tokens = tokens.chain(('一'..).map(String::from)).take(size);
    tokenizer::bpe(&control, tokens, &merges)
}
