//! What drafting that loses costs on this machine: a small target with two drafters that only guess, one of them so
//! large that it is slow. Prints when drafting is parked and why, and the speed from then on against plain decoding.
//!
//! Two engines take turns, one with the drafter and one without, each with a short answer: what else happens on the
//! machine slows both down alike. The median of the ratios counts.
//!
//! ```text
//! cargo run --release -p tests --example parking [answers]
//! ```

use std::{env, path::Path, sync::mpsc};

use engine::{
    Answer, Controls, Cost, Course, DraftSource, Engine, Event, Memory, NewDrafter, Precision, Prompt, Request, Round,
    Sampling, Turn,
};
use mlx_rs::Dtype;
use tests::{Outcome, asking, sized};

/// Tokens of an answer.
const TOKENS: usize = 100;
/// Answers of each engine, if nobody says how many.
const ANSWERS: usize = 40;

fn main() -> Outcome {
    let answers = env::args().nth(1).map_or(Ok(ANSWERS), |answers| answers.parse())?;
    let folder = tempfile::tempdir()?;
    let sized = sized::target("31b-dense", Dtype::Float32, None)?;
    let target = sized.path().to_owned();
    for (name, width, layers) in [("guesses", 64, 1), ("guesses slowly", 1024, 6)] {
        let (with, without) = (Engine::start(), Engine::start());
        let out = folder.path().join(name);
        let (done, heard) = mpsc::channel();
        let new = NewDrafter { target: target.clone(), out: out.clone(), width, layers, ..NewDrafter::default() };
        with.new_drafter(new, move |result| drop(done.send(result)));
        heard.recv()??;
        answer(&without, request(&target, None))?; // everything is warm from here on
        let first = answer(&with, request(&target, Some(&out)))?;
        parked_after(name, &first);
        let mut ratios = Vec::new();
        let (mut tokens, mut seconds, mut probes) = (0, [0.0, 0.0], 0.0);
        for _ in 0..answers {
            let plain = answer(&without, request(&target, None))?;
            let parked = answer(&with, request(&target, Some(&out)))?;
            ratios.push(speed(&parked) / speed(&plain));
            probes += drafting(&parked);
            tokens += parked.answer.ids.len();
            seconds = [seconds[0] + plain.answer.stats.decode_s, seconds[1] + parked.answer.stats.decode_s];
            parked.rounds.iter().filter_map(|round| round.turn).for_each(|turn| println!("    {}", told(&turn)));
        }
        ratios.sort_by(f64::total_cmp);
        let [low, middle, high] = [1, 2, 3].map(|quarter| ratios[quarter * (answers - 1) / 4]);
        println!("    {tokens} tokens each, {answers} answers in turn, from then on:");
        println!("    {middle:.3} of plain decoding's speed (median; quartiles {low:.3} and {high:.3})");
        println!(
            "    {:.3} over all; {:.2} % of the time drafting was tried",
            seconds[0] / seconds[1],
            100.0 * probes / seconds[1]
        );
    }
    Ok(())
}

/// An answer and its rounds.
struct Made {
    answer: Answer,
    rounds: Vec<Round>,
}

fn request(target: &Path, drafter: Option<&Path>) -> Request {
    Request {
        target: target.to_owned(),
        drafter: drafter.map(|folder| DraftSource::Folder(folder.to_owned())),
        precision: Precision::Float32,
        prompt: Prompt::Raw("the quick brown fox".into()),
        controls: Controls {
            max_tokens: TOKENS,
            sampling: Sampling { temperature: 0.0, ..Sampling::default() },
            ..Controls::default()
        },
        memory: Memory { insist: true, ..Memory::default() },
        cost: Cost::default(),
    }
}

fn answer(engine: &Engine, request: Request) -> Outcome<Made> {
    let mut events = asking::events(engine, request, |_, _| ())?;
    let Some(Event::End(answer)) = events.pop() else { return Err("there is no answer".into()) };
    let rounds =
        events.into_iter().filter_map(|event| if let Event::Round(round) = event { Some(round) } else { None });
    Ok(Made { answer: *answer, rounds: rounds.collect() })
}

/// Tokens per second.
#[expect(clippy::cast_precision_loss, reason = "a hundred tokens")]
fn speed(made: &Made) -> f64 {
    made.answer.ids.len() as f64 / made.answer.stats.decode_s
}

/// Seconds of the rounds that drafted.
fn drafting(made: &Made) -> f64 {
    made.rounds.iter().filter(|round| round.course == Course::Drafting).map(|round| round.seconds).sum()
}

fn parked_after(name: &str, made: &Made) {
    let parked = made.rounds.iter().position(|round| matches!(round.turn, Some(Turn::Parked { .. })));
    let when = parked.map_or("never parked".into(), |at| format!("parked after {} rounds", at + 1));
    println!("{name}: {when}; what rounds cost was measured in {:.2} s", made.answer.stats.measuring_s);
    made.rounds.iter().filter_map(|round| round.turn).for_each(|turn| println!("    {}", told(&turn)));
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
