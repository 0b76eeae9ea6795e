//! The database as a file: first opening, a crash, another release, damage.
#![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

mod common;

use std::path::Path;

use sqlx::{Connection, SqliteConnection};
use store::{Ask, Asked, Attachment, Error, State, Store, Written};

use common::with_target;

async fn execute(path: &Path, statements: &'static str) {
    let mut connection = SqliteConnection::connect(&format!("sqlite://{}", path.display())).await.unwrap();
    sqlx::raw_sql(statements).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
}

#[tokio::test]
async fn an_empty_file_becomes_a_database() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("slipstream.sqlite3");
    std::fs::write(&path, "").unwrap();
    let store = Store::open(&path).await.unwrap();
    assert!(store.models().await.unwrap().is_empty());
    store.set_setting("theme", "dark").await.unwrap();
    store.set_setting("theme", "light").await.unwrap();
    store.close().await;

    let store = Store::open(&path).await.unwrap();
    assert_eq!(store.setting("theme").await.unwrap().as_deref(), Some("light"));
    assert_eq!(store.setting("Theme").await.unwrap(), None);
}

#[tokio::test]
async fn processes_that_open_a_new_database_at_once_wait_for_each_other() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("slipstream.sqlite3");
    let opening = (0..8).map(|_| {
        let path = path.clone();
        tokio::spawn(async move { Store::open(&path).await.map(drop) })
    });
    for opened in opening.collect::<Vec<_>>() {
        opened.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn after_a_crash_the_answer_is_interrupted_and_keeps_what_was_saved() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("slipstream.sqlite3");
    let store = Store::open(&path).await.unwrap();
    with_target(&store).await;
    let conversation = store.add_conversation("Why?").await.unwrap().id;
    let Asked { answer, .. } =
        store.ask(Ask::Next { conversation, text: "Why?", attachments: &[] }, "t", None).await.unwrap();
    store.save_written(answer.id, Written { thought: "Why?", text: "Because" }).await.unwrap();

    // Never closed: the write-ahead log is all that the next process finds, as after a kill.
    let crashed = tempfile::tempdir().unwrap();
    for file in std::fs::read_dir(home.path()).unwrap().map(Result::unwrap) {
        std::fs::copy(file.path(), crashed.path().join(file.file_name())).unwrap();
    }
    let after = Store::open(&crashed.path().join("slipstream.sqlite3")).await.unwrap();
    after.interrupt_running().await.unwrap();
    let message = after.messages(conversation).await.unwrap().pop().unwrap();
    assert_eq!((message.text.as_str(), message.state), ("Because", State::Interrupted));
    assert_eq!(message.thought, "Why?");
}

#[tokio::test]
async fn an_answer_that_goes_on_keeps_its_record_until_it_has_another() {
    let store = Store::in_memory().await.unwrap();
    with_target(&store).await;
    let conversation = store.add_conversation("Why?").await.unwrap().id;
    let Asked { question, answer, .. } =
        store.ask(Ask::Next { conversation, text: "Why?", attachments: &[] }, "t", None).await.unwrap();
    let written = Written { thought: "", text: "Because" };
    store.end_message(answer.id, written, State::Stopped, Some("Stopped."), Some("{}")).await.unwrap();
    let rest = store.ask(Ask::Rest { answer: answer.id }, "t", None).await.unwrap();
    assert_eq!((rest.question.id, rest.answer.id, rest.answer.state), (question.id, answer.id, State::Running));
    assert_eq!((rest.answer.text.as_str(), rest.answer.note), ("Because", None));

    store.save_written(answer.id, Written { thought: "", text: "Because of" }).await.unwrap();
    store.interrupt_running().await.unwrap();
    let message = store.messages(conversation).await.unwrap().pop().unwrap();
    assert_eq!((message.text.as_str(), message.state), ("Because of", State::Interrupted));
    assert_eq!(message.answer.as_deref(), Some("{}"));
}

#[tokio::test]
async fn what_is_forgotten_is_not_in_the_file_any_more() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("slipstream.sqlite3");
    let store = Store::open(&path).await.unwrap();
    store.close().await;
    execute(
        &path,
        "INSERT INTO models (id, role, kind, folder, summary, bytes) VALUES ('t', 'target', '', '/t', '', 0)",
    )
    .await;
    let holds = |word: &str| {
        let bytes = std::fs::read(&path).unwrap();
        bytes.windows(word.len()).any(|window| window == word.as_bytes())
    };
    let store = Store::open(&path).await.unwrap();
    let id = store.add_conversation("zyzzyva").await.unwrap().id;
    let attachments = [Attachment { name: "syzygy".into(), text: "rhythms".into() }];
    let ask = Ask::Next { conversation: id, text: "quixotry", attachments: &attachments };
    let Asked { answer, .. } = store.ask(ask, "t", None).await.unwrap();
    let long = Written { thought: "muzjiks", text: &"jukebox pizzazz ".repeat(2000) };
    store.end_message(answer.id, long, State::Complete, None, None).await.unwrap();
    store.remove_conversation(id).await.unwrap();
    store.close().await;
    let words = ["zyzzyva", "syzygy", "rhythms", "quixotry", "muzjiks", "jukebox", "pizzazz"];
    assert_eq!(words.map(holds), [true; 7]);

    let store = Store::open(&path).await.unwrap();
    assert!(store.forget_conversation(id).await.unwrap());
    store.close().await;
    assert_eq!(words.map(holds), [false; 7]);
}

