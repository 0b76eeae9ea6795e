//! What drafting that loses costs on this machine: a small target with two drafters that only guess, one of them so
//! large that it is slow. Prints when drafting is parked, and the speed from then on against plain decoding.
//!
//! ```text
//! cargo run --release -p tests --example parking
//! ```

use std::{path::Path, sync::mpsc};

use engine::{
    Controls, Cost, DraftSource, Engine, Event, Memory, NewDrafter, Precision, Prompt, Request, Round, Sampling, Turn,
};
use mlx_rs::Dtype;
use tests::{Outcome, asking, sized};

const TOKENS: usize = 400;

fn main() -> Outcome {
    let folder = tempfile::tempdir()?;
    let sized = sized::target("31b-dense", Dtype::Float32, None)?;
    let target = sized.path().to_owned();
    let engine = Engine::start();
    for (name, width, layers) in [("small", 64, 1), ("large", 1024, 6)] {
        let out = folder.path().join(name);
        let (done, heard) = mpsc::channel();
        let new = NewDrafter { target: target.clone(), out: out.clone(), width, layers, ..NewDrafter::default() };
        engine.new_drafter(new, move |result| drop(done.send(result)));
        heard.recv()??;
        rounds(&engine, request(&target, None, 20))?; // everything is warm from here on
        let plain = rounds(&engine, request(&target, None, TOKENS))?;
        report(name, &plain, &rounds(&engine, request(&target, Some(&out), TOKENS))?);
    }
    Ok(())
}

fn request(target: &Path, drafter: Option<&Path>, max_tokens: usize) -> Request {
    Request {
        target: target.to_owned(),
        drafter: drafter.map(|folder| DraftSource::Folder(folder.to_owned())),
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

/// Seconds of a plain step without the pauses that other programs cause: nine in ten take longer.
fn quick(rounds: &[Round]) -> f64 {
    let mut seconds =
        rounds.iter().filter(|round| round.proposed + round.cut == 0).map(|r| r.seconds).collect::<Vec<_>>();
    seconds.sort_by(f64::total_cmp);
    seconds.get(seconds.len() / 10).copied().unwrap_or(f64::NAN)
}

fn report(name: &str, plain: &[Round], rounds: &[Round]) {
    let parked = rounds.iter().position(|round| matches!(round.turn, Some(Turn::Parked { .. })));
    let Some(parked) = parked.map(|at| at + 1) else {
        println!("{name}: never parked; {:.2} of plain decoding's speed", speed(rounds) / speed(plain));
        return;
    };
    let (after, step) = (speed(&rounds[parked..]) / speed(plain), quick(plain) / quick(&rounds[parked..]));
    println!("{name}: parked after {parked} rounds; {after:.3} of plain decoding's speed from then on");
    println!("    a quick step at {step:.3} of plain decoding's speed");
    rounds.iter().filter_map(|round| round.turn).for_each(|turn| println!("    {turn:?}"));
}
