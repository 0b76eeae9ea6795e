//! Finding what was said.
#![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

mod common;

use std::collections::{BTreeMap, BTreeSet};

use sqlx::{Connection, SqliteConnection};
use store::{Ask, Asked, Found, State, Store, Written};

use common::with_target;

async fn opened() -> Store {
    let store = Store::in_memory().await.unwrap();
    with_target(&store).await;
    store
}

/// Says something in a new conversation, and gets an answer.
async fn said(store: &Store, title: &str, question: &str, answer: &str) -> Asked {
    let conversation = store.add_conversation(title).await.unwrap().id;
    let asked = store.ask(Ask::Next { conversation, text: question, attachments: &[] }, "t", None).await.unwrap();
    end(store, asked.answer.id, answer).await;
    asked
}

async fn end(store: &Store, answer: i64, text: &str) {
    store.end_message(answer, Written { thought: "", text }, State::Complete, None, None).await.unwrap();
}

fn ids(found: &[Found]) -> Vec<i64> {
    found.iter().map(|found| found.conversation.id).collect()
}

/// The passages of a conversation, what matches in brackets.
fn shown(found: &Found) -> Vec<(Option<i64>, String)> {
    let shown = found.passages.iter().map(|passage| {
        let pieces = passage.pieces.iter();
        let text = pieces.map(|piece| if piece.matches { format!("[{}]", piece.text) } else { piece.text.clone() });
        (passage.message, text.collect())
    });
    shown.collect()
}

#[tokio::test]
async fn what_matches_is_shown_with_the_words_around_it() {
    let store = opened().await;
    let text =
        format!("{}\nThe Rhône rises in a glacier, <b>not</b> in a lake.\n{}", "one ".repeat(60), "two ".repeat(60));
    let asked = said(&store, "Rivers: the Rhone", "Where does the RHÔNE rise?", &text).await;
    let found = store.search("rhone ris").await.unwrap();
    assert_eq!(found.len(), 1);
    let passages = shown(&found[0]);
    assert_eq!(passages[0], (Some(asked.question.id), "Where does the [RHÔNE] [rise]?".into()));
    let (message, passage) = &passages[1];
    assert_eq!(*message, Some(asked.answer.id));
    assert!(passage.starts_with('…') && passage.ends_with('…'), "{passage}");
    assert!(passage.contains("The [Rhône] [rises] in a glacier, <b>not</b> in a lake."), "{passage}");

    let titled = store.search("RHO").await.unwrap();
    assert_eq!(shown(&titled[0])[0], (None, "Rivers: the [Rhone]".into()));
    assert_eq!(titled[0].passages.len(), 3);
}

#[tokio::test]
async fn titles_come_first_then_what_suits_best_and_the_latest_among_equals() {
    let store = opened().await;
    let mut all = Vec::new();
    for (title, text) in [
        ("a", "moss"),
        ("b", "fern fern and moss, moss, moss, of which there is much"),
        ("c", "moss"),
        ("Moss", "fern"),
    ] {
        all.push(said(&store, title, text, "").await.question.conversation_id);
        tokio::time::sleep(std::time::Duration::from_millis(3)).await;
    }
    let found = ids(&store.search("moss").await.unwrap());
    assert_eq!(found[0], all[3]);
    let (older, newer) = (found.iter().position(|&id| id == all[0]), found.iter().position(|&id| id == all[2]));
    assert!(newer.unwrap() < older.unwrap() && found.len() == 4, "{found:?}");
}

#[tokio::test]
async fn other_branches_are_searched_and_an_answer_once_it_is_whole() {
    let store = opened().await;
    let first = said(&store, "t", "one", "granite").await;
    let again = store.ask(Ask::Again { question: first.question.id }, "t", None).await.unwrap();
    store.save_written(again.answer.id, Written { thought: "", text: "basalt" }).await.unwrap();
    assert!(store.search("basalt").await.unwrap().is_empty());
    store.interrupt_running().await.unwrap();
    assert_eq!(store.search("basalt").await.unwrap()[0].passages[0].message, Some(again.answer.id));
    assert_eq!(store.search("granite").await.unwrap()[0].passages[0].message, Some(first.answer.id));
}

#[tokio::test]
async fn nobodys_words_are_an_error() {
    let store = opened().await;
    said(&store, "t", "say \"hello\" AND (goodbye) OR NOT col:umn^2 *", "x").await;
    let long = "a-b".repeat(50_000);
    for text in [
        "\"",
        "\"\"",
        "'",
        "hello\"",
        "AND",
        "OR NOT",
        "NEAR(a b, 2)",
        "(",
        ")",
        "*",
        "^a",
        "col:umn",
        "-x",
        "+",
        "{a b}:c",
        "\0",
        "a\0b",
        "\u{1}",
        "…",
        "\u{fffd}",
        "日本語",
        "🙂",
        "%",
        ";--",
        &long,
        &"w ".repeat(9000),
    ] {
        store.search(text).await.unwrap();
    }
    for text in ["\"hello\"", "AND", "(goodbye", "col:um", "say !!! hello", "hello\0good"] {
        assert_eq!(store.search(text).await.unwrap().len(), 1, "{text}");
    }
    for text in ["", " \t\n", "!!!", "\0"] {
        assert_eq!(store.search(text).await.unwrap(), [], "{text}");
    }
}

#[tokio::test]
async fn at_most_fifty_are_found() {
    let store = opened().await;
    for number in 0..60 {
        said(&store, &format!("slate {number}"), "slate", "slate").await;
    }
    let found = store.search("slate").await.unwrap();
    assert_eq!((found.len(), found[0].passages.len()), (50, 3));
    assert_eq!(ids(&found).into_iter().collect::<BTreeSet<_>>().len(), 50);
}

