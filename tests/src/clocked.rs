//! A schedule that parks and resumes by a scripted clock, as the engine's does by a real one.

use decode::{Parking, Schedule, Turn};

/// Seconds of a plain step.
const PLAIN: f64 = 0.030;

/// `inner` while drafting is not parked.
pub struct Clocked<'a> {
    /// The schedule of the rounds that draft.
    pub inner: Box<dyn Schedule>,
    /// Decides which do.
    pub parking: Parking,
    /// Plain steps that a round takes which drafts behind so many others and emits so many tokens.
    pub steps: &'a dyn Fn(usize, usize) -> f64,
    /// Rounds that drafted.
    pub drafted: usize,
    /// What was decided.
    pub turns: Vec<Turn>,
}

impl<'a> Clocked<'a> {
    /// A new one.
    #[must_use]
    pub fn new(inner: Box<dyn Schedule>, steps: &'a dyn Fn(usize, usize) -> f64) -> Self {
        Self { inner, parking: Parking::default(), steps, drafted: 0, turns: Vec::new() }
    }
}

impl Schedule for Clocked<'_> {
    fn limit(&self) -> usize {
        if self.parking.drafts() { self.inner.limit() } else { 0 }
    }

    fn reads_confidence(&self) -> bool {
        self.inner.reads_confidence()
    }

    fn keep(&mut self, position: usize, confidence: f32) -> bool {
        self.inner.keep(position, confidence)
    }

    fn learn(&mut self, proposed: usize, accepted: usize) {
        self.inner.learn(proposed, accepted);
        if proposed > 0 {
            let tokens = accepted + 1;
            let seconds = PLAIN * (self.steps)(self.drafted, tokens);
            self.turns.extend(self.parking.drafting_round(tokens, seconds));
            self.drafted += 1;
        } else {
            self.turns.extend(self.parking.plain_step(PLAIN));
        }
    }
}
