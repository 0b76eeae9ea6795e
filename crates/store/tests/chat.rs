//! Conversations and their messages.
#![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

use store::{Author, Checkpoint, LOOKUP, Role, Source, State, Store, Written};

async fn with_target(store: &Store) {
    let target = Checkpoint {
        role: Role::Target,
        kind: "gemma3_text".into(),
        folder: "/t".into(),
        source: Source::Folder,
        revision_id: None,
        summary: String::new(),
        bytes: 0,
        draft_limit: None,
        draft_usual: None,
        draft_confident: None,
        chat_template: Some(true),
    };
    store.add_model(Some("t"), &target).await.unwrap();
}

#[tokio::test]
async fn an_answer_runs_until_it_is_ended() {
    let store = Store::in_memory().await.unwrap();
    with_target(&store).await;
    let conversation = store.add_conversation("Why?").await.unwrap().id;
    let (question, answer) = store.ask(conversation, "Why?", "t", None).await.unwrap();
    assert_eq!((question.author, question.state), (Author::User, State::Complete));
    assert_eq!((answer.author, answer.state, answer.text.as_str()), (Author::Assistant, State::Running, ""));

    store.save_written(answer.id, Written { thought: "Why, in", text: "" }).await.unwrap();
    let written = Written { thought: "Why, indeed?", text: "Because." };
    store.end_message(answer.id, written, State::Stopped, Some("a note"), Some("{}")).await.unwrap();

    let messages = store.messages(conversation).await.unwrap();
    assert_eq!(messages[0], question);
    assert_eq!((messages[1].text.as_str(), messages[1].state), ("Because.", State::Stopped));
    assert_eq!((messages[0].thought.as_str(), messages[1].thought.as_str()), ("", "Why, indeed?"));
    assert_eq!((messages[1].note.as_deref(), messages[1].answer.as_deref()), (Some("a note"), Some("{}")));
}

#[tokio::test]
async fn a_record_that_is_no_json_is_refused() {
    let store = Store::in_memory().await.unwrap();
    with_target(&store).await;
    let conversation = store.add_conversation("Why?").await.unwrap().id;
    let (_, answer) = store.ask(conversation, "Why?", "t", None).await.unwrap();
    assert!(store.end_message(answer.id, Written::default(), State::Complete, None, Some("{")).await.is_err());
}

#[tokio::test]
async fn the_latest_conversation_stands_first() {
    let store = Store::in_memory().await.unwrap();
    with_target(&store).await;
    let first = store.add_conversation("first").await.unwrap().id;
    let second = store.add_conversation("second").await.unwrap().id;
    store.rename_conversation(first, "renamed").await.unwrap();
    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    store.ask(first, "again", "t", None).await.unwrap();
    let titles: Vec<_> = store.conversations().await.unwrap().into_iter().map(|each| (each.id, each.title)).collect();
    assert_eq!(titles, [(first, "renamed".to_owned()), (second, "second".to_owned())]);
}

#[tokio::test]
async fn a_conversation_takes_its_messages_along_and_their_ids_are_not_used_again() {
    let store = Store::in_memory().await.unwrap();
    with_target(&store).await;
    let conversation = store.add_conversation("gone").await.unwrap().id;
    let (_, running) = store.ask(conversation, "gone", "t", None).await.unwrap();
    store.remove_conversation(conversation).await.unwrap();
    assert!(store.messages(conversation).await.unwrap().is_empty());

    let next = store.add_conversation("next").await.unwrap().id;
    let (question, _) = store.ask(next, "next", "t", None).await.unwrap();
    assert!(question.id > running.id);
    assert!(store.ask(conversation + 7, "nowhere", "t", None).await.is_err());
}

#[tokio::test]
async fn a_conversation_knows_what_drafted_last_even_if_it_is_no_model() {
    let store = Store::in_memory().await.unwrap();
    with_target(&store).await;
    let conversation = store.add_conversation("Why?").await.unwrap().id;
    for drafter in [Some(LOOKUP), None, Some(LOOKUP)] {
        store.ask(conversation, "Why?", "t", drafter).await.unwrap();
        assert_eq!(store.conversation(conversation).await.unwrap().unwrap().drafter.as_deref(), drafter);
    }
}
