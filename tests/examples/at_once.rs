//! What several answers at once gain over one after the other: the same prompts, with and without a drafter, by how many
//! are made at a time. Prints tokens per second of all together, against one at a time in the same run.
//!
//! ```text
//! cargo run --release -p tests --example at_once
//! ```

use std::{path::Path, time::Instant};

use engine::{Controls, DraftSource, Engine, Event, Memory, Precision, Prompt, Request, Sampling, Scheduling};
use mlx_rs::Dtype;
use tests::{Outcome, asking, sized};

const TOKENS: usize = 48;
const PROMPTS: usize = 8;
const REPEATS: usize = 5;

fn main() -> Outcome {
    let sized = sized::target("31b-dense", Dtype::Float32, None)?;
    let engine = Engine::start();
    for (name, drafter) in [("plain", None), ("lookup", Some(DraftSource::Lookup))] {
        let mut ratios = [1, 2, 4, 8].map(|at_once| (at_once, Vec::new()));
        speed(&engine, sized.path(), drafter.as_ref(), 1)?; // everything is warm from here on
        for _ in 0..REPEATS {
            let alone = speed(&engine, sized.path(), drafter.as_ref(), 1)?;
            for (at_once, ratios) in &mut ratios {
                ratios.push(speed(&engine, sized.path(), drafter.as_ref(), *at_once)? / alone);
            }
        }
        for (at_once, mut ratios) in ratios {
            ratios.sort_by(f64::total_cmp);
            let (least, median, most) = (ratios[0], ratios[REPEATS / 2], ratios[REPEATS - 1]);
            println!("{name}, {at_once} at once: {median:.2} of the speed of one at a time ({least:.2} to {most:.2})");
        }
    }
    Ok(())
}

/// Tokens per second of all answers together, prompts included.
#[expect(clippy::cast_precision_loss, reason = "a few thousand tokens")]
fn speed(engine: &Engine, target: &Path, drafter: Option<&DraftSource>, at_once: usize) -> Outcome<f64> {
    let requests = (0..PROMPTS).map(|number| request(target, drafter.cloned(), number)).collect();
    let started = Instant::now();
    let all = asking::events_of_all(engine, requests, at_once, |_, _, _| ())?;
    let tokens = all.iter().filter_map(|events| match events.last() {
        Some(Event::End(answer)) => Some(answer.stats.tokens),
        _ => None,
    });
    Ok(tokens.sum::<usize>() as f64 / started.elapsed().as_secs_f64())
}

fn request(target: &Path, drafter: Option<DraftSource>, number: usize) -> Request {
    Request {
        drafter,
        precision: Precision::Float32,
        controls: Controls {
            max_tokens: TOKENS,
            schedule: Scheduling::Fixed,
            gamma: Some(3),
            sampling: Sampling { temperature: 0.0, ..Sampling::default() },
            ..Controls::default()
        },
        memory: Memory { insist: true, ..Memory::default() },
        ..Request::new(target.to_owned(), Prompt::Raw(format!("the quick brown fox number {number} jumps")))
    }
}
