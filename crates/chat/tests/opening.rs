//! What is read from a checkpoint folder, and what is said when that fails.

#![expect(clippy::unwrap_used, reason = "a codec that does not open fails its test")]

mod support;

use chat::{Codec, PromptOptions};
use serde_json::{Value, json};
use support::{codec, folder, tokenizer, user};

#[track_caller]
fn check_stops(files: &[(&str, Value)], expected: &[u32]) {
    let codec = codec(files);
    assert_eq!(codec.stop_ids().iter().copied().collect::<Vec<_>>(), expected);
}

#[test]
fn stop_ids_are_the_union_of_all_sources() {
    check_stops(&[], &[1]);
    check_stops(&[("generation_config.json", json!({ "eos_token_id": [5, 6] }))], &[1, 5, 6]);
    check_stops(
        &[
            ("generation_config.json", json!({ "eos_token_id": 5 })),
            ("config.json", json!({ "eos_token_id": [7], "text_config": { "eos_token_id": 8 } })),
        ],
        &[1, 5, 7, 8],
    );
}

#[test]
fn a_stop_marker_outside_the_vocabulary_is_no_stop() {
    check_stops(
        &[
            ("tokenizer_config.json", json!({ "eos_token": "<|im_end|>" })),
            ("config.json", json!({ "eos_token_id": [5, 99_999, -1, null, 5_000_000_000u64] })),
        ],
        &[5],
    );
}

#[track_caller]
fn check_bos(files: &[(&str, Value)], expected: Option<u32>, ids: &[u32]) {
    let codec = codec(files);
    assert_eq!(codec.bos_id(), expected);
    let encoded = codec.complete("@").unwrap();
    assert_eq!(encoded[..encoded.len() - 1], *ids);
}

#[test]
fn bos_is_what_the_files_say() {
    check_bos(&[], Some(2), &[2]);
    check_bos(
        &[("tokenizer_config.json", json!({ "bos_token": null })), ("config.json", json!({ "bos_token_id": 2 }))],
        None,
        &[],
    );
    check_bos(
        &[("tokenizer_config.json", json!({})), ("config.json", json!({ "text_config": { "bos_token_id": 2 } }))],
        Some(2),
        &[2],
    );
    check_bos(&[("tokenizer_config.json", json!({}))], Some(2), &[2]);
    check_bos(
        &[("tokenizer_config.json", json!({})), ("generation_config.json", json!({ "bos_token_id": 99_999 }))],
        Some(2),
        &[2],
    );
    check_bos(&[("tokenizer_config.json", json!({})), ("config.json", json!({ "bos_token_id": 3 }))], Some(3), &[3]);
}

#[track_caller]
fn check_template(files: &[(&str, Value)], expected: Option<&str>) {
    let codec = codec(files);
    assert_eq!(codec.has_template(), expected.is_some());
    if let Some(expected) = expected {
        let prompt = codec.prompt(&[user("hi")], PromptOptions::default()).unwrap();
        assert_eq!(prompt.text, expected);
    }
}

#[test]
fn a_template_is_found_wherever_checkpoints_keep_it() {
    let config = |template: Value| ("tokenizer_config.json", json!({ "chat_template": template }));
    let named = json!([{ "name": "tool_use", "template": "t" }, { "name": "default", "template": "d" }]);
    check_template(&[], None);
    check_template(&[("chat_template.jinja", json!("  \n"))], None);
    check_template(&[config(json!("c"))], Some("c"));
    check_template(&[config(named)], Some("d"));
    check_template(&[config(json!({ "default": "d" }))], Some("d"));
    check_template(&[config(json!("c")), ("chat_template.json", json!({ "chat_template": "j" }))], Some("j"));
    check_template(
        &[
            config(json!("c")),
            ("chat_template.json", json!({ "chat_template": "j" })),
            ("chat_template.jinja", json!("f")),
        ],
        Some("f"),
    );
}

#[track_caller]
fn check_error(files: &[(&str, Value)], expected: &[&str]) {
    let folder = folder(files);
    let error = Codec::open(folder.path()).unwrap_err().to_string();
    for part in expected {
        assert!(error.contains(part), "{error:?} does not say {part:?}");
    }
}

#[test]
fn a_folder_that_cannot_be_used_says_why() {
    let good = || ("tokenizer.json", tokenizer());
    check_error(&[], &["tokenizer.json is missing"]);
    check_error(&[("tokenizer.json", json!(""))], &["tokenizer.json", "it is empty"]);
    check_error(&[("tokenizer.json", json!("{\"model\": 3"))], &["tokenizer.json is malformed", "line 1"]);
    let pointer = "version https://git-lfs.github.com/spec/v1\n";
    for (text, what) in [(pointer, "a Git LFS pointer, not the file itself"), ("<!DOCTYPE html>", "a web page")] {
        check_error(&[("tokenizer.json", json!(text))], &["tokenizer.json is malformed", what]);
        check_error(&[good(), ("tokenizer_config.json", json!(text))], &["tokenizer_config.json is malformed", what]);
        check_error(&[good(), ("chat_template.jinja", json!(text))], &["chat_template.jinja is malformed", what]);
    }
    check_error(&[good(), ("chat_template.jinja", json!({ "error": "Not Found" }))], &["it is a JSON text"]);
    check_error(&[good(), ("config.json", json!("{"))], &["config.json is malformed"]);
    check_error(&[good(), ("tokenizer_config.json", json!({ "chat_template": 7 }))], &["its chat_template is 7"]);
    check_error(
        &[good(), ("chat_template.jinja", json!("a\n{% nonsense %}"))],
        &["chat_template.jinja", "line 2", "nonsense"],
    );
}

#[test]
fn control_tokens_are_known_even_without_their_flag() {
    let mut plain = tokenizer();
    for token in plain["added_tokens"].as_array_mut().unwrap() {
        token["special"] = json!(false);
    }
    let config =
        json!({ "bos_token": "<bos>", "pad_token": { "content": "<pad>" }, "extra_special_tokens": ["<unk>"] });
    let codec = codec(&[("tokenizer.json", plain), ("tokenizer_config.json", config)]);
    assert_eq!(codec.decode(&[0, 1, 2, 3, 4, 5, 6, 7, 8]), "<eos>");
}

#[test]
fn a_codec_is_shared_between_threads() {
    fn check<T: Clone + Send + Sync + 'static>() {}
    check::<Codec>();
}
