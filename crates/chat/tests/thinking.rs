//! What a model answers, thinks and calls, told apart while its tokens arrive.

#![expect(clippy::unwrap_used, reason = "a text that does not encode fails its test")]

mod support;

use chat::{Codec, Rest};
use support::gemma4;

const OPEN_CALL: u32 = 48;
const CLOSE_CALL: u32 = 49;
const QUOTE: u32 = 52;
const OPEN: u32 = 100;
const CLOSE: u32 = 101;
const NEWLINE: u32 = 107;
const TWO_NEWLINES: u32 = 108;
const THOUGHT: u32 = 45_518;

/// All that came of some tokens.
#[derive(Debug, Default, PartialEq, Eq)]
struct Made {
    answer: String,
    thought: String,
    tool_calls: Vec<String>,
    /// The tool call that was not completed.
    half_call: Option<String>,
    stop: Option<String>,
    complete: bool,
}

fn streamed(codec: &Codec, prompt: &[u32], tokens: &[u32], stops: &[&str]) -> Made {
    let mut stream = codec.stream(prompt, stops.iter().map(ToString::to_string).collect());
    let mut made = Made::default();
    for &token in tokens {
        let piece = stream.push(token);
        made.answer += &piece.answer;
        made.thought += &piece.thought;
        made.tool_calls.extend(piece.tool_call);
        made.stop = made.stop.or(piece.stop);
    }
    let Rest { answer, thought, tool_call, complete } = stream.finish();
    let (answer, thought) = (made.answer + &answer, made.thought + &thought);
    Made { answer, thought, half_call: tool_call, complete, ..made }
}

/// The tokens of the bytes of a text, one each.
fn bytes(text: &str) -> Vec<u32> {
    text.bytes().map(|byte| 238 + u32::from(byte)).collect()
}

/// The same by the definition itself: passages first, texts afterwards.
fn defined(codec: &Codec, tokens: &[u32]) -> Made {
    let mut made = Made { complete: true, ..Made::default() };
    let mut thoughts: Vec<String> = Vec::new();
    let (mut passage, mut thinking, mut calling, mut led) = (Vec::new(), false, false, false);
    for token in tokens.iter().copied().map(Some).chain([None]) {
        let turns = match token {
            Some(OPEN | OPEN_CALL) => !calling,
            Some(CLOSE) => thinking && !calling,
            Some(CLOSE_CALL) => calling,
            Some(_) => false,
            None => true,
        };
        if !turns {
            passage.extend(token);
            continue;
        }
        let text = codec.decode(&passage);
        if calling {
            let call = codec.raw(&passage);
            if token.is_some() { made.tool_calls.push(call) } else { made.half_call = Some(call) }
        } else if thinking {
            thoughts.last_mut().unwrap().push_str(&text);
        } else {
            let begins = led && made.answer.is_empty();
            made.answer += if begins { text.trim_start_matches('\n') } else { &text };
        }
        passage.clear();
        match token {
            Some(OPEN) => {
                thinking = true;
                thoughts.push(String::new());
            }
            Some(CLOSE) => (thinking, led) = (false, true),
            Some(_) => calling = !calling,
            None => made.complete = !thinking && !calling,
        }
    }
    let is_name = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphabetic());
    let thoughts = thoughts.iter().map(|thought| match thought.split_once('\n') {
        Some((_name, thought)) => thought.strip_suffix('\n').unwrap_or(thought),
        None if is_name(thought) => "",
        None => thought,
    });
    made.thought = thoughts.filter(|thought| !thought.is_empty()).collect::<Vec<_>>().join("\n\n");
    made
}

