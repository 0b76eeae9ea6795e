//! Drafters that bring or borrow more than most: `DeepSpec`'s, and the target family's own.

use std::rc::Rc;

use ::drafters::{Drafter, open};
use gemma4::{Conversation, Model};
use mlx_rs::Dtype;
use serde_json::{Value, json};
use tests::{Outcome, fixtures};

use super::{
    check_sentence,
    published::{check, check_cases, drafter},
};

#[test]
fn a_malformed_deepspec_drafter_is_refused_with_the_key() -> Outcome {
    check_cases(
        "dspark_deepspec/gated",
        &[
            ("/num_target_layers", Value::Null, &["num_target_layers"]),
            ("/target_layer_ids", json!([3, 1, 6]), &["target_layer_ids", "increasing"]),
            ("/target_layer_ids", json!([-1, 1, 6]), &["target_layer_ids", "-1", "0 to 6"]),
            ("/target_layer_ids", json!([1, 3, 7]), &["target_layer_ids", "7", "0 to 6"]),
            ("/block_size", json!(0), &["block_size is 0"]),
            ("/mask_token_id", json!(256), &["mask_token_id is 256", "256 tokens"]),
            ("/hidden_activation", json!("silu"), &["hidden_activation", "silu", "gelu_pytorch_tanh"]),
            ("/layer_types", json!(["sliding_attention", "full_attention"]), &["layer_types", "sliding_attention"]),
            ("/intermediate_size", json!("wide"), &["intermediate_size", "wide"]),
            ("/enable_moe_block", json!(true), &["enable_moe_block", "true"]),
            ("/num_kv_shared_layers", json!(1), &["num_kv_shared_layers to 1"]),
            ("/rope_parameters/full_attention/rope_type", json!("yarn"), &["rope_type", "yarn"]),
            ("/num_global_key_value_heads", json!(3), &["num_attention_heads is 4", "3 key/value heads"]),
            ("/markov_rank", json!(0), &["confidence_head_with_markov", "markov_rank is 0"]),
            ("/markov_head_type", json!("lstm"), &["lstm"]),
            ("/markov_head_type", json!("vanilla"), &["does not use", "markov_head.gate_proj"]),
            ("/attention_k_eq_v", json!(false), &["self_attn.k_proj"]),
            ("/vocab_size", json!(255), &["embed_tokens", "256", "255"]),
        ],
    )
}

#[test]
fn a_malformed_assistant_is_refused_with_the_key() -> Outcome {
    check_cases(
        "gemma4_assistant/centroid",
        &[
            ("/num_centroids", json!(7), &["num_centroids is 7", "256"]),
            ("/num_centroids", Value::Null, &["num_centroids is missing"]),
            ("/centroid_intermediate_top_k", json!(17), &["centroid_intermediate_top_k is 17", "16"]),
            ("/use_ordered_embeddings", json!(false), &["does not use", "masked_embedding"]),
            ("/text_config/num_kv_shared_layers", json!(2), &["text_config.num_kv_shared_layers to 2"]),
            ("/text_config/hidden_activation", json!("silu"), &["hidden_activation", "silu"]),
            ("/text_config/hidden_size_per_layer_input", json!(8), &["text_config.hidden_size_per_layer_input to 8"]),
            ("/text_config/layer_types", json!(["full_attention"]), &["layer_types lists 1", "4"]),
            ("/backbone_hidden_size", json!(56), &["pre_projection", "112"]),
        ],
    )?;
    check_cases("gemma4_assistant/dense", &[("/use_ordered_embeddings", json!(true), &["num_centroids"])])?;
    let mut without = drafter("gemma4_assistant/dense")?;
    without.tensors.retain(|name, _| !name.ends_with("layers.1.layer_scalar"));
    check(&without, &["layers.1.layer_scalar", "missing"])
}

#[test]
fn an_assistant_for_other_keys_and_values_is_refused_with_both_numbers() -> Outcome {
    let cases: [(&str, Value, &[&str]); 5] = [
        ("/sliding_window", json!(16), &["window of sliding layers", "16", "8"]),
        ("/head_dim", json!(32), &["head size of sliding layers", "32", "16"]),
        ("/num_key_value_heads", json!(1), &["key/value heads of sliding layers", "1", "2"]),
        ("/rope_parameters/sliding_attention/rope_theta", json!(1e5), &["rotary base of sliding layers", "100000"]),
        (
            "/rope_parameters/full_attention/partial_rotary_factor",
            json!(0.5),
            &["rotating part of full", "0.5", "0.25"],
        ),
    ];
    let model = Rc::new(Model::load(&fixtures::path("drafters/gemma4_assistant/dense/target"), None)?);
    let donors = Conversation::new(Rc::clone(&model)).donors();
    for (pointer, value, words) in cases {
        let mut assistant = drafter("gemma4_assistant/dense")?;
        *assistant.text().pointer_mut(pointer).ok_or("no such key")? = value;
        if pointer == "/head_dim" {
            // The queries of the sliding layers follow it.
            for (name, tensor) in &mut assistant.tensors {
                if ["q_proj", "o_proj", "q_norm"].iter().any(|part| name.contains(part)) && !name.contains("layers.3") {
                    let axis = if name.contains("o_proj") { -1 } else { 0 };
                    *tensor = mlx_rs::ops::concatenate(&[&*tensor, &*tensor], axis)?;
                }
            }
        }
        let folder = assistant.write()?;
        let Drafter::Assistant(assistant) = open(folder.path(), Dtype::Bfloat16)? else {
            return Err("it is no assistant".into());
        };
        check_sentence(assistant.fit(&*donors).err(), words);
    }
    Ok(())
}
