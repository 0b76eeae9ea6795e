//! Conversations and their messages.

use app::{State, StoredMessage};
use serde::Serialize;
use specta::Type;

use super::{Outcome, failure::code, sentence};

/// A conversation in the list.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Conversation {
    id: i64,
    /// The beginning of what was said first, or what the user calls it.
    title: String,
    /// The target that answered last, while it is registered.
    target: Option<String>,
    /// The drafter used last, while it is registered, or `lookup`.
    drafter: Option<String>,
    /// When something was said last; milliseconds since 1970.
    updated_at: i64,
}

impl From<app::Conversation> for Conversation {
    fn from(conversation: app::Conversation) -> Self {
        let app::Conversation { id, title, target_id, drafter, updated_at, .. } = conversation;
        Self { id, title, target: target_id, drafter, updated_at }
    }
}

/// Who wrote a message.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Author {
    /// The person.
    User,
    /// The target.
    Assistant,
}

/// How far a message got.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum MessageState {
    /// It is whole.
    Complete,
    /// It is being written.
    Running,
    /// The user stopped it.
    Stopped,
    /// The app ended while it was being written.
    Interrupted,
    /// An error ended it.
    Failed,
}

/// A message of a conversation.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Message {
    id: i64,
    author: Author,
    /// What the model thought before it answered; often empty.
    thought: String,
    text: String,
    state: MessageState,
    /// What the user should know about how it was read or how it ended.
    note: Option<String>,
    /// What the window can do about an answer that has just failed, as for a failed command.
    code: Option<String>,
    /// How it came about; null for the user's messages and for answers without an end.
    outcome: Option<Outcome>,
}

impl From<StoredMessage> for Message {
    fn from(message: StoredMessage) -> Self {
        Self {
            id: message.id,
            author: match message.author {
                app::Author::User => Author::User,
                app::Author::Assistant => Author::Assistant,
            },
            thought: message.thought,
            text: message.text,
            state: match message.state {
                State::Complete => MessageState::Complete,
                State::Running => MessageState::Running,
                State::Stopped => MessageState::Stopped,
                State::Failed => MessageState::Failed,
                State::Interrupted => MessageState::Interrupted,
            },
            note: message.note.as_deref().map(sentence),
            code: None,
            outcome: message.record.map(Outcome::from),
        }
    }
}

impl Message {
    /// An answer of which the database knows no end.
    pub(crate) fn failed(id: i64, thought: String, text: String, why: &str) -> Self {
        Self {
            id,
            author: Author::Assistant,
            thought,
            text,
            state: MessageState::Failed,
            note: Some(sentence(why)),
            code: None,
            outcome: None,
        }
    }

    /// The same, with what can be done about the error that ended it.
    pub(crate) fn with_code(self, error: Option<&app::Error>) -> Self {
        Self { code: error.and_then(code), ..self }
    }
}

/// A question, and the answer that has begun to run.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Said {
    /// Where, which may be a new conversation.
    conversation: i64,
    question: Message,
    answer: Message,
}

impl From<app::Said> for Said {
    fn from(said: app::Said) -> Self {
        Self { conversation: said.conversation.id, question: said.question.into(), answer: said.answer.into() }
    }
}
