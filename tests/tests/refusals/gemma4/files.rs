//! Files that are damaged, missing, or something else.

use std::fs;

use gemma4::Model;
use tests::{Outcome, copy::Copy};

use crate::{check, dense};

#[test]
fn a_truncated_file_is_not_taken_for_zeros() -> Outcome {
    let copy = dense()?;
    let bytes = fs::read(copy.weights())?;
    fs::write(copy.weights(), &bytes[..bytes.len() - 100])?;
    check(&copy, &["model.safetensors", "its header describes", &bytes.len().to_string()]);
    Ok(())
}

#[test]
fn what_is_no_safetensors_file_is_called_what_it_is() -> Outcome {
    let copy = dense()?;
    let texts: [(&[u8], &str); 6] = [
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n", "Git LFS pointer"),
        (b"<!doctype html><html></html>", "web page"),
        (b"{\"error\": \"Entry not found\"}", "JSON"),
        (b"GGUF\x03\0\0\0............", "GGUF"),
        (&[0xff; 64], "its header claims"),
        (b"", "0 bytes"),
    ];
    for (text, word) in texts {
        fs::write(copy.weights(), text)?;
        check(&copy, &["model.safetensors", word]);
    }
    Ok(())
}

#[test]
fn a_folder_without_weights_or_configuration_says_which_file_is_missing() -> Outcome {
    let copy = dense()?;
    fs::remove_file(copy.weights())?;
    check(&copy, &["holds no model.safetensors"]);
    fs::remove_file(copy.path().join("config.json"))?;
    check(&copy, &["config.json"]);
    Ok(())
}

#[test]
fn a_shard_that_is_truncated_missing_or_elsewhere_is_named() -> Outcome {
    const SHARD: &str = "model-00002-of-00002.safetensors";
    let copy = Copy::of("gemma4/31b-dense-sharded")?;
    let shard = copy.path().join(SHARD);
    let bytes = fs::read(&shard)?;
    fs::write(&shard, &bytes[..bytes.len() / 2])?;
    check(&copy, &[SHARD, "its header describes", &bytes.len().to_string(), "download it again"]);
    fs::remove_file(&shard)?;
    check(&copy, &[SHARD, "is missing", "download it again"]);
    fs::remove_file(copy.path().join("model.safetensors.index.json"))?;
    check(&copy, &[SHARD, "is missing", "download it again"]); // the other's name says that there are two

    let copy = Copy::of("gemma4/31b-dense-sharded")?;
    let index = copy.path().join("model.safetensors.index.json");
    let text = fs::read_to_string(&index)?;
    fs::write(&index, text.replace("model-00002", "../model-00002"))?;
    check(&copy, &["index.json", "not in the folder"]);
    Ok(())
}

#[test]
fn an_index_that_promises_what_no_shard_holds_is_refused() -> Outcome {
    let copy = Copy::of("gemma4/31b-dense-sharded")?;
    let index = copy.path().join("model.safetensors.index.json");
    let text = fs::read_to_string(&index)?;
    fs::write(&index, text.replacen("layers.3.mlp.up_proj", "layers.3.mlp.sideways_proj", 1))?;
    check(&copy, &["index.json", "layers.3.mlp.sideways_proj.weight", "no shard holds", "download it again"]);
    fs::write(&index, &text[..text.len() / 2])?;
    check(&copy, &["index.json", "EOF", "download it again"]);
    fs::write(&index, "<!doctype html><html></html>")?;
    check(&copy, &["index.json", "a web page", "download it again"]);
    fs::write(&index, "version https://git-lfs.github.com/spec/v1")?;
    check(&copy, &["index.json", "Git LFS pointer", "download it again"]);
    Ok(())
}

#[test]
fn shards_without_an_index_are_a_checkpoint_too() -> Outcome {
    let copy = Copy::of("gemma4/31b-dense-sharded")?;
    fs::remove_file(copy.path().join("model.safetensors.index.json"))?;
    Model::load(copy.path(), None)?;
    Ok(())
}

#[test]
fn what_is_no_configuration_is_called_what_it_is() -> Outcome {
    let copy = dense()?;
    for (text, word) in [
        ("version https://git-lfs.github.com/spec/v1", "Git LFS pointer"),
        ("<!doctype html><html></html>", "web page"),
        (r#"{"error":"Repository not found"}"#, "Repository not found"),
        ("{", "EOF"),
    ] {
        fs::write(copy.path().join("config.json"), text)?;
        check(&copy, &["config.json", word]);
    }
    Ok(())
}

#[test]
fn a_header_that_is_absurdly_long_or_no_header_is_not_read() -> Outcome {
    let copy = dense()?;
    let bytes = fs::read(copy.weights())?;
    for (length, word) in [(u64::MAX >> 1, "more than"), (101 << 20, "more than"), (64 << 20, "its header should have")]
    {
        let spoilt = [&length.to_le_bytes(), &bytes[8..]].concat();
        fs::write(copy.weights(), spoilt)?;
        check(&copy, &["model.safetensors", word, &length.to_string(), "download it again"]);
    }
    let mut spoilt = bytes.clone();
    spoilt[8] = b'[';
    fs::write(copy.weights(), spoilt)?;
    check(&copy, &["model.safetensors", "download it again"]);
    Ok(())
}
