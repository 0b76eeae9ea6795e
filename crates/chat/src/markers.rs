//! The tokens that steer instead of saying something, and which of them begin and end a text.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use tokenizers::Tokenizer;

/// Opens a passage of the model's own thoughts.
pub(crate) const OPEN_THOUGHT: &str = "<|channel>";
/// Ends it.
pub(crate) const CLOSE_THOUGHT: &str = "<channel|>";

/// The markers that turn an answer to something else and back, in pairs: one alone turns nothing.
const TURNS: [[(&str, Turn); 2]; 2] = [
    [(OPEN_THOUGHT, Turn::OpenThought), (CLOSE_THOUGHT, Turn::CloseThought)],
    [("<|tool_call>", Turn::OpenToolCall), ("<tool_call|>", Turn::CloseToolCall)],
];

/// The markers around pictures and sounds, and the places that their contents take.
const MEDIA: [&str; 7] = ["<|image>", "<|image|>", "<image|>", "<|audio>", "<|audio|>", "<audio|>", "<|video|>"];

/// What a marker begins or ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    OpenThought,
    CloseThought,
    OpenToolCall,
    CloseToolCall,
}

/// The control tokens of one checkpoint.
pub(crate) struct Markers {
    pub(crate) bos: Option<u32>,
    pub(crate) bos_text: String,
    pub(crate) eos_text: String,
    pub(crate) stops: BTreeSet<u32>,
    pub(crate) suppressed: BTreeSet<u32>,
    pub(crate) turns: BTreeMap<u32, Turn>,
    /// Every control token with its text.
    pub(crate) control: BTreeMap<u32, String>,
}

impl Markers {
    /// Collects what the checkpoint's files say; an id or text that the vocabulary lacks is ignored.
    pub(crate) fn new(
        tokenizer: &Tokenizer,
        tokenizer_config: &Value,
        generation_config: &Value,
        config: &Value,
    ) -> Self {
        let configs = [generation_config, config, &config["text_config"]];
        let text_of = |id: u32| tokenizer.id_to_token(id);
        let named = |key: &str| token_text(&tokenizer_config[key]);
        let known = |text: &str| tokenizer.token_to_id(text);

        // A tokenizer configuration that says `"bos_token": null` means it: no BOS.
        let bos = if tokenizer_config.get("bos_token").is_some() {
            named("bos_token").and_then(known)
        } else {
            let named = configs.iter().flat_map(|c| ids(&c["bos_token_id"])).find(|&id| text_of(id).is_some());
            named.or_else(|| known("<bos>")) // without it Gemma degenerates
        };
        let eos = named("eos_token").and_then(known);
        let stops: BTreeSet<u32> = configs
            .iter()
            .flat_map(|c| ids(&c["eos_token_id"]))
            .chain(eos)
            .filter(|&id| text_of(id).is_some())
            .collect();

        let declared = declared(tokenizer_config);
        let control: BTreeMap<u32, String> = tokenizer
            .get_added_tokens_decoder()
            .into_iter()
            .filter(|(id, token)| {
                let text = token.content.as_str();
                token.special || bos == Some(*id) || declared.contains(text) || looks_like_a_marker(text)
            })
            .map(|(id, token)| (id, token.content))
            .collect();

        let marker = |text: &str| known(text).filter(|id| control.contains_key(id));
        let named = ids(&generation_config["suppress_tokens"]).into_iter().filter(|&id| text_of(id).is_some());
        let suppressed = named.chain(MEDIA.into_iter().filter_map(marker)).collect();
        let pairs = TURNS.map(|pair| pair.map(|(text, turn)| marker(text).map(|id| (id, turn))));
        let turns = pairs.into_iter().filter(|pair| pair.iter().all(Option::is_some)).flatten().flatten().collect();

        Self {
            bos,
            bos_text: bos.and_then(text_of).unwrap_or_default(),
            eos_text: eos.and_then(text_of).unwrap_or_default(),
            stops,
            suppressed,
            turns,
            control,
        }
    }

    /// Whether thoughts are marked at all.
    pub(crate) fn thinks(&self) -> bool {
        self.turns.values().any(|&turn| turn == Turn::OpenThought)
    }
}

/// The texts that the tokenizer configuration declares as special: `…_token` keys and the lists.
fn declared(tokenizer_config: &Value) -> BTreeSet<&str> {
    let single = tokenizer_config.as_object().into_iter().flatten();
    let single = single.filter(|(key, _)| key.ends_with("_token")).map(|(_, value)| value);
    let listed = ["additional_special_tokens", "extra_special_tokens"].map(|key| &tokenizer_config[key]);
    let listed = listed.into_iter().flat_map(|value| match value {
        Value::Array(tokens) => tokens.iter().collect(),
        Value::Object(tokens) => tokens.values().collect(),
        _ => Vec::new(),
    });
    single.chain(listed).filter_map(token_text).collect()
}

/// Converted tokenizers lose the `special` flag; the usual spelling of a marker remains.
fn looks_like_a_marker(text: &str) -> bool {
    text.starts_with("<|") || text.ends_with("|>")
}

/// A token is written as its text or as an object with that text as `content`.
fn token_text(value: &Value) -> Option<&str> {
    value.as_str().or_else(|| value["content"].as_str())
}

/// One id or a list of ids.
fn ids(value: &Value) -> Vec<u32> {
    let several = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    several.iter().filter_map(|id| id.as_u64().and_then(|id| u32::try_from(id).ok())).collect()
}
