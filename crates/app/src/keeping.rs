//! Keeping an answer: what of it is stored, and when.

use std::time::Duration;

use engine::{Answer, Event, Finish, Precision};
use serde::{Deserialize, Serialize};
use store::{State, Store, Written};
use tokio::sync::oneshot;
use tokio::time::{MissedTickBehavior, interval};

use crate::answering::Feed;
use crate::going_on::Earlier;
use crate::rerun::Rerun;
use crate::{Result, StoredMessage, Trace};

/// What of a running answer a crash may cost.
const SAVE_EVERY: Duration = Duration::from_secs(1);

/// An answer with everything that is needed to run it again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The target's id.
    pub target: String,
    /// The drafter's id or [`LOOKUP`](crate::LOOKUP), if one was chosen.
    pub drafter: Option<String>,
    /// The type that they computed in.
    pub precision: Precision,
    /// How it was asked, and what came of it.
    pub answer: Answer,
    /// What it has in common with the answer that it was to be again, if it was run for that.
    #[serde(default)]
    pub rerun: Option<Rerun>,
}

/// Stores one answer: what it says while it runs, then how it ended.
#[derive(Debug)]
pub(crate) struct Keeper {
    pub(crate) store: Store,
    pub(crate) message: i64,
    pub(crate) earlier: Earlier,
    pub(crate) target: String,
    pub(crate) drafter: Option<String>,
    pub(crate) precision: Precision,
}

impl Keeper {
    /// Waits for the answer's last event and returns it when it is stored.
    pub(crate) async fn keep(self, feed: &Feed, last: oneshot::Receiver<Event>) -> Result<Event> {
        let last = self.save_until(feed, last).await;
        match &last {
            Event::End(answer) => {
                self.keep_rounds(feed).await;
                match &self.earlier {
                    // Stopped before it said more: its numbers are still those of what it says.
                    Earlier::Rest(before, record) if answer.stats.tokens == 0 => {
                        self.store_again(before, record, before.note.as_deref()).await?;
                    }
                    _ => self.store_end(answer).await?,
                }
            }
            Event::Failed(error) => {
                if !matches!(self.earlier, Earlier::Rest(..)) {
                    self.keep_rounds(feed).await;
                }
                self.store_failure(feed, error).await?;
            }
            _ => {}
        }
        Ok(last)
    }

    async fn save_until(&self, feed: &Feed, mut last: oneshot::Receiver<Event>) -> Event {
        let mut clock = interval(SAVE_EVERY);
        clock.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut saved = 0;
        loop {
            tokio::select! {
                event = &mut last => return event.unwrap_or(Event::Failed(engine::Error::Closed)),
                _ = clock.tick() => {
                    let (thought, text) = feed.written();
                    let length = thought.len() + text.len();
                    let written = Written { thought: &thought, text: &text };
                    // A failure costs nothing yet: the end is stored as a whole, and says so if it cannot be.
                    if length > saved && self.store.save_written(self.message, written).await.is_ok() {
                        saved = length;
                    }
                }
            }
        }
    }

    /// Before the end is stored, so that whoever sees the end finds them. An answer without its rounds is whole, so a
    /// failure is none of the answer's.
    async fn keep_rounds(&self, feed: &Feed) {
        let _ = self.try_keep_rounds(feed).await;
    }

    /// Those of a rest behind those before, without which they would say less than the answer.
    async fn try_keep_rounds(&self, feed: &Feed) -> Option<()> {
        let mut traces = Vec::new();
        if let Earlier::Rest(_, record) = &self.earlier {
            traces = serde_json::from_str::<Vec<Trace>>(&self.store.rounds(self.message).await.ok()??).ok()?;
            // A rest that was cut off may have left rounds of its own, and no record.
            let mut tokens = 0;
            traces.retain(|trace| {
                tokens += trace.pieces.len();
                tokens <= record.answer.ids.len()
            });
        }
        traces.extend(feed.traces());
        let rounds = serde_json::to_string(&traces).ok()?;
        self.store.keep_rounds(self.message, &rounds).await.ok()
    }

    async fn store_end(&self, answer: &Answer) -> Result<()> {
        let state = if answer.finish == Finish::Cancelled { State::Stopped } else { State::Complete };
        let note = Some(answer.notes.join(" ")).filter(|note| !note.is_empty());
        let record = Record {
            target: self.target.clone(),
            drafter: self.drafter.clone(),
            precision: self.precision,
            answer: answer.clone(),
            rerun: match &self.earlier {
                Earlier::Nothing => None,
                Earlier::Again(original) => Some(original.compared_with(answer)),
                Earlier::Rest(_, record) => record.rerun.clone(),
            },
        };
        // A record is numbers and texts only, so it always has a JSON form.
        let json = serde_json::to_string(&record).ok();
        let written = Written { thought: &answer.thought, text: &answer.text };
        let end = self.store.end_message(self.message, written, state, note.as_deref(), json.as_deref());
        Ok(end.await?)
    }

    async fn store_failure(&self, feed: &Feed, error: &engine::Error) -> Result<()> {
        let note = error.to_string();
        if let Earlier::Rest(before, record) = &self.earlier {
            let note = format!("It did not go on, and is what it was before: {note}");
            return self.store_again(before, record, Some(&note)).await;
        }
        let (thought, text) = feed.written();
        let written = Written { thought: &thought, text: &text };
        Ok(self.store.end_message(self.message, written, State::Failed, Some(&note), None).await?)
    }

