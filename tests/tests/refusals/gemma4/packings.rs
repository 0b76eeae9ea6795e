//! Matrices that are packed in a way that MLX does not have, or other than the configuration says.

use gemma4::Model;
use mlx_rs::{Dtype, ops};
use serde_json::{Value, json};
use tests::{Outcome, checkpoint::Checkpoint, copy::Copy, fixtures};

use crate::check;

/// A matrix of the packed fixture: 4-bit in groups of 32.
const MATRIX: &str = "layers.2.mlp.up_proj";

fn packed() -> Outcome<Checkpoint> {
    Checkpoint::read(&fixtures::path("gemma4/26b-a4b-q4g32"))
}

/// Both copies of the settings.
fn set(checkpoint: &mut Checkpoint, key: &str, value: &Value) {
    for copy in ["quantization", "quantization_config"] {
        checkpoint.config[copy][key] = value.clone();
    }
}

#[test]
fn settings_that_mlx_does_not_have_are_refused_with_what_it_has() -> Outcome {
    let path = format!("language_model.model.{MATRIX}");
    let cases = [
        ("bits", json!(7), "7-bit"),
        ("group_size", json!(48), "groups of 48"),
        ("mode", json!("nf4"), "nf4"),
        ("bits", json!("four"), "four"),
        (&path, json!({ "group_size": 16, "bits": 4 }), "groups of 16"),
        (&path, json!({ "mode": "mxfp4", "bits": 8 }), "mxfp4"),
    ];
    for (key, value, word) in cases {
        let mut checkpoint = packed()?;
        set(&mut checkpoint, key, &value);
        check(&Copy::written(&checkpoint)?, &["config.json sets", word, "groups of 32, 64 or 128"]);
    }
    Ok(())
}

#[test]
fn settings_that_contradict_the_file_are_refused_with_both() -> Outcome {
    let path = format!("language_model.model.{MATRIX}");
    for (value, said) in [
        (json!({ "group_size": 64, "bits": 4 }), "4-bit in groups of 64"),
        (json!({ "group_size": 32, "bits": 8 }), "8-bit in groups of 32"),
        (json!({ "mode": "mxfp4" }), "mxfp4"),
        (json!(false), "not packed"),
    ] {
        let mut checkpoint = packed()?;
        set(&mut checkpoint, &path, &value);
        let said = format!("config.json says {said}");
        check(&Copy::written(&checkpoint)?, &[MATRIX, &said, "holds it 4-bit in groups of 32"]);
    }
    let mut checkpoint = packed()?;
    set(&mut checkpoint, "group_size", &json!(64));
    let words = ["config.json says 4-bit in groups of 64", "nothing so", "is 4-bit in groups of 32"];
    check(&Copy::written(&checkpoint)?, &words);

    let mut dense = Checkpoint::read(&fixtures::path("gemma4/31b-dense"))?;
    let settings = json!({ "group_size": 32, "bits": 4, format!("model.language_model.{MATRIX}"): { "bits": 8 } });
    dense.config["quantization"] = settings;
    check(&Copy::written(&dense)?, &[MATRIX, "config.json says 8-bit in groups of 64", "not packed"]);
    Ok(())
}

#[test]
fn other_programs_packings_are_refused_by_name() -> Outcome {
    for method in ["compressed-tensors", "awq", "gptq", "bitsandbytes"] {
        let mut checkpoint = Checkpoint::read(&fixtures::path("gemma4/31b-dense"))?;
        checkpoint.config["quantization_config"] = json!({ "quant_method": method, "bits": 4, "group_size": 128 });
        check(&Copy::written(&checkpoint)?, &[method, "is not read", "choose a bfloat16 or MLX checkpoint"]);
    }
    Ok(())
}

#[test]
fn a_packed_matrix_is_refused_without_its_parts_and_with_a_scale_too_many() -> Outcome {
    for part in ["weight", "scales", "biases"] {
        let lost = format!("{MATRIX}.{part}");
        let checkpoint = packed()?.renamed(|name| (!name.ends_with(&lost)).then(|| name.to_owned()));
        check(&Copy::written(&checkpoint)?, &[&lost, "is missing"]);
    }
    for dtype in [Dtype::Float32, Dtype::Float16] {
        let mut checkpoint = packed()?;
        let global = ops::ones_dtype(&[1], dtype)?;
        checkpoint.tensors.insert(format!("language_model.model.{MATRIX}.global_scale"), global);
        check(&Copy::written(&checkpoint)?, &[MATRIX, "a scale for the whole matrix"]);
    }
    Ok(())
}

#[test]
fn parts_that_belong_to_no_packing_are_refused_with_their_shapes() -> Outcome {
    // The part, how many of its columns are left, and what is said then.
    let cases = [
        ("weight", 7, "[96, 7] with scales [96, 2] cannot hold"),
        ("weight", 2, "1-bit in groups of 32"),
        ("scales", 1, "biases has shape [96, 2]"),
        ("biases", 1, "biases has shape [96, 1]"),
    ];
    for (part, columns, words) in cases {
        let mut checkpoint = packed()?;
        let tensor = checkpoint.tensor(&format!("{MATRIX}.{part}"))?;
        *tensor = tensor.take_axis(ops::arange::<_, i32>(0, columns, 1)?, -1)?;
        check(&Copy::written(&checkpoint)?, &[MATRIX, words]);
    }
    Ok(())
}

#[test]
fn scales_that_are_no_floats_are_refused() -> Outcome {
    for dtype in [Dtype::Int32, Dtype::Uint16] {
        let mut checkpoint = packed()?;
        let scales = checkpoint.tensor(&format!("{MATRIX}.scales"))?;
        *scales = scales.as_dtype(dtype)?;
        check(&Copy::written(&checkpoint)?, &[&format!("{MATRIX}.scales"), "only float32, bfloat16 and float16"]);
    }
    // Bytes are scales of other modes, none of which has biases.
    let mut checkpoint = packed()?;
    let scales = checkpoint.tensor(&format!("{MATRIX}.scales"))?;
    *scales = scales.as_dtype(Dtype::Uint8)?;
    check(&Copy::written(&checkpoint)?, &[&format!("{MATRIX}.biases"), "does not use"]);
    Ok(())
}

#[test]
fn what_is_said_of_parts_that_are_not_read_is_passed_over() -> Outcome {
    let mut checkpoint = packed()?;
    set(&mut checkpoint, "vision_tower.encoder.layers.0.mlp", &json!({ "group_size": 16, "bits": 7 }));
    Model::load(Copy::written(&checkpoint)?.path(), None)?;

    // Some writers say it within the text part only.
    let quantization = checkpoint.config["quantization"].take();
    checkpoint.config["quantization_config"] = json!(null);
    checkpoint.text()["quantization"] = quantization;
    Model::load(Copy::written(&checkpoint)?.path(), None)?;
    checkpoint.text()["quantization"]["group_size"] = json!(64);
    check(&Copy::written(&checkpoint)?, &["config.json says 4-bit in groups of 64"]);
    Ok(())
}
