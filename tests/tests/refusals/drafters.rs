//! Drafters that are malformed, or made for another target.

use mlx_rs::Dtype;
use std::{fs, path::Path};

use engine::{Engine, NewDrafter};
use nn::Vocabulary;
use serde_json::{Value, json};
use tests::{Outcome, decoding::Setup, fixtures};

use crate::{check_sentence, dense};

#[test]
fn a_new_drafter_overwrites_nothing_and_asks_for_no_impossible_memory() -> Outcome {
    let copy = dense()?;
    let setup = Setup::greedy(copy.path(), 1)?;
    let before = fs::read(copy.weights())?;
    check_sentence(setup.fresh(2, false, 1)?.save(copy.path()).err(), &["is not empty"]);
    assert_eq!(fs::read(copy.weights())?, before);

    let new = NewDrafter { target: copy.path().into(), width: 1 << 20, ..NewDrafter::default() };
    let (done, heard) = std::sync::mpsc::channel();
    Engine::start().new_drafter(new, move |result| drop(done.send(result)));
    check_sentence(heard.recv()?.err(), &["too large"]);
    Ok(())
}

#[test]
fn a_drafter_for_another_target_is_refused_with_both_numbers() -> Outcome {
    let small = Setup::greedy(&fixtures::path("gemma4/12b-unified"), 1)?;
    let large = Setup::greedy(&fixtures::path("gemma4/31b-dense"), 1)?;
    let drafter = small.fresh_drafter(2, false, 1)?;
    let fit = |setup: &Setup, layers| drafter.facts().fit(setup.model.hidden_size(), setup.model.size(), layers);
    check_sentence(fit(&large, large.model.config().layers.len()).err(), &["hidden size", "48", "56"]);
    check_sentence(fit(&small, 2).err(), &["layer 3", "0 to 1"]);
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
        check_sentence(::drafters::open(folder.path(), Dtype::Bfloat16).err(), &[word]);
    }
    check_sentence(::drafters::open(Path::new("nowhere"), Dtype::Bfloat16).err(), &["nowhere", "holds no drafter"]);
    Ok(())
}

#[test]
fn a_drafter_of_one_token_can_be_saved_and_loaded() -> Outcome {
    let setup = Setup::greedy(&fixtures::path("gemma4/31b-dense"), 4)?;
    let folder = tempfile::tempdir()?;
    let drafter = setup.fresh(1, false, 1)?;
    let out = folder.path().join("new").join(""); // with a separator at its end, as shells complete it
    drafter.save(&out)?;
    assert_eq!(::drafters::open(&out, Dtype::Bfloat16)?.facts().limit, 1);
    assert_eq!(fs::read_dir(folder.path())?.count(), 1);
    check_sentence(drafter.save(&out).err(), &["is not empty"]);
    Ok(())
}
