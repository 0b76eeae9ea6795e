//! What an answer's tokens say: the answer, the thought before it, and the tools it calls.

use std::ops::ControlFlow;

use chat::Stream;
use decode::{Finish, Token};
use serde::{Deserialize, Serialize};

/// What a model was still writing, instead of its answer, when it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unfinished {
    /// A thought, so there is no answer, or not all of it.
    Thought,
    /// The call of a tool.
    ToolCall,
}

impl Unfinished {
    /// What the user should know of it, in a sentence.
    pub(crate) fn sentence(self, finish: Finish) -> String {
        let end = match finish {
            Finish::Length => "The budget was used up",
            Finish::Context => "The context was full",
            Finish::Cancelled => "The answer was stopped",
            Finish::Eos | Finish::StopString | Finish::Padding => "The answer ended",
        };
        let what = match self {
            Self::Thought => "thinking",
            Self::ToolCall => "calling a tool",
        };
        format!("{end} while the model was {what}.")
    }
}

/// What some tokens say.
#[derive(Debug, Default)]
pub(crate) struct Written {
    pub(crate) thought: String,
    pub(crate) text: String,
    pub(crate) tool_calls: Vec<String>,
    pub(crate) unfinished: Option<Unfinished>,
}

/// An answer while it is written: all of it, and what is new since it was last asked for.
pub(crate) struct Writing {
    stream: Stream,
    all: Written,
    new: Written,
}

impl Writing {
    pub(crate) fn new(stream: Stream) -> Self {
        Self { stream, all: Written::default(), new: Written::default() }
    }

    /// Takes the next token; a stop string ends the answer.
    pub(crate) fn push(&mut self, token: Token) -> ControlFlow<()> {
        let piece = self.stream.push(token);
        self.new.thought.push_str(&piece.thought);
        self.new.text.push_str(&piece.answer);
        self.new.tool_calls.extend(piece.tool_call);
        if piece.stop.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// What is new.
    pub(crate) fn take(&mut self) -> Written {
        let new = std::mem::take(&mut self.new);
        self.all.thought.push_str(&new.thought);
        self.all.text.push_str(&new.text);
        self.all.tool_calls.extend_from_slice(&new.tool_calls);
        new
    }

    /// All of it, with what was held back until the end.
    pub(crate) fn finish(mut self) -> Written {
        self.take();
        let rest = self.stream.finish();
        let unfinished = if rest.tool_call.is_some() { Unfinished::ToolCall } else { Unfinished::Thought };
        let Written { thought, text, mut tool_calls, .. } = self.all;
        tool_calls.extend(rest.tool_call);
        Written {
            thought: thought + &rest.thought,
            text: text + &rest.answer,
            tool_calls,
            unfinished: (!rest.complete).then_some(unfinished),
        }
    }
}
