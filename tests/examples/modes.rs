//! How fast a target writes with a drafter in every way of drafting: plainly, with each fixed γ, and with auto, suite by
//! suite. Each prompt is answered in every way before the next one, and the first of them is another one each time, so
//! that whatever else the machine does slows all of them alike.
//!
//! Auto is held against the best fixed γ, which is known only afterwards. Chosen by the same answers it would be the luckiest
//! of several, so that for each prompt all the others choose it. What auto does with an answer also follows from the
//! answers before it, so that all of them may be written again, in other orders.
//!
//! ```text
//! cargo run --release -p tests --example modes -- TARGET DRAFTER SUITES [prompts] [tokens] [orders]
//! ```
//!
//! Folders of checkpoints; suites by id, with commas between them.

use std::{env, path::Path};

use app::Suite;
use calibration::{Interval, Timed, in_turn, speed, times};
use engine::{
    Answer, Controls, Cost, DraftSource, Engine, Event, Memory, Message, Mode, Precision, Prompt, Request, Role,
    Sampling, Stats,
};
use tests::{Outcome, asking};

/// Prompts of each suite, if nobody says how many.
const PROMPTS: usize = 16;
/// Tokens of an answer, likewise.
const TOKENS: usize = 128;
/// Orders in which the prompts are answered, likewise.
const ORDERS: usize = 1;

fn main() -> Outcome {
    let arguments = env::args().skip(1).collect::<Vec<_>>();
    let [target, drafter, suites, numbers @ ..] = &arguments[..] else {
        return Err("name a target, a drafter and suites".into());
    };
    let number = |at: usize, usual| numbers.get(at).map_or(Ok(usual), |number| number.parse::<usize>());
    let (prompts, tokens, orders) = (number(0, PROMPTS)?, number(1, TOKENS)?, number(2, ORDERS)?);
    let (engine, modes) = (Engine::start(), modes(Path::new(drafter))?);
    let mut writing = Writing { engine, models: [target, drafter], modes, tokens, cost: Cost::default() };
    for id in suites.split(',') {
        let suite = Suite::named(id).ok_or_else(|| format!("there is no suite {id}"))?;
        let prompts = suite.prompts().take(prompts).collect::<Vec<_>>();
        let none = Timed { tokens: 0, rounds: 0, seconds: 0.0 };
        let mut runs = writing.modes.iter().map(|&mode| (mode, vec![none; prompts.len()])).collect::<Vec<_>>();
        let mut random = fastrand::Rng::with_seed(0);
        for number in 0..orders {
            for (turn, at) in order(prompts.len(), number, &mut random).into_iter().enumerate() {
                writing.each_way(prompts[at], turn, |mode, stats| {
                    runs.iter_mut().filter(|(of, _)| *of == mode).for_each(|(_, runs)| add(&mut runs[at], stats));
                })?;
            }
        }
        report(suite.title, &runs);
    }
    Ok(())
}

/// The suite's own order, then others.
fn order(prompts: usize, number: usize, random: &mut fastrand::Rng) -> Vec<usize> {
    let mut order = (0..prompts).collect::<Vec<_>>();
    if number > 0 {
        random.shuffle(&mut order);
    }
    order
}

fn add(run: &mut Timed, stats: &Stats) {
    run.tokens += stats.tokens;
    run.rounds += stats.rounds;
    run.seconds += stats.decode_s;
}

/// What writes the answers.
struct Writing<'a> {
    engine: Engine,
    models: [&'a String; 2],
    modes: Vec<Mode>,
    tokens: usize,
    /// What rounds cost, as far as it is known.
    cost: Cost,
}

