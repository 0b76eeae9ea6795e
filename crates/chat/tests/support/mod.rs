//! Tiny checkpoint folders: a byte-fallback BPE with Gemma 4's control tokens.

#![expect(clippy::unwrap_used, reason = "a folder that cannot be written fails its test")]
#![allow(dead_code, clippy::allow_attributes, reason = "each test file uses its own part")]

use std::path::Path;

use chat::{Codec, Message, Role};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Where the golden data lies.
pub(crate) const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/chat");
/// Our own template for Gemma 4.
pub(crate) const GEMMA4: &str = include_str!("../../../../tests/fixtures/chat/gemma4.jinja");
pub(crate) const STRICT: &str = include_str!("strict.jinja");

const CONTROL: [&str; 9] =
    ["<pad>", "<eos>", "<bos>", "<unk>", "<|turn>", "<turn|>", "<|channel>", "<channel|>", "<|think|>"];
pub(crate) const EOS: u32 = 1;
pub(crate) const BOS: u32 = 2;
pub(crate) const TURN: u32 = 4;
pub(crate) const END_TURN: u32 = 5;

const MERGES: [(&str, &str); 9] = [
    ("t", "h"),
    ("th", "e"),
    ("▁", "the"),
    ("u", "r"),
    ("t", "ur"),
    ("tur", "n"),
    ("\n", "\n"),
    ("a", "b"),
    ("b", "c"),
];

/// The token of one byte.
pub(crate) fn byte(byte: u8) -> u32 {
    9 + u32::from(byte)
}

/// `tokenizer.json`; its post-processor adds a BOS of its own, and its truncation must not matter.
pub(crate) fn tokenizer() -> Value {
    let bytes = (0..=255).map(|byte| format!("<0x{byte:02X}>"));
    let characters = (' '..='~').skip(1).chain(['\n', '▁', '日']).map(String::from);
    let merged = MERGES.map(|(left, right)| format!("{left}{right}"));
    let vocab: serde_json::Map<String, Value> = CONTROL
        .map(String::from)
        .into_iter()
        .chain(bytes)
        .chain(characters)
        .chain(merged)
        .enumerate()
        .map(|(id, token)| (token, json!(id)))
        .collect();
    let added = CONTROL.iter().enumerate().map(|(id, content)| {
        json!({ "id": id, "content": content, "special": true, "normalized": false,
                "single_word": false, "lstrip": false, "rstrip": false })
    });
    let replace = |from: &str, to: &str| json!({ "type": "Replace", "pattern": { "String": from }, "content": to });
    json!({
        "version": "1.0",
        "truncation": { "direction": "Right", "max_length": 4, "strategy": "LongestFirst", "stride": 0 },
        "added_tokens": added.collect::<Vec<_>>(),
        "normalizer": replace(" ", "▁"),
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [{ "SpecialToken": { "id": "<bos>", "type_id": 0 } }, { "Sequence": { "id": "A", "type_id": 0 } }],
            "pair": [{ "Sequence": { "id": "A", "type_id": 0 } }, { "Sequence": { "id": "B", "type_id": 1 } }],
            "special_tokens": { "<bos>": { "id": "<bos>", "ids": [BOS], "tokens": ["<bos>"] } }
        },
        "decoder": { "type": "Sequence", "decoders": [replace("▁", " "), { "type": "ByteFallback" }, { "type": "Fuse" }] },
        "model": {
            "type": "BPE", "unk_token": "<unk>", "fuse_unk": true, "byte_fallback": true,
            "vocab": vocab, "merges": MERGES.map(|(left, right)| json!([left, right]))
        }
    })
}

/// A folder with these files; a JSON value is written as JSON, a JSON string as its text.
pub(crate) fn folder(files: &[(&str, Value)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        write(folder.path(), name, content);
    }
    folder
}

fn write(folder: &Path, name: &str, content: &Value) {
    let text = content.as_str().map_or_else(|| content.to_string(), str::to_owned);
    std::fs::write(folder.join(name), text).unwrap();
}

/// A codec from the tiny tokenizer, Gemma's BOS and EOS, and further files.
pub(crate) fn codec(files: &[(&str, Value)]) -> Codec {
    let folder = folder(&[
        ("tokenizer.json", tokenizer()),
        ("tokenizer_config.json", json!({ "bos_token": "<bos>", "eos_token": { "content": "<eos>" } })),
    ]);
    for (name, content) in files {
        write(folder.path(), name, content);
    }
    Codec::open(folder.path()).unwrap()
}

/// A file of the golden data.
pub(crate) fn fixture(name: &str) -> String {
    std::fs::read_to_string(Path::new(FIXTURES).join(name)).unwrap()
}

/// A codec with the part of Gemma 4's tokenizer that its golden prompts need, and further files.
pub(crate) fn gemma4(files: &[(&str, Value)]) -> Codec {
    let tokenizer = [("tokenizer.json", json!(fixture("tokenizer.json")))];
    codec(&[&tokenizer, files].concat())
}

/// A codec with this chat template.
pub(crate) fn with_template(template: &str) -> Codec {
    codec(&[("chat_template.jinja", json!(template))])
}

pub(crate) fn system(text: &str) -> Message {
    Message::new(Role::System, text)
}

pub(crate) fn user(text: &str) -> Message {
    Message::new(Role::User, text)
}

pub(crate) fn assistant(text: &str) -> Message {
    Message::new(Role::Assistant, text)
}
