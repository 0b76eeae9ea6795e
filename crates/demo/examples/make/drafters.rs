//! The drafters: the target's own answers are captured, and each drafter is taught them.

use std::{
    env, fs, iter,
    ops::ControlFlow,
    process::{Child, Command},
    rc::Rc,
    time::Instant,
};

use chat::{Codec, Message, PromptOptions, Role};
use demo::{MODELS, TARGET};
use drafters::{DFlash, DSpark, New, NewFlash, NewSelector, Trainable};
use gemma4::Model;
use nn::{Sampler, Sampling, Vocabulary};
use training::{Data, Ended, Event, Random, Settings, ShardWriter, Trainer, capture, captured, regenerate};

use crate::{
    Outcome,
    corpus::{Corpus, Entry, varied},
    paths::Paths,
    target::limits,
    tokenizer::id,
};

/// Tokens that they propose.
const GAMMA: usize = 7;

/// The target's layers that the two families read; the last of `DSpark`'s is the final norm.
const OF_FLASH: [usize; 3] = [1, 2, 4];
const OF_SPARK: [usize; 3] = [2, 4, 6];

/// Of each entry so many ways to ask are answered: a drafter that knows an answer behind one question only knows it behind
/// no other.
const WAYS: usize = 4;

/// The drafter that is taught for longest.
const BEST: &str = "slipstream-demo-dflash2";

/// The temperatures of the answers, in turns.
const TEMPERATURES: [f32; 3] = [0.0, 0.0, 0.7];

/// Answers to questions that were not taught, which say which state of a training is the best.
const WATCHED: usize = 48;

/// Answers of a shard.
const PER_SHARD: usize = 256;

/// Answers from one report to the next.
const REPORT: usize = 64;

const SEED: u32 = 61;

/// Steps that each drafter is taught. The last is to be a bad one.
const DFLASH2_STEPS: usize = 14_000;
const DSPARK_STEPS: usize = 9000;
const DFLASH_STEPS: usize = 5000;
const WEAK_STEPS: usize = 100;

/// The names of the drafters.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    MODELS.iter().map(|model| model.name).filter(|name| *name != TARGET)
}

/// Captures what the target says, as far as that is not done; the answers to questions that were not taught come last.
pub(crate) fn listen(paths: &Paths, corpus: &Corpus) -> Outcome {
    let (codec, model) = target(paths)?;
    let taps = captured(&[&OF_FLASH[..], &OF_SPARK[..]].concat(), model.config().layers.len());
    // The steps take turns with the shards, and learn more if each holds something of everything.
    let entries = corpus.shuffled(&mut Random::new(SEED.into(), u64::MAX));
    let taught = iter::repeat_n(&entries, WAYS).flatten().zip(TEMPERATURES.into_iter().cycle());
    let taught = taught.map(|(entry, temperature)| (*entry, temperature, true));
    let watched = entries.iter().take(WATCHED).map(|entry| (*entry, 0.0, false));
    let shards = paths.shards();
    fs::create_dir_all(&shards)?;
    let done = match Data::open(&shards) {
        Ok(data) => data.len(),
        Err(training::Error::NoData { .. }) => 0,
        Err(damaged) => return Err(damaged.into()),
    };
    let mut writer = ShardWriter::new(&shards, &taps, usize::try_from(model.hidden_size())?, PER_SHARD)?;
    let started = Instant::now();
    for (number, (entry, temperature, taught)) in taught.chain(watched).enumerate().skip(done) {
        let mut random = Random::new(SEED.into(), number as u64);
        let prompt = prompt(&codec, corpus, entry, taught, &mut random)?;
        let sampler = Sampler::new(Sampling { temperature, seed: number as u64, ..Sampling::default() });
        let said = regenerate(&model, &prompt, sampler, limits(&codec), &mut |_| ControlFlow::Continue(()))?;
        writer.push(capture(&model, &taps, &[&prompt[..], &said].concat(), prompt.len() - 1)?)?;
        if number % REPORT == 0 {
            println!("answer {number}, {:.0} s", started.elapsed().as_secs_f64());
        }
    }
    Ok(writer.finish()?)
}

/// Trains every drafter on the answers: the best beside the others, in processes of their own, since each keeps one
/// processor busy.
pub(crate) fn make(paths: &Paths, _: &Corpus) -> Outcome {
    let start = |name| Command::new(env::current_exe()?).args([name, "--work"]).arg(paths.work()).spawn();
    let mut best = start(BEST)?;
    for name in names().filter(|&name| name != BEST) {
        finished(&mut start(name)?)?;
    }
    finished(&mut best)
}

fn finished(process: &mut Child) -> Outcome {
    let ended = process.wait()?;
    if ended.success() { Ok(()) } else { Err(format!("a drafter was not made: {ended}").into()) }
}

