//! What calibrations and comparisons share: they measure by ordinary answers, one of them at a time on this machine, and
//! each can be interrupted between two rounds.

use std::fs::File;
use std::time::Instant;

use engine::{Answer, Cancel, Event, Finish, Request, Round};
use tokio::sync::mpsc;

use crate::jobs::Jobs;
use crate::{App, Result};

/// An answer that was made to be measured.
pub(crate) struct Made {
    pub(crate) answer: Box<Answer>,
    pub(crate) rounds: Vec<Round>,
    /// Whether a model was loaded for it.
    pub(crate) loaded: bool,
}

impl App {
    /// Waits for the others, of this process and of other ones; nothing if it is to pause meanwhile.
    pub(crate) async fn turn_to_measure<T: Clone>(&self, jobs: &Jobs<T>, id: i64) -> Result<Option<File>> {
        let turn = async {
            loop {
                if let Some(turn) = self.library.claim("measuring").await? {
                    return Ok(Some(turn));
                }
            }
        };
        tokio::select! {
            turn = turn => turn,
            () = jobs.unwanted(id) => Ok(None),
        }
    }

    /// Answers a request; nothing if it was interrupted. `hear` is told of every round.
    pub(crate) async fn made<T: Clone + Send>(
        &self,
        jobs: &Jobs<T>,
        id: i64,
        request: Request,
        hear: impl FnMut(&Round) + Send,
    ) -> Result<Option<Made>> {
        if jobs.get(id).is_none_or(|job| !job.goes_on()) {
            return Ok(None);
        }
        self.make(request, |cancel| jobs.hear(id, cancel), hear).await
    }

    /// The same outside any job; whoever is handed the [`Cancel`] may interrupt it.
    pub(crate) async fn make(
        &self,
        request: Request,
        hand: impl FnOnce(Cancel) + Send,
        mut hear: impl FnMut(&Round) + Send,
    ) -> Result<Option<Made>> {
        let (told, mut heard) = mpsc::unbounded_channel();
        // Nobody listens any more if the send fails: the program ends.
        hand(self.engine.answer(request, move |event| drop(told.send(event))));
        let (mut rounds, mut loaded) = (Vec::new(), false);
        while let Some(event) = heard.recv().await {
            match event {
                Event::Loading { .. } => loaded = true,
                Event::Round(round) => {
                    hear(&round);
                    rounds.push(round);
                }
                Event::End(answer) if answer.finish == Finish::Cancelled => return Ok(None),
                Event::End(answer) => return Ok(Some(Made { answer, rounds, loaded })),
                Event::Failed(error) => return Err(error.into()),
                _ => {}
            }
        }
        Err(engine::Error::Closed.into())
    }
}

/// How fast pieces of work get done.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Pace {
    /// When the first of them began, and how many were done before.
    since: Option<(Instant, u32)>,
    /// How long the others would take yet, seconds, and when that was.
    left: Option<(Instant, f64)>,
}

impl Pace {
    /// The same, now that so many of the `total` are `done`.
    pub(crate) fn at(self, done: u32, total: u32) -> Self {
        let now = Instant::now();
        let (began, before) = self.since.unwrap_or((now, done));
        let made = done.checked_sub(before).filter(|&made| made > 0);
        let to_do = f64::from(total.saturating_sub(done));
        let left = made.map(|made| (now, (now - began).as_secs_f64() / f64::from(made) * to_do));
        Self { since: Some((began, before)), left }
    }

    /// How long it will take yet, seconds.
    pub(crate) fn seconds_left(&self) -> Option<f64> {
        self.left.map(|(at, left)| (left - at.elapsed().as_secs_f64()).max(0.0))
    }
}
