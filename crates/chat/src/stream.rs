//! The text of one answer while its tokens arrive.

use crate::bytes::Characters;
use crate::codec::Codec;
use crate::markers::Turn;
use crate::stops::StopStrings;
use crate::thoughts::Thoughts;

/// The streaming detokenizer of one answer.
///
/// It tells apart what the model answers, what it thinks and what it calls by the ids of the markers around them, never
/// by text that looks like one; a tokenizer without these markers only answers. The outcome does not depend on how the
/// tokens cut the text, and the cost of a token does not grow with the answer.
///
/// All answers and that of [`Stream::finish`], together, are [`Codec::decode`] of the answer's tokens, cut before the
/// stop string that is completed first, and without newlines between a thought and the answer that it leads to. Stop
/// strings are looked for in the answer alone: a thought that mentions one would otherwise leave nothing to read.
pub struct Stream {
    codec: Codec,
    characters: Characters,
    thinking: bool,
    thoughts: Thoughts,
    /// The tool call that is being written, as far as it is.
    call: Option<String>,
    /// There is text of the answer.
    answered: bool,
    /// A thought has led to the answer.
    led: bool,
    stops: StopStrings,
}

/// What one token made certain.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Piece {
    /// Answer to show now; often empty, because half a character or of a stop string waits.
    pub answer: String,
    /// Thought to show now, without the markers and the channel's name around it.
    pub thought: String,
    /// The tool call that this token completed, in the model's own notation and with its inner markers.
    pub tool_call: Option<String>,
    /// The stop string that this token completed: the answer is over, and later tokens are ignored.
    pub stop: Option<String>,
}

/// What was left when the tokens ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rest {
    /// The end of the answer. Bytes that never became a character are U+FFFD.
    pub answer: String,
    /// The end of the thought.
    pub thought: String,
    /// The tool call that was begun and not completed.
    pub tool_call: Option<String>,
    /// Whether the model was answering when the tokens ended, and not still thinking or calling a tool.
    pub complete: bool,
}

impl Stream {
    pub(crate) fn new(codec: &Codec, prompt: &[u32], stop_strings: Vec<String>) -> Self {
        let markers = codec.markers();
        let last = prompt.iter().rposition(|id| markers.control.contains_key(id)).unwrap_or(prompt.len());
        let open = prompt.get(last).and_then(|id| markers.turns.get(id)) == Some(&Turn::OpenThought);
        let thought: &[u32] = if open { &prompt[last..] } else { &[] };
        let mut stream = Self {
            characters: Characters::default(),
            thinking: false,
            thoughts: Thoughts::default(),
            call: None,
            answered: false,
            led: false,
            stops: StopStrings::new(stop_strings),
            codec: codec.clone(),
        };
        // What the prompt says of the thought is not the model's, but it may leave the channel's name open.
        for &id in thought {
            stream.push(id);
        }
        stream.thoughts.given();
        stream
    }

    /// Takes the next token. A control token has no text, nor has an id outside the vocabulary.
    pub fn push(&mut self, token: u32) -> Piece {
        let mut piece = Piece::default();
        if self.stops.found() {
            return piece;
        }
        let turn = self.codec.markers().turns.get(&token).copied();
        if let Some(turn) = turn.filter(|&turn| self.can(turn)) {
            // A character does not go on behind a turn.
            let rest = self.characters.finish();
            self.say(&rest, &mut piece);
            self.turn(turn, &mut piece);
        } else {
            let writing_call = self.call.is_some();
            let bytes = if writing_call { self.codec.raw_bytes(token) } else { self.codec.token_bytes(token) };
            let text = self.characters.push(&bytes);
            self.say(&text, &mut piece);
        }
        piece
    }

    /// The rest, however the tokens ended.
    #[must_use]
    pub fn finish(mut self) -> Rest {
        let mut piece = Piece::default();
        let rest = self.characters.finish();
        self.say(&rest, &mut piece);
        piece.thought.push_str(&self.thoughts.close());
        let complete = self.stops.found() || !self.thinking && self.call.is_none();
        let answer = piece.answer + &self.stops.finish();
        Rest { answer, thought: piece.thought, tool_call: self.call, complete }
    }

    /// Whether a marker means something here. In the answer, the end of a thought that never began is ignored; within a
    /// tool call, every other marker is a part of it.
    fn can(&self, turn: Turn) -> bool {
        match turn {
            Turn::OpenThought | Turn::OpenToolCall => self.call.is_none(),
            Turn::CloseThought => self.call.is_none() && self.thinking,
            Turn::CloseToolCall => self.call.is_some(),
        }
    }

    fn turn(&mut self, turn: Turn, piece: &mut Piece) {
        match turn {
            Turn::OpenThought => {
                piece.thought.push_str(&self.thoughts.close());
                self.thinking = true;
                self.thoughts.open();
            }
            Turn::CloseThought => {
                piece.thought.push_str(&self.thoughts.close());
                self.thinking = false;
                self.led = true;
            }
            Turn::OpenToolCall => self.call = Some(String::new()),
            Turn::CloseToolCall => piece.tool_call = self.call.take(),
        }
    }

    /// Adds text to whatever the model is writing.
    fn say(&mut self, text: &str, piece: &mut Piece) {
        if let Some(call) = &mut self.call {
            call.push_str(text);
        } else if self.thinking {
            piece.thought.push_str(&self.thoughts.push(text));
        } else {
            let begins = self.led && !self.answered;
            let text = if begins { text.trim_start_matches('\n') } else { text };
            self.answered |= !text.is_empty();
            (piece.answer, piece.stop) = self.stops.push(text);
        }
    }
}
