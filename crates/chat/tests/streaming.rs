//! From the ids of an answer to its text, token by token.

#![expect(clippy::unwrap_used, reason = "a text that does not encode fails its test")]

mod support;

use chat::{Codec, Piece};
use support::{END_TURN, byte, codec};

/// Streams the tokens; returns the text and the stop string that ended it.
fn streamed(codec: &Codec, tokens: &[u32], stops: &[&str]) -> (String, Option<String>) {
    let mut stream = codec.stream(&[], stops.iter().map(ToString::to_string).collect());
    let mut text = String::new();
    let mut ended_by = None;
    for &token in tokens {
        let piece = stream.push(token);
        assert!(ended_by.is_none() || piece == Piece::default(), "text after the stop string");
        text += &piece.answer;
        ended_by = ended_by.or(piece.stop);
    }
    (text + &stream.finish().answer, ended_by)
}

/// The text before the stop string that is completed first, by the definition itself.
fn cut<'t>(text: &'t str, stops: &[&str]) -> &'t str {
    let ends = text.char_indices().map(|(start, c)| start + c.len_utf8());
    let found = |end: usize| stops.iter().filter(|stop| text[..end].ends_with(**stop)).map(|stop| stop.len()).max();
    ends.into_iter().find_map(|end| Some(&text[..end - found(end)?])).unwrap_or(text)
}

fn token(codec: &Codec, text: &str) -> u32 {
    let ids = codec.complete(text).unwrap();
    assert_eq!(ids.len(), 2, "{text:?} is one token");
    ids[1]
}

#[test]
fn every_short_sequence_streams_to_its_decoding_cut_at_the_first_stop() {
    let codec = codec(&[]);
    let mut alphabet: Vec<u32> = ["a", "ab", "bc", "c", " the"].map(|t| token(&codec, t)).to_vec();
    alphabet.extend([0xE2, 0x82, 0xAC, b'a'].map(byte));
    alphabet.extend([END_TURN, 99_999]);
    let stop_sets: [&[&str]; 4] = [&[], &["ab", "bca"], &["aba", "b", "€"], &["\u{FFFD}a", " thea", ""]];
    let sequences = alphabet.len().pow(4);
    for number in 0..sequences {
        let digits = (0..4).map(|place| number / alphabet.len().pow(place) % alphabet.len());
        let tokens: Vec<u32> = digits.map(|digit| alphabet[digit]).collect();
        let whole = codec.decode(&tokens);
        for stops in stop_sets {
            let stops: Vec<&str> = stops.iter().copied().filter(|stop| !stop.is_empty()).collect();
            let (text, ended_by) = streamed(&codec, &tokens, &stops);
            assert_eq!(text, cut(&whole, &stops), "{tokens:?} {stops:?}");
            assert!(ended_by.is_none_or(|stop| whole[text.len()..].starts_with(&stop)));
        }
    }
}

#[test]
fn a_text_cut_into_bytes_anywhere_comes_back_whole() {
    let codec = codec(&[]);
    let text = "Grüße 👩‍👩‍👧 日本語\n  two spaces";
    let tokens: Vec<u32> = text.bytes().map(byte).collect();
    for end in 0..=tokens.len() {
        let expected = String::from_utf8_lossy(&text.as_bytes()[..end]).into_owned();
        assert_eq!(streamed(&codec, &tokens[..end], &[]).0, expected);
    }
}

#[test]
fn half_a_character_waits_and_a_whole_one_does_not() {
    let mut stream = codec(&[]).stream(&[], Vec::new());
    let pieces = [0xF0, 0x9F, 0x91, 0x8B, 0xF0, b'!'].map(|b| stream.push(byte(b)).answer);
    assert_eq!(pieces, ["", "", "", "👋", "", "\u{FFFD}!"]);
    assert_eq!(stream.finish().answer, "");
}

#[test]
fn the_rest_is_flushed_when_an_answer_ends_in_the_middle() {
    let codec = codec(&[]);
    let mut tokens = codec.complete("the en").unwrap();
    tokens.push(byte(0xE6));
    assert_eq!(streamed(&codec, &tokens, &["end"]).0, "the en\u{FFFD}");
}

#[test]
fn a_stop_string_is_held_back_no_longer_than_it_may_still_come() {
    let codec = codec(&[]);
    let mut stream = codec.stream(&[], vec!["abc".to_owned(), "bd".to_owned()]);
    let pieces = ["x", "a", "a", "b", "c"].map(|text| stream.push(token(&codec, text)));
    assert_eq!(pieces.clone().map(|piece| piece.answer), ["x", "", "a", "", ""]);
    assert_eq!(pieces[4].stop.as_deref(), Some("abc"));
    assert_eq!(stream.push(token(&codec, "a")), Piece::default());
    assert_eq!(stream.finish().answer, "");
}

#[test]
fn a_stop_string_is_found_at_every_split() {
    let codec = codec(&[]);
    let text = "the answer\n\nUser: 日本";
    let tokens = |part: &str| codec.complete(part).unwrap().split_off(1);
    for split in (0..=text.len()).filter(|&split| text.is_char_boundary(split)) {
        let tokens = [tokens(&text[..split]), tokens(&text[split..])].concat();
        let expected = ("the answer".to_owned(), Some("\n\nUser:".to_owned()));
        assert_eq!(streamed(&codec, &tokens, &["\n\nUser:", "日日"]), expected);
    }
}

#[test]
fn the_leading_space_of_an_answer_stays() {
    let codec = codec(&[]);
    assert_eq!(streamed(&codec, &[token(&codec, " the")], &[]).0, " the");
}

#[test]
fn control_tokens_are_hidden() {
    let codec = codec(&[]);
    let tokens = codec.complete("a<|think|>b<turn|>").unwrap();
    assert_eq!(streamed(&codec, &tokens, &[]).0, "ab");
    assert_eq!(codec.raw(&tokens), "<bos>a<|think|>b<turn|>");
}
