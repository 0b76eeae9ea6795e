//! What is captured is what the target computes, and comes back from disk.

use std::ops::ControlFlow;

use mlx_rs::{Array, Dtype, ops::indexing::IndexOp};
use nn::Vocabulary;
use tests::{Outcome, decoding::Setup, fixtures, tensors::check_close};
use training::{Data, Settings, ShardWriter, Trainer, capture, captured, regenerate};

use super::lesson::{Kind, TAPS, fresh, target, texts, write};

#[test]
fn the_answers_to_learn_from_are_those_of_plain_decoding() -> Outcome {
    let setup = Setup::greedy(&fixtures::path("gemma4/31b-dense"), 12)?;
    let prompt = [2, 17, 40, 9];
    let on = &mut |_| ControlFlow::Continue(());
    let answer = regenerate(&setup.model, &prompt, setup.sampler(&prompt)?, setup.limits.clone(), on)?;
    assert_eq!(answer, setup.plain(&prompt)?.ids);
    Ok(())
}

#[test]
fn captured_rows_are_those_of_one_pass_over_the_whole_sequence() -> Outcome {
    let model = target()?;
    let (ids, start) = texts(&model)?.swap_remove(0);
    let layers = model.config().layers.len();
    let sequence = capture(&model, &captured(&TAPS, layers), &ids, start)?;
    let mut caches = model.caches();
    let all = Array::from_slice(&ids, &[1, i32::try_from(ids.len())?]);
    let rows = model.forward(&all, &mut caches, &captured(&TAPS, layers))?;
    let wanted = rows.taps.as_dtype(Dtype::Bfloat16)?.index(0);
    check_close("captured rows", &sequence.rows, &wanted, 0.0)?;
    let normed = rows.normed.as_dtype(Dtype::Bfloat16)?.index(0);
    check_close("the last columns", &sequence.rows.index((.., -model.hidden_size()..)), &normed, 0.0)
}

#[test]
fn shards_come_back_and_are_continued_behind_those_that_are_there() -> Outcome {
    let model = target()?;
    let texts = texts(&model)?;
    let folder = tempfile::tempdir()?;
    assert_eq!(write(&model, &texts, 0, folder.path())?.len(), 3);
    let data = write(&model, &texts[..1], 0, folder.path())?;
    assert_eq!((data.len(), data.taps()), (4, &captured(&TAPS, model.config().layers.len())[..]));
    assert!(folder.path().join("shard_00002/shard.json").is_file());
    Ok(())
}

#[track_caller]
fn check(found: Result<Data, training::Error>, words: &str) {
    let error = found.err().map(|error| error.to_string()).unwrap_or_default();
    assert!(error.contains(words), "{error}");
}

#[test]
fn a_folder_without_shards_and_damaged_ones_are_refused() -> Outcome {
    let model = target()?;
    let folder = tempfile::tempdir()?;
    check(Data::open(folder.path()), "capture some answers");
    write(&model, &texts(&model)?, 0, folder.path())?;
    let document = folder.path().join("shard_00001/shard.json");
    let text = std::fs::read_to_string(&document)?;
    std::fs::write(&document, text.replace("\"nTokens\": ", "\"nTokens\": 1"))?;
    check(Data::open(folder.path()), "are not those of its shard.json");
    std::fs::write(&document, text.replace("\"m\": 3", "\"m\": 2"))?;
    check(Data::open(folder.path()), "it names 3 layers, and m is 2");
    std::fs::write(&document, "{")?;
    check(Data::open(folder.path()), "is damaged");
    Ok(())
}

#[test]
fn a_layer_that_was_not_captured_is_named() -> Outcome {
    let model = target()?;
    let [shards, folder] = [(); 2].map(|()| tempfile::tempdir());
    let (shards, folder) = (shards?, folder?);
    let taps = captured(&TAPS[1..], model.config().layers.len());
    let mut writer = ShardWriter::new(shards.path(), &taps, usize::try_from(model.hidden_size())?, 8)?;
    let (ids, start) = texts(&model)?.swap_remove(0);
    writer.push(capture(&model, &taps, &ids, start)?)?;
    writer.finish()?;
    let data = Data::open(shards.path())?;
    let drafter = fresh(&model, Kind::Markov, 2)?;
    let error = Trainer::open(model, &data, drafter, Settings::default(), folder.path()).err().ok_or("it was taken")?;
    assert!(error.to_string().contains("reads layer 1"), "{error}");
    Ok(())
}