/// What a word is to a search.
fn fold(text: &str) -> Vec<String> {
    let plain = |letter: char| match letter {
        'é' | 'É' | 'ê' => 'e',
        'ü' | 'Ü' => 'u',
        'Ø' => 'ø',
        other => other.to_ascii_lowercase(),
    };
    let text = text.chars().map(plain).collect::<String>();
    text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).map(String::from).collect()
}

/// Whether `text` has all words of `sought`, the last of which may be a beginning.
fn has(text: &str, sought: &str) -> bool {
    let words = fold(text);
    let sought = sought.split_whitespace().map(fold).collect::<Vec<_>>();
    let phrase_at = |at: usize, phrase: &[String], is_last: bool| {
        let Some(there) = words.get(at..at + phrase.len()) else { return false };
        let (last, before) = (phrase.len() - 1, &there[..phrase.len() - 1]);
        *before == phrase[..last]
            && if is_last { there[last].starts_with(&phrase[last]) } else { there[last] == phrase[last] }
    };
    let number = sought.len();
    let phrases = sought.iter().enumerate().filter(|(_, phrase)| !phrase.is_empty());
    phrases.clone().count() > 0
        && phrases.clone().all(|(at, phrase)| (0..words.len()).any(|here| phrase_at(here, phrase, at + 1 == number)))
}

/// Numbers that look random, and are the same every time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }

    fn text(&mut self, words: usize) -> String {
        const WORDS: [&str; 14] = [
            "Moss", "moss", "mossy", "fern", "FERN-oak", "é", "Élan", "elan", "über", "Uber", "Ørsted", "o'clock",
            "42", "!?",
        ];
        let number = 1 + self.below(words);
        let separators = [" ", ", ", "\n", ". ", " - "];
        (0..number).map(|_| WORDS[self.below(WORDS.len())].to_owned() + separators[self.below(5)]).collect()
    }
}

/// What is known of a conversation.
#[derive(Default)]
struct Known {
    /// Whether it is in the list.
    is_listed: bool,
    /// The texts of its messages by id, and its title by 0.
    texts: BTreeMap<i64, String>,
}

/// Does something with some conversation, in the database and to what is known of it.
async fn act(store: &Store, numbers: &mut Numbers, all: &mut BTreeMap<i64, Known>) {
    let ids = all.keys().copied().collect::<Vec<_>>();
    let what = if ids.len() < 6 { 0 } else { numbers.below(12) };
    let id = ids.get(numbers.below(ids.len().max(1))).copied().unwrap_or_default();
    let known = all.entry(id).or_default();
    match what {
        0 | 1 => {
            let title = numbers.text(4);
            let new = store.add_conversation(&title).await.unwrap().id;
            all.insert(new, Known { is_listed: true, texts: [(0, title)].into() });
        }
        2 => {
            let title = numbers.text(4);
            if store.rename_conversation(id, &title).await.unwrap() {
                known.texts.insert(0, title);
            }
        }
        3 | 4 => {
            store.remove_conversation(id).await.unwrap();
            known.is_listed = false;
        }
        5 | 6 => known.is_listed |= store.restore_conversation(id).await.unwrap().is_some(),
        7 => {
            if store.forget_conversation(id).await.unwrap() {
                all.remove(&id);
            }
        }
        _ => {
            let (text, answer) = (numbers.text(9), numbers.text(30));
            let next = Ask::Next { conversation: id, text: &text, attachments: &[] };
            let asked = store.ask(next, "t", None).await.unwrap();
            store.save_written(asked.answer.id, Written { thought: "", text: "moss" }).await.unwrap();
            end(store, asked.answer.id, &answer).await;
            known.texts.extend([(asked.question.id, text), (asked.answer.id, answer)]);
        }
    }
    all.remove(&0);
}

#[tokio::test]
async fn a_search_finds_what_a_scan_finds_whatever_happened_before() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("slipstream.sqlite3");
    let store = Store::open(&path).await.unwrap();
    with_target(&store).await;
    let (mut numbers, mut all) = (Numbers(7), BTreeMap::new());
    for _ in 0..240 {
        act(&store, &mut numbers, &mut all).await;
        let sought = match numbers.below(3) {
            0 => numbers.text(1),
            1 => numbers.text(3),
            _ => numbers.text(2).trim_end().chars().take(3).collect(),
        };
        let listed = all.iter().filter(|(_, known)| known.is_listed);
        let expected = listed.filter(|(_, known)| known.texts.values().any(|text| has(text, &sought)));
        let expected = expected.map(|(&id, _)| id).collect::<BTreeSet<_>>();
        let found = store.search(&sought).await.unwrap();
        assert_eq!(ids(&found).into_iter().collect::<BTreeSet<_>>(), expected, "{sought:?}");
        for passage in found.iter().flat_map(|found| &found.passages) {
            assert!(passage.pieces.iter().any(|piece| piece.matches), "{sought:?}: {passage:?}");
        }
    }
    store.close().await;
    let mut connection = SqliteConnection::connect(&format!("sqlite://{}", path.display())).await.unwrap();
    for check in [
        "INSERT INTO title_words (title_words, rank) VALUES ('integrity-check', 1)",
        "INSERT INTO message_words (message_words, rank) VALUES ('integrity-check', 1)",
    ] {
        sqlx::query(check).execute(&mut connection).await.unwrap();
    }
}
