//! Registering checkpoint folders.
#![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

use store::{Ask, Checkpoint, Error, Role, Source, Store};

fn drafter(folder: &str) -> Checkpoint {
    Checkpoint {
        role: Role::Drafter,
        kind: "dspark".into(),
        folder: folder.into(),
        source: Source::Folder,
        revision_id: None,
        summary: "2 layers × 256, float32".into(),
        bytes: 7_000_000_000,
        draft_limit: Some(5),
        draft_usual: Some(3),
        draft_confident: Some(true),
        chat_template: None,
    }
}

#[tokio::test]
async fn a_model_comes_back_as_it_went_in() {
    let store = Store::in_memory().await.unwrap();
    let added = store.add_model(None, &drafter("/models/Fast Draft (1)")).await.unwrap();
    assert_eq!(added.id, "Fast-Draft--1");
    assert_eq!(added.checkpoint, drafter("/models/Fast Draft (1)"));
    assert_eq!(store.models().await.unwrap(), [added]);
}

#[tokio::test]
async fn ids_are_unique_whatever_their_case() {
    let store = Store::in_memory().await.unwrap();
    let mut ids = Vec::new();
    for folder in ["/a/Gemma", "/b/gemma", "/c/GEMMA"] {
        ids.push(store.add_model(None, &drafter(folder)).await.unwrap().id);
    }
    assert_eq!(ids, ["Gemma", "gemma-2", "GEMMA-3"]);
    let taken = store.add_model(Some("GeMMa"), &drafter("/d")).await.unwrap_err();
    assert!(matches!(taken, Error::IdTaken(id) if id == "GeMMa"));
    assert_eq!(store.model("gemmA").await.unwrap().unwrap().checkpoint.folder, "/a/Gemma");
}

#[tokio::test]
async fn an_id_is_never_a_path() {
    let store = Store::in_memory().await.unwrap();
    for id in ["", ".", "..", "../x", "a/b", "a\\b", "-flag", "a b", "é", "a\0", &"a".repeat(81)] {
        let refused = store.add_model(Some(id), &drafter("/a")).await.unwrap_err();
        assert!(matches!(refused, Error::BadId(_)), "{id:?}");
    }
    for (folder, id) in [("/", "model"), ("/日本", "model-2"), ("/.hidden", "hidden")] {
        assert_eq!(store.add_model(None, &drafter(folder)).await.unwrap().id, id);
    }
}

#[tokio::test]
async fn a_folder_is_registered_once() {
    let store = Store::in_memory().await.unwrap();
    store.add_model(Some("one"), &drafter("/a")).await.unwrap();
    let twice = store.add_model(Some("two"), &drafter("/a")).await.unwrap_err();
    assert_eq!(twice.to_string(), "the folder /a is in the list already, as “one”");
}

#[tokio::test]
async fn removing_a_model_leaves_its_conversations() {
    let store = Store::in_memory().await.unwrap();
    store.add_model(Some("t"), &drafter("/t")).await.unwrap();
    store.add_model(Some("d"), &drafter("/d")).await.unwrap();
    let conversation = store.add_conversation("Hello").await.unwrap().id;
    store.ask(Ask::Next { conversation, text: "Hello", attachments: &[] }, "t", Some("d")).await.unwrap();

    assert!(store.remove_model("D").await.unwrap());
    assert!(!store.remove_model("D").await.unwrap());

    let conversation = store.conversation(conversation).await.unwrap().unwrap();
    assert_eq!((conversation.target_id.as_deref(), conversation.drafter), (Some("t"), None));
}

#[tokio::test]
async fn no_model_is_called_as_what_is_none() {
    let store = Store::in_memory().await.unwrap();
    let taken = store.add_model(Some("Lookup"), &drafter("/a")).await.unwrap_err();
    assert_eq!(taken.to_string(), "the id “Lookup” is taken already");
    assert_eq!(store.add_model(None, &drafter("/models/lookup")).await.unwrap().id, "lookup-2");
}
