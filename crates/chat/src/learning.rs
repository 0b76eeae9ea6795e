//! Tokenizers that are learnt from texts.

use serde_json::{Value, json};
use tokenizers::models::TrainerWrapper;
use tokenizers::models::bpe::BpeTrainer;
use tokenizers::{AddedToken, Tokenizer};

use crate::Error;

/// A `tokenizer.json` of Gemma's kind, with at most `size` tokens that are learnt from `texts` by byte-pair encoding.
/// `control` come first, then a token for every byte, so that any text can be encoded. `<unk>` must be among `control`.
///
/// Words do not grow together with line breaks, digits or punctuation.
///
/// # Errors
/// When nothing can be learnt from them.
pub fn learn_tokenizer(texts: &[String], control: &[&str], size: usize) -> Result<Vec<u8>, Error> {
    learn(texts, control, size).map_err(|source| Error::Learning { source })
}

fn learn(texts: &[String], control: &[&str], size: usize) -> tokenizers::Result<Vec<u8>> {
    let mut tokenizer = Tokenizer::from_bytes(serde_json::to_vec(&empty())?)?;
    let first = control.iter().map(ToString::to_string).chain((0..=255_u8).map(|byte| format!("<0x{byte:02X}>")));
    let trainer = BpeTrainer::builder()
        .show_progress(false)
        .vocab_size(size)
        .min_frequency(2)
        .special_tokens(first.map(|token| AddedToken::from(token, true)).collect())
        .build();
    tokenizer.train(&mut TrainerWrapper::from(trainer), texts.iter())?;
    let mut learnt: Value = serde_json::from_str(&tokenizer.to_string(false)?)?;
    // A byte is no control token: whoever types "<0x41>" means these letters.
    if let Some(added) = learnt["added_tokens"].as_array_mut() {
        added.truncate(control.len());
    }
    for (key, value) in [("unk_token", json!("<unk>")), ("fuse_unk", true.into()), ("byte_fallback", true.into())] {
        learnt["model"][key] = value;
    }
    Ok(serde_json::to_vec_pretty(&learnt)?)
}

/// A tokenizer without tokens.
fn empty() -> Value {
    json!({
        "version": "1.0",
        "added_tokens": [],
        "pre_tokenizer": { "type": "Sequence", "pretokenizers": [
            { "type": "Split", "pattern": { "String": "\n" }, "behavior": "Isolated", "invert": false },
            { "type": "Metaspace", "replacement": "▁", "prepend_scheme": "never", "split": true },
            { "type": "Digits", "individual_digits": true },
            { "type": "Punctuation", "behavior": "Isolated" },
        ]},
        "decoder": { "type": "Sequence", "decoders": [
            { "type": "Replace", "pattern": { "String": "▁" }, "content": " " },
            { "type": "ByteFallback" },
            { "type": "Fuse" },
        ]},
        "model": { "type": "BPE", "vocab": {}, "merges": [] }
    })
}

#[cfg(test)]
mod tests {
    use std::error::Error;

    use crate::Codec;

    use super::*;

    const CONTROL: [&str; 4] = ["<pad>", "<bos>", "<unk>", "<|turn>"];

    fn learnt(folder: &std::path::Path) -> Result<Codec, Box<dyn Error>> {
        let texts = ["the drafter drafts", "the drafts of the drafter"].map(str::to_owned);
        std::fs::write(folder.join("tokenizer.json"), learn_tokenizer(&texts, &CONTROL, 290)?)?;
        Ok(Codec::open(folder)?)
    }

    #[test]
    fn every_text_comes_back_and_what_is_frequent_takes_few_tokens() -> Result<(), Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let codec = learnt(folder.path())?;
        for text in ["the drafter", "naïve ☃\n\n 17,5 <0x41>", ""] {
            assert_eq!(codec.decode(&codec.complete(text)?), text);
        }
        assert_eq!(codec.complete("the drafter")?.len(), 3, "the first is BOS");
        Ok(())
    }

    #[test]
    fn control_tokens_come_first_in_their_order() -> Result<(), Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let codec = learnt(folder.path())?;
        assert_eq!(codec.complete("<pad><|turn>")?, [1, 0, 3]);
        Ok(())
    }
}
