//! A conversation as a tree of messages, of which one branch is shown.
#![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

mod common;

use sqlx::{Connection, SqliteConnection};
use store::{Ask, Asked, Attachment, Message, Store};

use common::with_target;

/// A database with a target `t` and a conversation.
async fn opened() -> (Store, i64) {
    let store = Store::in_memory().await.unwrap();
    with_target(&store).await;
    let conversation = store.add_conversation("Why?").await.unwrap().id;
    (store, conversation)
}

async fn ask(store: &Store, ask: Ask<'_>) -> Asked {
    store.ask(ask, "t", None).await.unwrap()
}

fn ids(messages: &[Message]) -> Vec<i64> {
    messages.iter().map(|message| message.id).collect()
}

#[tokio::test]
async fn another_question_and_another_answer_stand_beside_the_first_and_the_newest_is_shown() {
    let (store, conversation) = opened().await;
    let first = ask(&store, Ask::Next { conversation, text: "one", attachments: &[] }).await;
    let second = ask(&store, Ask::Next { conversation, text: "two", attachments: &[] }).await;
    assert_eq!(ids(&second.earlier), [first.question.id, first.answer.id]);

    let edited = ask(&store, Ask::Beside { question: second.question.id, text: "2" }).await;
    assert_eq!((ids(&edited.earlier), edited.question.text.as_str()), (ids(&second.earlier), "2"));
    assert_eq!(edited.question.siblings, [second.question.id, edited.question.id]);
    assert_eq!(edited.answer.siblings, [edited.answer.id]);

    let again = ask(&store, Ask::Again { question: first.question.id }).await;
    assert_eq!((again.question.id, again.earlier.len()), (first.question.id, 0));
    assert_eq!(again.answer.siblings, [first.answer.id, again.answer.id]);
    assert_eq!(ids(&store.messages(conversation).await.unwrap()), [first.question.id, again.answer.id]);

    let root = ask(&store, Ask::Beside { question: first.question.id, text: "1" }).await;
    assert_eq!((root.earlier.len(), root.question.parent_id), (0, None));
    assert_eq!(root.question.siblings, [first.question.id, root.question.id]);
    assert_eq!(ids(&store.messages(conversation).await.unwrap()), [root.question.id, root.answer.id]);
}

#[tokio::test]
async fn a_branch_is_shown_to_its_newest_end_and_the_next_question_goes_on_from_there() {
    let (store, conversation) = opened().await;
    let first = ask(&store, Ask::Next { conversation, text: "one", attachments: &[] }).await;
    let second = ask(&store, Ask::Next { conversation, text: "two", attachments: &[] }).await;
    let again = ask(&store, Ask::Again { question: second.question.id }).await;
    let other = ask(&store, Ask::Beside { question: first.question.id, text: "1" }).await;
    assert_eq!(store.show_branch(first.answer.id).await.unwrap(), Some(conversation));
    let shown = [first.question.id, first.answer.id, second.question.id, again.answer.id];
    assert_eq!(ids(&store.messages(conversation).await.unwrap()), shown);
    store.show_branch(second.answer.id).await.unwrap();
    let third = ask(&store, Ask::Next { conversation, text: "three", attachments: &[] }).await;
    assert_eq!(ids(&third.earlier), [first.question.id, first.answer.id, second.question.id, second.answer.id]);
    assert_eq!(store.show_branch(other.answer.id + 99).await.unwrap(), None);
}

#[tokio::test]
async fn conversations_begin_apart_from_each_other() {
    let (store, conversation) = opened().await;
    let other = store.add_conversation("What?").await.unwrap().id;
    let here = ask(&store, Ask::Next { conversation, text: "Why?", attachments: &[] }).await;
    let there = ask(&store, Ask::Next { conversation: other, text: "What?", attachments: &[] }).await;
    assert_eq!((here.question.siblings, there.question.siblings), (vec![here.question.id], vec![there.question.id]));
    store.show_branch(here.question.id).await.unwrap();
    assert_eq!(store.messages(other).await.unwrap().len(), 2);
}

#[tokio::test]
async fn a_branch_of_thousands_of_messages_is_read_and_deleted() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("slipstream.sqlite3");
    let store = Store::open(&path).await.unwrap();
    let conversation = store.add_conversation("long").await.unwrap().id;
    let mut connection = SqliteConnection::connect(&format!("sqlite://{}", path.display())).await.unwrap();
    let long = "WITH RECURSIVE number (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM number WHERE at < 3000)
                INSERT INTO messages (id, conversation_id, parent_id, author, text, state)
                SELECT at, 1, iif(at > 1, at - 1, NULL), iif(at % 2, 'user', 'assistant'), 'moss ' || at, 'complete'
                FROM number";
    sqlx::query(long).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();

    assert_eq!(store.show_branch(7).await.unwrap(), Some(conversation));
    let shown = store.messages(conversation).await.unwrap();
    assert_eq!(ids(&shown), (1..=3000).collect::<Vec<_>>());
    store.remove_conversation(conversation).await.unwrap();
    assert!(store.forget_conversation(conversation).await.unwrap());
    assert_eq!((store.message(1).await.unwrap(), store.search("moss").await.unwrap()), (None, vec![]));
}

#[tokio::test]
async fn files_go_with_a_question_and_with_what_is_asked_in_its_place() {
    let (store, conversation) = opened().await;
    let files = [("b.txt", "two \"words\"\n\u{1}"), ("a.md", "")];
    let files = files.map(|(name, text)| Attachment { name: name.into(), text: text.into() });
    let asked = ask(&store, Ask::Next { conversation, text: "Why?", attachments: &files }).await;
    assert_eq!((asked.question.attachments.as_slice(), asked.answer.attachments.len()), (&files[..], 0));
    let edited = ask(&store, Ask::Beside { question: asked.question.id, text: "What?" }).await;
    assert_eq!(edited.question.attachments, files);
    let next = ask(&store, Ask::Next { conversation, text: "And?", attachments: &[] }).await;
    assert_eq!((next.earlier[0].attachments.as_slice(), next.question.attachments.len()), (&files[..], 0));
    store.remove_conversation(conversation).await.unwrap();
    assert!(store.forget_conversation(conversation).await.unwrap());
}
