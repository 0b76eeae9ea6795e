//! What drafting that loses costs on this machine: a small target with two drafters that only guess, one of them so
//! large that it is slow. Prints when drafting is parked, and the speed from then on against plain decoding.
//!
//! ```text
//! cargo run --release -p tests --example parking
//! ```

use std::{path::Path, sync::mpsc};

use engine::{Controls, Cost, Engine, Event, Memory, NewDrafter, Precision, Prompt, Request, Round, Sampling, Turn};
use mlx_rs::Dtype;
use tests::{Outcome, asking, sized};

const TOKENS: usize = 1000;

fn main() -> Outcome {
    let folder = tempfile::tempdir()?;
    let sized = sized::target("31b-dense", Dtype::Float32, None)?;
    let target = sized.path().to_owned();
    let engine = Engine::start();
    for (name, width, layers) in [("small", 64, 1), ("large", 2048, 12)] {
        let out = folder.path().join(name);
        let (done, heard) = mpsc::channel();
        let new = NewDrafter { target: target.clone(), out: out.clone(), width, layers, ..NewDrafter::default() };
        engine.new_drafter(new, move |result| drop(done.send(result)));
        heard.recv()??;
        rounds(&engine, request(&target, None, 20))?; // everything is warm from here on
        for _ in 0..3 {
            let plain = speed(&rounds(&engine, request(&target, None, TOKENS))?);
            report(name, plain, &rounds(&engine, request(&target, Some(&out), TOKENS))?);
            // Another drafter, or none, ends the session, and with it what it has learned.
        }
    }
    Ok(())
}

fn request(target: &Path, drafter: Option<&Path>, max_tokens: usize) -> Request {
    Request {
        target: target.to_owned(),
        drafter: drafter.map(Path::to_owned),
        precision: Precision::Float32,
        prompt: Prompt::Raw("the quick brown fox".into()),
        controls: Controls {
            max_tokens,
            sampling: Sampling { temperature: 0.0, ..Sampling::default() },
            ..Controls::default()
        },
        memory: Memory { insist: true, ..Memory::default() },
        cost: Cost::default(),
    }
}

fn rounds(engine: &Engine, request: Request) -> Outcome<Vec<Round>> {
    let events = asking::events(engine, request, |_, _| ())?;
    Ok(events
        .into_iter()
        .filter_map(|event| if let Event::Round(round) = event { Some(round) } else { None })
        .collect())
}

/// Tokens per second.
#[expect(clippy::cast_precision_loss, reason = "a few thousand tokens")]
fn speed(rounds: &[Round]) -> f64 {
    let tokens = rounds.iter().map(|round| round.ids.len()).sum::<usize>();
    tokens as f64 / rounds.iter().map(|round| round.seconds).sum::<f64>()
}

fn report(name: &str, plain: f64, rounds: &[Round]) {
    let parked = rounds.iter().position(|round| matches!(round.turn, Some(Turn::Parked { .. })));
    let Some(parked) = parked.map(|at| at + 1) else {
        println!("{name}: never parked; {:.2} of plain decoding's {plain:.1} tokens/s", speed(rounds) / plain);
        return;
    };
    let (after, whole) = (speed(&rounds[parked..]) / plain, speed(rounds) / plain);
    println!(
        "{name}: parked after {parked} rounds; {after:.3} of plain decoding's {plain:.1} tokens/s from then on, {whole:.3} in all"
    );
    rounds.iter().filter_map(|round| round.turn).for_each(|turn| println!("    {turn:?}"));
}
