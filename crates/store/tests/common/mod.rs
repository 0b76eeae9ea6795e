//! What several tests begin with.

use store::{Checkpoint, Role, Source, Store};

/// Puts a target `t` into the list.
pub(crate) async fn with_target(store: &Store) {
    let target = Checkpoint {
        role: Role::Target,
        kind: "gemma4".into(),
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