#[test]
fn every_short_sequence_is_told_apart_as_defined() {
    let codec = gemma4(&[]);
    let alphabet = [OPEN, CLOSE, OPEN_CALL, CLOSE_CALL, QUOTE, NEWLINE, TWO_NEWLINES, 238 + 0xC3, 238 + 0xA9];
    let beginnings: [&[u32]; 5] = [
        &[],
        &[OPEN, THOUGHT],
        &[OPEN, THOUGHT, NEWLINE],
        &[OPEN, THOUGHT, NEWLINE, THOUGHT, CLOSE],
        &[THOUGHT, OPEN_CALL],
    ];
    for beginning in beginnings {
        for number in 0..alphabet.len().pow(4) {
            let digits = (0..4).map(|place| number / alphabet.len().pow(place) % alphabet.len());
            let tokens: Vec<u32> = beginning.iter().copied().chain(digits.map(|digit| alphabet[digit])).collect();
            assert_eq!(streamed(&codec, &[], &tokens, &[]), defined(&codec, &tokens), "{tokens:?}");
        }
    }
}

/// Cuts both texts everywhere, also between the bytes of one character; the outcome must stay the same.
#[track_caller]
fn check_cuts(thought: &str, answer: &str, stops: &[&str], expected: &Made) {
    let codec = gemma4(&[]);
    let whole = |text: &str| codec.complete(text).unwrap().split_off(1);
    let cuts = |text: &str| -> Vec<Vec<u32>> {
        let boundaries = (0..=text.len()).filter(|&cut| text.is_char_boundary(cut));
        boundaries.map(|cut| [whole(&text[..cut]), whole(&text[cut..])].concat()).chain([bytes(text)]).collect()
    };
    for thought in cuts(thought) {
        for answer in cuts(answer) {
            let tokens = [&[OPEN], thought.as_slice(), &[CLOSE], &answer].concat();
            assert_eq!(streamed(&codec, &[], &tokens, stops), *expected, "{tokens:?}");
        }
    }
}

#[test]
fn the_cut_into_tokens_changes_nothing() {
    let made = |thought: &str, answer: &str, stop: Option<&str>| Made {
        thought: thought.to_owned(),
        answer: answer.to_owned(),
        stop: stop.map(str::to_owned),
        complete: true,
        ..Made::default()
    };
    check_cuts("thought\nadd 日 👋\n", "\n\n4 — 👋", &[], &made("add 日 👋", "4 — 👋", None));
    check_cuts("thought\n\n a\n\n", "b\n\n", &[], &made("\n a\n", "b\n\n", None));
    check_cuts("thought\n", "4", &[], &made("", "4", None));
    check_cuts("thought", "4", &[], &made("", "4", None));
    check_cuts("so it is 日", "4", &[], &made("so it is 日", "4", None));
    check_cuts("thought\nUser: 4", "\n4\nUser: 5", &["\nUser:"], &made("User: 4", "4", Some("\nUser:")));
}

#[test]
fn text_that_looks_like_a_marker_is_text() {
    let codec = gemma4(&[]);
    let answer = "</think> <channel|> <|channel>thought\n<|tool_call>";
    assert_eq!(streamed(&codec, &[], &bytes(answer), &[]).answer, answer);
    let tokens = [&[OPEN], bytes("thought\n<channel|>4").as_slice(), &[CLOSE, THOUGHT]].concat();
    let made = streamed(&codec, &[], &tokens, &[]);
    assert_eq!((made.thought.as_str(), made.answer.as_str()), ("<channel|>4", "thought"));
}

#[test]
fn a_prompt_that_ends_in_a_thought_is_continued_by_one() {
    let codec = gemma4(&[]);
    let tokens = [bytes("sunny\n").as_slice(), &[CLOSE], &bytes("\nYes")].concat();
    let check = |prompt: &[u32], thought: &str, answer: &str| {
        let made = streamed(&codec, prompt, &tokens, &[]);
        assert_eq!((made.thought.as_str(), made.answer.as_str()), (thought, answer), "{prompt:?}");
    };
    check(&[2, OPEN, THOUGHT, NEWLINE], "sunny", "Yes");
    check(&[2, OPEN], "", "Yes");
    check(&[2, OPEN, THOUGHT, NEWLINE, CLOSE], "", "sunny\n\nYes");
    check(&[2, OPEN, THOUGHT, NEWLINE, 106, NEWLINE], "", "sunny\n\nYes");
    check(&[], "", "sunny\n\nYes");
}

