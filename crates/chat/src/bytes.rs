//! A token is a handful of bytes, and not always whole characters.

use tokenizers::decoders::DecoderWrapper;
use tokenizers::{Decoder, Tokenizer};

/// How this tokenizer writes bytes inside its tokens.
pub(crate) struct TokenBytes {
    /// Each character of a token is one byte in disguise (the scheme of GPT-2).
    disguised: bool,
    /// A token `<0xE2>` is the byte E2.
    fallback: bool,
}

impl TokenBytes {
    pub(crate) fn new(tokenizer: &Tokenizer) -> Self {
        let uses = |wanted| tokenizer.get_decoder().is_some_and(|decoder| contains(decoder, wanted));
        Self {
            disguised: uses(|decoder| matches!(decoder, DecoderWrapper::ByteLevel(_))),
            fallback: uses(|decoder| matches!(decoder, DecoderWrapper::ByteFallback(_))),
        }
    }

    /// The bytes that a token adds in the middle of a text. They do not depend on its neighbours,
    /// which is what makes streaming cheap; a leading space is kept.
    pub(crate) fn of(&self, tokenizer: &Tokenizer, token: &str) -> Vec<u8> {
        if self.disguised {
            let bytes: Option<Vec<u8>> = token.chars().map(undisguised).collect();
            return bytes.unwrap_or_else(|| token.into());
        }
        if let Some(byte) = self.fallback.then(|| fallback_byte(token)).flatten() {
            return vec![byte];
        }
        // Some decoders treat the first token of a text differently: give them another first.
        let text_of = |tokens: &[&str]| {
            let tokens = tokens.iter().map(ToString::to_string).collect();
            Some(tokenizer.get_decoder()?.decode_chain(tokens).ok()?.concat())
        };
        let text = text_of(&["a", token]).and_then(|both| Some(both.strip_prefix(&text_of(&["a"])?)?.to_owned()));
        text.unwrap_or_else(|| token.to_owned()).into_bytes()
    }
}

fn contains(decoder: &DecoderWrapper, wanted: fn(&DecoderWrapper) -> bool) -> bool {
    match decoder {
        DecoderWrapper::Sequence(all) => all.get_decoders().iter().any(|one| contains(one, wanted)),
        one => wanted(one),
    }
}

fn fallback_byte(token: &str) -> Option<u8> {
    let digits = token.strip_prefix("<0x")?.strip_suffix('>')?;
    let two_digits = digits.len() == 2 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    two_digits.then(|| u8::from_str_radix(digits, 16).ok()).flatten()
}

/// Printable Latin-1 characters stand for themselves; the other 68 bytes, in order, for U+0100 on.
fn undisguised(character: char) -> Option<u8> {
    let printable = |byte: u8| matches!(byte, b'!'..=b'~' | 0xA1..=0xAC | 0xAE..=0xFF);
    if let Ok(byte) = u8::try_from(character) {
        return printable(byte).then_some(byte);
    }
    let index = usize::try_from(u32::from(character) - 0x100).ok()?;
    (0..=0xFF).filter(|&byte| !printable(byte)).nth(index)
}

/// Turns bytes into characters as they arrive. All that it returns, together, is
/// [`String::from_utf8_lossy`] of all bytes: a broken character never harms its neighbours.
#[derive(Default)]
pub(crate) struct Characters {
    waiting: Vec<u8>,
}

impl Characters {
    /// The characters that are complete now; half a character waits.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> String {
        self.waiting.extend_from_slice(bytes);
        let complete = self.waiting.len() - half_character(&self.waiting);
        let text = String::from_utf8_lossy(&self.waiting[..complete]).into_owned();
        self.waiting.drain(..complete);
        text
    }

    /// What still waits, as U+FFFD.
    pub(crate) fn finish(&mut self) -> String {
        String::from_utf8_lossy(&std::mem::take(&mut self.waiting)).into_owned()
    }
}

/// How many bytes at the end are the beginning of a character that could still be completed.
fn half_character(bytes: &[u8]) -> usize {
    let mut start = 0;
    loop {
        match std::str::from_utf8(&bytes[start..]) {
            Ok(_) => return 0,
            Err(error) => match error.error_len() {
                Some(broken) => start += error.valid_up_to() + broken,
                None => return bytes.len() - start - error.valid_up_to(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use tokenizers::pre_tokenizers::byte_level::ByteLevel;

    use super::*;

    #[test]
    fn every_disguised_byte_is_recognised() {
        let bytes: BTreeSet<u8> = ByteLevel::alphabet().into_iter().filter_map(undisguised).collect();
        assert_eq!(bytes.len(), 256);
        assert_eq!(['!', 'Ġ', 'Ċ', 'ġ', 'Ń', 'ÿ'].map(undisguised), [b'!', b' ', b'\n', 0x7F, 0xAD, 0xFF].map(Some));
        assert_eq!([' ', '▁', '\u{144}'].map(undisguised), [None; 3]);
    }

    #[test]
    fn only_two_hexadecimal_digits_make_a_fallback_byte() {
        assert_eq!(fallback_byte("<0xE2>"), Some(0xE2));
        for token in ["<0x>", "<0xE>", "<0xE2", "<0xGG>", "<0xé>", "<0x+1>", "0xE2"] {
            assert_eq!(fallback_byte(token), None, "{token}");
        }
    }
}
