//! The same weights as every publisher writes them give the same golden numbers.

use ::gemma4::Model;
use mlx_rs::{Array, Dtype};
use nn::Vocabulary;
use serde_json::{Map, Value, json};
use tests::{
    Outcome,
    checkpoint::Checkpoint,
    fixtures,
    tensors::{Tensors, check_close},
};

use super::LOGITS;

/// How the original files and MLX conversions of them begin the names of the decoder's tensors.
const ORIGINAL: &str = "model.language_model.";
const MLX: &str = "language_model.model.";

/// The golden numbers of the fixture `name`, from its weights written down anew.
fn check(name: &str, checkpoint: &Checkpoint) -> Outcome {
    let folder = checkpoint.write()?;
    let model = Model::load(folder.path(), Some(Dtype::Float32))?;
    let golden = golden(name)?;
    let ids = golden.ids("input_ids")?;
    super::check(&model, &golden, &ids, &[ids.len()])
}

fn golden(name: &str) -> Outcome<Tensors> {
    Tensors::read(&fixtures::golden(&fixtures::path(&format!("gemma4/{name}")))?)
}

fn read(name: &str) -> Outcome<Checkpoint> {
    Checkpoint::read(&fixtures::path(&format!("gemma4/{name}")))
}

#[test]
fn experts_may_lie_one_by_one_in_stacks_or_fused() -> Outcome {
    for name in ["26b-a4b", "26b-a4b-q4g32"] {
        let stacked = read(name)?.stacked()?;
        check(name, &stacked)?;
        check(name, &stacked.clone().one_by_one()?)?;
        check(name, &stacked.clone().renamed(|name| Some(name.replace(".experts.", ".experts.switch_glu."))))?;
        check(name, &stacked.clone().fused(|part| format!(".{part}"))?)?;
        let bare = |part: &str| if part == "weight" { String::new() } else { format!(".{part}") };
        check(name, &stacked.fused(bare)?)?;
    }
    Ok(())
}

#[test]
fn every_publishers_prefix_is_read_with_towers_and_without() -> Outcome {
    for prefix in [ORIGINAL, MLX, "language_model.", "model.", ""] {
        for name in ["e-series", "e-series-q4g32", "26b-a4b"] {
            let checkpoint = read(name)?.prefixed(prefix);
            check(name, &checkpoint)?;
            check(name, &checkpoint.text_only())?;
        }
    }
    Ok(())
}

#[test]
fn a_head_of_its_own_is_used_however_it_is_called_and_required() -> Outcome {
    let golden = golden("31b-dense")?;
    let ids = golden.get("input_ids")?.as_type::<u32>()?;
    // Softcapped logits are odd in the head, so that a head with the other sign cannot be mistaken for the table.
    let wanted = golden.get("f32.logits")?.negative()?;
    for (prefix, head) in [
        (ORIGINAL, "lm_head.weight"),
        (ORIGINAL, "model.lm_head.weight"),
        (MLX, "language_model.lm_head.weight"),
        ("model.", "lm_head.weight"),
    ] {
        let mut checkpoint = read("31b-dense")?.prefixed(prefix);
        let table = checkpoint.tensor("embed_tokens.weight")?.clone();
        checkpoint.config["tie_word_embeddings"] = json!(false);
        checkpoint.text()["tie_word_embeddings"] = json!(false);
        let refusal = Model::load(checkpoint.write()?.path(), None).err().ok_or("no head is needed")?.to_string();
        assert!(refusal.contains("lm_head.weight is missing"), "{refusal}");

        checkpoint.tensors.insert(head.to_owned(), table.clone());
        check("31b-dense", &checkpoint)?;

        checkpoint.tensors.insert(head.to_owned(), table.negative()?);
        let folder = checkpoint.write()?;
        let model = Model::load(folder.path(), Some(Dtype::Float32))?;
        let pass = model.forward(&ids, &mut model.caches(), &[])?;
        check_close(head, &model.logits(&pass.normed)?, &wanted, LOGITS)?;
    }
    Ok(())
}

#[test]
fn a_redundant_copy_of_the_tied_table_is_not_read() -> Outcome {
    for head in ["lm_head.weight", "language_model.lm_head.weight"] {
        let mut checkpoint = read("31b-dense")?;
        checkpoint.tensors.insert(head.to_owned(), Array::from_slice(&[0_f32; 4], &[2, 2]));
        check("31b-dense", &checkpoint)?;
    }
    Ok(())
}

/// Where the settings of single layers may stand, and how their paths may begin.
#[test]
fn settings_of_single_layers_are_honoured_wherever_they_stand() -> Outcome {
    for key in ["quantization", "quantization_config"] {
        for nested in [false, true] {
            for prefix in [MLX, ORIGINAL, "model."] {
                check_settings(key, nested, prefix)?;
            }
        }
    }
    Ok(())
}

/// The settings as they are give the golden numbers; the same with one that contradicts the file are refused, so they
/// were read.
fn check_settings(key: &str, nested: bool, prefix: &str) -> Outcome {
    const NAME: &str = "26b-a4b-q4g32";
    let mut checkpoint = read(NAME)?;
    let Some(config) = checkpoint.config.as_object_mut() else { return Err("no configuration".into()) };
    let Some(Value::Object(settings)) = config.remove("quantization") else { return Err("no settings".into()) };
    config.remove("quantization_config");
    let (layers, mut entry): (Map<_, _>, Map<_, _>) = settings.into_iter().partition(|(_, value)| value.is_object());
    let layers = layers.into_iter().map(|(path, value)| (path.replace(MLX, prefix), value));
    if nested {
        entry.insert("per_layer_config".into(), layers.collect::<Map<_, _>>().into());
    } else {
        entry.extend(layers);
    }
    checkpoint.config[key] = entry.into();
    check(NAME, &checkpoint)?;

    let of_layers = if nested { &mut checkpoint.config[key]["per_layer_config"] } else { &mut checkpoint.config[key] };
    of_layers[format!("{prefix}layers.5.router.proj")] = json!({ "group_size": 32, "bits": 8 });
    let refusal = Model::load(checkpoint.write()?.path(), None).err().ok_or("contradictions are accepted")?.to_string();
    for word in ["layers.5.router.proj", "8-bit in groups of 32", "8-bit in groups of 64"] {
        assert!(refusal.contains(word), "{key}, {nested}, {prefix}: {refusal}");
    }
    Ok(())
}