/// Trains one, unless that is done.
pub(crate) fn make_one(name: &str, paths: &Paths, corpus: &Corpus) -> Outcome {
    let (shards, all) = (paths.shards(), WAYS * corpus.entries.len() + WATCHED);
    let data = Data::open(&shards)?;
    if data.len() != all {
        return Err(format!("{} holds {} of {all} answers", shards.display(), data.len()).into());
    }
    if paths.checkpoint(name).exists() { Ok(()) } else { train(name, &target(paths)?.1, &data, paths) }
}

fn target(paths: &Paths) -> Outcome<(Codec, Rc<Model>)> {
    let folder = paths.checkpoint(TARGET);
    Ok((Codec::open(&folder)?, Rc::new(Model::load(&folder, None)?)))
}

/// A question of an entry, often behind another one and its answer.
fn prompt(codec: &Codec, corpus: &Corpus, entry: &Entry, taught: bool, random: &mut Random) -> Outcome<Vec<u32>> {
    let mut messages = Vec::new();
    if taught && random.below(3) == 0 {
        let other = &corpus.entries[random.below(corpus.entries.len())];
        messages.push(Message::new(Role::User, other.taught()[0].clone()));
        messages.push(Message::new(Role::Assistant, other.answer.clone()));
    }
    let question = if taught {
        varied(&entry.taught()[random.below(entry.taught().len())], random)
    } else {
        entry.watched().to_owned()
    };
    messages.push(Message::new(Role::User, question));
    Ok(codec.prompt(&messages, PromptOptions::default())?.ids)
}

/// A fresh drafter, and how many steps it is taught.
fn fresh(name: &str, model: &Model) -> Outcome<(Trainable, usize)> {
    let config = model.config();
    let flash = |selector| {
        DFlash::fresh(&NewFlash {
            hidden_size: config.hidden_size,
            vocab_size: config.vocab_size,
            target_layers: config.layers.len(),
            taps: OF_FLASH.to_vec(),
            softcap: config.softcap,
            mask: id("<mask>"),
            gamma: GAMMA,
            layers: 2,
            heads: 3,
            head_width: 32,
            inner: 480,
            window: None,
            eps: config.eps,
            selector,
            seed: SEED.into(),
        })
    };
    let spark = |width, layers, heads, markov_rank| {
        DSpark::fresh(&New {
            target_name: "slipstream-demo".into(),
            hidden_size: config.hidden_size,
            vocab_size: config.vocab_size,
            taps: OF_SPARK.to_vec(),
            gamma: GAMMA,
            width,
            layers,
            heads,
            markov_rank,
            ff_mult: 2,
            recurrent: false,
            eps: config.eps,
            seed: SEED,
        })
    };
    Ok(match name {
        "slipstream-demo-dspark" => (Trainable::DSpark(spark(160, 2, 5, 64)?), DSPARK_STEPS),
        "slipstream-demo-dflash" => (Trainable::DFlash(flash(None)?), DFLASH_STEPS),
        BEST => (Trainable::DFlash(flash(Some(NewSelector { group: 16, rank: 32, candidates: 8 }))?), DFLASH2_STEPS),
        "slipstream-demo-weak" => (Trainable::DSpark(spark(32, 1, 2, 8)?), WEAK_STEPS),
        other => return Err(format!("there is no drafter {other}").into()),
    })
}

/// Trains a drafter, and writes the best it ever was.
fn train(name: &str, model: &Rc<Model>, data: &Data, paths: &Paths) -> Outcome {
    let (drafter, steps) = fresh(name, model)?;
    let numbers = drafter.parameters().iter().map(|(_, array)| array.size()).sum::<usize>();
    println!("{name}: {numbers} parameters, {steps} steps");
    #[expect(clippy::cast_precision_loss, reason = "some hundred answers")]
    let held_out = WATCHED as f32 / data.len() as f32;
    let settings = Settings {
        steps,
        sequences: 4,
        anchors: 8,
        learning_rate: 3e-3,
        least_rate: 0.02,
        warm_up: steps / 50,
        held_out,
        measured: 96,
        measure_every: (steps / 10).max(1),
        seed: SEED.into(),
        ..Settings::default()
    };
    let mut trainer = Trainer::open(model.clone(), data, drafter, settings, &paths.training(name))?;
    let started = Instant::now();
    let ended = trainer.run(&mut |event| {
        match event {
            Event::Step { step, loss, .. } if step % 100 == 0 => {
                println!("  {name}, step {step}: loss {loss:.3}, {:.0} s", started.elapsed().as_secs_f64());
            }
            Event::Measured { step, held, .. } => {
                println!("  {name}, step {step}: τ {:.2}, acceptance {:.2?}", held.tokens_per_round, held.acceptance);
            }
            Event::Step { .. } | Event::Measuring => {}
        }
        ControlFlow::Continue(())
    })?;
    match ended {
        Ended::Done => Ok(trainer.best()?.narrowed()?.save(&paths.checkpoint(name))?),
        Ended::Stopped => Err("the training was stopped".into()),
    }
}