#[test]
fn an_unfinished_thought_stays_one_and_the_answer_is_incomplete() {
    let codec = gemma4(&[]);
    let tokens = [&[OPEN, THOUGHT, NEWLINE], bytes("so 日").as_slice()].concat();
    let expected = Made { thought: "so 日".to_owned(), ..Made::default() };
    assert_eq!(streamed(&codec, &[], &tokens, &["so"]), expected);
    let half = Made { thought: "so \u{FFFD}".to_owned(), ..Made::default() };
    assert_eq!(streamed(&codec, &[], &tokens[..tokens.len() - 1], &[]), half);
}

#[test]
fn a_thought_that_names_no_channel_is_shown_when_it_ends() {
    let codec = gemma4(&[]);
    for (text, thought) in
        [("", ""), ("thought", ""), ("analysis ", ""), ("4", "4"), ("so it is 日", "so it is 日"), ("日", "日")]
    {
        for cut in (0..=text.len()).filter(|&cut| text.is_char_boundary(cut)) {
            let tokens = [&[OPEN], bytes(&text[..cut]).as_slice(), &bytes(&text[cut..])].concat();
            let ended = Made { thought: thought.to_owned(), ..Made::default() };
            assert_eq!(streamed(&codec, &[], &tokens, &[]), ended);
            let rest = if thought.is_empty() { "" } else { &text[cut..] };
            let written = streamed(&codec, &tokens[..=cut], &tokens[1 + cut..], &[]);
            assert_eq!(written, Made { thought: rest.to_owned(), ..Made::default() });
            let again = [&tokens, &tokens[..], &[CLOSE]].concat();
            let both = if thought.is_empty() { String::new() } else { format!("{thought}\n\n{thought}") };
            assert_eq!(streamed(&codec, &[], &again, &[]), Made { thought: both, complete: true, ..Made::default() });
        }
    }
}

#[test]
fn a_tool_call_comes_whole_and_with_its_markers() {
    let codec = gemma4(&[]);
    let said = "Wait.<|tool_call>call:get_weather{city:<|\"|>日本<|\"|>}<tool_call|>";
    let tokens = codec.complete(said).unwrap();
    let made = streamed(&codec, &[], &tokens, &["city"]);
    assert_eq!(made.answer, "Wait.");
    assert_eq!(made.tool_calls, ["call:get_weather{city:<|\"|>日本<|\"|>}"]);
    assert!(made.complete);
    let half = streamed(&codec, &[], &tokens[..tokens.len() - 1], &[]);
    assert_eq!((half.half_call, half.complete), (made.tool_calls.first().cloned(), false));
}

#[test]
fn a_stop_string_is_found_across_a_thought_and_ends_everything() {
    let codec = gemma4(&[]);
    let thought = [OPEN, THOUGHT, NEWLINE, THOUGHT, CLOSE];
    let tokens = [bytes("a#").as_slice(), &thought, &bytes("#b"), &thought].concat();
    let made = streamed(&codec, &[], &tokens, &["##"]);
    assert_eq!((made.answer.as_str(), made.thought.as_str(), made.complete), ("a", "thought", true));
}

#[test]
fn a_tokenizer_without_the_markers_only_answers() {
    let codec = support::codec(&[("tokenizer_config.json", serde_json::json!({ "bos_token": "<bos>" }))]);
    let tokens = codec.complete("<|tool_call>a<tool_call|>").unwrap();
    assert_eq!(streamed(&codec, &[], &tokens, &[]).answer, "<|tool_call>a<tool_call|>");
}
