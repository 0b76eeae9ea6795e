//! Conversations and their messages.
#![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

mod common;

use store::{Ask, Asked, Attachment, Author, LOOKUP, State, Store, UnsentMessage, Written};

use common::with_target;

#[tokio::test]
async fn an_answer_runs_until_it_is_ended() {
    let store = Store::in_memory().await.unwrap();
    with_target(&store).await;
    let conversation = store.add_conversation("Why?").await.unwrap().id;
    let Asked { question, answer, .. } =
        store.ask(Ask::Next { conversation, text: "Why?", attachments: &[] }, "t", None).await.unwrap();
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
    let Asked { answer, .. } =
        store.ask(Ask::Next { conversation, text: "Why?", attachments: &[] }, "t", None).await.unwrap();
    assert!(store.end_message(answer.id, Written::default(), State::Complete, None, Some("{")).await.is_err());
}

#[tokio::test]
async fn the_rounds_of_an_answer_go_with_it() {
    let store = Store::in_memory().await.unwrap();
    with_target(&store).await;
    let conversation = store.add_conversation("Why?").await.unwrap().id;
    let Asked { answer, .. } =
        store.ask(Ask::Next { conversation, text: "Why?", attachments: &[] }, "t", None).await.unwrap();
    assert_eq!(store.rounds(answer.id).await.unwrap(), None);
    store.keep_rounds(answer.id, "[1]").await.unwrap();
    store.keep_rounds(answer.id, "[1,2]").await.unwrap();
    assert_eq!(store.rounds(answer.id).await.unwrap().as_deref(), Some("[1,2]"));
    assert!(store.keep_rounds(answer.id, "{}").await.is_err() && store.keep_rounds(answer.id, "[").await.is_err());
    assert!(store.keep_rounds(answer.id + 9, "[]").await.is_err(), "there is no such message");

    store.remove_conversation(conversation).await.unwrap();
    assert!(store.forget_conversation(conversation).await.unwrap());
    assert_eq!(store.rounds(answer.id).await.unwrap(), None);
}

#[tokio::test]
async fn the_latest_conversation_stands_first() {
    let store = Store::in_memory().await.unwrap();
    with_target(&store).await;
    let first = store.add_conversation("first").await.unwrap().id;
    let second = store.add_conversation("second").await.unwrap().id;
    store.rename_conversation(first, "renamed").await.unwrap();
    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    store.ask(Ask::Next { conversation: first, text: "again", attachments: &[] }, "t", None).await.unwrap();
    let titles: Vec<_> = store.conversations().await.unwrap().into_iter().map(|each| (each.id, each.title)).collect();
    assert_eq!(titles, [(first, "renamed".to_owned()), (second, "second".to_owned())]);
}

#[tokio::test]
async fn a_conversation_takes_its_messages_along_and_their_ids_are_not_used_again() {
    let store = Store::in_memory().await.unwrap();
    with_target(&store).await;
    let conversation = store.add_conversation("gone").await.unwrap().id;
    let Asked { answer: running, .. } =
        store.ask(Ask::Next { conversation, text: "gone", attachments: &[] }, "t", None).await.unwrap();
    store.remove_conversation(conversation).await.unwrap();
    assert!(store.forget_conversation(conversation).await.unwrap());
    assert!(store.messages(conversation).await.unwrap().is_empty());
    assert_eq!(store.message(running.id).await.unwrap(), None);

    let next = store.add_conversation("next").await.unwrap().id;
    let Asked { question, .. } =
        store.ask(Ask::Next { conversation: next, text: "next", attachments: &[] }, "t", None).await.unwrap();
    assert!(question.id > running.id);
    let nowhere = Ask::Next { conversation: conversation + 7, text: "nowhere", attachments: &[] };
    assert!(store.ask(nowhere, "t", None).await.is_err());
}

