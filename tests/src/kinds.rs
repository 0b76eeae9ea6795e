//! Each kind of drafter, in each layout that it is published in, beside a target that it runs with.

use std::path::Path;

use drafters::{Drafter, Facts};
use mlx_rs::Dtype;
use serde_json::json;
use tempfile::TempDir;

use crate::{Outcome, checkpoint::Checkpoint, decoding::Setup, fixtures, weights};

/// Tokens that a drafter without files proposes a round.
const LOOKUP: usize = 5;

/// A target, and a drafter for it.
#[derive(Debug, Clone)]
pub struct Pair {
    /// The drafter's folder among the fixtures.
    pub name: String,
    /// Greedy answers of the target.
    pub setup: Setup,
    /// The drafter.
    pub drafter: Drafter,
}

impl Pair {
    fn new(name: String, target: &Path, max_tokens: usize, drafter: Drafter) -> Outcome<Self> {
        let setup = Setup::greedy(target, max_tokens)?;
        let config = setup.model.config();
        drafter.facts().fit(config.hidden_size, config.vocab_size, config.layers.len())?;
        Ok(Self { name, setup, drafter })
    }

    /// One token, two, all that it proposes, and a number between.
    #[must_use]
    pub fn limits(&self) -> [usize; 4] {
        let full = self.drafter.facts().limit;
        [1, 2, usize::midpoint(2, full), full]
    }
}

/// Every drafter that the fixtures have, and the one that needs no files, for answers of `max_tokens`. A drafter that
/// comes without its target gets a random one of the numbers that it asks for.
///
/// # Errors
/// When a model cannot be made, or two do not suit each other.
pub fn pairs(max_tokens: usize) -> Outcome<Vec<Pair>> {
    let mut pairs = Vec::new();
    for folder in fixtures::drafters()? {
        let drafter = drafters::open(&folder.join("checkpoint"), Dtype::Bfloat16)?;
        let name = folder.iter().rev().take(2).map(|part| part.to_string_lossy().into_owned()).collect::<Vec<_>>();
        let name = format!("{}/{}", name[1], name[0]);
        let target = folder.join("target");
        pairs.push(if target.is_dir() {
            Pair::new(name, &target, max_tokens, drafter)?
        } else {
            Pair::new(name, random(drafter.facts())?.path(), max_tokens, drafter)?
        });
    }
    let target = fixtures::path("gemma4/gemma3-text");
    pairs.push(Pair::new("lookup".into(), &target, max_tokens, Drafter::lookup(LOOKUP))?);
    Ok(pairs)
}

/// A random target for a drafter of which this is known.
fn random(facts: &Facts) -> Outcome<TempDir> {
    let mut of = Checkpoint::read(&fixtures::path("gemma4/31b-dense"))?;
    of.text()["hidden_size"] = json!(facts.hidden_size);
    of.text()["vocab_size"] = json!(facts.vocab_size);
    weights::checkpoint(&of.config, i32::MAX)?.converted(Dtype::Float32)?.write()
}
