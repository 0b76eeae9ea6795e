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
#[derive(Debug, Clone, PartialEq)]
pub struct Lane {
    /// How far it is.
    pub stage: Stage,
    /// Whether `text` is all that it has written; otherwise it goes on from what its reader was told before.
    pub anew: bool,
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Others are before it.
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
pub struct Races {
    race: watch::Receiver<Option<Race>>,
    told: Option<Race>,
}

impl Races {
    /// Waits until there is something new, and returns it with the text that was written since; the first comes at once.
    /// `None` says that none runs.
    pub async fn next(&mut self) -> Option<Race> {
        if self.race.changed().await.is_err() {
            return pending().await; // the app is gone, so none will ever run
        }
        let now = self.race.borrow_and_update().clone();
        let news = now.as_ref().map(|race| race.since(self.told.as_ref()));
        self.told = now;
        news
    }
}

impl App {
    /// Follows what the columns of a comparison write, of whichever runs in this process.
    #[must_use]
    pub fn races(&self) -> Races {
        let mut race = self.comparisons.race.subscribe();
        race.mark_changed();
        Races { race, told: None }
    }
}

impl Race {
    /// The same for whoever was told that it, or another one, stood like this before.
    fn since(&self, told: Option<&Self>) -> Self {
        let told = told.filter(|told| (told.comparison, told.prompt) == (self.comparison, self.prompt));
        let before = |place| told.and_then(|told| told.lanes.get(place));
        let lanes = self.lanes.iter().enumerate().map(|(place, lane)| lane.since(before(place))).collect();
        Self { question: self.question.clone(), lanes, ..*self }
    }
}

impl Lane {
    /// One that has written nothing.
    pub(super) const fn empty(stage: Stage) -> Self {
        Self { stage, anew: true, text: String::new(), tokens: 0, rounds: 0, seconds: 0.0 }
    }

    fn since(&self, told: Option<&Self>) -> Self {
        // What was begun once more does not go on from there.
        let more = told.and_then(|told| self.text.strip_prefix(&told.text));
        Self { anew: more.is_none(), text: more.unwrap_or(&self.text).to_owned(), ..*self }
    }

    /// Begins to write.
    pub(super) fn begin(&mut self) {
        *self = Self::empty(Stage::Writing);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn lane(anew: bool, text: &str) -> Lane {
        Lane { anew, text: text.into(), ..Lane::empty(Stage::Writing) }
    }

    fn race(prompt: usize, lanes: [Lane; 2]) -> Race {
        Race { comparison: 1, prompt, question: "Why?".into(), lanes: lanes.into() }
    }

    #[test]
    fn a_reader_is_told_what_was_written_since_and_all_of_what_was_begun_anew() {
        let states = [
            race(0, [lane(true, "Be"), lane(true, "")]),
            race(0, [lane(true, "Because"), lane(true, "Wa")]),
            race(0, [lane(true, "So"), lane(true, "Wa")]),
            race(1, [lane(true, "So it is"), lane(true, "")]),
        ];
        let told = [
            states[0].clone(),
            race(0, [lane(false, "cause"), lane(false, "Wa")]),
            race(0, [lane(true, "So"), lane(false, "")]),
            states[3].clone(),
        ];
        let before = [None, Some(&states[0]), Some(&states[1]), Some(&states[2])];
        for ((state, before), told) in states.iter().zip(before).zip(told) {
            assert_eq!(state.since(before), told);
        }
    }
}
