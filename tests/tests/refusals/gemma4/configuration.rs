//! Configurations that no model has, or none that runs here.

use gemma4::Model;
use serde_json::{Map, json};
use tests::{Outcome, checkpoint::Checkpoint, copy::Copy, fixtures};

use crate::{check, dense};

#[test]
fn a_configuration_that_cannot_run_is_refused_with_the_key_and_its_value() -> Outcome {
    let cases = [
        ("hidden_activation", json!("silu"), "silu"),
        ("enable_moe_block", json!(true), "num_experts is missing"),
        ("hidden_size_per_layer_input", json!(-256), "to -256;"),
        ("num_hidden_layers", json!(3), "is 3,"),
        ("num_hidden_layers", json!(1_000_000_000), "1000000000"),
        ("hidden_size", json!(-8), "to -8;"),
        ("num_attention_heads", json!(0), "to 0;"),
        ("sliding_window", json!(0), "to 0;"),
        ("rms_norm_eps", json!(-1.0), "to -1;"),
        ("use_bidirectional_attention", json!(true), "not for chatting"),
        ("num_kv_shared_layers", json!(8), "8 of 8 layers"),
    ];
    for (key, value, words) in cases {
        let copy = dense()?;
        copy.configure(key, &value)?;
        check(&copy, &[key, words]);
    }
    let copy = dense()?;
    copy.configure("layer_types", &json!(["sideways"]))?;
    check(&copy, &["sideways"]);

    let copy = Copy::of("gemma4/e-series")?;
    copy.configure("vocab_size_per_layer_input", &json!(64))?; // ids beyond it would read foreign memory
    check(&copy, &["vocab_size_per_layer_input", "64", "at least vocab_size"]);

    let mut untied = Checkpoint::read(&fixtures::path("gemma4/31b-dense"))?;
    untied.config["tie_word_embeddings"] = json!(false);
    untied.text()["tie_word_embeddings"] = json!(true);
    check(&Copy::written(&untied)?, &["contradicts itself", "tie_word_embeddings"]);
    untied.text()["tie_word_embeddings"] = json!(null);
    check(&Copy::written(&untied)?, &["lm_head.weight", "is missing"]);
    Ok(())
}

#[test]
fn what_a_newer_spelling_says_of_single_layers_is_read() -> Outcome {
    let mut checkpoint = Checkpoint::read(&fixtures::path("gemma4/31b-dense"))?;
    let text = checkpoint.text();
    let full =
        json!({ "head_dim": text["global_head_dim"], "num_key_value_heads": text["num_global_key_value_heads"] });
    let kinds = text["layer_types"].as_array().ok_or("no layer types")?;
    let is_full = kinds.iter().map(|kind| kind == "full_attention").collect::<Vec<_>>();
    let layers =
        is_full.iter().enumerate().filter(|(_, full)| **full).map(|(layer, _)| (layer.to_string(), full.clone()));
    text["per_layer_config"] = layers.collect::<Map<_, _>>().into();
    for key in ["global_head_dim", "num_global_key_value_heads"] {
        text[key] = json!(null);
    }
    Model::load(Copy::written(&checkpoint)?.path(), None)?;

    let sliding = is_full.iter().position(|full| !full).ok_or("no layer slides")?;
    checkpoint.text()["per_layer_config"][sliding.to_string()] = full;
    check(&Copy::written(&checkpoint)?, &["per_layer_config", &format!("layer {sliding}")]);
    Ok(())
}

#[test]
fn rotary_settings_that_contradict_or_mean_nothing_certain_are_refused() -> Outcome {
    let copy = dense()?;
    copy.configure("rope_theta", &json!(5.0))?;
    check(&copy, &["contradicts itself", "full_attention", "5"]);

    let copy = dense()?;
    copy.configure("rope_parameters", &json!({ "rope_type": "linear", "factor": 8.0 }))?;
    check(&copy, &["rope_parameters", "factor: 8"]);

    let copy = dense()?;
    let partly = json!({ "full_attention": { "rope_type": "default", "partial_rotary_factor": 0.25 } });
    copy.configure("rope_parameters", &partly)?;
    check(&copy, &["contradicts itself", "part", "0.25"]);
    Ok(())
}

#[test]
fn a_mixture_of_experts_that_adds_up_to_nothing_is_refused() -> Outcome {
    let cases = [
        ("num_experts", json!(null), "enable_moe_block"),
        ("top_k_experts", json!(null), "enable_moe_block"),
        ("moe_intermediate_size", json!(null), "enable_moe_block"),
        ("num_experts", json!(0), "to 0;"),
        ("top_k_experts", json!(0), "to 0;"),
        ("top_k_experts", json!(9), "at most num_experts"),
        ("moe_intermediate_size", json!(-32), "to -32;"),
    ];
    for (key, value, words) in cases {
        let copy = Copy::of("gemma4/26b-a4b")?;
        copy.configure(key, &value)?;
        check(&copy, &["config.json", key, words]);
    }
    Ok(())
}

#[test]
fn other_models_are_refused_by_name() -> Outcome {
    for (model_type, words) in [("llama", "choose a Gemma 4"), ("gemma4_assistant", "it is a drafter")] {
        let mut checkpoint = Checkpoint::read(&fixtures::path("gemma4/31b-dense"))?;
        checkpoint.config["model_type"] = json!(model_type);
        check(&Copy::written(&checkpoint)?, &[model_type, words]);
    }
    Ok(())
}
