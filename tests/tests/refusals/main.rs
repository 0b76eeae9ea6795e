//! Bad files: each is refused with one sentence that names what is wrong, and nothing panics.

use std::{
    fs,
    path::{Path, PathBuf},
};

use drafters::DSpark;
use engine::{Engine, NewDrafter};
use gemma4::Model;
use safetensors::{Dtype, SafeTensors, tensor::TensorView};
use serde_json::{Value, json};
use tempfile::TempDir;
use tests::{Outcome, decoding::Setup, fixtures};

/// A copy of a tiny target whose files can be spoilt.
struct Copy {
    folder: TempDir,
}

impl Copy {
    fn new() -> Outcome<Self> {
        let folder = tempfile::tempdir()?;
        for name in ["config.json", "model.safetensors"] {
            fs::copy(fixtures::path("gemma4/31b-dense").join(name), folder.path().join(name))?;
        }
        Ok(Self { folder })
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn weights(&self) -> PathBuf {
        self.path().join("model.safetensors")
    }

    /// Changes the text part of the configuration.
    fn configure(&self, key: &str, value: &Value) -> Outcome {
        let path = self.path().join("config.json");
        let mut config: Value = serde_json::from_slice(&fs::read(&path)?)?;
        config["text_config"][key] = value.clone();
        Ok(fs::write(path, config.to_string())?)
    }

    /// Rewrites the tensors; those that `change` gives no name are left out.
    fn rename(&self, change: impl Fn(&str) -> Option<String>) -> Outcome {
        let bytes = fs::read(self.weights())?;
        let tensors = SafeTensors::deserialize(&bytes)?;
        let kept = tensors.iter().filter_map(|(name, view)| Some((change(name)?, view)));
        Ok(fs::write(self.weights(), safetensors::serialize(kept.collect::<Vec<_>>(), None)?)?)
    }

    fn check(&self, words: &[&str]) {
        check_sentence(Model::load(self.path(), None).err(), words);
    }
}

/// The error is one sentence with all of `words` in it.
fn check_sentence(error: Option<impl std::fmt::Display>, words: &[&str]) {
    let sentence = error.map_or_else(|| "it was accepted".to_owned(), |error| error.to_string());
    for word in words {
        assert!(sentence.contains(word), "{word:?} is not in: {sentence}");
    }
    assert!(!sentence.contains('\n'), "more than one line: {sentence}");
}

#[test]
fn a_truncated_file_is_not_taken_for_zeros() -> Outcome {
    let copy = Copy::new()?;
    let bytes = fs::read(copy.weights())?;
    fs::write(copy.weights(), &bytes[..bytes.len() - 100])?;
    copy.check(&["model.safetensors", "its header describes", &bytes.len().to_string()]);
    Ok(())
}

#[test]
fn what_is_no_safetensors_file_is_called_what_it_is() -> Outcome {
    let copy = Copy::new()?;
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
        copy.check(&["model.safetensors", word]);
    }
    Ok(())
}

#[test]
fn a_folder_without_weights_or_configuration_says_which_file_is_missing() -> Outcome {
    let copy = Copy::new()?;
    fs::remove_file(copy.weights())?;
    copy.check(&["holds no model.safetensors"]);
    fs::remove_file(copy.path().join("config.json"))?;
    copy.check(&["config.json"]);
    Ok(())
}

#[test]
fn a_missing_a_misshapen_and_an_unused_tensor_are_named() -> Outcome {
    let copy = Copy::new()?;
    copy.rename(|name| (!name.contains("layers.2.mlp.up_proj")).then(|| name.to_owned()))?;
    copy.check(&["layers.2.mlp.up_proj.weight", "is missing"]);

    let copy = Copy::new()?;
    copy.rename(|name| Some(name.replace("layers.2.mlp.up_proj.weight", "layers.2.mlp.up_proj.surplus")))?;
    copy.check(&["layers.2.mlp.up_proj.weight"]);

    let copy = Copy::new()?;
    copy.configure("intermediate_size", &json!(97))?;
    copy.check(&["mlp.gate_proj.weight", "97"]);

    let copy = Copy::new()?;
    let bytes = fs::read(copy.weights())?;
    let tensors = SafeTensors::deserialize(&bytes)?;
    let surplus = TensorView::new(Dtype::F32, vec![1], &[0; 4])?;
    let all = tensors.iter().map(|(name, view)| (name.to_owned(), view));
    let all = all.chain([("model.language_model.layers.0.surplus".to_owned(), surplus)]).collect::<Vec<_>>();
    fs::write(copy.weights(), safetensors::serialize(all, None)?)?;
    copy.check(&["does not use", "layers.0.surplus"]);
    Ok(())
}

#[test]
fn a_configuration_that_cannot_run_is_refused_with_the_key_and_its_value() -> Outcome {
    let cases = [
        ("hidden_activation", json!("silu"), "silu"),
        ("enable_moe_block", json!(true), "true"),
        ("hidden_size_per_layer_input", json!(-256), "to -256;"),
        ("num_hidden_layers", json!(3), "is 3,"),
        ("num_hidden_layers", json!(1_000_000_000), "1000000000"),
        ("hidden_size", json!(-8), "to -8;"),
        ("num_attention_heads", json!(0), "to 0;"),
        ("sliding_window", json!(0), "to 0;"),
        ("rms_norm_eps", json!(-1.0), "to -1;"),
    ];
    for (key, value, words) in cases {
        let copy = Copy::new()?;
        copy.configure(key, &value)?;
        copy.check(&[key, words]);
    }
    let copy = Copy::new()?;
    copy.configure("layer_types", &json!(["sideways"]))?;
    copy.check(&["sideways"]);

    let copy = Copy::new()?;
    copy.configure("num_kv_shared_layers", &json!(8))?;
    copy.check(&["no earlier layer of its kind"]);
    Ok(())
}

