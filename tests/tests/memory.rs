//! What is said of memory before anything is loaded, against what is really used.

use std::{
    sync::{Mutex, MutexGuard, PoisonError, mpsc},
    time::Duration,
};

use engine::{
    Controls, DraftSource, Engine, Error, Machine, Memory, NewDrafter, Plan, Precision, Prompt, Request, Room, Sampling,
};
use gemma4::{LayerKind, Model};
use mlx_rs::{Array, Dtype};
use nn::Cache;
use tempfile::TempDir;
use tests::{
    Outcome,
    asking::{answer, outcome},
    fixtures,
    quantise::affine,
    sized,
};

/// An estimate is never below what is used, and never above this many times the most that was used since the models were
/// loaded: a second answer, which reads little, needs less than it might.
const AT_MOST: u64 = 2;

const WRITTEN: usize = 12;

/// MLX counts the memory of the whole process, so nobody else may compute while it is looked at.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn dense() -> Outcome<TempDir> {
    sized::target("31b-dense", Dtype::Float32, None)
}

/// Makes a drafter for a target, in a folder of the target's own.
fn drafter(target: &TempDir) -> Outcome<DraftSource> {
    let out = target.path().join("drafter");
    let new = NewDrafter {
        target: target.path().to_owned(),
        out: out.clone(),
        width: 64,
        markov_rank: 8,
        ..NewDrafter::default()
    };
    let (made, done) = mpsc::channel();
    Engine::start().new_drafter(new, move |result| drop(made.send(result)));
    done.recv_timeout(Duration::from_mins(1))??;
    Ok(DraftSource::Folder(out))
}

fn request(target: &TempDir, words: usize) -> Request {
    let sampling = Sampling { temperature: 0.0, ..Sampling::default() };
    Request {
        precision: Precision::AsStored,
        controls: Controls { max_tokens: WRITTEN, sampling, ..Controls::default() },
        cost: engine::Cost::default(),
        ..Request::new(target.path().to_owned(), Prompt::Raw("a".repeat(words)))
    }
}

#[test]
fn the_estimate_is_above_what_is_used_and_not_far() -> Outcome {
    const F32: Dtype = Dtype::Float32;
    const BF16: Dtype = Dtype::Bfloat16;
    let _alone = alone();
    for (kind, stored, packing, precision, drafts, words) in [
        ("31b-dense", F32, None, Precision::AsStored, true, 600),
        ("31b-dense", BF16, None, Precision::AsStored, true, 10),
        ("31b-dense", BF16, None, Precision::Float32, false, 10),
        ("12b-unified", BF16, None, Precision::AsStored, false, 600),
        ("gemma3-text", BF16, None, Precision::AsStored, false, 600),
        ("e-series", BF16, None, Precision::AsStored, true, 600),
        ("e-series", BF16, Some(affine(4, 32)), Precision::AsStored, false, 600),
        ("26b-a4b", BF16, None, Precision::AsStored, false, 600),
        ("26b-a4b", BF16, None, Precision::Float32, true, 10),
        ("26b-a4b", BF16, Some(affine(4, 32)), Precision::AsStored, false, 600),
        ("26b-a4b", BF16, Some(affine(8, 64)), Precision::Float32, false, 10),
    ] {
        let target = sized::target(kind, stored, packing)?;
        let drafter = drafts.then(|| drafter(&target)).transpose()?;
        let asked = |words| Request { precision, drafter: drafter.clone(), ..request(&target, words) };
        check_estimate(&format!("{kind}, {stored:?}, {packing:?}, as {precision:?}"), words, asked)?;
    }
    Ok(())
}

/// An answer, and another after a longer prompt, which keeps a window of the first one's rows.
fn check_estimate(what: &str, words: usize, asked: impl Fn(usize) -> Request) -> Outcome {
    nn::release_memory();
    let (engine, mut most) = (Engine::start(), 0);
    for words in [words, words + 100] {
        let asked = asked(words);
        let plan = Plan::of(&asked.target, asked.drafter.as_ref(), asked.precision)?;
        let need = plan.need(words + 1 + WRITTEN);
        let used = answer(&engine, asked)?.stats.peak_memory_bytes;
        most = used.max(most);
        println!("{what}, {words} words: {need:?}, {} in all, used {used}", need.total());
        assert!((used..=AT_MOST * most).contains(&need.total()), "{what}, {words} words");
    }
    Ok(())
}

#[test]
fn a_token_costs_what_its_caches_are_allotted() -> Outcome {
    let _alone = alone();
    let rows = 29;
    for folder in fixtures::folders("gemma4")? {
        for (dtype, width) in [(Dtype::Float32, 4), (Dtype::Bfloat16, 2)] {
            let model = Model::load(&folder, Some(dtype))?;
            let config = model.config();
            let mut caches = model.caches();
            let ids = Array::from_slice(&vec![5_u32; rows], &[1, 29]);
            model.forward(&ids, &mut caches, &[])?;
            let of = |kind: LayerKind| {
                let owners = caches.iter().zip(&config.layers).filter(|(_, layer)| **layer == kind);
                owners.flat_map(|(cache, _)| cache.arrays()).map(|array| array.nbytes() as u64).sum::<u64>()
            };
            let allotted = Cache::allotted(rows) as u64;
            println!("{} as {dtype:?}", folder.display());
            assert_eq!(of(LayerKind::Full), config.bytes_per_token(width) * allotted);
            assert_eq!(of(LayerKind::Sliding), config.bytes_per_position(width) * allotted);
        }
    }
    Ok(())
}

