//! Bad files: each is refused with one sentence that names what is wrong, and nothing panics.

use std::{fs, path::Path};

use drafters::DSpark;
use engine::{Engine, NewDrafter};
use gemma4::Model;
use safetensors::Dtype;
use serde_json::{Value, json};
use tests::{
    Outcome,
    copy::{Copy, Stored},
    decoding::Setup,
    fixtures,
};

fn target() -> Outcome<Copy> {
    Copy::of("gemma4/31b-dense")
}

/// Loading `copy` is refused in one sentence with all of `words` in it.
fn check(copy: &Copy, words: &[&str]) {
    check_sentence(Model::load(copy.path(), None).err(), words);
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
    let copy = target()?;
    let bytes = fs::read(copy.weights())?;
    fs::write(copy.weights(), &bytes[..bytes.len() - 100])?;
    check(&copy, &["model.safetensors", "its header describes", &bytes.len().to_string()]);
    Ok(())
}

#[test]
fn what_is_no_safetensors_file_is_called_what_it_is() -> Outcome {
    let copy = target()?;
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
    let copy = target()?;
    fs::remove_file(copy.weights())?;
    check(&copy, &["holds no model.safetensors"]);
    fs::remove_file(copy.path().join("config.json"))?;
    check(&copy, &["config.json"]);
    Ok(())
}

#[test]
fn a_missing_a_misshapen_and_an_unused_tensor_are_named() -> Outcome {
    let copy = target()?;
    copy.rewrite(|tensors| tensors.retain(|tensor| !tensor.name.contains("layers.2.mlp.up_proj")))?;
    check(&copy, &["layers.2.mlp.up_proj.weight", "is missing"]);

    let copy = target()?;
    copy.rewrite(|tensors| {
        for tensor in tensors {
            tensor.name = tensor.name.replace("layers.2.mlp.up_proj.weight", "layers.2.mlp.up_proj.surplus");
        }
    })?;
    check(&copy, &["layers.2.mlp.up_proj.weight"]);

    let copy = target()?;
    copy.configure("intermediate_size", &json!(97))?;
    check(&copy, &["mlp.gate_proj.weight", "97"]);

    let copy = target()?;
    let name = "model.language_model.layers.0.surplus".to_owned();
    let surplus = Stored { name, dtype: Dtype::F32, shape: vec![1], data: vec![0; 4] };
    copy.rewrite(|tensors| tensors.push(surplus))?;
    check(&copy, &["does not use", "layers.0.surplus"]);
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
        let copy = target()?;
        copy.configure(key, &value)?;
        check(&copy, &[key, words]);
    }
    let copy = target()?;
    copy.configure("layer_types", &json!(["sideways"]))?;
    check(&copy, &["sideways"]);

    let copy = target()?;
    copy.configure("num_kv_shared_layers", &json!(8))?;
    check(&copy, &["no earlier layer of its kind"]);
    Ok(())
}

#[test]
fn rotary_settings_that_contradict_or_mean_nothing_certain_are_refused() -> Outcome {
    let copy = target()?;
    copy.configure("rope_theta", &json!(5.0))?;
    check(&copy, &["contradicts itself", "full_attention", "5"]);

    let copy = target()?;
    copy.configure("rope_parameters", &json!({ "rope_type": "linear", "factor": 8.0 }))?;
    check(&copy, &["rope_parameters", "factor: 8"]);
    Ok(())
}

#[test]
fn two_tensors_of_one_name_are_refused() -> Outcome {
    let copy = target()?;
    copy.rewrite(|tensors| {
        let norm = tensors.iter().find(|tensor| tensor.name == "model.language_model.norm.weight");
        let twin = norm.cloned().map(|norm| Stored { name: "model.norm.weight".into(), ..norm });
        tensors.extend(twin);
    })?;
    check(&copy, &["model.language_model.norm.weight", "model.norm.weight", "only one"]);
    Ok(())
}

#[test]
fn a_new_drafter_overwrites_nothing_and_asks_for_no_impossible_memory() -> Outcome {
    let copy = target()?;
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
    let copy = target()?;
    copy.rewrite(|tensors| tensors.retain(|tensor| !tensor.name.contains("layers.2.mlp.up_proj")))?;
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
    let again = drafters::open(&out)?;
    assert_eq!(again.facts().limit, 1);
    assert_eq!(fs::read_dir(folder.path())?.count(), 1);
    check_sentence(drafter.save(&out).err(), &["is not empty"]);
    Ok(())
}
