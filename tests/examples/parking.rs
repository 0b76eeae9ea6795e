//! What drafting that loses costs on this machine: a small target with two drafters that only guess, one of them so
//! large that it is slow. Prints when drafting is parked and why, and the speed from then on against plain decoding.
//!
//! Two engines write the same text, one with the drafter and one without, and take turns round by round: whatever else
//! the machine does slows both down alike.
//!
//! ```text
//! cargo run --release -p tests --example parking [tokens]
//! ```

use std::{env, path::Path, sync::mpsc, time::Instant};

use engine::{
    Controls, Cost, Course, DraftSource, Engine, Event, Memory, NewDrafter, Precision, Prompt, Request, Round,
    Sampling, Stats, Turn,
};
use mlx_rs::Dtype;
use tests::{Outcome, sized};

/// Tokens of the text, if nobody says how many.
const TOKENS: usize = 2000;
/// Rounds whose speeds are compared at a time.
const STRETCH: usize = 50;

fn main() -> Outcome {
    let tokens = env::args().nth(1).map_or(Ok(TOKENS), |tokens| tokens.parse())?;
    let folder = tempfile::tempdir()?;
    let sized = sized::target("31b-dense", Dtype::Float32, None)?;
    let target = sized.path().to_owned();
    for (name, width, layers) in [("guesses", 64, 1), ("guesses slowly", 1024, 6)] {
        let out = folder.path().join(name);
        let (done, heard) = mpsc::channel();
        let new = NewDrafter { target: target.clone(), out: out.clone(), width, layers, ..NewDrafter::default() };
        Engine::start().new_drafter(new, move |result| drop(done.send(result)));
        heard.recv()??;
        println!("{name}:");
        report(&race(request(&target, None, tokens), request(&target, Some(&out), tokens))?);
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

/// What an engine did.
#[derive(Default)]
struct Made {
    rounds: Vec<Round>,
    stats: Stats,
    /// Seconds between the last round and the end.
    ending: f64,
}

/// Answers both requests, a round of one and a round of the other; the second begins.
fn race(plain: Request, drafted: Request) -> Outcome<[Made; 2]> {
    let engines = [Engine::start(), Engine::start()];
    let (events, heard) = mpsc::channel();
    let ([pass_on, pass_back], [passed_on, passed_back]) = {
        let ((there, here), (back, again)) = (mpsc::channel(), mpsc::channel());
        ([there, back], [here, again])
    };
    let start = |side: usize, request, pass: mpsc::Sender<()>, passed: mpsc::Receiver<()>| {
        let (events, mut resumed) = (events.clone(), Instant::now());
        engines[side].answer(request, move |event| {
            let round = matches!(event, Event::Round(_));
            drop(events.send((side, event, resumed.elapsed().as_secs_f64())));
            if round {
                // Whoever is alone finds nobody to wait for.
                let _ = pass.send(()).map(|()| passed.recv());
                resumed = Instant::now();
            }
        });
    };
    start(1, drafted, pass_on, passed_back);
    let (mut plain, mut made) = (Some((plain, pass_back, passed_on)), [Made::default(), Made::default()]);
    let mut ended = 0;
    while ended < made.len() {
        let (side, event, ending) = heard.recv()?;
        match event {
            Event::Round(round) => made[side].rounds.push(round),
            Event::End(answer) => {
                (made[side].stats, made[side].ending) = (answer.stats, ending);
                ended += 1;
            }
            Event::Failed(error) => return Err(error.into()),
            Event::Loading { .. } | Event::Prefill { .. } | Event::Measuring | Event::Decoding { .. } => {}
        }
        // The first has loaded and measured in peace.
        if let Some((plain, pass, passed)) = plain.take_if(|_| !made[1].rounds.is_empty()) {
            passed.recv()?;
            start(0, plain, pass, passed);
        }
    }
    Ok(made)
}

/// Seconds and tokens of some rounds.
#[expect(clippy::cast_precision_loss, reason = "a few thousand tokens")]
fn speed(rounds: &[Round]) -> f64 {
    let tokens = rounds.iter().map(|round| round.ids.len()).sum::<usize>();
    tokens as f64 / rounds.iter().map(|round| round.seconds).sum::<f64>()
}

fn report([plain, drafted]: &[Made; 2]) {
    println!("    what rounds cost was measured in {:.2} s", drafted.stats.measuring_s);
    for (at, turn) in drafted.rounds.iter().enumerate().filter_map(|(at, round)| Some((at, round.turn?))) {
        println!("    after {} rounds: {}", at + 1, told(&turn));
    }
    let Some(from) = drafted.rounds.iter().position(|round| round.course == Course::Parked) else {
        println!("    never parked");
        return;
    };
    let (plain, parked) = (&plain.rounds[from..], &drafted.rounds[from..]);
    let pairs = plain.chunks_exact(STRETCH).zip(parked.chunks_exact(STRETCH));
    let mut ratios = pairs.map(|(plain, parked)| speed(parked) / speed(plain)).collect::<Vec<_>>();
    ratios.sort_by(f64::total_cmp);
    let quartile = |quarter: usize| ratios.get(quarter * ratios.len() / 4).copied().unwrap_or(f64::NAN);
    let [low, middle, high] = [1, 2, 3].map(quartile);
    println!("    from then on {:.3} of plain decoding's speed", speed(parked) / speed(plain));
    println!("    in stretches of {STRETCH} rounds {middle:.3} (median; quartiles {low:.3} and {high:.3})");
    let seconds = |drafting: bool| {
        let some = parked.iter().filter(|round| (round.course == Course::Drafting) == drafting);
        some.map(|round| round.seconds).sum::<f64>()
    };
    let all = seconds(true) + seconds(false);
    println!("    {:.2} % of the time drafting was tried", 100.0 * seconds(true) / all);
    println!("    {:.2} % more at the end, to read what was written", 100.0 * drafted.ending / all);
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
