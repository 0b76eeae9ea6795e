//! What drafting that loses costs on this machine: a small target with two drafters that only guess, one of them so
//! large that it is slow. Prints when drafting is parked and why, and the speed from then on against plain decoding.
//!
//! One engine, and so the same weights in the same memory, writes the same text over and over, with the drafter and
//! without in turn: whatever else the machine does slows both down alike. What one turn says is chance; the median of
//! all turns counts.
//!
//! ```text
//! cargo run --release -p tests --example parking [turns]
//! ```

use std::{env, path::Path, sync::mpsc};

use engine::{
    Controls, Cost, Course, DraftSource, Engine, Event, Memory, NewDrafter, Precision, Prompt, Request, Round,
    Sampling, Turn,
};
use mlx_rs::Dtype;
use tests::{Outcome, asking, sized};

/// Turns, if nobody says how many.
const TURNS: usize = 15;
/// Tokens of the text.
const TOKENS: usize = 200;

fn main() -> Outcome {
    let turns = env::args().nth(1).map_or(Ok(TURNS), |turns| turns.parse())?;
    let folder = tempfile::tempdir()?;
    let sized = sized::target("31b-dense", Dtype::Float32, None)?;
    let target = sized.path().to_owned();
    let engine = Engine::start();
    for (name, width, layers) in [("guesses", 64, 1), ("guesses slowly", 1024, 6)] {
        let out = folder.path().join(name);
        let (done, heard) = mpsc::channel();
        let new = NewDrafter { target: target.clone(), out: out.clone(), width, layers, ..NewDrafter::default() };
        engine.new_drafter(new, move |result| drop(done.send(result)));
        heard.recv()??;
        println!("{name}:");
        compare(&engine, &target, &out, turns)?;
    }
    Ok(())
}

fn compare(engine: &Engine, target: &Path, drafter: &Path, turns: usize) -> Outcome {
    let mut cost = rounds(engine, request(target, Some(drafter), Cost::default()))?.1; // everything is warm from here on
    let (mut steps, mut all) = (Vec::new(), Vec::new());
    for turn in 0..turns {
        let plain = rounds(engine, request(target, None, Cost::default()))?.0;
        let (made, brought) = rounds(engine, request(target, Some(drafter), cost))?;
        cost = brought;
        let Some(from) = made.iter().position(|round| round.course == Course::Parked) else {
            return Err("never parked".into());
        };
        if turn == 0 {
            let turns = made.iter().enumerate().filter_map(|(at, round)| Some((at + 1, round.turn?)));
            turns.for_each(|(rounds, turn)| println!("    after {rounds} rounds: {}", told(&turn)));
        }
        let parked = made[from..].iter().filter(|round| round.course == Course::Parked);
        let parked = parked.map(|round| round.seconds).collect::<Vec<_>>();
        let plain = plain[from..].iter().map(|round| round.seconds).collect::<Vec<_>>();
        steps.push(median(plain.clone()) / median(parked));
        let tokens = |rounds: &[Round]| rounds.iter().map(|round| round.ids.len()).sum::<usize>();
        let written = tokens(&made[from..]);
        let seconds = made[from..].iter().map(|round| round.seconds).sum::<f64>();
        all.push(plain.iter().take(written).sum::<f64>() / seconds);
    }
    report("a step", steps);
    report("all of it, probes included,", all);
    Ok(())
}

fn report(what: &str, mut ratios: Vec<f64>) {
    ratios.sort_by(f64::total_cmp);
    let quartile = |quarter: usize| ratios[(quarter * ratios.len() / 4).min(ratios.len() - 1)];
    let [low, middle, high] = [1, 2, 3].map(quartile);
    println!("    parked, {what} has {middle:.3} of plain decoding's speed (median; quartiles {low:.3} and {high:.3})");
}

fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds.get(seconds.len() / 2).copied().unwrap_or(f64::NAN)
}

fn request(target: &Path, drafter: Option<&Path>, cost: Cost) -> Request {
    Request {
        drafter: drafter.map(|folder| DraftSource::Folder(folder.to_owned())),
        precision: Precision::Float32,
        controls: Controls {
            max_tokens: TOKENS,
            sampling: Sampling { temperature: 0.0, ..Sampling::default() },
            ..Controls::default()
        },
        memory: Memory { insist: true, ..Memory::default() },
        cost,
        ..Request::new(target.to_owned(), Prompt::Raw("the quick brown fox".into()))
    }
}

/// An answer's rounds, and what they cost.
fn rounds(engine: &Engine, request: Request) -> Outcome<(Vec<Round>, Cost)> {
    let (mut rounds, mut cost) = (Vec::new(), Cost::default());
    for event in asking::events(engine, request, |_, _| ())? {
        match event {
            Event::Round(round) => rounds.push(round),
            Event::End(answer) => cost = answer.cost,
            Event::Failed(error) => return Err(error.into()),
            _ => {}
        }
    }
    Ok((rounds, cost))
}

/// `parked for 400 steps: 8 rounds of 1.00 tokens in 9.1 ms, against 3.0 ms a step`.
fn told(turn: &Turn) -> String {
    let (what, standing) = match turn {
        Turn::Parked { standing, rest } => (format!("parked for {rest} steps"), standing),
        Turn::Resumed { standing } => ("resumed".into(), standing),
    };
    let (round_ms, plain_ms) = (1e3 * standing.round_s, 1e3 * standing.plain_s);
    let (rounds, tokens) = (standing.rounds, standing.tokens_per_round);
    format!("{what}: {rounds} rounds of {tokens:.2} tokens in {round_ms:.2} ms, against {plain_ms:.2} ms a step")
}
