//! What is written in each column at the moment, for whoever watches.

use std::future::pending;

use engine::Round;
use tokio::sync::watch;

use crate::App;

/// The prompt that is being answered, column by column.
#[derive(Debug, Clone, PartialEq)]
pub struct Race {
    /// The comparison.
    pub comparison: i64,
    /// The prompt's number, from 0.
    pub prompt: usize,
    /// What is asked.
    pub question: String,
    /// The columns, plain decoding first.
    pub lanes: Vec<Lane>,
}

/// What one column has written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lane {
    /// How far it is.
    pub stage: Stage,
    /// Its text, and before it what the model thought.
    pub text: String,
    /// Tokens emitted.
    pub tokens: usize,
    /// Rounds, plain steps included.
    pub rounds: usize,
    /// Seconds of decoding.
    pub seconds: f64,
}

/// How far a column is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Stage {
    /// Others are before it.
    #[default]
    Waiting,
    /// Its models are loaded and warmed up, which is not timed.
    WarmingUp,
    /// It writes.
    Writing,
    /// It has written all.
    Done,
}

/// One reader's place in the race of this process.
#[derive(Debug)]
pub struct Races(watch::Receiver<Option<Race>>);

impl Races {
    /// Waits until there is something new, and returns it; the first comes at once. `None` says that none runs.
    pub async fn next(&mut self) -> Option<Race> {
        if self.0.changed().await.is_err() {
            return pending().await; // the app is gone, so none will ever run
        }
        self.0.borrow_and_update().clone()
    }
}

impl App {
    /// Follows what the columns of a comparison write, of whichever runs in this process.
    #[must_use]
    pub fn races(&self) -> Races {
        let mut races = self.comparisons.race.subscribe();
        races.mark_changed();
        Races(races)
    }
}

impl Lane {
    /// Begins to write.
    pub(super) fn begin(&mut self) {
        *self = Self { stage: Stage::Writing, ..Self::default() };
    }

    /// Takes in a round.
    pub(super) fn add(&mut self, round: &Round) {
        self.text.push_str(&round.thought);
        self.text.push_str(&round.text);
        self.tokens += round.ids.len();
        self.rounds += 1;
        self.seconds += round.seconds;
    }
}
