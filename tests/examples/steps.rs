//! How long a step of a training takes, and the forward passes in it, on random rows.
//!
//! `cargo run --release -p tests --example steps -- [H] [V] [D] [layers] [γ]`

use std::{env, ops::ControlFlow, rc::Rc, time::Instant};

use drafters::{DSpark, New, Trainable};
use mlx_rs::{Dtype, random};
use tests::{Outcome, lender::Lender, random::Random};
use training::{Data, Event, Sequence, Settings, ShardWriter, Trainer};

const TAPS: [usize; 4] = [2, 5, 8, 11];
const ROWS: i32 = 200;
const STEPS: usize = 60;

fn main() -> Outcome {
    let given = env::args().skip(1).map(|word| word.parse()).collect::<Result<Vec<i32>, _>>()?;
    let number = |place: usize, usual: i32| given.get(place).copied().unwrap_or(usual);
    let (hidden_size, vocab_size, width) = (number(0, 256), number(1, 2048), number(2, 128));
    let (layers, gamma) = (usize::try_from(number(3, 2))?, usize::try_from(number(4, 7))?);
    let [shards, folder] = [(); 2].map(|()| tempfile::tempdir());
    let (shards, folder) = (shards?, folder?);

    let mut writer = ShardWriter::new(shards.path(), &TAPS, usize::try_from(hidden_size)?, 32)?;
    let columns = hidden_size * i32::try_from(TAPS.len())?;
    for seed in 0..16 {
        let rows = random::normal::<f32>(&[ROWS, columns], 0.0, 1.0, &random::key(seed)?)?;
        let ids = Random::new(u32::try_from(seed)?).ids(usize::try_from(ROWS)?, usize::try_from(vocab_size)?);
        writer.push(Sequence { ids, response_start: 20, rows: rows.as_dtype(Dtype::Bfloat16)? })?;
    }
    writer.finish()?;
    let data = Data::open(shards.path())?;

    let new = New {
        target_name: "random".into(),
        hidden_size,
        vocab_size,
        taps: TAPS.to_vec(),
        gamma,
        width,
        layers,
        heads: 4,
        markov_rank: 64,
        ff_mult: 2,
        recurrent: false,
        eps: 1e-6,
        seed: 1,
    };
    let table = random::normal::<f32>(&[vocab_size, hidden_size], 0.0, 0.02, &random::key(99)?)?;
    let lender = Rc::new(Lender::new(table, 1.0, Some(30.0)));
    let never = 10 * STEPS;
    let settings =
        Settings { steps: STEPS, measured: 8, measure_every: never, save_every: never, ..Settings::default() };
    let drafter = Trainable::DSpark(DSpark::fresh(&new)?);
    let mut trainer = Trainer::open(lender, &data, drafter, settings, folder.path())?;

    let mut last = Instant::now();
    let mut seconds = Vec::new();
    trainer.run(&mut |event| {
        if matches!(event, Event::Step { .. }) {
            seconds.push(last.elapsed().as_secs_f64());
        }
        last = Instant::now();
        ControlFlow::Continue(())
    })?;
    seconds.sort_by(f64::total_cmp);
    println!("H {hidden_size}, V {vocab_size}, D {width}, {layers} layers, γ {gamma}, 8 blocks");
    println!("a step: {:.4} s (median of {STEPS})", seconds[STEPS / 2]);
    let started = Instant::now();
    for _ in 0..10 {
        trainer.measure()?;
    }
    println!("forward passes of drafter and target's head alone: {:.4} s", started.elapsed().as_secs_f64() / 10.0);
    Ok(())
}
