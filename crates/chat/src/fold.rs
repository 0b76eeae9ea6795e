//! Conversations for templates that know no system role.

use crate::conversation::{Content, Message, Part, Role};

/// The same conversation without system turns: each system text opens the next user turn, or makes one of its own when
/// none follows.
pub(crate) fn fold_system(messages: &[Message]) -> Vec<Message> {
    let mut folded = Vec::new();
    let mut waiting = Vec::new();
    for message in messages {
        if message.is_system() {
            waiting.push(message.content.text().trim().to_owned());
        } else if message.role == Role::User {
            let content = opened(&std::mem::take(&mut waiting), &message.content);
            folded.push(Message { content, ..message.clone() });
        } else {
            folded.push(message.clone());
        }
    }
    if !waiting.is_empty() {
        folded.push(Message::new(Role::User, paragraphs(&waiting)));
    }
    folded
}

/// What the user says, behind what the system said.
fn opened(system: &[String], said: &Content) -> Content {
    match said {
        _ if system.is_empty() => said.clone(),
        Content::Text(text) => paragraphs(system.iter().chain([text])).into(),
        Content::Parts(parts) => {
            let opening = Part::Text { text: paragraphs(system) };
            Content::Parts([&[opening], parts.as_slice()].concat())
        }
    }
}

fn paragraphs<'t>(texts: impl IntoIterator<Item = &'t String>) -> String {
    let spoken: Vec<&str> = texts.into_iter().map(String::as_str).filter(|text| !text.is_empty()).collect();
    spoken.join("\n\n")
}
