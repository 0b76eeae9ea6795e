//! From a conversation to the ids that the model reads.

use std::fmt;

use serde_json::{Value, json};

use crate::Error;
use crate::codec::Codec;
use crate::conversation::{Message, Role};
use crate::fold::fold_system;
use crate::markers::{CLOSE_THOUGHT, OPEN_THOUGHT};
use crate::mask::Mask;
use crate::template::Template;
use crate::tools;

/// What a prompt asks of the template; the fields are called as the template calls them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PromptOptions<'a> {
    /// Open the model's turn at the end, so that what follows is its answer.
    pub add_generation_prompt: bool,
    /// Let the model think before it answers.
    pub enable_thinking: bool,
    /// Let the model read again what it thought before it called a tool, even in earlier turns.
    pub preserve_thinking: bool,
    /// The tools that the model may call, each as the chat-completions API declares it:
    /// `{"type": "function", "function": {"name", "description", "parameters"}}`.
    pub tools: &'a [Value],
}

impl Default for PromptOptions<'_> {
    /// The model answers at once, and without tools.
    fn default() -> Self {
        Self { add_generation_prompt: true, enable_thinking: false, preserve_thinking: false, tools: &[] }
    }
}

/// A conversation, ready for the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// What the model reads. Starts with exactly one BOS if the tokenizer has one.
    pub ids: Vec<u32>,
    /// Where the model's turn begins among them. The next prompt of this conversation is like this one up to there, and
    /// perhaps no further: a template may write an answer otherwise in the history than where it is asked for.
    pub turn: usize,
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
    /// The template makes no difference between thinking and answering at once.
    NoThinking,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoTemplate => "This checkpoint has no chat template: it continues your text instead of answering it.",
            Self::SystemFolded => {
                "This checkpoint's template has no system role: the system text opens your message instead."
            }
            Self::NoThinking => "This checkpoint's template has no thinking: the model answers at once.",
        })
    }
}

pub(crate) fn prompt(codec: &Codec, messages: &[Message], options: PromptOptions) -> Result<Prompt, Error> {
    let template = codec.template();
    // As JSON, for it holds every character of every text.
    let texts = json!([messages, options.tools]).to_string();
    let mask = Mask::new(
        codec.markers().control.values().map(String::as_str),
        [texts.as_str()].into_iter().chain(template.map(Template::source)),
    );
    let cover = |text: &str| mask.cover(text);
    let covered: Vec<Message> = messages.iter().map(|message| spoken(codec, message).mapped(&cover)).collect();
    let tools: Vec<Value> = options.tools.iter().map(|tool| tools::mapped(tool, &cover)).collect();

    let Rendered { text, history, notes } = if let Some(template) = template {
        render(codec, template, &covered, PromptOptions { tools: &tools, ..options })?
    } else {
        let bodies: Vec<_> = covered.iter().map(|message| message.content.text()).collect();
        Rendered { text: bodies.join("\n"), history: None, notes: vec![Note::NoTemplate] }
    };

    let (pieces, history) = (mask.lift(&text), history.map(|history| mask.lift(&history).concat()));
    let text = pieces.concat();
    let turn = history.map_or(text.len(), |history| common_prefix(&text, &history));
    let (ids, turn) = encode(codec, &pieces, turn)?;
    Ok(Prompt { ids, turn, text, notes })
}

/// What a template makes of a conversation.
struct Rendered {
    text: String,
    /// The same without the opening of the model's turn. Of a template that refuses that, nobody knows where one opens.
    history: Option<String>,
    notes: Vec<Note>,
}

/// Renders the conversation, and notes what the template cannot do for it.
fn render(codec: &Codec, template: &Template, messages: &[Message], options: PromptOptions) -> Result<Rendered, Error> {
    let render = |options| with_system(messages, |messages| template.render(messages, options, codec.markers()));
    let (text, mut notes) = render(options)?;
    if options.enable_thinking {
        let at_once = render(PromptOptions { enable_thinking: false, ..options });
        notes.extend(at_once.is_ok_and(|(at_once, _)| at_once == text).then_some(Note::NoThinking));
    }
    let history = render(PromptOptions { add_generation_prompt: false, ..options }).ok().map(|(history, _)| history);
    Ok(Rendered { text, history, notes })
}

/// Ids of the pieces behind exactly one BOS, and how many of them end within the first `length` bytes.
fn encode(codec: &Codec, pieces: &[String], length: usize) -> Result<(Vec<u32>, usize), Error> {
    let (mut ids, mut within, mut start) = (Vec::new(), 0, 0);
    for piece in pieces {
        let (more, more_within) = codec.encode_within(piece, length.saturating_sub(start))?;
        start += piece.len();
        within += more_within;
        ids.extend(more);
    }
    let found = ids.len();
    let ids = codec.with_one_bos(ids);
    let within = (within + ids.len()).saturating_sub(found);
    Ok((ids, within))
}

/// How many bytes two texts begin with alike.
fn common_prefix(a: &str, b: &str) -> usize {
    a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count()
}

/// Renders as is, or with the system text folded away when the template refuses or ignores it.
fn with_system(
    messages: &[Message],
    render: impl Fn(&[Message]) -> Result<String, Error>,
) -> Result<(String, Vec<Note>), Error> {
    let rendered = render(messages);
    let (system, others): (Vec<_>, Vec<_>) = messages.iter().cloned().partition(Message::is_system);
    if system.is_empty() {
        return Ok((rendered?, Vec::new()));
    }
    let says_something = system.iter().any(|message| !message.content.text().trim().is_empty());
    match rendered {
        Ok(text) if !says_something || render(&others).ok().as_ref() != Some(&text) => Ok((text, Vec::new())),
        _ => Ok((render(&fold_system(messages))?, vec![Note::SystemFolded])),
    }
}

/// The message without the thoughts of an earlier answer: a thought is not read again, and its markers would otherwise
/// turn into text. This is the publisher's own rule for model turns.
fn spoken(codec: &Codec, message: &Message) -> Message {
    if message.role != Role::Assistant || !codec.markers().thinks() {
        return message.clone();
    }
    let without_thoughts = |text: &str| {
        let parts = text.split(CLOSE_THOUGHT);
        parts.map(|part| part.split_once(OPEN_THOUGHT).map_or(part, |(answer, _)| answer)).collect()
    };
    Message { content: message.content.mapped(&without_thoughts), ..message.clone() }
}
