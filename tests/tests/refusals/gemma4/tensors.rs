//! Tensors that are missing, misshapen, of no use, or there twice.

use std::fs;

use safetensors::{Dtype, SafeTensors, tensor::TensorView};
use serde_json::json;
use tests::Outcome;

use crate::{check, check_sentence, dense};

#[test]
fn a_missing_a_misshapen_and_an_unused_tensor_are_named() -> Outcome {
    let copy = dense()?;
    copy.rename(|name| (!name.contains("layers.2.mlp.up_proj")).then(|| name.to_owned()))?;
    check(&copy, &["layers.2.mlp.up_proj.weight", "is missing"]);

    let copy = dense()?;
    copy.rename(|name| Some(name.replace("layers.2.mlp.up_proj.weight", "layers.2.mlp.up_proj.surplus")))?;
    check(&copy, &["layers.2.mlp.up_proj.weight"]);

    let copy = dense()?;
    copy.configure("intermediate_size", &json!(97))?;
    check(&copy, &["mlp.gate_proj.weight", "97"]);

    let copy = dense()?;
    let bytes = fs::read(copy.weights())?;
    let tensors = SafeTensors::deserialize(&bytes)?;
    let surplus = TensorView::new(Dtype::F32, vec![1], &[0; 4])?;
    let all = tensors.iter().map(|(name, view)| (name.to_owned(), view));
    let all = all.chain([("model.language_model.layers.0.surplus".to_owned(), surplus)]).collect::<Vec<_>>();
    fs::write(copy.weights(), safetensors::serialize(all, None)?)?;
    check(&copy, &["does not use", "layers.0.surplus"]);
    Ok(())
}

#[test]
fn two_tensors_of_one_name_are_refused() -> Outcome {
    let copy = dense()?;
    let bytes = fs::read(copy.weights())?;
    let tensors = SafeTensors::deserialize(&bytes)?;
    let twin = tensors.tensor("model.language_model.norm.weight")?;
    let all = tensors.iter().map(|(name, view)| (name.to_owned(), view));
    let all = all.chain([("model.norm.weight".to_owned(), twin.clone())]).collect::<Vec<_>>();
    fs::write(copy.weights(), safetensors::serialize(all, None)?)?;
    check(&copy, &["model.language_model.norm.weight", "model.norm.weight", "only one"]);
    Ok(())
}

#[test]
fn registering_checks_every_tensor_without_reading_it() -> Outcome {
    let copy = dense()?;
    copy.rename(|name| (!name.contains("layers.2.mlp.up_proj")).then(|| name.to_owned()))?;
    check_sentence(engine::inspect(copy.path()).err(), &["layers.2.mlp.up_proj.weight", "is missing"]);
    Ok(())
}