    /// Leaves an answer that did not go on as it was, with this note.
    async fn store_again(&self, before: &StoredMessage, record: &Record, note: Option<&str>) -> Result<()> {
        let written = Written { thought: &before.thought, text: &before.text };
        let json = serde_json::to_string(record).ok();
        Ok(self.store.end_message(self.message, written, before.state, note, json.as_deref()).await?)
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

    use super::*;
    use crate::answering::testing::{answer, round};
    use store::{Ask, Checkpoint, Message, Role, Source};

    async fn keeper() -> (Keeper, Store, i64) {
        let store = Store::in_memory().await.unwrap();
        let target = Checkpoint {
            role: Role::Target,
            kind: "gemma3_text".into(),
            folder: "/t".into(),
            source: Source::Folder,
            revision_id: None,
            summary: String::new(),
            bytes: 0,
            draft_limit: None,
            draft_usual: None,
            draft_confident: None,
            chat_template: None,
        };
        store.add_model(Some("t"), &target).await.unwrap();
        let conversation = store.add_conversation("Why?").await.unwrap().id;
        let message =
            store.ask(Ask::Next { conversation, text: "Why?", attachments: &[] }, "t", None).await.unwrap().answer.id;
        let precision = Precision::Float32;
        let keeper = Keeper {
            store: store.clone(),
            message,
            earlier: Earlier::Nothing,
            target: "t".into(),
            drafter: None,
            precision,
        };
        (keeper, store, conversation)
    }

    async fn stored(store: &Store, conversation: i64) -> Message {
        store.messages(conversation).await.unwrap().pop().unwrap()
    }

    #[tokio::test]
    async fn a_whole_answer_is_stored_with_its_record() {
        for (finish, state) in [(Finish::Eos, State::Complete), (Finish::Cancelled, State::Stopped)] {
            let (keeper, store, conversation) = keeper().await;
            let (end, last) = oneshot::channel();
            let answer =
                Answer { finish, notes: vec!["No template.".into()], thought: "Why?".into(), ..answer("Because.") };
            assert!(end.send(Event::End(Box::new(answer.clone()))).is_ok());
            keeper.keep(&Feed::default(), last).await.unwrap();

            let message = stored(&store, conversation).await;
            assert_eq!((message.text.as_str(), message.state), ("Because.", state));
            assert_eq!(message.thought, "Why?");
            assert_eq!(message.note.as_deref(), Some("No template."));
            let record: Record = serde_json::from_str(&message.answer.unwrap()).unwrap();
            assert_eq!((record.target.as_str(), record.precision), ("t", Precision::Float32));
            assert_eq!(record.answer, answer);
        }
    }

    #[test]
    fn a_record_of_an_older_release_is_read() {
        let (target, precision) = ("t".to_owned(), Precision::AsStored);
        let answer = Answer { raw: String::new(), ..answer("Hi") };
        let record = Record { target, drafter: None, precision, answer, rerun: None };
        let mut json = serde_json::to_value(&record).unwrap();
        let new = ["/rerun", "/answer/thought", "/answer/tool_calls", "/answer/unfinished", "/answer/raw"];
        let controls =
            ["thinking", "min_p", "repetition_penalty", "presence_penalty", "frequency_penalty", "penalty_window"];
        let controls = controls.map(|control| format!("/answer/controls/{control}"));
        let older = new.into_iter().chain(["/answer/stats/thought_s"]).chain(controls.iter().map(String::as_str));
        for path in older {
            let (object, key) = path.rsplit_once('/').unwrap();
            assert!(json.pointer_mut(object).unwrap().as_object_mut().unwrap().remove(key).is_some(), "{path}");
        }
        assert_eq!(serde_json::from_value::<Record>(json).unwrap(), record);
    }

    #[tokio::test]
    async fn a_thought_is_saved_while_the_answer_has_no_text_yet() {
        let (keeper, store, conversation) = keeper().await;
        let (end, last) = oneshot::channel();
        let feed = Feed::default();
        feed.push(Event::Round(engine::Round { thought: "Why".into(), ..round("") }));
        tokio::select! {
            _ = keeper.keep(&feed, last) => unreachable!("the answer has no end yet"),
            message = async {
                loop {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                    let message = stored(&store, conversation).await;
                    if !message.thought.is_empty() { break message }
                }
            } => assert_eq!((message.thought.as_str(), message.state), ("Why", State::Running)),
        }
        drop(end);
    }

    #[tokio::test]
    async fn an_engine_that_is_gone_fails_the_answer_and_keeps_what_it_says() {
        let (keeper, store, conversation) = keeper().await;
        let (end, last) = oneshot::channel();
        let feed = Feed::default();
        feed.push(Event::Round(engine::Round { thought: "Why?".into(), ..round("Bec") }));
        drop(end);
        keeper.keep(&feed, last).await.unwrap();
        let message = stored(&store, conversation).await;
        assert_eq!((message.text.as_str(), message.state), ("Bec", State::Failed));
        assert_eq!(message.thought, "Why?");
        assert_eq!(message.note, Some(engine::Error::Closed.to_string()));
    }
}
