//! What a conversation is before it becomes a prompt.

use serde::{Deserialize, Serialize};

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Whoever set the conversation up.
    System,
    /// The person.
    User,
    /// The model.
    Assistant,
}

impl Role {
    /// The name that chat templates know the role by.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

/// One turn of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Who says it.
    pub role: Role,
    /// What is said.
    pub content: String,
}

impl Message {
    /// A message in one line.
    pub fn new(role: Role, content: impl Into<String>) -> Self {
        Self { role, content: content.into() }
    }
}

/// The same conversation without system turns: each system text opens the next user turn, or makes
/// one of its own when none follows.
pub(crate) fn fold_system(messages: &[Message]) -> Vec<Message> {
    let mut folded = Vec::new();
    let mut waiting = Vec::new();
    for message in messages {
        match message.role {
            Role::System => waiting.push(message.content.trim()),
            Role::User => {
                waiting.push(&message.content);
                folded.push(Message::new(Role::User, paragraphs(&waiting)));
                waiting.clear();
            }
            Role::Assistant => folded.push(message.clone()),
        }
    }
    if !waiting.is_empty() {
        folded.push(Message::new(Role::User, paragraphs(&waiting)));
    }
    folded
}

fn paragraphs(texts: &[&str]) -> String {
    let spoken: Vec<&str> = texts.iter().copied().filter(|text| !text.is_empty()).collect();
    spoken.join("\n\n")
}
