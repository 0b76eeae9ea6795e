//! What a conversation is before it becomes a prompt. Its JSON is that of the usual chat-completions API, which is
//! also what chat templates read.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize};

use crate::tools::ToolCall;

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Whoever set the conversation up.
    System,
    /// The same, as newer programs call it.
    Developer,
    /// The person.
    User,
    /// The model.
    #[serde(alias = "model")]
    Assistant,
    /// A tool that the model called.
    Tool,
}

/// One turn of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Who says it.
    pub role: Role,
    /// What is said. A missing one is empty, as in a turn that only calls tools.
    #[serde(default, deserialize_with = "empty_if_null")]
    pub content: Content,
    /// What the model thought before it said this. Templates decide whether it is read again.
    // Templates of several families know it by this name, which Gemma 4's takes as well as `reasoning`.
    #[serde(rename = "reasoning_content", alias = "reasoning", default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// The tools that the model called in this turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// For the result of a tool: the call that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// For the result of a tool: the tool's name, which matters where the call itself is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl Message {
    /// A message that only says something.
    pub fn new(role: Role, content: impl Into<Content>) -> Self {
        let content = content.into();
        Self { role, content, reasoning: None, tool_calls: Vec::new(), tool_call_id: None, name: None }
    }

    /// The same message with every text in it, names too, replaced by what `map` makes of it.
    pub(crate) fn mapped(&self, map: &impl Fn(&str) -> String) -> Self {
        let Self { role, content, reasoning, tool_calls, tool_call_id, name } = self;
        let optional = |text: &Option<String>| text.as_deref().map(map);
        Self {
            role: *role,
            content: content.mapped(map),
            reasoning: optional(reasoning),
            tool_calls: tool_calls.iter().map(|call| call.mapped(map)).collect(),
            tool_call_id: optional(tool_call_id),
            name: optional(name),
        }
    }

    /// Whether it sets the conversation up instead of taking part in it.
    pub(crate) fn is_system(&self) -> bool {
        matches!(self.role, Role::System | Role::Developer)
    }
}

/// What a message says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, expecting = "content must be a text, or a list of text, image, audio and video parts")]
pub enum Content {
    /// A text.
    Text(String),
    /// Texts, and places of other media among them.
    Parts(Vec<Part>),
}

impl Content {
    /// Its text. Texts of several parts follow each other directly; other media are left out.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => Cow::Borrowed(text),
            Self::Parts(parts) => parts.iter().filter_map(Part::text).collect(),
        }
    }

    pub(crate) fn mapped(&self, map: &impl Fn(&str) -> String) -> Self {
        match self {
            Self::Text(text) => Self::Text(map(text)),
            Self::Parts(parts) => Self::Parts(parts.iter().map(|part| part.mapped(map)).collect()),
        }
    }
}

impl Default for Content {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

impl<T: Into<String>> From<T> for Content {
    fn from(text: T) -> Self {
        Self::Text(text.into())
    }
}

/// A part of what a message says. Other media than text become the template's placeholders; what they show is not kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Part {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// A picture.
    #[serde(alias = "image_url")]
    Image,
    /// A sound.
    #[serde(alias = "input_audio")]
    Audio,
    /// A film.
    #[serde(alias = "video_url")]
    Video,
}

impl Part {
    fn text(&self) -> Option<&str> {
        match self {
            Self::Text { text } => Some(text),
            Self::Image | Self::Audio | Self::Video => None,
        }
    }

    fn mapped(&self, map: &impl Fn(&str) -> String) -> Self {
        self.text().map_or_else(|| self.clone(), |text| Self::Text { text: map(text) })
    }
}

fn empty_if_null<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Content, D::Error> {
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}
