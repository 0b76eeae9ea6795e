//! The text of one answer while its tokens arrive.

use crate::bytes::Characters;
use crate::codec::Codec;
use crate::stops::StopStrings;

/// The streaming detokenizer of one answer.
///
/// All pieces and [`Stream::finish`], together, are [`Codec::decode`] of all tokens, cut before the
/// stop string that is completed first. The cost of a token does not grow with the answer.
pub struct Stream {
    codec: Codec,
    characters: Characters,
    stops: StopStrings,
}

/// What one token made certain.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Piece {
    /// Text to show now; often empty, because half a character or of a stop string waits.
    pub text: String,
    /// The stop string that this token completed: the answer is over, and later tokens are ignored.
    pub stop: Option<String>,
}

impl Stream {
    pub(crate) fn new(codec: Codec, stop_strings: Vec<String>) -> Self {
        Self { codec, characters: Characters::default(), stops: StopStrings::new(stop_strings) }
    }

    /// Takes the next token. A control token has no text, nor has an id outside the vocabulary.
    pub fn push(&mut self, token: u32) -> Piece {
        let bytes = self.codec.token_bytes(token);
        let (text, stop) = self.stops.push(&self.characters.push(&bytes));
        Piece { text, stop }
    }

    /// The rest of the text, however the answer ended; bytes that never became a character are
    /// U+FFFD.
    #[must_use]
    pub fn finish(mut self) -> String {
        let (text, _) = self.stops.push(&self.characters.finish());
        text + &self.stops.finish()
    }
}
