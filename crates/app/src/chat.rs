//! Conversations: what was said, and saying something.

use std::sync::Arc;

use engine::{CheckpointRole, Controls, Event, Precision, Prompt, Request};
use store::{Author, Conversation, State};
use tokio::sync::oneshot;

use crate::answering::Feed;
use crate::history::{history, title};
use crate::keeping::Keeper;
use crate::{Answering, App, Error, Record, Result};

/// Something to say, to whom, and how to answer it.
#[derive(Debug, Clone, PartialEq)]
pub struct Say {
    /// Where; `None` begins a conversation.
    pub conversation: Option<i64>,
    /// What.
    pub text: String,
    /// The target's id.
    pub target: String,
    /// The drafter's id or [`LOOKUP`](crate::LOOKUP); `None` decodes plainly.
    pub drafter: Option<String>,
    /// The number type to compute in.
    pub precision: Precision,
    /// How to answer.
    pub controls: Controls,
    /// Whether the user insists although there is not enough memory.
    pub insist: bool,
}

/// What was said, and the answer that is on its way.
#[derive(Debug, Clone)]
pub struct Said {
    /// Where.
    pub conversation: Conversation,
    /// The user's message.
    pub question: StoredMessage,
    /// The model's message, still running.
    pub answer: StoredMessage,
    /// Follows the answer.
    pub answering: Answering,
}

/// The answer that is being written.
#[derive(Debug, Clone)]
pub struct Running {
    /// Where.
    pub conversation: i64,
    /// The message it becomes.
    pub message: i64,
    /// Follows it.
    pub answering: Answering,
}

/// A message of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredMessage {
    /// Its number.
    pub id: i64,
    /// Who wrote it.
    pub author: Author,
    /// What the model thought before it said this.
    pub thought: String,
    /// What it says.
    pub text: String,
    /// How far it got.
    pub state: State,
    /// What the user should know about how it was read or how it ended.
    pub note: Option<String>,
    /// How it came about; `None` for the user's messages, answers without an end, and records that cannot be read.
    pub record: Option<Record>,
    /// Milliseconds since 1970.
    pub created_at: i64,
}

impl App {
    /// Stores a message and begins to answer it. The answer is stored too, about once a second while it runs. A proof
    /// that still runs is stopped: it can be asked for again.
    ///
    /// # Errors
    /// Another answer is running, the message is empty, or a model or the conversation is not there.
    pub async fn say(&self, say: Say) -> Result<Said> {
        let text = say.text.trim();
        if text.is_empty() {
            return Err(Error::Empty);
        }
        // Held until the answer runs, so that two messages at once cannot both find the engine free.
        let mut running = self.running.lock().await;
        if running.is_some() {
            return Err(Error::Busy);
        }
        let target = self.usable(&say.target, CheckpointRole::Target).await?;
        let drafter = match &say.drafter {
            Some(id) => Some(self.usable_drafter(id).await?),
            None => None,
        };
        let (drafter_id, drafter) = drafter.unzip();
        let conversation = self.conversation_for(say.conversation, text).await?;
        let earlier = self.store.messages(conversation).await?;
        let (question, answer) = self.store.ask(conversation, text, &target.id, drafter_id.as_deref()).await?;

        let thinking = say.controls.thinking;
        let calibration = self.calibration_for(&target.folder, drafter.as_ref(), say.precision, thinking).await?;
        let request = Request {
            cost: self.cost(&target.folder, drafter.as_ref(), say.precision).await?,
            calibration,
            target: target.folder,
            drafter,
            precision: say.precision,
            prompt: Prompt::Chat(history(&earlier, text)),
            controls: say.controls,
            memory: self.memory(say.insist).await?,
        };
        let keeper = Keeper {
            store: self.store.clone(),
            message: answer.id,
            target: target.id,
            drafter: drafter_id,
            precision: request.precision,
        };
        self.stop_proving().await;
        let answering = self.answer_and_keep(request, keeper);
        *running = Some(Running { conversation, message: answer.id, answering: answering.clone() });
        let conversation = self.conversation(conversation).await?;
        Ok(Said { conversation, question: question.into(), answer: answer.into(), answering })
    }

    async fn conversation_for(&self, id: Option<i64>, text: &str) -> Result<i64> {
        match id {
            Some(id) => Ok(self.conversation(id).await?.id),
            None => Ok(self.store.add_conversation(&title(text)).await?.id),
        }
    }

    /// The last event takes another way than the rest: readers see the end when it is stored and the next message may
    /// come, never before.
    fn answer_and_keep(&self, request: Request, keeper: Keeper) -> Answering {
        let feed = Arc::new(Feed::default());
        let (end, last) = oneshot::channel();
        let mut end = Some(end);
        let sink = Arc::clone(&feed);
        let cancel = self.engine.answer(request.clone(), move |event| {
            let is_last = matches!(event, Event::End(_) | Event::Failed(_));
            match end.take_if(|_| is_last) {
                // Nobody listens if the runtime is going down.
                Some(end) => drop(end.send(event)),
                None => sink.push(event),
            }
        });
        let answering = Answering::new(&feed, cancel);
        let app = self.clone();
        tokio::spawn(async move {
            let last = keeper.keep(&feed, last).await;
            if let Ok(Event::End(answer)) = &last {
                // Without it the next answer measures once more; this one is none the worse.
                let _ = app.keep_cost(&request, &answer.cost).await;
            }
            *app.running.lock().await = None;
            match last {
                Ok(event) => feed.push(event),
                Err(error) => feed.fail(error),
            }
        });
        answering
    }

    /// The answer that is being written, if any.
    pub async fn running(&self) -> Option<Running> {
        self.running.lock().await.clone()
    }

