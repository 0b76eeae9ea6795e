//! The tokenizer, and what else a checkpoint says of its tokens.

use std::fs;

use demo::TARGET;
use serde_json::json;

use crate::{
    Outcome,
    corpus::Corpus,
    paths::{Paths, of_crate},
};

/// The most tokens. Few, since most of what training takes are sums over all of them.
const SIZE: usize = 1024;

/// Gemma 4's control tokens, those of pictures and sounds not among them.
const CONTROL: [&str; 17] = [
    "<pad>",
    "<eos>",
    "<bos>",
    "<unk>",
    "<mask>",
    "<|tool>",
    "<tool|>",
    "<|tool_call>",
    "<tool_call|>",
    "<|tool_response>",
    "<tool_response|>",
    "<|\"|>",
    "<|think|>",
    "<|channel>",
    "<channel|>",
    "<|turn>",
    "<turn|>",
];

/// The number of a control token.
pub(crate) fn id(token: &str) -> u32 {
    (0..).zip(CONTROL).find(|(_, control)| *control == token).expect("it is a control token").0
}

/// Learns the tokenizer, and writes it with the chat template.
pub(crate) fn make(paths: &Paths, corpus: &Corpus) -> Outcome {
    let folder = paths.checkpoint(TARGET);
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("tokenizer.json"), chat::learn_tokenizer(&corpus.texts(), &CONTROL, SIZE)?)?;
    let tokenizer_config = json!({
        "bos_token": "<bos>",
        "eos_token": "<eos>",
        "pad_token": "<pad>",
        "unk_token": "<unk>",
        "mask_token": "<mask>",
    });
    fs::write(folder.join("tokenizer_config.json"), serde_json::to_vec_pretty(&tokenizer_config)?)?;
    fs::copy(of_crate().join("examples/make/chat_template.jinja"), folder.join("chat_template.jinja"))?;
    Ok(())
}
