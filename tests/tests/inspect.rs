//! What is said of a checkpoint from its files alone.

use std::fs;

use engine::{Checkpoint, inspect};
use gemma4::{Config, Skipped, Spare, Survey};
use serde_json::{Value, json};
use tests::{Outcome, fixtures, tiny};

/// Reads a configuration of these keys and the family's own.
fn config(keys: &Value) -> Outcome<Config> {
    let folder = tempfile::tempdir()?;
    let mut config = json!({ "model_type": "gemma4_text", "head_dim": 256, "global_head_dim": 512 });
    for (key, value) in keys.as_object().into_iter().flatten() {
        config[key] = value.clone();
    }
    fs::write(folder.path().join("config.json"), config.to_string())?;
    Ok(Config::read(folder.path())?)
}

/// Bytes per token of full layers, and of a position and of a whole window of all sliding layers, in bfloat16.
fn check_member(name: &str, keys: &Value, token: u64, position: u64, window: u64) -> Outcome {
    let config = config(keys)?;
    assert_eq!(config.name(), format!("Gemma 4 {name}"));
    let found = (config.bytes_per_token(2), config.bytes_per_position(2));
    assert_eq!(found, (token, position), "{name}");
    assert_eq!(found.1 * config.window as u64, window, "{name}");
    Ok(())
}

#[test]
fn every_member_of_the_family_is_known_by_its_sizes_and_costs_what_the_table_says() -> Outcome {
    let keys = |layers, hidden, inner, heads: [i32; 3], window| {
        json!({
            "num_hidden_layers": layers, "hidden_size": hidden, "intermediate_size": inner, "sliding_window": window,
            "num_attention_heads": heads[0], "num_key_value_heads": heads[1], "num_global_key_value_heads": heads[2],
        })
    };
    let with = |mut keys: Value, more: Value| {
        for (key, value) in more.as_object().into_iter().flatten() {
            keys[key] = value.clone();
        }
        keys
    };
    let small = |shared| json!({ "hidden_size_per_layer_input": 256, "num_kv_shared_layers": shared });
    let large = json!({ "attention_k_eq_v": true });
    let experts = json!({
        "attention_k_eq_v": true, "enable_moe_block": true, "num_experts": 128, "top_k_experts": 8,
        "moe_intermediate_size": 704,
    });
    let e2b = with(keys(35, 1536, 6144, [8, 1, 1], 512), small(20));
    check_member("E2B", &e2b, 6144, 12_288, 6_291_456)?;
    let e4b = with(keys(42, 2560, 10_240, [8, 2, 2], 512), small(18));
    check_member("E4B", &e4b, 16_384, 40_960, 20_971_520)?;
    let of_12b = with(keys(48, 3840, 15_360, [16, 8, 1], 1024), large.clone());
    check_member("12B", &of_12b, 16_384, 327_680, 335_544_320)?;
    let mixture = with(keys(30, 2816, 2112, [16, 8, 2], 1024), experts);
    check_member("26B-A4B", &mixture, 20_480, 204_800, 209_715_200)?;
    let of_31b = with(keys(60, 5376, 21_504, [32, 16, 4], 1024), large);
    check_member("31B", &of_31b, 81_920, 819_200, 838_860_800)
}

#[test]
fn what_is_not_read_is_counted() -> Outcome {
    let spares = |name: &str| Ok::<_, gemma4::Error>(Survey::of(&fixtures::path(&format!("gemma4/{name}")))?.spares);
    let skipped = |tensors, bytes| Skipped { tensors, bytes };
    let original = spares("e-series")?;
    let wanted =
        [(Spare::Vision, skipped(4, 1346)), (Spare::Audio, skipped(2, 1152)), (Spare::Keys, skipped(12, 49_344))];
    assert_eq!(original, wanted.into());
    assert!(spares("e-series-text-only")?.is_empty());
    Ok(())
}

#[test]
fn packed_numbers_are_counted_as_those_that_they_stand_for() -> Outcome {
    let survey = |name: &str| Survey::of(&fixtures::path(&format!("gemma4/{name}")));
    let (plain, packed) = (survey("e-series")?, survey("e-series-q4g32")?);
    assert_eq!(plain.parameters, packed.parameters);
    assert!(plain.packings.is_empty() && !packed.packings.is_empty());
    assert!(packed.needs(None)?.weights < plain.needs(None)?.weights / 2);
    Ok(())
}

#[tokio::test]
async fn a_page_on_a_checkpoint_says_what_it_is_how_far_it_reads_and_which_code_is_never_run() -> Outcome {
    let models = tiny::models().await?;
    let target = models.path().join(tiny::TARGET);
    fs::write(target.join("modeling_gemma.py"), "raise SystemExit")?;
    let Checkpoint { name, quantization, reach, code, .. } = inspect(&target)?;
    assert!(name.starts_with("Gemma 3, "), "{name}");
    assert_eq!(quantization, "bfloat16");
    assert_eq!(reach.ok_or("a target reads")?.most, 1 << 20);
    assert_eq!(code, ["modeling_gemma.py"]);
    let drafter = inspect(&models.path().join(tiny::DRAFTER))?;
    assert_eq!((drafter.reach, drafter.limit), (None, Some(tiny::GAMMA)));
    Ok(())
}