/// Counted by hand from the fixtures' configurations, in numbers and in bytes.
#[test]
fn plain_decoding_reads_each_number_that_it_needs_once() -> Outcome {
    let plan = |kind, precision| Plan::of(&fixtures::path(&format!("gemma4/{kind}")), None, precision);

    // Norms, queries, keys with values, output and the gated unit of six layers; the table, which is the head, and a norm.
    let layer = (4 * 48 + 2 * 16) + 64 * 48 + 2 * 16 * 48 + 48 * 64 + 3 * 96 * 48;
    let numbers = 6 * layer + 256 * 48 + 48;
    // A key and a value of 16 numbers: two layers see all tokens, and four of them the last 8.
    let dense = plan("gemma3-text", Precision::Float32)?;
    assert_eq!(dense.bytes_read(0), 4 * numbers);
    assert_eq!(dense.bytes_read(100), 4 * (numbers + 2 * 32 * 100 + 4 * 32 * 8));

    // Of the table for nine layers, each 32 wide, the row of one token in 256.
    let per_layer = plan("e-series", Precision::Float32)?;
    assert_eq!(per_layer.need(0).weights - per_layer.bytes_read(0), 4 * 255 * 9 * 32);

    // Of 8 experts the 3 that are chosen: 4 bits a number, and a scale with a bias of 16 bits each for every 32 numbers.
    let mixture = plan("26b-a4b-q4g32", Precision::AsStored)?;
    let expert = 3 * 32 * 64;
    assert_eq!(mixture.need(0).weights - mixture.bytes_read(0), 6 * 5 * (expert / 2 + expert / 32 * 4));
    Ok(())
}

#[test]
fn what_does_not_fit_is_said_with_its_parts_and_what_would_help() -> Outcome {
    let _alone = alone();
    let target = dense()?;
    let plan = Plan::of(target.path(), Some(&drafter(&target)?), Precision::AsStored)?;
    let need = plan.need(20_000);
    let room = |bytes| {
        let machine = Machine { physical: 64_000_000_000, available: bytes + 500 };
        Room { machine, held: 500, reserve: 1000 }
    };
    assert_eq!(plan.check(20_000, room(need.total())), Ok(need));

    let little = plan.check(20_000, room(need.total() - 1)).err().ok_or("it fits")?;
    assert_eq!((little.need, little.without_drafter), (need, true));
    let context = little.context.ok_or("no context fits")?;
    assert!((15_000..20_000).contains(&context), "{context}");
    assert!(plan.check(context, little.room).is_ok());
    let sentence = little.to_string();
    assert!(sentence.starts_with("this needs ") && sentence.contains("without the drafter"), "{sentence}");
    assert!(sentence.ends_with("or load it all the same"), "{sentence}");

    let nothing = plan.check(20_000, room(1000)).err().ok_or("it fits")?;
    assert_eq!((nothing.context, nothing.without_drafter, nothing.fewer_bits), (None, false, true));
    Ok(())
}

#[test]
fn nothing_is_loaded_that_does_not_fit_until_the_user_insists() -> Outcome {
    let _alone = alone();
    let target = dense()?;
    let engine = Engine::start();
    let asked = Request { drafter: Some(drafter(&target)?), ..request(&target, 10) };
    let insisting = |insist| Request { memory: Memory { reserve: Some(u64::MAX), insist }, ..asked.clone() };

    assert!(matches!(outcome(&engine, insisting(false))?, Err(Error::NoRoom(_))));
    assert_eq!(answer(&engine, insisting(true))?.ids.len(), WRITTEN);
    // The word holds for this target, with whatever drafts for it, and for no other.
    assert_eq!(answer(&engine, insisting(false))?.ids.len(), WRITTEN);
    let plain = Request { drafter: None, ..insisting(false) };
    assert_eq!(answer(&engine, plain.clone())?.ids.len(), WRITTEN);
    let other = dense()?;
    let other = Request { target: request(&other, 10).target, ..plain };
    assert!(matches!(outcome(&engine, other)?, Err(Error::NoRoom(_))));
    Ok(())
}

#[test]
fn a_prompt_that_is_longer_than_fits_is_refused_before_it_is_read() -> Outcome {
    let _alone = alone();
    let target = dense()?;
    let engine = Engine::start();
    let long = request(&target, 400_000);
    let plan = Plan::of(&long.target, None, long.precision)?;
    // Gigabytes from either, for other programs take and give back memory meanwhile.
    let room = plan.need(400_000).total() / 2;
    let reserve = Some(Machine::here().available.saturating_sub(room));
    let memory = Memory { reserve, insist: false };
    let Err(Error::NoRoom(shortage)) = outcome(&engine, Request { memory, ..long })? else {
        return Err("it was let in".into());
    };
    assert!(shortage.room.held > 0, "the target was loaded by then");
    answer(&engine, Request { memory, ..request(&target, 10) })?;
    Ok(())
}
