//! What the parts of a round cost: drafts and verifying passes of the demo's models, choosing a token from as large a
//! vocabulary as the published targets have, and turning tokens into text.
//!
//! ```text
//! cargo bench -p tests --bench parts
//! ```

use std::{fs, hint::black_box, rc::Rc};

use chat::Codec;
use criterion::Criterion;
use decode::{Drafter as _, Target as _};
use drafters::Drafter;
use gemma4::Model;
use mlx_rs::{Array, Dtype, random};
use nn::{Draft, Sampler, Sampling};
use tests::{Outcome, pair::Pair, random::Random};

/// Tokens that both models have read.
const CONTEXT: usize = 128;
/// Tokens that published targets tell apart.
const VOCABULARY: i32 = 262_144;
/// Any token.
const ANCHOR: u32 = 5;

fn main() -> Outcome {
    let home = tempfile::tempdir()?;
    for model in demo::MODELS {
        let folder = home.path().join(model.name);
        fs::create_dir(&folder)?;
        model.files.iter().try_for_each(|(name, bytes)| fs::write(folder.join(name), bytes))?;
    }
    let target = home.path().join(demo::TARGET);
    let model = Rc::new(Model::load(&target, Some(Dtype::Float32))?);
    let mut criterion = Criterion::default().configure_from_args();
    passes(&mut criterion, &model)?;
    for kind in ["dspark", "dflash", "dflash2"] {
        let folder = home.path().join(format!("{}-{kind}", demo::TARGET));
        drafts(&mut criterion, &model, kind, &drafters::open(&folder, Dtype::Float32)?)?;
    }
    choices(&mut criterion)?;
    texts(&mut criterion, &Codec::open(&target)?)?;
    criterion.final_summary();
    Ok(())
}

/// Times `work`, and fails if it does.
fn part(criterion: &mut Criterion, name: &str, mut work: impl FnMut() -> Outcome) -> Outcome {
    let mut failure = None;
    criterion.bench_function(name, |bencher| bencher.iter(|| failure = work().err().or(failure.take())));
    failure.map_or(Ok(()), Err)
}

/// The target's pass over so many rows, of which one is kept.
fn passes(criterion: &mut Criterion, model: &Rc<Model>) -> Outcome {
    let mut pair = Pair::new(model, &Drafter::lookup(1))?;
    pair.read_to(CONTEXT)?;
    for rows in [1, 2, 4, 8] {
        let drafted = vec![ANCHOR; rows - 1];
        let tokens = Array::from_slice(&drafted, &[i32::try_from(drafted.len())?]);
        let draft = Draft { tokens, ..Draft::empty() };
        part(criterion, &format!("verify/{rows} rows"), || {
            let (mut target, _) = pair.sides();
            target.verify(ANCHOR, (rows > 1).then_some(&draft))?;
            target.commit(1)?;
            pair.go_back(CONTEXT)
        })?;
    }
    Ok(())
}

/// A draft, without the row of context that a round brings.
fn drafts(criterion: &mut Criterion, model: &Rc<Model>, kind: &str, drafter: &Drafter) -> Outcome {
    let mut pair = Pair::new(model, drafter)?;
    pair.read_to(CONTEXT)?;
    for gamma in [1, 3, 7] {
        part(criterion, &format!("draft/{kind}, γ {gamma}"), || {
            let (_, mut drafter) = pair.sides();
            let draft = drafter.propose(ANCHOR, CONTEXT, gamma)?;
            Ok(nn::wait([&draft.tokens])?)
        })?;
    }
    Ok(())
}

/// A token out of logits that a model could have written.
fn choices(criterion: &mut Criterion) -> Outcome {
    let logits = random::normal::<f32>(&[1, VOCABULARY], 0.0, 3.0, &random::key(1)?)?;
    nn::wait([&logits])?;
    let drawn = Sampling { temperature: 1.0, top_k: 0, top_p: 1.0, ..Sampling::default() };
    let ways = [
        ("greedily", Sampling { temperature: 0.0, ..drawn }),
        ("of all", drawn),
        ("top-k 64", Sampling { top_k: 64, ..drawn }),
        ("top-k 64, top-p 0.95", Sampling { top_k: 64, top_p: 0.95, ..drawn }),
        ("top-p 0.95", Sampling { top_p: 0.95, ..drawn }),
    ];
    for (name, sampling) in ways {
        let sampler = Sampler::new(sampling);
        part(criterion, &format!("choose/{name}"), || Ok(nn::wait([&sampler.draw(&logits, None, CONTEXT)?.token])?))?;
    }
    Ok(())
}

/// A thousand tokens as they become text, one after the other.
fn texts(criterion: &mut Criterion, codec: &Codec) -> Outcome {
    let ids = Random::new(2).ids(1000, 1024);
    part(criterion, "text/1000 tokens", || {
        let mut stream = codec.stream(&[], Vec::new());
        for &id in &ids {
            drop(black_box(stream.push(id)));
        }
        Ok(())
    })
}
