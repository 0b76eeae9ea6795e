//! Targets: logits, every layer's stream and the greedy continuation, in one pass, in chunks, and token by token; and
//! what bfloat16 makes of them.

mod inside;
mod layouts;
mod packed;

use std::{fs, path::Path};

use ::gemma4::{Config, Error, Family, Model};
use mlx_rs::{
    Array, Dtype, ops,
    ops::indexing::{IndexOp, argmax_axis},
};
use nn::Vocabulary;
use serde_json::Value;
use tests::{
    Outcome,
    decoding::Setup,
    fixtures,
    tensors::{Tensors, check_close, check_near},
};

const STREAM: f32 = 2e-4;
const LOGITS: f32 = 5e-4;

/// How far rounding to bfloat16 may take streams and logits from those in float32, in their own lengths.
const ROUNDING: f64 = 0.08;
/// The part of the prompt's rows at which the most likely token must still be the same.
const AGREEMENT: f64 = 0.85;

#[test]
fn every_target_gives_the_references_numbers_however_the_rows_are_split() -> Outcome {
    for folder in fixtures::folders("gemma4")? {
        println!("{}", folder.display());
        let model = Model::load(&folder, Some(Dtype::Float32))?;
        let golden = Tensors::read(&fixtures::golden(&folder)?)?;
        let ids = golden.ids("input_ids")?;
        for rows in splits(ids.len(), model.config().window) {
            check(&model, &golden, &ids, &rows)?;
        }
    }
    Ok(())
}

/// Ways to read `rows` rows in pieces: all at once, one by one, and pieces that end before, at and behind the edge of
/// the window, as long as each other or not.
fn splits(rows: usize, window: usize) -> Vec<Vec<usize>> {
    let (below, above) = (window.saturating_sub(1).max(1), window + 1);
    let sizes = [&[rows][..], &[1], &[below], &[window], &[above], &[below, 1, 1, above, window]];
    sizes.map(|sizes| pieces(rows, sizes)).to_vec()
}

/// Pieces of these sizes by turns, `rows` rows in all.
fn pieces(rows: usize, sizes: &[usize]) -> Vec<usize> {
    let mut left = rows;
    let next = sizes.iter().cycle().map_while(|&size| {
        let piece = size.min(left);
        left -= piece;
        (piece > 0).then_some(piece)
    });
    next.collect()
}

#[test]
fn every_targets_greedy_continuation_is_the_references() -> Outcome {
    for folder in fixtures::folders("gemma4")? {
        let golden = Tensors::read(&fixtures::golden(&folder)?)?;
        let wanted = golden.ids("greedy_ids")?;
        let made = Setup::greedy(&folder, wanted.len())?.plain(&golden.ids("input_ids")?)?;
        assert_eq!(made.ids, wanted, "{}", folder.display());
    }
    Ok(())
}

#[test]
fn in_bfloat16_every_target_stays_near_the_references_float32() -> Outcome {
    let mut compared = 0;
    for folder in fixtures::folders("gemma4")? {
        let golden = Tensors::read(&fixtures::golden(&folder)?)?;
        if golden.has("bf16.logits") {
            println!("{}", folder.display());
            check_rounded(&Model::load(&folder, Some(Dtype::Bfloat16))?, &golden)?;
            compared += 1;
        }
    }
    assert!(compared > 0, "no golden data of bfloat16 was found");
    Ok(())
}

#[test]
fn taps_change_no_number() -> Outcome {
    for folder in fixtures::folders("gemma4")? {
        let ids = Tensors::read(&fixtures::golden(&folder)?)?.get("input_ids")?.as_type::<u32>()?;
        for dtype in [Some(Dtype::Float32), None] {
            let model = Model::load(&folder, dtype)?;
            let layers = model.config().layers.len();
            let with = model.forward(&ids, &mut model.caches(), &[0, layers - 1, layers])?;
            let without = model.forward(&ids, &mut model.caches(), &[])?;
            check_close(&format!("{}, {dtype:?}", folder.display()), &with.normed, &without.normed, 0.0)?;
        }
    }
    Ok(())
}

#[test]
fn targets_are_told_by_their_model_type_and_others_refused_by_name() -> Outcome {
    const GEMMA3: &str = "gemma4/gemma3-text";
    const GEMMA4: &str = "gemma4/31b-dense";
    const TABLE: [(&str, &str, bool, Option<Family>); 10] = [
        ("gemma4", GEMMA4, false, Some(Family::Gemma4)),
        ("gemma4_unified", GEMMA4, false, Some(Family::Gemma4)),
        ("gemma4_text", GEMMA4, true, Some(Family::Gemma4)),
        ("gemma4_unified_text", GEMMA4, true, Some(Family::Gemma4)),
        ("gemma3_text", GEMMA3, false, Some(Family::Gemma3)),
        ("gemma4_assistant", GEMMA4, true, None),
        ("diffusion_gemma", GEMMA4, false, None),
        ("llama", GEMMA4, true, None),
        ("gemma4_unified_assistant", GEMMA4, true, None),
        ("", GEMMA4, true, None),
    ];
    for (model_type, of, flat, wanted) in TABLE {
        check_model_type(model_type, &fixtures::path(of), flat, wanted)?;
    }
    Ok(())
}

