//! Conversations and their messages.

use app::{State, StoredMessage};
use serde::{Deserialize, Serialize};
use specta::Type;

use super::{Outcome, failure::code, sentence};

/// A conversation in the list.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Conversation {
    id: i64,
    /// The beginning of what was said first, or what the user calls it.
    title: String,
    /// Whether it stands before those that are not.
    pinned: bool,
    /// Short texts to find it by.
    tags: Vec<String>,
    /// What the models are told before anything is said; often empty.
    system: String,
    /// The target that answered last, while it is registered.
    target: Option<String>,
    /// The drafter used last, while it is registered, or `lookup`.
    drafter: Option<String>,
    /// When something was said last; milliseconds since 1970.
    updated_at: i64,
}

impl From<app::Conversation> for Conversation {
    fn from(conversation: app::Conversation) -> Self {
        let app::Conversation { id, title, pinned, tags, system, target_id, drafter, updated_at, .. } = conversation;
        Self { id, title, pinned, tags, system, target: target_id, drafter, updated_at }
    }
}

/// As what a conversation is saved for others.
#[derive(Clone, Copy, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum ConversationExport {
    /// The branch that is shown, for people.
    Markdown,
    /// Every branch, and how each answer came about, for programs.
    Json,
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
    /// All messages that follow the same one, itself among them, in the order in which they came: each is the beginning of
    /// a branch.
    siblings: Vec<i64>,
    author: Author,
    /// What the model thought before it answered; often empty.
    thought: String,
    text: String,
    /// Text files that go with it.
    attachments: Vec<Attachment>,
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
            siblings: message.siblings,
            author: match message.author {
                app::Author::User => Author::User,
                app::Author::Assistant => Author::Assistant,
            },
            thought: message.thought,
            text: message.text,
            attachments: message.attachments.into_iter().map(Attachment::from).collect(),
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
    /// An answer of which the database knows no end, nor any other answer.
    pub(crate) fn failed(id: i64, thought: String, text: String, why: &str) -> Self {
        Self {
            id,
            siblings: vec![id],
            author: Author::Assistant,
            thought,
            text,
            attachments: Vec::new(),
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

/// A text file that goes with a question.
#[derive(Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Attachment {
    /// What the file is called, without its folder.
    name: String,
    text: String,
}

impl From<app::Attachment> for Attachment {
    fn from(app::Attachment { name, text }: app::Attachment) -> Self {
        Self { name, text }
    }
}

impl From<Attachment> for app::Attachment {
    fn from(Attachment { name, text }: Attachment) -> Self {
        Self { name, text }
    }
}

/// What is typed and attached in a conversation, and not sent yet.
#[derive(Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UnsentMessage {
    /// Null is the new chat.
    conversation: Option<i64>,
    text: String,
    attachments: Vec<Attachment>,
    /// What the models of the new chat are to be told before; empty for a conversation, which has its own.
    system: String,
}

impl From<app::UnsentMessage> for UnsentMessage {
    fn from(message: app::UnsentMessage) -> Self {
        let app::UnsentMessage { conversation_id: conversation, text, attachments, system } = message;
        Self { conversation, text, attachments: attachments.into_iter().map(Attachment::from).collect(), system }
    }
}

impl From<UnsentMessage> for app::UnsentMessage {
    fn from(message: UnsentMessage) -> Self {
        let UnsentMessage { conversation: conversation_id, text, attachments, system } = message;
        let attachments = attachments.into_iter().map(app::Attachment::from).collect();
        Self { conversation_id, text, attachments, system }
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

/// A conversation in which something was found.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Found {
    conversation: Conversation,
    /// Where: in its title, and in the messages that it suits best, at most three places in all.
    passages: Vec<Passage>,
}

/// A passage in which something was found.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Passage {
    /// The message that it stands in, on whatever branch; null for the title.
    message: Option<i64>,
    /// Its text, cut where something that was looked for begins or ends.
    pieces: Vec<Piece>,
}

/// A piece of a passage: plain text.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Piece {
    text: String,
    /// Whether it is what was looked for.
    matches: bool,
}

impl From<app::Found> for Found {
    fn from(found: app::Found) -> Self {
        let passages = found.passages.into_iter().map(Passage::from).collect();
        Self { conversation: found.conversation.into(), passages }
    }
}

impl From<app::Passage> for Passage {
    fn from(passage: app::Passage) -> Self {
        let piece = |app::Piece { text, matches }| Piece { text, matches };
        Self { message: passage.message, pieces: passage.pieces.into_iter().map(piece).collect() }
    }
}
