//! An engine with a tiny target and its drafter at hand.

use std::path::PathBuf;

use engine::{Answer, Cancel, Controls, DraftSource, Engine, Event, Precision, Prompt, Request};
use tempfile::TempDir;

use crate::{Outcome, asking, tiny};

/// An engine and the folder of its models.
#[derive(Debug)]
pub struct Bench {
    /// The engine.
    pub engine: Engine,
    models: TempDir,
}

impl Bench {
    /// With models of its own.
    ///
    /// # Errors
    /// When they cannot be made.
    pub async fn new() -> Outcome<Self> {
        Ok(Self { engine: Engine::start(), models: tiny::models().await? })
    }

    /// The folder of the model called `name`.
    #[must_use]
    pub fn folder(&self, name: &str) -> PathBuf {
        self.models.path().join(name)
    }

    /// A request of the target, drafted by the drafter called `drafter`.
    #[must_use]
    pub fn request(&self, drafter: Option<&str>, controls: Controls) -> Request {
        Request {
            drafter: drafter.map(|name| DraftSource::Folder(self.folder(name))),
            precision: Precision::Float32,
            controls,
            ..Request::new(self.folder(tiny::TARGET), Prompt::Raw("the quick brown fox".into()))
        }
    }

    /// Every event of an answer.
    ///
    /// # Errors
    /// When the engine is gone.
    pub fn events(&self, request: Request, act: impl Fn(&Event, &Cancel)) -> Outcome<Vec<Event>> {
        asking::events(&self.engine, request, act)
    }

    /// The answer itself.
    ///
    /// # Errors
    /// When it came to nothing.
    pub fn answer(&self, request: Request) -> Outcome<Answer> {
        asking::answer(&self.engine, request)
    }
}