#[tokio::test]
async fn what_left_the_list_can_come_back_until_it_is_forgotten() {
    let store = Store::in_memory().await.unwrap();
    with_target(&store).await;
    let id = store.add_conversation("Why?").await.unwrap().id;
    let Asked { answer, .. } =
        store.ask(Ask::Next { conversation: id, text: "Why?", attachments: &[] }, "t", None).await.unwrap();
    store.end_message(answer.id, Written::default(), State::Complete, None, Some("{}")).await.unwrap();
    let before = store.conversation(id).await.unwrap();
    assert!(!store.forget_conversation(id).await.unwrap(), "it is in the list");

    store.remove_conversation(id).await.unwrap();
    assert_eq!((store.conversations().await.unwrap(), store.conversation(id).await.unwrap()), (vec![], None));
    assert_eq!(store.newest_answer().await.unwrap(), None);
    assert!(!store.rename_conversation(id, "What?").await.unwrap() && !store.pin_conversation(id, true).await.unwrap());
    let removed = store.removed_conversations().await.unwrap();
    let removed_at = removed[0].removed_at.unwrap();
    store.remove_conversation(id).await.unwrap();
    assert_eq!(store.removed_conversations().await.unwrap(), removed, "it is removed once");
    store.forget_removed_before(removed_at).await.unwrap();
    assert_eq!(store.restore_conversation(id).await.unwrap(), before);
    assert_eq!(store.restore_conversation(id).await.unwrap(), None);

    store.forget_removed_before(i64::MAX).await.unwrap();
    assert_eq!(store.conversation(id).await.unwrap(), before);
    store.remove_conversation(id).await.unwrap();
    store.forget_removed_before(i64::MAX).await.unwrap();
    assert_eq!((store.restore_conversation(id).await.unwrap(), store.message(answer.id).await.unwrap()), (None, None));
}

#[tokio::test]
async fn pinned_conversations_stand_first_and_tags_are_kept_in_order() {
    let store = Store::in_memory().await.unwrap();
    let mut ids = Vec::new();
    for title in ["first", "second", "third"] {
        ids.push(store.add_conversation(title).await.unwrap().id);
    }
    let tags = ["work", "\"b\", a"].map(String::from);
    assert!(store.pin_conversation(ids[0], true).await.unwrap());
    assert!(store.tag_conversation(ids[0], &tags).await.unwrap());
    let listed = store.conversations().await.unwrap();
    assert_eq!(listed.iter().map(|each| each.id).collect::<Vec<_>>(), [ids[0], ids[2], ids[1]]);
    assert_eq!((listed[0].pinned, listed[0].tags.as_slice(), listed[1].pinned), (true, &tags[..], false));
    assert!(store.pin_conversation(ids[0], false).await.unwrap() && !store.pin_conversation(99, true).await.unwrap());
    assert!(!store.conversation(ids[0]).await.unwrap().unwrap().pinned);
}

#[tokio::test]
async fn a_conversation_knows_what_drafted_last_even_if_it_is_no_model() {
    let store = Store::in_memory().await.unwrap();
    with_target(&store).await;
    let conversation = store.add_conversation("Why?").await.unwrap().id;
    for drafter in [Some(LOOKUP), None, Some(LOOKUP)] {
        store.ask(Ask::Next { conversation, text: "Why?", attachments: &[] }, "t", drafter).await.unwrap();
        assert_eq!(store.conversation(conversation).await.unwrap().unwrap().drafter.as_deref(), drafter);
    }
}

#[tokio::test]
async fn what_is_typed_is_kept_for_each_conversation_until_it_is_sent_or_the_conversation_is_gone() {
    let store = Store::in_memory().await.unwrap();
    let conversation = store.add_conversation("Why?").await.unwrap().id;
    let unsent = |conversation_id, text: &str| UnsentMessage {
        conversation_id,
        text: text.into(),
        attachments: vec![Attachment { name: "notes.txt".into(), text: "Élan".into() }],
        system: String::new(),
    };
    let nothing = |conversation_id| UnsentMessage { attachments: vec![], ..unsent(conversation_id, "") };
    let new = UnsentMessage { system: "Rhyme.".into(), ..nothing(None) };
    for typed in [unsent(None, "He"), new.clone(), unsent(Some(conversation), "H"), unsent(Some(conversation), "Hi")] {
        store.keep_unsent_message(&typed).await.unwrap();
    }
    assert_eq!(store.unsent_messages().await.unwrap(), [new.clone(), unsent(Some(conversation), "Hi")]);
    assert!(store.keep_unsent_message(&unsent(Some(conversation + 9), "Hi")).await.is_err());

    store.remove_conversation(conversation).await.unwrap();
    assert_eq!(store.unsent_messages().await.unwrap().len(), 2, "it can come back");
    store.forget_conversation(conversation).await.unwrap();
    assert_eq!(store.unsent_messages().await.unwrap(), [new]);
    store.keep_unsent_message(&nothing(None)).await.unwrap();
    assert_eq!(store.unsent_messages().await.unwrap(), []);
}
