//! Drafters in the formats of others that are malformed, of another kind, or made for another target: each would load
//! into something that drafts badly without a word.

use ::drafters::{Algorithm, Kind};
use mlx_rs::{Array, Dtype, ops};
use serde_json::{Value, json};
use tests::{Outcome, checkpoint::Checkpoint, fixtures};

use crate::check_sentence;

/// Each changes one value of a configuration, and the sentence names these words.
type Cases<'a> = &'a [(&'a str, Value, &'a [&'a str])];

#[test]
fn drafters_of_other_kinds_are_refused_by_name() -> Outcome {
    let dflash = [
        ("/speculators_model_type", json!("eagle3"), &["eagle3"][..]),
        ("/speculators_model_type", json!("mtp"), &["mtp"]),
        ("/model_type", json!("llama_assistant"), &["llama_assistant"]),
        ("/model_type", json!("dspark_assistant"), &["dspark.json"]),
        ("/architectures", json!(["Qwen3DSparkModel"]), &["Qwen3DSparkModel"]),
        ("/architectures", json!(["DSparkDraftModel"]), &["DSparkDraftModel"]),
        ("/architectures", json!(["DominoDraftModel"]), &["DominoDraftModel"]),
        ("/architectures", json!(["DFlashLagunaForCausalLM"]), &["DFlashLagunaForCausalLM"]),
        ("/architectures", json!(["LlamaEagle3ForCausalLM"]), &["LlamaEagle3ForCausalLM"]),
        ("/architectures", json!(["Strange"]), &["Strange"]),
        ("/architectures", json!([]), &["holds no drafter"]),
        ("/markov_rank", json!(256), &["hybrid", "256"]),
        ("/dflash_config/markov_rank", json!(8), &["hybrid", "8"]),
        ("/dflash_config/markov_head_type", json!("vanilla"), &["hybrid", "vanilla"]),
    ];
    check_cases("dflash", &dflash)?;
    check_cases("dflash2", &[("/markov_rank", json!(256), &["hybrid", "dflash2", "256"])])?;
    let mut target = drafter("dflash")?;
    target.config = json!({ "architectures": ["Gemma4ForConditionalGeneration"] });
    check(&target, &["holds no drafter", "Gemma4ForConditionalGeneration"])
}

#[test]
fn the_layout_of_a_drafters_files_decides_before_its_class() -> Outcome {
    for (name, kind) in [
        ("dflash", Kind::DFlash),
        ("dflash2", Kind::DFlash2),
        ("speculators/dflash", Kind::Speculators(Algorithm::DFlash)),
        ("speculators/dspark_rnn", Kind::Speculators(Algorithm::DSpark)),
        ("speculators/dflash2", Kind::Speculators(Algorithm::DFlash2)),
        ("dspark_deepspec/rnn", Kind::DeepSpec),
        ("gemma4_assistant/dense", Kind::Assistant),
        ("dspark_seed/rnn", Kind::DSpark),
    ] {
        assert_eq!(Kind::of(&fixtures::path("drafters").join(name).join("checkpoint"))?, kind, "{name}");
    }
    Ok(())
}

#[test]
fn a_malformed_dflash_drafter_is_refused_with_the_key() -> Outcome {
    check_cases(
        "dflash",
        &[
            ("/dflash_config/target_layer_ids", Value::Null, &["dflash_config.target_layer_ids", "missing"]),
            ("/dflash_config/target_layer_ids", json!([]), &["dflash_config.target_layer_ids", "increasing"]),
            ("/dflash_config/target_layer_ids", json!([3, 1, 5]), &["[3, 1, 5]", "increasing"]),
            ("/dflash_config/target_layer_ids", json!([-1, 1, 5]), &["dflash_config.target_layer_ids", "-1"]),
            ("/dflash_config/target_layer_ids", json!([1, 3]), &["fc", "[64, 192]", "[64, 128]"]),
            ("/dflash_config/mask_token_id", Value::Null, &["dflash_config.mask_token_id", "missing"]),
            ("/dflash_config/mask_token_id", json!(256), &["mask_token_id is 256", "vocab_size is 256"]),
            ("/block_size", json!(1), &["block_size is 1"]),
            ("/block_size", json!(9), &["sliding_window is 8", "9"]),
            ("/block_size", json!("five"), &["block_size", "five"]),
            ("/hidden_act", json!("gelu"), &["hidden_act", "gelu", "silu"]),
            ("/attention_bias", json!(true), &["attention_bias", "true"]),
            ("/dflash_config/attention_sink_bias", json!(true), &["dflash_config.attention_sink_bias"]),
            ("/dflash_config/v_head_dim", json!(64), &["dflash_config.v_head_dim", "64"]),
            ("/v_head_dim", json!(64), &["v_head_dim", "64"]),
            ("/attention_value_scale", json!(0.5), &["attention_value_scale", "0.5"]),
            ("/partial_rotary_factor", json!(0.25), &["partial_rotary_factor", "0.25"]),
            ("/dflash_config/causal", json!(true), &["dflash_config.causal"]),
            ("/dflash_config/use_swa", json!(false), &["dflash_config.use_swa"]),
            ("/dflash_config/swa_window_size", json!(8), &["dflash_config.swa_window_size", "8"]),
            ("/rope_scaling", json!({ "rope_type": "yarn" }), &["rope_scaling.rope_type", "yarn"]),
            ("/rope_parameters", json!({ "full_attention": {} }), &["rope_parameters", "full_attention"]),
            ("/rope_theta", json!(0), &["rope_theta is 0"]),
            ("/layer_types", json!(["full_attention"]), &["layer_types names 1 layers", "num_hidden_layers is 3"]),
            ("/layer_types", json!(["linear", "full_attention", "full_attention"]), &["layer_types", "linear"]),
            ("/sliding_window", Value::Null, &["sliding_window is missing"]),
            ("/head_dim", Value::Null, &["head_dim is missing"]),
            ("/head_dim", json!(16), &["self_attn", "[128, 64]", "[64, 64]"]),
            ("/head_dim", json!(31), &["head_dim is 31"]),
            ("/num_attention_heads", json!(3), &["num_attention_heads is 3", "num_key_value_heads, 2"]),
            ("/num_hidden_layers", json!(0), &["num_hidden_layers is 0"]),
            ("/hidden_size", json!(-64), &["hidden_size is -64"]),
            ("/rms_norm_eps", Value::Null, &["rms_norm_eps is missing"]),
            ("/dflash_config", json!(7), &["dflash_config"]),
            ("/dflash_config/output_multiplier", json!(0.0), &["dflash_config.output_multiplier is 0"]),
        ],
    )
}

#[test]
fn a_malformed_dflash2_drafter_is_refused_with_the_key() -> Outcome {
    check_cases(
        "dflash2",
        &[
            ("/dflash_config/conv_kernel_size", Value::Null, &["dflash_config.conv_kernel_size is missing"]),
            ("/dflash_config/conv_kernel_size", json!(3), &["base_kernel", "[2, 2, 64]", "[2, 3, 64]"]),
            ("/dflash_config/conv_group_size", json!(15), &["conv_group_size is 15", "hidden_size, 64"]),
            ("/dflash_config/selector_rank", json!(0), &["dflash_config.selector_rank is 0"]),
            ("/dflash_config/selector_top_k", json!(257), &["selector_top_k is 257", "vocab_size, 256"]),
            // Every tensor of the first version is there, and more.
            ("/architectures", json!(["DFlashDraftModel"]), &["does not use", "candidate_selector"]),
        ],
    )?;
    check_cases("dflash", &[("/architectures", json!(["DFlash2DraftModel"]), &["conv_kernel_size is missing"])])
}

#[test]
fn a_malformed_speculators_drafter_is_refused_with_the_key() -> Outcome {
    const LAYERS: &str = "transformer_layer_config";
    let inner = |key: &str| format!("/{LAYERS}/{key}");
    check_cases(
        "speculators/dspark_reduced",
        &[
            ("/speculators_config/algorithm", json!("dflash"), &["algorithm", "dflash", "dspark"]),
            ("/block_size", Value::Null, &["block_size is missing"]),
            ("/block_size", json!(1), &["block_size is 1"]),
            ("/aux_hidden_state_layer_ids", Value::Null, &["aux_hidden_state_layer_ids is missing"]),
            ("/aux_hidden_state_layer_ids", json!([0, 3, 6]), &["aux_hidden_state_layer_ids", "[0, 3, 6]"]),
            ("/aux_hidden_state_layer_ids", json!([3, 3, 6]), &["[3, 3, 6]", "increasing"]),
            ("/mask_token_id", json!(256), &["mask_token_id is 256", "vocab_size is 256"]),
            ("/draft_vocab_size", json!(300), &["draft_vocab_size is 300", "vocab_size, 256"]),
            ("/draft_vocab_size", json!(95), &["markov_w2", "[96, 8]", "[95, 8]"]),
            ("/target_hidden_size", json!(128), &["target_hidden_size is 128", "64"]),
            ("/markov_rank", json!(0), &["confidence_head_with_markov", "markov_rank is 0"]),
            ("/markov_head_type", json!("lstm"), &["markov_head_type", "lstm"]),
            ("/markov_head_type", json!("gated"), &["markov_head.gate_proj", "missing"]),
            ("/enable_confidence_head", json!(false), &["does not use", "confidence_head"]),
            ("/causal", json!(true), &["causal"]),
            (&inner("hidden_act"), json!("relu"), &["transformer_layer_config.hidden_act", "relu"]),
            (&inner("mlp_bias"), json!(true), &["transformer_layer_config.mlp_bias"]),
            (&inner("attention_bias"), json!(true), &["transformer_layer_config.attention_bias"]),
            (&inner("sliding_window"), json!(0), &["transformer_layer_config.sliding_window is 0"]),
            (&inner("layer_types"), Value::Null, &["transformer_layer_config.use_sliding_window", "layer_types"]),
            (&inner("rope_parameters"), json!({ "rope_type": "llama3" }), &["rope_parameters.rope_type", "llama3"]),
            ("/transformer_layer_config", Value::Null, &["transformer_layer_config is missing"]),
        ],
    )?;
    let mut unsaid = drafter("speculators/dspark_reduced")?;
    unsaid.config["sample_from_anchor"] = Value::Null;
    unsaid.config["speculators_config"]["proposal_methods"][0]["speculative_tokens"] = json!(2);
    check(&unsaid, &["sample_from_anchor is missing", "speculative_tokens is 2", "5"])?;
    check_cases(
        "speculators/dflash2",
        &[
            ("/sample_from_anchor", json!(true), &["sample_from_anchor", "true", "dflash2"]),
            ("/draft_vocab_size", json!(96), &["draft_vocab_size is 96", "256"]),
            ("/conv_group_size", json!(5), &["conv_group_size is 5", "hidden_size, 64"]),
        ],
    )
}

#[test]
fn a_speculators_drafter_with_other_tensors_is_refused_by_their_names() -> Outcome {
    let original = drafter("speculators/dspark_reduced")?;
    for name in ["d2t", "lm_head.weight", "norm.weight", "confidence_head.proj.bias"] {
        let mut lacking = original.clone();
        lacking.tensors.remove(name);
        check(&lacking, &[name, "missing"])?;
    }
    let check_with = |name: &str, tensor: Array, words: &[&str]| {
        let mut spoilt = original.clone();
        spoilt.tensors.insert(name.into(), tensor);
        check(&spoilt, words)
    };
    let d2t = &original.tensors["d2t"];
    check_with("verifier_norm.weight", ops::ones::<f32>(&[64])?, &["does not use", "verifier_norm.weight"])?;
    check_with("d2t", d2t.as_type::<f32>()?, &["d2t", "F32", "int64"])?;
    check_with("d2t", d2t.add(Array::from_slice(&[200_i64], &[1]))?, &["d2t maps", "ends at 255"])?;
    check_with("t2d", ops::zeros::<bool>(&[256])?, &["d2t maps 96", "t2d marks 0"])
}

#[test]
fn a_table_of_ids_themselves_is_accepted_and_said() -> Outcome {
    let mut absolute = drafter("speculators/dspark_reduced")?;
    let d2t = absolute.tensor("d2t")?;
    *d2t = d2t.add(ops::arange::<_, i64>(0, 96, 1)?)?;
    let notes = ::drafters::open(absolute.write()?.path(), Dtype::Bfloat16)?.facts().notes.clone();
    assert!(notes.iter().any(|note| note.contains("d2t")), "{notes:?}");
    Ok(())
}

#[test]
fn a_published_drafter_for_another_target_is_refused_with_both_numbers() -> Outcome {
    let fit = |name: &str, hidden, vocab, layers| {
        let facts =
            ::drafters::survey(&fixtures::path("drafters").join(name).join("checkpoint"), Dtype::Bfloat16)?.facts;
        Ok::<_, ::drafters::Error>(facts.fit(hidden, vocab, layers).err())
    };
    assert!(fit("dflash", 64, 256, 8)?.is_none());
    check_sentence(fit("dflash", 48, 256, 8)?, &["hidden size", "64", "48"]);
    check_sentence(fit("dflash", 64, 128, 8)?, &["vocabulary", "256", "128"]);
    check_sentence(fit("dflash", 64, 256, 9)?, &["number of layers", "8", "9"]);
    // The library counts from 1; the input of the layer behind the last would be the last one's output.
    assert!(fit("speculators/dflash", 64, 256, 7)?.is_none());
    check_sentence(fit("speculators/dflash", 64, 256, 6)?, &["aux_hidden_state_layer_ids", "6", "1 to 5"]);
    let mut last = drafter("dflash")?;
    last.config["dflash_config"]["target_layer_ids"] = json!([1, 3, 7]);
    let facts = ::drafters::survey(last.write()?.path(), Dtype::Bfloat16)?.facts;
    check_sentence(facts.fit(64, 256, 8).err(), &["dflash_config.target_layer_ids", "7", "0 to 6"]);
    Ok(())
}

pub(super) fn drafter(name: &str) -> Outcome<Checkpoint> {
    Checkpoint::read(&fixtures::path("drafters").join(name).join("checkpoint"))
}

pub(super) fn check_cases(name: &str, cases: Cases<'_>) -> Outcome {
    let original = drafter(name)?;
    for (pointer, value, words) in cases {
        let mut spoilt = original.clone();
        let parts = pointer.split('/').skip(1);
        *parts.fold(&mut spoilt.config, |value, key| &mut value[key]) = value.clone();
        check(&spoilt, words)?;
        // Nothing has to be loaded to find out.
        check_sentence(::drafters::survey(spoilt.write()?.path(), Dtype::Bfloat16).err(), words);
    }
    Ok(())
}

pub(super) fn check(spoilt: &Checkpoint, words: &[&str]) -> Outcome {
    check_sentence(::drafters::open(spoilt.write()?.path(), Dtype::Bfloat16).err(), words);
    Ok(())
}
