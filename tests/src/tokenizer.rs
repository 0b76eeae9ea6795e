//! Small `tokenizer.json` files of Gemma's kind.

use serde_json::{Map, Value, json};

/// One whose ids number `tokens`, of which the first are `control`; `merges` are pairs of tokens that become one.
#[must_use]
pub fn bpe(control: &[&str], tokens: impl Iterator<Item = String>, merges: &[(String, String)]) -> Value {
    let vocab = tokens.enumerate().map(|(id, token)| (token, json!(id))).collect::<Map<_, _>>();
    let added = control.iter().enumerate().map(|(id, content)| {
        json!({ "id": id, "content": content, "special": true, "normalized": false,
                "single_word": false, "lstrip": false, "rstrip": false })
    });
    let replace = |from: &str, to: &str| json!({ "type": "Replace", "pattern": { "String": from }, "content": to });
    json!({
        "version": "1.0",
        "added_tokens": added.collect::<Vec<_>>(),
        "normalizer": replace(" ", "▁"),
        "decoder": { "type": "Sequence", "decoders": [replace("▁", " "), { "type": "Fuse" }] },
        "model": { "type": "BPE", "unk_token": "<unk>", "fuse_unk": true, "vocab": vocab, "merges": merges }
    })
}
