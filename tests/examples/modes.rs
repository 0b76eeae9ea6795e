//! How fast a target writes with a drafter in every way of drafting: plainly, with each fixed γ, and with auto, suite by
//! suite. Each prompt is answered in every way before the next one, and the first of them is another one each time, so
//! that whatever else the machine does slows all of them alike.
//!
//! Auto is held against the best fixed γ, which is known only afterwards. Chosen by the same answers it would be the luckiest
//! of several, so that for each prompt all the others choose it.
//!
//! ```text
//! cargo run --release -p tests --example modes -- TARGET DRAFTER SUITES [prompts] [tokens]
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

fn main() -> Outcome {
    let arguments = env::args().skip(1).collect::<Vec<_>>();
    let [target, drafter, suites, numbers @ ..] = &arguments[..] else {
        return Err("name a target, a drafter and suites".into());
    };
    let number = |at: usize, usual| numbers.get(at).map_or(Ok(usual), |number| number.parse::<usize>());
    let (prompts, tokens) = (number(0, PROMPTS)?, number(1, TOKENS)?);
    let modes = modes(Path::new(drafter))?;
    let (engine, mut cost) = (Engine::start(), Cost::default());
    for id in suites.split(',') {
        let suite = Suite::named(id).ok_or_else(|| format!("there is no suite {id}"))?;
        let mut runs = modes.iter().map(|&mode| (mode, Vec::new())).collect::<Vec<(Mode, Vec<Timed>)>>();
        for (number, prompt) in suite.prompts().take(prompts).enumerate() {
            let mut written = Vec::new();
            for mode in in_turn(&modes, number) {
                let answer = warm_answer(&engine, &request([target, drafter], mode, prompt, tokens, &cost))?;
                let Stats { tokens, rounds, decode_s, .. } = answer.stats;
                let of_mode = runs.iter_mut().filter(|(of, _)| *of == mode);
                of_mode.for_each(|(_, runs)| runs.push(Timed { tokens, rounds, seconds: decode_s }));
                if mode != Mode::Plain {
                    cost = answer.cost;
                }
                written.push(answer.ids);
            }
            if written.iter().any(|ids| *ids != written[0]) {
                return Err(format!("the answers to “{prompt}” differ").into());
            }
        }
        report(suite.title, &runs);
    }
    Ok(())
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

fn request([target, drafter]: [&String; 2], mode: Mode, prompt: &str, tokens: usize, cost: &Cost) -> Request {
    let sampling = Sampling { temperature: 0.0, ..Sampling::default() };
    Request {
        target: target.into(),
        drafter: Some(DraftSource::Folder(drafter.into())),
        precision: Precision::Float32,
        prompt: Prompt::Chat(vec![Message::new(Role::User, prompt.to_owned())]),
        controls: Controls { max_tokens: tokens, sampling, ..Controls::default() }.drafting(mode),
        memory: Memory { insist: true, ..Memory::default() },
        cost: cost.clone(),
        afresh: false,
        begun: None,
        calibration: None,
        observe: false,
    }
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
        println!("    {mode:?}: {} tokens/s, {} × plain, {tau:.2} tokens a round", told(speed, 1), told(times, 2));
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
