//! A database of every older release is brought up to date, with what it holds.
#![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

use std::path::Path;

use sqlx::migrate::Migrator;
use sqlx::{Connection, SqliteConnection};
use store::{Ask, DownloadState, File, Gated, NewRevision, Source, Store, TrainingState, Written};

/// What each release's people had put into it.
const ROWS: [&str; 9] = [
    "INSERT INTO models (id, role, kind, folder, summary, bytes, draft_limit, added_at)
     VALUES ('lookup', 'drafter', 'dspark', '/d', 's', 9, 5, 77), ('t', 'target', 'gemma4', '/t', '', 3, NULL, 78);
     INSERT INTO conversations (id, title, target_id, drafter_id) VALUES (1, 'Why?', 't', 'lookup');
     INSERT INTO messages (conversation_id, author, text, state)
     VALUES (1, 'user', 'Why?', 'complete'), (1, 'assistant', 'Because.', 'complete');
     INSERT INTO settings (key, value) VALUES ('theme', 'dark')",
    "UPDATE messages SET thought = 'Hm.'",
    "UPDATE models SET draft_usual = 3, draft_confident = 1 WHERE role = 'drafter'",
    "INSERT INTO repos (id, name, gated) VALUES (1, 'a/b', 'no');
     INSERT INTO revisions (id, repo_id, commit_hash) VALUES (1, 1, '0000000000000000000000000000000000000000');
     INSERT INTO downloads (revision_id, state, reason) VALUES (1, 'failed', 'why')",
    "UPDATE downloads SET arrived = 1",
    "INSERT INTO trainings (name, ordered, data, state, drafter_id) VALUES ('d', '{}', 'four', 'done', 'lookup-model')",
    "UPDATE models SET source = 'trained' WHERE id = 'lookup-model'",
    "INSERT INTO calibrations (target, drafter, target_hash, drafter_hash, precision, thinking, machine, version, ordered, data)
     VALUES ('t', 'd', 'a', 'b', 'float32', 0, 'm', 1, '{}', 'four')",
    "UPDATE downloads SET arrived = 2",
];

/// A database as the release that knew the first `known` migrations left it.
async fn left_by(path: &Path, known: usize) {
    let migrations = sqlx::migrate!("../../migrations");
    let mut connection = SqliteConnection::connect(&format!("sqlite://{}?mode=rwc", path.display())).await.unwrap();
    for (count, rows) in (1..=known).zip(ROWS) {
        let some = migrations.migrations[..count].to_vec().into();
        Migrator { migrations: some, ..sqlx::migrate!("../../migrations") }.run(&mut connection).await.unwrap();
        sqlx::raw_sql(rows).execute(&mut connection).await.unwrap();
    }
    connection.close().await.unwrap();
}

#[tokio::test]
async fn every_older_release_loses_nothing() {
    for known in 1..=ROWS.len() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("slipstream.sqlite3");
        left_by(&path, known).await;
        let store = Store::open(&path).await.unwrap();

        let models = store.models().await.unwrap();
        // The drafter's id stands by now for what is no model.
        assert_eq!(models.iter().map(|model| model.id.as_str()).collect::<Vec<_>>(), ["lookup-model", "t"]);
        let drafter = &models[0];
        let source = if known >= 6 { Source::Trained } else { Source::Folder };
        assert_eq!((drafter.added_at, drafter.checkpoint.bytes, drafter.checkpoint.draft_limit), (77, 9, Some(5)));
        assert_eq!(drafter.checkpoint.draft_usual, (known >= 3).then_some(3));
        assert_eq!((drafter.checkpoint.source, &drafter.repo, drafter.trashed_at), (source, &None, None));
        assert_eq!(store.conversation(1).await.unwrap().unwrap().drafter.as_ref(), Some(&drafter.id));
        assert_eq!(store.setting("theme").await.unwrap().as_deref(), Some("dark"));

        let [question, message] = &store.messages(1).await.unwrap()[..] else { unreachable!("there are two") };
        assert_eq!((question.parent_id, message.parent_id), (None, Some(question.id)));
        let found = store.search("BECAUSE").await.unwrap();
        assert_eq!(found[0].passages[0].message, Some(message.id));
        let thought = if known == 1 { "" } else { "Hm." };
        assert_eq!((message.thought.as_str(), message.text.as_str()), (thought, "Because."));
        store.save_written(message.id, Written { thought: "Ah.", text: "Because." }).await.unwrap();
        let downloads: Vec<_> = store.downloads().await.unwrap().into_iter().map(Result::unwrap).collect();
        assert_eq!(downloads.len(), usize::from(known >= 4));
        assert!(downloads.iter().all(|failed| failed.reason.as_deref() == Some("why") && failed.code.is_none()));
        assert_eq!(store.calibrations().await.unwrap().len(), usize::from(known >= 8));
        check_use(&store, &drafter.id).await;
    }
}

/// What is new can be used at once.
async fn check_use(store: &Store, drafter: &str) {
    store.ask(Ask::Next { conversation: 1, text: "And?", attachments: &[] }, "t", Some(drafter)).await.unwrap();
    assert_eq!(store.pairings().await.unwrap().len(), 1);
    assert!(store.model("t").await.unwrap().unwrap().last_used_at.is_some());
    let files = [File { path: "config.json".into(), bytes: 2, hash: "a".repeat(40) }];
    let commit_hash = &"b".repeat(40);
    let new = NewRevision {
        repo: "owner/name",
        commit_hash,
        licence: None,
        gated: Gated::No,
        is_listed: true,
        files: &files,
    };
    let revision = store.note_revision(new).await.unwrap();
    assert_eq!(store.add_download(revision).await.unwrap().state, DownloadState::Queued);
    assert_eq!(store.add_training("mine", "{}", "four prompts").await.unwrap().state, TrainingState::Waiting);
    assert!(!store.applies_calibrations().await.unwrap());
}