#[test]
fn rotary_settings_that_contradict_or_mean_nothing_certain_are_refused() -> Outcome {
    let copy = Copy::new()?;
    copy.configure("rope_theta", &json!(5.0))?;
    copy.check(&["contradicts itself", "full_attention", "5"]);

    let copy = Copy::new()?;
    copy.configure("rope_parameters", &json!({ "rope_type": "linear", "factor": 8.0 }))?;
    copy.check(&["rope_parameters", "factor: 8"]);
    Ok(())
}

#[test]
fn two_tensors_of_one_name_are_refused() -> Outcome {
    let copy = Copy::new()?;
    let bytes = fs::read(copy.weights())?;
    let tensors = SafeTensors::deserialize(&bytes)?;
    let twin = tensors.tensor("model.language_model.norm.weight")?;
    let all = tensors.iter().map(|(name, view)| (name.to_owned(), view));
    let all = all.chain([("model.norm.weight".to_owned(), twin.clone())]).collect::<Vec<_>>();
    fs::write(copy.weights(), safetensors::serialize(all, None)?)?;
    copy.check(&["model.language_model.norm.weight", "model.norm.weight", "only one"]);
    Ok(())
}

#[test]
fn a_new_drafter_overwrites_nothing_and_asks_for_no_impossible_memory() -> Outcome {
    let copy = Copy::new()?;
    let setup = Setup::greedy(copy.path(), 1)?;
    let before = fs::read(copy.weights())?;
    check_sentence(setup.fresh_drafter(2, false, 1)?.save(copy.path()).err(), &["is not empty"]);
    assert_eq!(fs::read(copy.weights())?, before);

    let new = NewDrafter { target: copy.path().into(), width: 1 << 20, ..NewDrafter::default() };
    let (done, heard) = std::sync::mpsc::channel();
    Engine::start().new_drafter(new, move |result| drop(done.send(result)));
    check_sentence(heard.recv()?.err(), &["too large"]);
    Ok(())
}

#[test]
fn registering_checks_every_tensor_without_reading_it() -> Outcome {
    let copy = Copy::new()?;
    copy.rename(|name| (!name.contains("layers.2.mlp.up_proj")).then(|| name.to_owned()))?;
    check_sentence(engine::inspect(copy.path()).err(), &["layers.2.mlp.up_proj.weight", "is missing"]);
    Ok(())
}

#[test]
fn a_drafter_for_another_target_is_refused_with_both_numbers() -> Outcome {
    let small = Setup::greedy(&fixtures::path("gemma4/12b-unified"), 1)?;
    let large = Setup::greedy(&fixtures::path("gemma4/31b-dense"), 1)?;
    let drafter = small.fresh_drafter(2, false, 1)?;
    let layers = large.model.config().layers.len();
    check_sentence(drafter.fit(&*large.model, layers).err(), &["hidden size", "48", "56"]);
    check_sentence(drafter.fit(&*small.model, 2).err(), &["layer 3", "0 to 1"]);
    Ok(())
}

#[test]
fn a_malformed_drafter_is_refused_with_the_field() -> Outcome {
    let cases = [
        ("/variant", json!("eagle"), "eagle"),
        ("/config/gamma", json!(0), "gamma"),
        ("/config/nHeads", json!(3), "nHeads"),
        ("/config/tapLayers", json!([3, 1]), "tapLayers"),
        ("/config/tapLayers", json!([]), "tapLayers"),
        ("/config/seqHead", json!("lstm"), "lstm"),
        ("/dims/vocabSize", json!(95), "markov.w1"),
        ("/dims/hiddenSize", json!("wide"), "wide"),
    ];
    for (pointer, value, word) in cases {
        let folder = tempfile::tempdir()?;
        let fixture = fixtures::path("drafters/dspark_seed/markov/checkpoint");
        fs::copy(fixture.join("model.safetensors"), folder.path().join("model.safetensors"))?;
        let mut document: Value = serde_json::from_slice(&fs::read(fixture.join("dspark.json"))?)?;
        *document.pointer_mut(pointer).ok_or("no such field")? = value;
        fs::write(folder.path().join("dspark.json"), document.to_string())?;
        check_sentence(drafters::open(folder.path()).err(), &[word]);
    }
    check_sentence(drafters::open(Path::new("nowhere")).err(), &["nowhere", "holds no drafter"]);
    Ok(())
}

#[test]
fn a_drafter_of_one_token_can_be_saved_and_loaded() -> Outcome {
    let setup = Setup::greedy(&fixtures::path("gemma4/31b-dense"), 4)?;
    let folder = tempfile::tempdir()?;
    let drafter = setup.fresh_drafter(1, false, 1)?;
    let out = folder.path().join("new").join(""); // with a separator at its end, as shells complete it
    drafter.save(&out)?;
    let again: DSpark = drafters::open(&out)?;
    assert_eq!(again.document().limit, 1);
    assert_eq!(fs::read_dir(folder.path())?.count(), 1);
    check_sentence(drafter.save(&out).err(), &["is not empty"]);
    Ok(())
}
