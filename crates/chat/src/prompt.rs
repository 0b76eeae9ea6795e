//! From a conversation to the ids that the model reads.

use std::fmt;

use crate::Error;
use crate::codec::Codec;
use crate::conversation::{Message, Role, fold_system};
use crate::mask::Mask;
use crate::template::Template;

/// What a prompt asks of the template; the fields are called as the template calls them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PromptOptions {
    /// Open the model's turn at the end, so that what follows is its answer.
    pub add_generation_prompt: bool,
    /// Let the model think before it answers.
    pub enable_thinking: bool,
}

impl Default for PromptOptions {
    /// The model answers at once.
    fn default() -> Self {
        Self { add_generation_prompt: true, enable_thinking: false }
    }
}

/// A conversation, ready for the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// What the model reads. Starts with exactly one BOS if the tokenizer has one.
    pub ids: Vec<u32>,
    /// The same as text. A marker in it is a control token only if the template wrote it.
    pub text: String,
    /// What the user should know about how this prompt came to be.
    pub notes: Vec<Note>,
}

/// A liberty taken with the conversation, for the user to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// The checkpoint has no chat template, so the model continues the plain text.
    NoTemplate,
    /// The template has no system turn, so its text opens the user's turn.
    SystemFolded,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoTemplate => "This checkpoint has no chat template: it continues your text instead of answering it.",
            Self::SystemFolded => {
                "This checkpoint's template has no system role: the system text opens your message instead."
            }
        })
    }
}

pub(crate) fn prompt(codec: &Codec, messages: &[Message], options: PromptOptions) -> Result<Prompt, Error> {
    let template = codec.template();
    let bodies = messages.iter().map(|message| message.content.as_str());
    let mask =
        Mask::new(codec.markers().control.values().map(String::as_str), bodies.chain(template.map(Template::source)));
    let covered: Vec<Message> =
        messages.iter().map(|message| Message::new(message.role, mask.cover(&spoken(codec, message)))).collect();

    let (rendered, notes) = if let Some(template) = template {
        render(codec, template, &covered, options)?
    } else {
        let bodies: Vec<&str> = covered.iter().map(|message| message.content.as_str()).collect();
        (bodies.join("\n"), vec![Note::NoTemplate])
    };

    let pieces = mask.lift(&rendered);
    let mut ids = Vec::new();
    for piece in &pieces {
        ids.extend(codec.encode(piece)?);
    }
    Ok(Prompt { ids: codec.with_one_bos(ids), text: pieces.concat(), notes })
}

/// Renders as is, or with the system text folded away when the template refuses or ignores it.
fn render(
    codec: &Codec,
    template: &Template,
    messages: &[Message],
    options: PromptOptions,
) -> Result<(String, Vec<Note>), Error> {
    let render = |messages: &[Message]| template.render(messages, options, codec.markers());
    let rendered = render(messages);
    let (system, others): (Vec<_>, Vec<_>) = messages.iter().cloned().partition(|message| message.role == Role::System);
    if system.is_empty() {
        return Ok((rendered?, Vec::new()));
    }
    let says_something = system.iter().any(|message| !message.content.trim().is_empty());
    match rendered {
        Ok(text) if !says_something || render(&others).ok().as_ref() != Some(&text) => Ok((text, Vec::new())),
        _ => Ok((render(&fold_system(messages))?, vec![Note::SystemFolded])),
    }
}

/// The body without the thoughts of an earlier answer: a thought is not read again, and its markers
/// would otherwise turn into text. This is the publisher's own rule for model turns.
fn spoken(codec: &Codec, message: &Message) -> String {
    const OPEN: &str = "<|channel>";
    const CLOSE: &str = "<channel|>";
    if message.role != Role::Assistant || !codec.markers().has(OPEN) || !codec.markers().has(CLOSE) {
        return message.content.clone();
    }
    let parts = message.content.split(CLOSE);
    parts.map(|part| part.split_once(OPEN).map_or(part, |(answer, _)| answer)).collect()
}