/// Reads the configuration of a fixture under another `model_type`, `flat` without the nesting of its decoder's part.
fn check_model_type(model_type: &str, fixture: &Path, flat: bool, wanted: Option<Family>) -> Outcome {
    let mut config: Value = serde_json::from_slice(&fs::read(fixture.join("config.json"))?)?;
    if flat {
        config = config["text_config"].take();
    }
    config["model_type"] = model_type.into();
    let folder = tempfile::tempdir()?;
    fs::write(folder.path().join("config.json"), config.to_string())?;
    match (Config::read(folder.path()), wanted) {
        (Ok(config), Some(family)) => assert_eq!(config.family, family),
        (Err(error @ Error::ModelType { .. }), None) => {
            let sentence = error.to_string();
            assert!(sentence.contains(&format!("{model_type:?}")), "{sentence}");
        }
        (other, _) => return Err(format!("{model_type:?} gives {other:?}").into()),
    }
    Ok(())
}

/// Runs `ids` in pieces of `rows` and compares what all rows leave behind.
fn check(model: &Model, golden: &Tensors, ids: &[u32], rows: &[usize]) -> Outcome {
    let layers = model.config().layers.len();
    let taps = (0..layers).collect::<Vec<_>>();
    let mut caches = model.caches();
    let (mut streams, mut normed) = (Vec::new(), Vec::new());
    let mut start = 0;
    for &rows in rows {
        let piece = Array::from_slice(&ids[start..start + rows], &[1, i32::try_from(rows)?]);
        let pass = model.forward(&piece, &mut caches, &taps)?;
        for cache in &mut caches {
            cache.commit(rows)?;
        }
        streams.push(pass.taps);
        normed.push(pass.normed);
        start += rows;
    }
    let (streams, normed) = (ops::concatenate(&streams, 1)?, ops::concatenate(&normed, 1)?);
    let hidden = model.config().hidden_size;
    for layer in 0..i32::try_from(layers)? {
        let stream = streams.index((.., .., layer * hidden..(layer + 1) * hidden));
        let wanted = golden.get("f32.hidden_states")?.index(layer);
        check_close(&format!("layer {layer}, rows {rows:?}"), &stream, &wanted, STREAM)?;
    }
    check_close("final norm", &normed, golden.get("f32.final_norm")?, STREAM)?;
    check_close("logits", &model.logits(&normed)?, golden.get("f32.logits")?, LOGITS)
}

/// One pass over the prompt in bfloat16: all that it leaves behind is bfloat16, and near the golden float32.
fn check_rounded(model: &Model, golden: &Tensors) -> Outcome {
    let ids = golden.get("input_ids")?.as_type::<u32>()?;
    let (layers, hidden) = (model.config().layers.len(), model.config().hidden_size);
    let mut caches = model.caches();
    let pass = model.forward(&ids, &mut caches, &(0..layers).collect::<Vec<_>>())?;
    let logits = model.logits(&pass.normed)?;
    let stored = caches.iter().flat_map(nn::Cache::arrays);
    for array in [&pass.taps, &pass.normed, &logits].into_iter().chain(stored) {
        assert_eq!(array.dtype(), Dtype::Bfloat16);
    }
    for layer in 0..i32::try_from(layers)? {
        let stream = pass.taps.index((.., .., layer * hidden..(layer + 1) * hidden));
        check_near(&format!("layer {layer}"), &stream, &golden.get("f32.hidden_states")?.index(layer), ROUNDING)?;
    }
    let wanted = golden.get("f32.logits")?;
    check_near("logits", &logits, wanted, ROUNDING)?;
    let best = |logits: &Array| argmax_axis(logits, -1, false)?.reshape(&[-1])?.to_vec_exact::<u32>();
    let (found, wanted) = (best(&logits)?, best(wanted)?);
    let same = found.iter().zip(&wanted).filter(|(found, wanted)| found == wanted).count();
    let needed = f64::from(u32::try_from(wanted.len())?) * AGREEMENT;
    assert!(f64::from(u32::try_from(same)?) >= needed, "{same} of {} rows agree", wanted.len());
    Ok(())
}
