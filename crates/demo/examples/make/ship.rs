//! Copies what was made into the crate, and says beside it how it came to be.

use std::fs;

use demo::{MODELS, Model};

use crate::{
    Outcome,
    corpus::Corpus,
    paths::{Paths, of_crate},
};

pub(crate) fn ship(paths: &Paths, corpus: &Corpus) -> Outcome {
    for Model { name, files } in MODELS {
        let (from, to) = (paths.checkpoint(name), of_crate().join("checkpoints").join(name));
        fs::create_dir_all(&to)?;
        for (file, _) in files {
            match *file {
                "README.md" => fs::write(to.join(file), card(name, corpus))?,
                "LICENSE" => drop(fs::copy(of_crate().join("../../LICENSE-MIT"), to.join(file))?),
                made => drop(fs::copy(from.join(made), to.join(made))?),
            }
        }
    }
    Ok(())
}

/// What a checkpoint is, and where it comes from.
fn card(name: &str, corpus: &Corpus) -> String {
    let what = match name {
        "slipstream-demo" => {
            "A small Gemma 4 that answers questions about Slipstream and speculative decoding, and knows nothing else."
        }
        "slipstream-demo-dspark" => "A DSpark drafter with a Markov head and a confidence for the demo target.",
        "slipstream-demo-dflash" => "A DFlash drafter for the demo target.",
        "slipstream-demo-dflash2" => "A DFlash 2 drafter for the demo target.",
        _ => "A DSpark drafter for the demo target that was hardly trained, to show what a bad drafter is like.",
    };
    format!(
        "---\nlicense: mit\n---\n{what}\n\nThe Slipstream project made it from nothing but a text of its own, \
         `crates/demo/corpus`: {} answers, and {} ways to ask for them. No weights or texts of anybody else \
         are in it; the names of its control tokens are Gemma's. `cargo run --release -p demo --example make -- all --work FOLDER` makes it again; every \
         seed is in `crates/demo/examples/make`.\n\nThe project is under MIT OR Apache-2.0, and so are these files.\n",
        corpus.entries.len(),
        corpus.entries.iter().map(|entry| entry.taught().len()).sum::<usize>(),
    )
}
