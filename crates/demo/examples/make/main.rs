//! Makes the demo checkpoints: a small Gemma 4 that knows what the corpus says of Slipstream, and drafters for it. Every
//! step is seeded, and goes on from where it was interrupted. All of them take about an hour on two cores.
//!
//! ```text
//! cargo run --release -p demo --example make -- STEP --work FOLDER
//! ```
//!
//! `STEP` is `tokenizer`, `target`, `answers`, `drafters` or the name of one, `measure`, `ship` (copies what was made into
//! the crate), or `all`.

mod corpus;
mod drafters;
mod measure;
mod paths;
mod ship;
mod target;
mod tokenizer;

use std::{env, error::Error, time::Instant};

use corpus::Corpus;
use paths::Paths;

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

type Step = fn(&Paths, &Corpus) -> Outcome;

const STEPS: [(&str, Step); 6] = [
    ("tokenizer", tokenizer::make),
    ("target", target::make),
    ("answers", drafters::listen),
    ("drafters", drafters::make),
    ("measure", measure::measure),
    ("ship", ship::ship),
];

fn main() -> Outcome {
    let arguments = env::args().skip(1).collect::<Vec<_>>();
    let arguments = arguments.iter().map(String::as_str).collect::<Vec<_>>();
    let [wanted, "--work", folder] = arguments[..] else {
        return Err("usage: make STEP --work FOLDER".into());
    };
    let corpus = Corpus::read()?;
    let paths = Paths::new(folder, &corpus.whole())?;
    if drafters::names().any(|name| name == wanted) {
        return drafters::make_one(wanted, &paths, &corpus);
    }
    let steps = STEPS.iter().filter(|(name, _)| wanted == "all" || wanted == *name).collect::<Vec<_>>();
    if steps.is_empty() {
        return Err(format!("there is no step {wanted}").into());
    }
    for (name, step) in steps {
        let started = Instant::now();
        println!("== {name}");
        step(&paths, &corpus)?;
        println!("== {name}: {:.0} s", started.elapsed().as_secs_f64());
    }
    Ok(())
}