impl Writing<'_> {
    /// Answers a prompt in every way of drafting, in the order of this `turn`.
    fn each_way(&mut self, prompt: &str, turn: usize, mut timed: impl FnMut(Mode, &Stats)) -> Outcome {
        let mut written = Vec::new();
        for mode in in_turn(&self.modes, turn) {
            let answer = warm_answer(&self.engine, &self.request(mode, prompt))?;
            timed(mode, &answer.stats);
            if mode != Mode::Plain {
                self.cost = answer.cost;
            }
            written.push(answer.ids);
        }
        if written.iter().any(|ids| *ids != written[0]) {
            return Err(format!("the answers to “{prompt}” differ").into());
        }
        Ok(())
    }

    fn request(&self, mode: Mode, prompt: &str) -> Request {
        let sampling = Sampling { temperature: 0.0, ..Sampling::default() };
        Request {
            drafter: Some(DraftSource::Folder(self.models[1].into())),
            precision: Precision::Float32,
            controls: Controls { max_tokens: self.tokens, sampling, ..Controls::default() }.drafting(mode),
            memory: Memory { insist: true, ..Memory::default() },
            cost: self.cost.clone(),
            ..Request::new(self.models[0], Prompt::Chat(vec![Message::new(Role::User, prompt.to_owned())]))
        }
    }
}

/// An answer for which no model was loaded: first rounds read weights and make kernels ready.
fn warm_answer(engine: &Engine, request: &Request) -> Outcome<Answer> {
    loop {
        let mut events = asking::events(engine, request.clone(), |_, _| ())?;
        let loaded = events.iter().any(|event| matches!(event, Event::Loading { .. }));
        match events.pop() {
            Some(Event::End(answer)) if !loaded => return Ok(*answer),
            Some(Event::Failed(error)) => return Err(error.into()),
            _ => {}
        }
    }
}

/// Plain decoding, each γ, and auto.
fn modes(drafter: &Path) -> Outcome<Vec<Mode>> {
    let drafts = engine::inspect(drafter)?.drafts.ok_or("that is no drafter")?;
    let fixed = (1..=drafts.usual).map(|gamma| Mode::Fixed { gamma });
    Ok([Mode::Plain, Mode::Auto].into_iter().chain(fixed).collect())
}

fn report(suite: &str, runs: &[(Mode, Vec<Timed>)]) {
    let plain = &runs[0].1;
    println!("{suite}, {} prompts:", plain.len());
    for (mode, runs) in runs {
        let tokens = runs.iter().map(|run| run.tokens).sum::<usize>();
        let rounds = runs.iter().map(|run| run.rounds).sum::<usize>();
        #[expect(clippy::cast_precision_loss, reason = "counts fit a double exactly")]
        let tau = tokens as f64 / rounds as f64;
        let (speed, times) = (speed(runs), times(runs, plain));
        println!("    {mode}: {} tokens/s, {} × plain, {tau:.2} tokens a round", told(speed, 1), told(times, 2));
    }
    let fixed = runs.iter().filter(|(mode, _)| matches!(mode, Mode::Fixed { .. })).collect::<Vec<_>>();
    let best =
        (0..plain.len()).filter_map(|prompt| Some(best_of_others(&fixed, prompt)?.1[prompt])).collect::<Vec<_>>();
    if let Some((_, auto)) = runs.iter().find(|(mode, _)| *mode == Mode::Auto) {
        println!("    auto has {} of the best fixed length's speed", told(times(auto, &best), 3));
    }
}

/// The fastest of these by what they did with all prompts but this one.
fn best_of_others<'a>(fixed: &[&'a (Mode, Vec<Timed>)], prompt: usize) -> Option<&'a (Mode, Vec<Timed>)> {
    let speed_of = |runs: &[Timed]| {
        let others = runs.iter().enumerate().filter(|(at, _)| *at != prompt).map(|(_, run)| *run).collect::<Vec<_>>();
        speed(&others).map_or(0.0, |speed| speed.value)
    };
    fixed.iter().copied().max_by(|(_, one), (_, other)| speed_of(one).total_cmp(&speed_of(other)))
}

/// `1.52 (1.40 to 1.63)`.
fn told(interval: Option<Interval>, digits: usize) -> String {
    match interval {
        Some(Interval { value, low: Some(low), high: Some(high) }) => {
            format!("{value:.digits$} ({low:.digits$} to {high:.digits$})")
        }
        Some(Interval { value, .. }) => format!("{value:.digits$}"),
        None => "no".into(),
    }
}
