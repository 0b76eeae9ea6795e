//! The same drafter in other words: where writers put their keys and how they name their tensors makes no difference.

use ::drafters::Kind;
use mlx_rs::Dtype;
use serde_json::{Value, json};
use tests::{
    Outcome,
    checkpoint::Checkpoint,
    fixtures,
    tensors::{check_close, check_near},
};

use super::{Stage, folders};

/// A change to a drafter's files.
type Change = fn(&mut Checkpoint);

#[test]
fn spellings_of_drafters_make_no_difference() -> Outcome {
    let cases: [(&str, &[Change]); 3] = [
        (
            "dflash",
            &[
                |to| move_key(&mut to.config, "/block_size", "/dflash_config/block_size"),
                |to| move_key(&mut to.config, "/final_logit_softcapping", "/dflash_config/final_logit_softcapping"),
                |to| move_key(&mut to.config, "/rope_theta", "/rope_parameters/rope_theta"),
                |to| set(&mut to.config, "/rope_scaling", json!({ "rope_type": "default" })),
                |to| set(&mut to.config, "/is_causal", Value::Null),
                prefix,
            ],
        ),
        (
            "speculators/dspark_reduced",
            &[
                |to| set(&mut to.config, "/draft_vocab_size", Value::Null),
                |to| set(&mut to.config, "/sample_from_anchor", Value::Null),
                |to| set(&mut to.config, "/architectures", json!(["DSparkSpeculator"])),
                |to| {
                    let methods = json!({ "proposal_methods": [{ "speculative_tokens": 9 }] });
                    set(&mut to.config, "/speculators_config", methods);
                },
                |to| {
                    let rope =
                        json!({ "sliding_attention": { "rope_theta": 1e4 }, "full_attention": { "rope_theta": 1e6 } });
                    set(&mut to.config, "/transformer_layer_config/rope_parameters", rope);
                },
                |to| set(&mut to.config, "/transformer_layer_config/rope_parameters", Value::Null),
                |to| set(&mut to.config, "/transformer_layer_config/head_dim", Value::Null),
                |to| drop(to.tensors.remove("t2d")),
                prefix,
            ],
        ),
        (
            "speculators/dflash2",
            &[
                |to| set(&mut to.config, "/sliding_window_non_causal", Value::Null),
                |to| set(&mut to.config, "/conv_kernel_size", Value::Null),
                |to| set(&mut to.config, "/sample_from_anchor", Value::Null),
            ],
        ),
    ];
    for (name, changes) in cases {
        let original = Checkpoint::read(&fixtures::path("drafters").join(name).join("checkpoint"))?;
        let (rows, logits) = Stage::new(original.write()?.path())?.longest()?;
        for (number, change) in changes.iter().enumerate() {
            let mut other = original.clone();
            change(&mut other);
            let found = Stage::new(other.write()?.path())?.longest()?;
            check_close(&format!("{name}, {number}: rows"), &found.0, &rows, 0.0)?;
            check_close(&format!("{name}, {number}: logits"), &found.1, &logits, 0.0)?;
        }
    }
    Ok(())
}

#[test]
fn drafters_compute_in_their_own_type_but_never_in_float16() -> Outcome {
    for folder in folders(|kind| matches!(kind, Kind::DFlash | Kind::DFlash2 | Kind::Speculators(_)))? {
        let original = Checkpoint::read(&folder.join("checkpoint"))?;
        let (rows, _) = Stage::new(original.write()?.path())?.longest()?;
        for half in [Dtype::Bfloat16, Dtype::Float16] {
            let mut other = original.clone();
            for tensor in other.tensors.values_mut().filter(|tensor| tensor.dtype() == Dtype::Float32) {
                *tensor = tensor.as_dtype(half)?;
            }
            let (found, logits) = Stage::new(other.write()?.path())?.longest()?;
            assert_eq!((found.dtype(), logits.dtype()), (Dtype::Bfloat16, Dtype::Float32));
            check_near(&folder.display().to_string(), &found, &rows, 0.03)?;
        }
    }
    Ok(())
}

/// Some writers put this before every name.
fn prefix(checkpoint: &mut Checkpoint) {
    let tensors = std::mem::take(&mut checkpoint.tensors);
    checkpoint.tensors = tensors.into_iter().map(|(name, tensor)| (format!("model.{name}"), tensor)).collect();
}

/// Puts `value` at `pointer`, an object deep at most.
fn set(config: &mut Value, pointer: &str, value: Value) {
    match pointer.trim_start_matches('/').split_once('/') {
        Some((object, key)) => config[object][key] = value,
        None => config[&pointer[1..]] = value,
    }
}

fn move_key(config: &mut Value, from: &str, to: &str) {
    let value = config.pointer_mut(from).map(Value::take).unwrap_or_default();
    set(config, to, value);
}
