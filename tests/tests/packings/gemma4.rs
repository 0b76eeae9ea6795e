//! A packed model answers as the same model would with the numbers that are packed in it.

use ::gemma4::Model;
use mlx_rs::{Array, Dtype, ops};
use nn::{Mode, Packing, Vocabulary};
use serde_json::json;
use tests::{
    Outcome,
    checkpoint::Checkpoint,
    fixtures,
    quantise::{Twins, affine, all, quantise},
    sized,
    tensors::check_close,
    weights,
};

/// Of logits, which stay below 30.
const LOGITS: f32 = 5e-4;

/// The kinds of decoders: per-layer inputs and layers that share keys, experts, and neither.
const KINDS: [&str; 3] = ["e-series", "26b-a4b", "31b-dense"];

/// One pass that is long enough for experts to be sorted, and then row by row.
const ROWS: [i32; 4] = [29, 1, 1, 1];

/// Both twins give the same logits.
fn check(what: &str, twins: &Twins) -> Outcome {
    let logits = |checkpoint: &Checkpoint| logits(checkpoint).map_err(|error| format!("{what}: {error}"));
    check_close(what, &logits(&twins.packed)?, &logits(&twins.dense)?, LOGITS)
}

fn logits(checkpoint: &Checkpoint) -> Outcome<Array> {
    let folder = checkpoint.write()?;
    let model = Model::load(folder.path(), Some(Dtype::Float32))?;
    let mut caches = model.caches();
    let (mut rows, mut start) = (Vec::new(), 0);
    for count in ROWS {
        let ids = (start..start + count).map(|row| (row * 37 + 2) % model.size()).collect::<Vec<_>>();
        let ids = Array::from_slice(&ids, &[1, count]).as_type::<u32>()?;
        rows.push(model.forward(&ids, &mut caches, &[])?.normed);
        caches
            .iter_mut()
            .try_for_each(|cache| cache.commit(usize::try_from(count)?).map_err(Box::<dyn std::error::Error>::from))?;
        start += count;
    }
    Ok(model.logits(&ops::concatenate(&rows, 1)?)?)
}

/// A random model of a fixture's kind, with widths that every group divides.
fn random(kind: &str) -> Outcome<Checkpoint> {
    weights::checkpoint(&sized::config(kind, 128)?, i32::MAX)
}

#[test]
fn every_packing_gives_the_logits_of_its_numbers() -> Outcome {
    for kind in KINDS {
        let of = random(kind)?;
        let matrices = weights::parsed(&of.config)?.tensors().iter().filter(|wanted| wanted.is_matrix()).count();
        for packing in all() {
            let twins = quantise(of.clone(), packing, |_| None)?;
            let packed = twins.packed.tensors.keys().filter(|name| name.ends_with(".scales")).count();
            assert_eq!(packed, matrices, "{kind}, {packing}: some matrices are not packed");
            check(&format!("{kind}, {packing}"), &twins)?;
        }
    }
    Ok(())
}

#[test]
fn a_matrix_that_the_groups_do_not_divide_stays_dense() -> Outcome {
    for kind in KINDS {
        let of = Checkpoint::read(&fixtures::path(&format!("gemma4/{kind}")))?;
        for packing in [affine(3, 64), affine(4, 64), affine(5, 128)] {
            let twins = quantise(of.clone(), packing, |_| None)?;
            let settings = twins.packed.config["quantization"].as_object().ok_or("nothing is set")?;
            assert!(settings.values().any(|said| *said == false), "{kind}, {packing}: all matrices are packed");
            check(&format!("{kind}, {packing}"), &twins)?;
        }
    }
    Ok(())
}

#[test]
fn matrices_may_be_packed_each_in_its_own_way() -> Outcome {
    let packings = all();
    let by_turns = |path: &str| Some(packings[path.bytes().map(usize::from).sum::<usize>() % packings.len()]);
    // The publisher's own 4-bit conversions of E2B and E4B: the dense parts have eight.
    let dense_in_eight = |path: &str| path.contains(".mlp.").then(|| affine(8, 64));
    // An override without a mode is affine, whatever the mode of the rest.
    let some_affine = |path: &str| path.contains("layers.1.").then(|| affine(4, 64));
    for kind in KINDS {
        let of = random(kind)?;
        check(&format!("{kind}, by turns"), &quantise(of.clone(), affine(4, 32), by_turns)?)?;
        check(&format!("{kind}, dense in eight"), &quantise(of.clone(), affine(4, 64), dense_in_eight)?)?;
        check(&format!("{kind}, some affine"), &quantise(of, Mode::Nvfp4.usual(), some_affine)?)?;
    }
    Ok(())
}

#[test]
fn packed_experts_may_lie_one_by_one_in_stacks_or_fused() -> Outcome {
    for packing in [affine(6, 32), Mode::Mxfp4.usual(), Mode::Mxfp8.usual(), Mode::Nvfp4.usual()] {
        check_layouts(packing)?;
    }
    Ok(())
}

/// The twin whose experts lie otherwise answers like the one with dense numbers.
fn check_layouts(packing: Packing) -> Outcome {
    let Twins { packed, dense } = quantise(random("26b-a4b")?, packing, |_| None)?;
    let stacked = packed.stacked()?;
    for (what, packed) in [
        ("one by one", stacked.clone().one_by_one()?),
        ("fused", stacked.clone().fused(|part| format!(".{part}"))?),
        ("in stacks", stacked),
    ] {
        check(&format!("{packing}, {what}"), &Twins { packed, dense: dense.clone() })?;
    }
    Ok(())
}

#[test]
fn a_packed_head_of_its_own_is_used() -> Outcome {
    for packing in [affine(5, 64), Mode::Mxfp8.usual()] {
        let mut of = random("31b-dense")?;
        of.text()["tie_word_embeddings"] = json!(false);
        of.config["tie_word_embeddings"] = json!(false);
        let head = of.tensor("embed_tokens.weight")?.negative()?;
        of.tensors.insert("language_model.lm_head.weight".into(), head);
        check(&format!("a head, {packing}"), &quantise(of, packing, |_| None)?)?;
    }
    Ok(())
}
