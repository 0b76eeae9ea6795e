//! A running answer, which any number of readers may follow.
//!
//! The engine's events are gathered in one shared place, and a reader takes from there whatever it has not seen. So no
//! queue can grow behind a slow reader, and one that comes late, such as a window that was reloaded, misses nothing.

use std::sync::Arc;

use engine::{Answer, Cancel, Event, Request, Round, Speculation};
use tokio::sync::watch;

use crate::{App, Error, Trace};

/// How far an answer is.
#[derive(Debug, Clone, Default)]
pub enum Phase {
    /// The engine has not begun.
    #[default]
    Waiting,
    /// A checkpoint is being loaded.
    Loading {
        /// Its folder's name.
        name: String,
    },
    /// The prompt is being read.
    Prefill {
        /// Rows done.
        done: usize,
        /// Rows in all.
        total: usize,
    },
    /// Rounds are tried and timed, as nobody knows yet what they cost here.
    Measuring,
    /// Rounds are coming.
    Decoding {
        /// Whether drafts are made.
        speculation: Speculation,
    },
    /// It is over; a stored answer is in the database by now.
    Ended(Result<Arc<Answer>, Arc<Error>>),
}

/// What is new to a reader.
#[derive(Debug, Clone)]
pub struct Frame {
    /// What the answer says before its first round, if it goes on: its thought and its text, once.
    pub written: Option<(String, String)>,
    /// How many rounds the reader has seen before.
    pub first_round: usize,
    /// The rounds since.
    pub rounds: Vec<Round>,
    /// How far the answer is by now; phases in between may have been skipped.
    pub phase: Phase,
}

#[derive(Debug, Default)]
struct Progress {
    written: Option<(String, String)>,
    rounds: Vec<Round>,
    phase: Phase,
}

/// A handle to a running answer.
#[derive(Debug, Clone)]
pub struct Answering {
    progress: watch::Receiver<Progress>,
    cancel: Cancel,
}

impl App {
    /// Answers a request and stores nothing.
    #[must_use]
    pub fn answer(&self, request: Request) -> Answering {
        let feed = Feed::default();
        let progress = feed.0.subscribe();
        let cancel = self.engine.answer(request, move |event| feed.push(event));
        Answering { progress, cancel }
    }
}

impl App {
    /// Answers several requests with the same models, `at_once` of them at a time, and stores nothing. They come sooner
    /// than one after the other. Cancelling one cancels all.
    #[must_use]
    pub fn answers(&self, requests: Vec<Request>, at_once: usize) -> Vec<Answering> {
        let feeds = requests.iter().map(|_| Feed::default()).collect::<Vec<_>>();
        let followed = feeds.iter().map(|feed| feed.0.subscribe()).collect::<Vec<_>>();
        let cancel = self.engine.answers(requests, at_once, move |number, event| feeds[number].push(event));
        followed.into_iter().map(|progress| Answering { progress, cancel: cancel.clone() }).collect()
    }
}

impl Answering {
    pub(crate) fn new(feed: &Feed, cancel: Cancel) -> Self {
        Self { progress: feed.0.subscribe(), cancel }
    }

    /// Follows the answer from its beginning.
    #[must_use]
    pub fn reader(&self) -> Reader {
        Reader::new(self.progress.clone())
    }

    /// Ends the answer after the current round. The end arrives as always.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }
}

/// One reader's place in an answer.
#[derive(Debug)]
pub struct Reader {
    progress: watch::Receiver<Progress>,
    /// Whether it knows what was written before.
    told: bool,
    seen: usize,
    ended: bool,
}

impl Reader {
    fn new(mut progress: watch::Receiver<Progress>) -> Self {
        progress.mark_changed();
        Self { progress, told: false, seen: 0, ended: false }
    }

    /// Waits until there is something new, and returns all of it. The first frame comes at once and holds everything
    /// so far; after the frame that says [`Phase::Ended`] comes `None`. Nothing is lost if the wait is given up.
    pub async fn next(&mut self) -> Option<Frame> {
        if self.ended {
            return None;
        }
        // The writing end cannot leave without a last word, which counts as new until it is read.
        self.progress.changed().await.ok()?;
        let progress = self.progress.borrow_and_update();
        let frame = Frame {
            written: progress.written.clone().filter(|_| !self.told),
            first_round: self.seen,
            rounds: progress.rounds[self.seen..].to_vec(),
            phase: progress.phase.clone(),
        };
        self.told |= frame.written.is_some();
        self.seen = progress.rounds.len();
        self.ended = matches!(progress.phase, Phase::Ended(_));
        Some(frame)
    }
}

/// The writing end of an answer.
#[derive(Debug, Default)]
pub(crate) struct Feed(watch::Sender<Progress>);

impl Feed {
    pub(crate) fn push(&self, event: Event) {
        self.0.send_modify(|progress| match event {
            Event::Loading { name } => progress.phase = Phase::Loading { name },
            Event::Written { thought, text } => progress.written = Some((thought, text)),
            Event::Prefill { done, total } => progress.phase = Phase::Prefill { done, total },
            Event::Measuring => progress.phase = Phase::Measuring,
            Event::Decoding { speculation } => progress.phase = Phase::Decoding { speculation },
            Event::Round(round) => progress.rounds.push(round),
            Event::End(answer) => progress.phase = Phase::Ended(Ok(Arc::from(answer))),
            Event::Failed(error) => progress.phase = Phase::Ended(Err(Arc::new(error.into()))),
        });
    }