#[tokio::test]
async fn a_second_process_does_not_interrupt_an_answer() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("slipstream.sqlite3");
    let window = Store::open(&path).await.unwrap();
    execute(
        &path,
        "INSERT INTO models (id, role, kind, folder, summary, bytes) VALUES ('t', 'target', '', '/t', '', 0)",
    )
    .await;
    let conversation = window.add_conversation("Why?").await.unwrap().id;
    let Asked { answer, .. } =
        window.ask(Ask::Next { conversation, text: "Why?", attachments: &[] }, "t", None).await.unwrap();

    let command = Store::open(&path).await.unwrap();
    window.save_written(answer.id, Written { thought: "", text: "Bec" }).await.unwrap();
    assert_eq!(command.messages(conversation).await.unwrap()[1].state, State::Running);
}

#[tokio::test]
async fn a_newer_database_is_refused_in_one_sentence() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("slipstream.sqlite3");
    Store::open(&path).await.unwrap().close().await;
    execute(
        &path,
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
         VALUES (9999, 'later', 1, x'00', 0)",
    )
    .await;
    let refused = Store::open(&path).await.unwrap_err();
    assert!(matches!(refused, Error::Newer { found: 9999, .. }));
    assert!(refused.to_string().contains("newer version of Slipstream"));
}

#[tokio::test]
async fn a_file_that_is_no_database_is_named() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("page.sqlite3");
    std::fs::write(&path, "<!doctype html>".repeat(100)).unwrap();
    let refused = Store::open(&path).await.unwrap_err();
    assert!(refused.to_string().contains("page.sqlite3"), "{refused}");
}

#[tokio::test]
async fn a_damaged_record_can_be_removed() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("slipstream.sqlite3");
    let store = Store::open(&path).await.unwrap();
    execute(
        &path,
        "PRAGMA ignore_check_constraints = 1;
         INSERT INTO models (id, role, kind, folder, summary, bytes) VALUES ('odd', 'wizard', '', '', '', -1)",
    )
    .await;
    assert!(store.models().await.unwrap().is_empty() && store.model("odd").await.is_err());
    assert_eq!(store.damaged_models().await.unwrap(), ["odd"]);
    assert_eq!(
        store.models_behind("", 9).await.unwrap().into_iter().filter_map(Result::err).collect::<Vec<_>>(),
        ["odd"]
    );
    assert!(store.remove_model("odd").await.unwrap());
    assert!(store.damaged_models().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_damaged_record_hides_no_other_in_the_trash_or_among_downloads_and_can_be_removed() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("slipstream.sqlite3");
    let store = Store::open(&path).await.unwrap();
    execute(
        &path,
        "PRAGMA ignore_check_constraints = 1;
         INSERT INTO repos (id, name, gated) VALUES (1, 'a/b', 'no');
         INSERT INTO revisions (id, repo_id, commit_hash) VALUES (1, 1, '0123456789012345678901234567890123456789');
         INSERT INTO models (id, role, kind, folder, summary, bytes, trashed_at) VALUES
         ('odd', 'wizard', '', '/a', '', -1, 7), ('even', 'target', '', '/b', '', 1, 7);
         INSERT INTO downloads (id, revision_id, state) VALUES (1, 1, 'lost'), (2, 1, 'queued')",
    )
    .await;
    assert_eq!(store.trashed_models().await.unwrap().len(), 1);
    assert_eq!(store.damaged_models().await.unwrap(), ["odd"]);
    assert_eq!(store.folders().await.unwrap().len(), 2);
    assert!(store.empty_trash(7).await.unwrap() && !store.empty_trash(7).await.unwrap());
    assert!(store.folders().await.unwrap().is_empty());

    let ids = async || {
        let downloads = store.downloads().await.unwrap().into_iter();
        downloads.map(|download| download.map(|download| download.id)).collect::<Vec<_>>()
    };
    assert_eq!((ids().await, store.due_downloads().await.unwrap().len()), (vec![Err(1), Ok(2)], 1));
    assert!(store.forget_download(1).await.unwrap() && !store.forget_download(2).await.unwrap());
    assert_eq!(ids().await, [Ok(2)]);
}
