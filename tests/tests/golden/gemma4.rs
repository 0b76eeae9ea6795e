//! Targets: logits, every layer's stream and the greedy continuation, in one pass, in chunks, and token by token.

use std::{collections::BTreeSet, ops::ControlFlow, path::Path, rc::Rc};

use ::decode::{Answer, Fixed, Limits};
use ::gemma4::{Conversation, Model};
use mlx_rs::{Array, Dtype, ops, ops::indexing::IndexOp};
use nn::{Sampler, Sampling, Vocabulary};
use tests::{
    Outcome, fixtures,
    tensors::{Tensors, check_close},
};

const STREAM: f32 = 2e-4;
const LOGITS: f32 = 5e-4;

#[test]
fn every_target_gives_the_references_numbers_however_the_rows_are_split() -> Outcome {
    for folder in fixtures::folders("gemma4")? {
        println!("{}", folder.display());
        let model = Model::load(&folder, Some(Dtype::Float32))?;
        let golden = Tensors::read(&fixtures::golden(&folder)?)?;
        let ids = golden.ids("input_ids")?;
        check(&model, &golden, &ids, &[ids.len()])?;
        check(&model, &golden, &ids, &[13, 11, 5])?;
        check(&model, &golden, &ids, &vec![1; ids.len()])?;
    }
    Ok(())
}

#[test]
fn every_targets_greedy_continuation_is_the_references() -> Outcome {
    for folder in fixtures::folders("gemma4")? {
        let model = Rc::new(Model::load(&folder, Some(Dtype::Float32))?);
        let golden = Tensors::read(&fixtures::golden(&folder)?)?;
        let wanted = golden.ids("greedy_ids")?;
        assert_eq!(greedy(&model, &golden.ids("input_ids")?, wanted.len())?, wanted, "{}", folder.display());
    }
    Ok(())
}

#[test]
fn taps_change_no_number() -> Outcome {
    for folder in fixtures::folders("gemma4")? {
        let model = Model::load(&folder, Some(Dtype::Float32))?;
        let ids = Tensors::read(&fixtures::golden(&folder)?)?.get("input_ids")?.as_type::<u32>()?;
        let layers = model.config().layers.len();
        let with = model.forward(&ids, &mut model.caches(), &[0, layers - 1, layers])?;
        let without = model.forward(&ids, &mut model.caches(), &[])?;
        check_close(&folder.display().to_string(), &with.normed, &without.normed, 0.0)?;
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

/// The greedy continuation through the loop, without a drafter.
fn greedy(model: &Rc<Model>, prompt: &[u32], max_tokens: usize) -> Outcome<Vec<u32>> {
    let mut conversation = Conversation::new(Rc::clone(model));
    let sampler = Sampler::new(Sampling { temperature: 0.0, ..Sampling::default() });
    let mut target = conversation.verifier(sampler, &[])?;
    let none = None::<&mut ::drafters::Proposer<'_>>;
    ::decode::prefill(&mut target, none, prompt, 8, &mut |_, _| ControlFlow::Continue(()))?;
    let mut answer = Answer::new(prompt, Limits { stop: BTreeSet::new(), max_tokens })?;
    while answer.finish().is_none() {
        let none = None::<&mut ::drafters::Proposer<'_>>;
        answer.round(&mut target, none, &mut Fixed(0), &mut |_| ControlFlow::Continue(()))?;
    }
    Ok(answer.emitted().to_vec())
}

#[test]
fn a_target_of_another_family_is_refused_by_name() {
    let folder = fixtures::path("drafters/dspark_seed/markov/checkpoint");
    let error = Model::load(Path::new(&folder), None).map(|_| ()).map_err(|error| error.to_string());
    assert!(error.is_err_and(|sentence| sentence.contains("has no readable config.json")));
}