    /// Ends with an error that is not the engine's.
    pub(crate) fn fail(&self, error: Error) {
        self.0.send_modify(|progress| progress.phase = Phase::Ended(Err(Arc::new(error))));
    }

    /// What the rounds did so far.
    pub(crate) fn traces(&self) -> Vec<Trace> {
        self.0.borrow().rounds.iter().map(Trace::from).collect()
    }

    /// The thought and the text so far.
    pub(crate) fn written(&self) -> (String, String) {
        let progress = self.0.borrow();
        let (mut thought, mut text) = progress.written.clone().unwrap_or_default();
        thought.extend(progress.rounds.iter().map(|round| round.thought.as_str()));
        text.extend(progress.rounds.iter().map(|round| round.text.as_str()));
        (thought, text)
    }
}

impl Drop for Feed {
    /// An engine that is gone cannot say so, and a reader must not wait for ever.
    fn drop(&mut self) {
        if !matches!(self.0.borrow().phase, Phase::Ended(_)) {
            self.push(Event::Failed(engine::Error::Closed));
        }
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use engine::{Answer, Bound, Controls, Cost, Course, Finish, Provenance, Round, Speculation, Stats};

    /// A plain round that made one token certain.
    pub(crate) fn round(text: &str) -> Round {
        Round {
            ids: vec![1],
            provenance: vec![Provenance::Plain],
            pieces: vec![text.into()],
            thought: String::new(),
            text: text.into(),
            proposed: 0,
            accepted: 0,
            rejected: Vec::new(),
            rejected_pieces: Vec::new(),
            confidences: Vec::new(),
            calibrated: Vec::new(),
            p: Vec::new(),
            q: Vec::new(),
            own_p: None,
            cut: 0,
            bound: Bound::Limit,
            course: Course::Drafting,
            turn: None,
            seconds: 0.1,
            draft_s: None,
            verify_s: None,
            device_s: 0.09,
            waits: 1,
        }
    }

    /// An answer that came to its own end.
    pub(crate) fn answer(text: &str) -> Answer {
        Answer {
            prompt_ids: vec![2],
            ids: vec![1],
            thought: String::new(),
            text: text.into(),
            tool_calls: Vec::new(),
            unfinished: None,
            raw: text.into(),
            finish: Finish::Eos,
            speculation: Speculation::Off { reason: "no drafter".into() },
            turns: Vec::new(),
            cost: Cost::default(),
            notes: Vec::new(),
            controls: Controls::default(),
            stats: Stats::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

    use super::testing::{answer, round};
    use super::*;

    fn reader(feed: &Feed) -> Reader {
        Reader::new(feed.0.subscribe())
    }

    fn texts(frame: &Frame) -> Vec<&str> {
        frame.rounds.iter().map(|round| round.text.as_str()).collect()
    }

    #[tokio::test]
    async fn a_reader_gets_what_is_new_and_then_the_end() {
        let feed = Feed::default();
        let mut reader = reader(&feed);
        assert!(matches!(reader.next().await.unwrap().phase, Phase::Waiting));

        feed.push(Event::Loading { name: "gemma".into() });
        feed.push(Event::Prefill { done: 1, total: 2 });
        assert!(matches!(reader.next().await.unwrap().phase, Phase::Prefill { done: 1, total: 2 }));

        feed.push(Event::Decoding {
            speculation: Speculation::On { limit: 5, schedule: engine::Scheduling::Auto, calibrated: false },
        });
        feed.push(Event::Round(round("a")));
        feed.push(Event::Round(round("b")));
        let frame = reader.next().await.unwrap();
        assert_eq!((frame.first_round, texts(&frame)), (0, vec!["a", "b"]));
        assert!(matches!(frame.phase, Phase::Decoding { speculation: Speculation::On { limit: 5, .. } }));

        feed.push(Event::Round(round("c")));
        feed.push(Event::End(Box::new(answer("abc"))));
        let frame = reader.next().await.unwrap();
        assert_eq!((frame.first_round, texts(&frame)), (2, vec!["c"]));
        assert!(matches!(frame.phase, Phase::Ended(Ok(answer)) if answer.text == "abc"));
        assert!(reader.next().await.is_none());
    }

    #[tokio::test]
    async fn a_late_reader_begins_at_the_beginning() {
        let feed = Feed::default();
        let mut early = reader(&feed);
        feed.push(Event::Round(round("a")));
        early.next().await.unwrap();
        feed.push(Event::Round(round("b")));
        let mut late = reader(&feed);
        assert_eq!(texts(&late.next().await.unwrap()), ["a", "b"]);
        assert_eq!(texts(&early.next().await.unwrap()), ["b"]);
    }

    #[tokio::test]
    async fn a_reader_that_gives_up_waiting_loses_nothing() {
        let feed = Feed::default();
        let mut reader = reader(&feed);
        reader.next().await.unwrap();
        for text in ["a", "b"] {
            tokio::select! {
                biased;
                _ = reader.next() => unreachable!("there is nothing new"),
                () = std::future::ready(()) => feed.push(Event::Round(round(text))),
            }
            assert_eq!(texts(&reader.next().await.unwrap()), [text]);
        }
    }

    #[tokio::test]
    async fn an_engine_that_goes_without_a_word_ends_the_answer() {
        let feed = Feed::default();
        let mut reader = reader(&feed);
        feed.push(Event::Round(round("a")));
        drop(feed);
        let frame = reader.next().await.unwrap();
        assert_eq!(texts(&frame), ["a"]);
        let Phase::Ended(Err(error)) = frame.phase else { unreachable!("the engine is gone") };
        assert_eq!(error.to_string(), engine::Error::Closed.to_string());
    }
}