    /// Stops the answer that is being written, if any. What it says so far is kept.
    pub async fn stop(&self) {
        if let Some(running) = self.running().await {
            running.answering.cancel();
        }
    }

    /// Every conversation, the latest first.
    ///
    /// # Errors
    /// The database fails.
    pub async fn conversations(&self) -> Result<Vec<Conversation>> {
        Ok(self.store.conversations().await?)
    }

    /// One conversation.
    ///
    /// # Errors
    /// It is not there.
    pub async fn conversation(&self, id: i64) -> Result<Conversation> {
        self.store.conversation(id).await?.ok_or(Error::NoSuchConversation(id))
    }

    /// The messages of a conversation in order.
    ///
    /// # Errors
    /// The database fails.
    pub async fn messages(&self, conversation: i64) -> Result<Vec<StoredMessage>> {
        Ok(self.store.messages(conversation).await?.into_iter().map(StoredMessage::from).collect())
    }

    /// Gives a conversation another title; an empty one changes nothing.
    ///
    /// # Errors
    /// It is not there.
    pub async fn rename_conversation(&self, id: i64, title: &str) -> Result<()> {
        let title = title.trim();
        let kept = title.is_empty() || self.store.rename_conversation(id, title).await?;
        if kept { Ok(()) } else { Err(Error::NoSuchConversation(id)) }
    }

    /// Removes a conversation with its messages, and stops the answer that is being written in it.
    ///
    /// # Errors
    /// The database fails.
    pub async fn remove_conversation(&self, id: i64) -> Result<()> {
        if let Some(running) = self.running().await.filter(|running| running.conversation == id) {
            running.answering.cancel();
        }
        Ok(self.store.remove_conversation(id).await?)
    }
}

impl From<store::Message> for StoredMessage {
    fn from(row: store::Message) -> Self {
        let record = row.answer.and_then(|json| serde_json::from_str(&json).ok());
        let store::Message { id, author, thought, text, state, note, created_at, .. } = row;
        Self { id, author, thought, text, state, note, record, created_at }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

    use engine::Cancel;
    use store::Written;

    use super::*;
    use crate::{Code, Phase, testing};

    fn say(text: &str, target: &str, drafter: Option<&str>) -> Say {
        Say {
            conversation: None,
            text: text.into(),
            target: target.into(),
            drafter: drafter.map(Into::into),
            precision: Precision::default(),
            controls: Controls::default(),
            insist: false,
        }
    }

    #[tokio::test]
    async fn an_answer_that_fails_is_stored_before_its_end_is_seen_and_the_next_may_come() {
        let home = tempfile::tempdir().unwrap();
        let app = testing::app(home.path()).await;
        // The target's folder is empty, so the engine refuses it.
        let said = app.say(say(" Why is\nthe sky blue? ", "T", Some("d"))).await.unwrap();
        assert_eq!(said.conversation.title, "Why is the sky blue?");
        assert_eq!(said.conversation.target_id.as_deref(), Some("t"));
        assert_eq!((said.question.text.as_str(), said.answer.state), ("Why is\nthe sky blue?", State::Running));

        let mut reader = said.answering.reader();
        let mut last = None;
        while let Some(frame) = reader.next().await {
            last = Some(frame.phase);
        }
        let Some(Phase::Ended(Err(error))) = last else { unreachable!("{last:?}") };
        let stored = app.messages(said.conversation.id).await.unwrap().pop().unwrap();
        assert_eq!((stored.state, stored.note), (State::Failed, Some(error.to_string())));
        assert!(app.running().await.is_none());

        let again = Say { conversation: Some(said.conversation.id), ..say("And now?", "t", None) };
        assert_eq!(app.say(again).await.unwrap().conversation.id, said.conversation.id);
    }

    #[tokio::test]
    async fn one_answer_at_a_time() {
        let home = tempfile::tempdir().unwrap();
        let app = testing::app(home.path()).await;
        let feed = Feed::default();
        let answering = Answering::new(&feed, Cancel::default());
        *app.running.lock().await = Some(Running { conversation: 1, message: 1, answering });
        assert!(matches!(app.say(say("Hello", "t", None)).await, Err(Error::Busy)));
        assert!(app.conversations().await.unwrap().is_empty());
    }

    #[tokio::test]
    async fn what_cannot_be_said_leaves_nothing_behind() {
        let home = tempfile::tempdir().unwrap();
        let app = testing::app(home.path()).await;
        assert!(matches!(app.say(say(" \n", "t", None)).await, Err(Error::Empty)));
        let nowhere = Say { conversation: Some(7), ..say("Hello", "t", None) };
        assert!(matches!(app.say(nowhere).await, Err(Error::NoSuchConversation(7))));
        for (target, drafter, code) in
            [("x", None, Code::PickTarget), ("d", None, Code::PickTarget), ("t", Some("t"), Code::PickDrafter)]
        {
            let refused = app.say(say("Hello", target, drafter)).await.unwrap_err();
            assert_eq!(refused.code(), Some(code), "{refused}");
        }
        assert!(app.conversations().await.unwrap().is_empty());
    }

    #[tokio::test]
    async fn a_record_that_cannot_be_read_does_not_hide_its_message() {
        let home = tempfile::tempdir().unwrap();
        let app = testing::app(home.path()).await;
        let conversation = app.store.add_conversation("Why?").await.unwrap().id;
        let (_, answer) = app.store.ask(conversation, "Why?", "t", None).await.unwrap();
        let written = Written { thought: "Why?", text: "Because." };
        app.store.end_message(answer.id, written, State::Complete, None, Some("[]")).await.unwrap();
        let stored = app.messages(conversation).await.unwrap().pop().unwrap();
        assert_eq!((stored.text.as_str(), stored.record), ("Because.", None));
    }
}
