//! Repos, their revisions, the jobs that bring them, and the trash.
#![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

use store::{Checkpoint, DownloadState, Error, File, Gated, NewRevision, Reason, Role, Source, Store};

fn files() -> Vec<File> {
    let file = |path: &str, digit: &str| File { path: path.into(), bytes: 7, hash: digit.repeat(64) };
    vec![file("config.json", "1"), file("model.safetensors", "2")]
}

fn revision<'a>(repo: &'a str, commit_hash: &'a str, files: &'a [File]) -> NewRevision<'a> {
    NewRevision { repo, commit_hash, licence: Some("gemma"), gated: Gated::Auto, is_listed: true, files }
}

/// A store that knows one revision of `Owner/Name`, and its number.
async fn one() -> (Store, i64) {
    let store = Store::in_memory().await.unwrap();
    let id = store.note_revision(revision("Owner/Name", &"a".repeat(40), &files())).await.unwrap();
    (store, id)
}

fn checkpoint(folder: &str, revision_id: Option<i64>) -> Checkpoint {
    Checkpoint {
        role: Role::Target,
        kind: "gemma4".into(),
        folder: folder.into(),
        source: Source::Hub,
        revision_id,
        summary: String::new(),
        bytes: 7,
        draft_limit: None,
        draft_usual: None,
        draft_confident: None,
        chat_template: None,
    }
}

#[tokio::test]
async fn two_spellings_are_one_repo_and_the_hubs_is_kept() {
    let (store, first) = one().await;
    let again = store.note_revision(revision("owner/name", &"a".repeat(40), &files())).await.unwrap();
    assert_eq!(again, first);
    let found = NewRevision { is_listed: false, ..revision("Owner/NAME", "", &[]) };
    let found = NewRevision { commit_hash: &"c".repeat(40), ..found };
    let third = store.note_revision(found).await.unwrap();
    assert_eq!(store.revisions("Owner/NAME").await.unwrap()[0].repo, "owner/name");
    let other = store.note_revision(revision("OWNER/NAME", &"b".repeat(40), &[])).await.unwrap();
    let revisions = store.revisions("oWNER/nAME").await.unwrap();
    assert_eq!(revisions.iter().map(|revision| revision.id).collect::<Vec<_>>(), [other, third, first]);
    assert_eq!((revisions[0].repo.as_str(), revisions[0].gated), ("OWNER/NAME", Gated::Auto));
    assert_eq!(store.files(first).await.unwrap(), files());
}

#[tokio::test]
async fn a_cancel_belongs_to_a_job_and_a_later_job_has_another_number() {
    let (store, revision) = one().await;
    let first = store.add_download(revision).await.unwrap();
    assert_eq!(store.add_download(revision).await.unwrap().id, first.id);
    assert!(store.set_download(first.id, DownloadState::Cancelled, None).await.unwrap());
    let second = store.add_download(revision).await.unwrap();
    assert!(second.id > first.id);
    assert!(!store.set_download(first.id, DownloadState::Cancelled, None).await.unwrap());
    assert_eq!(store.download(second.id).await.unwrap().unwrap().state, DownloadState::Queued);
    assert!(store.forget_download(first.id).await.unwrap());
    assert!(!store.forget_download(second.id).await.unwrap());
}

#[tokio::test]
async fn a_failed_job_stays_failed_while_another_brings_the_same() {
    let (store, revision) = one().await;
    let first = store.add_download(revision).await.unwrap().id;
    store.set_download(first, DownloadState::Running, None).await.unwrap();
    store.set_download(first, DownloadState::Failed, Some(Reason { sentence: "why", code: None })).await.unwrap();
    let second = store.add_download(revision).await.unwrap().id;
    assert!(!store.set_download(first, DownloadState::Queued, None).await.unwrap());
    assert_eq!(store.download_of(revision).await.unwrap().unwrap().id, second);
    store.set_download(second, DownloadState::Cancelled, None).await.unwrap();
    assert!(store.set_download(first, DownloadState::Queued, None).await.unwrap());
}

#[tokio::test]
async fn what_was_cancelled_never_becomes_a_model() {
    let (store, revision) = one().await;
    let job = store.add_download(revision).await.unwrap().id;
    assert!(store.set_download(job, DownloadState::Running, None).await.unwrap());
    assert!(store.set_download(job, DownloadState::Cancelled, None).await.unwrap());
    assert_eq!(store.finish_download(job, &checkpoint("/a", Some(revision))).await.unwrap(), None);
    assert!(store.models().await.unwrap().is_empty());
}

#[tokio::test]
async fn what_ends_becomes_a_model_called_like_its_repo() {
    let (store, revision) = one().await;
    let job = store.add_download(revision).await.unwrap().id;
    store.set_download(job, DownloadState::Running, None).await.unwrap();
    let model = store.finish_download(job, &checkpoint("/x/aaaa", Some(revision))).await.unwrap().unwrap();
    assert_eq!((model.id.as_str(), model.repo.as_deref()), ("Name", Some("Owner/Name")));
    assert_eq!(store.models_of(revision).await.unwrap(), [model]);
    assert_eq!(store.download(job).await.unwrap().unwrap().state, DownloadState::Done);
}

#[tokio::test]
async fn the_trash_gives_back_what_was_put_into_it() {
    let (store, revision) = one().await;
    let model = store.add_model(None, &checkpoint("/a", Some(revision))).await.unwrap();
    assert!(store.trash_model("name").await.unwrap() && !store.trash_model("name").await.unwrap());
    assert!(store.models().await.unwrap().is_empty() && store.model("Name").await.unwrap().is_none());
    assert_eq!(store.trashed_models().await.unwrap().len(), 1);
    assert_eq!(store.restore_model("NAME").await.unwrap(), Some(model.clone()));
    assert_eq!(store.restore_model("Name").await.unwrap(), None);
    let taken = store.add_model(None, &checkpoint("/a", None)).await;
    assert!(matches!(taken, Err(Error::FolderTaken { .. })), "{taken:?}");
    store.trash_model("Name").await.unwrap();
    assert_eq!(store.add_model(None, &checkpoint("/a", Some(revision))).await.unwrap(), model);
    store.trash_model("Name").await.unwrap();
    let taken = store.add_model(Some("lookup"), &checkpoint("/a", None)).await;
    assert!(matches!(taken, Err(Error::IdTaken(_))), "{taken:?}");
    let renamed = store.add_model(Some("other"), &checkpoint("/a", None)).await.unwrap();
    assert_eq!((renamed.id.as_str(), renamed.repo), ("other", None));
    assert_eq!(store.models().await.unwrap().len(), 1);
}

#[tokio::test]
async fn contents_are_needed_and_revisions_known_as_long_as_a_model_or_a_job_is_of_them() {
    let (store, revision) = one().await;
    let needed = async || {
        store.forget_unused_revisions().await.unwrap();
        store.needed_hashes().await.unwrap().len()
    };
    let first = store.add_download(revision).await.unwrap().id;
    assert_eq!(needed().await, 2);
    store.set_download(first, DownloadState::Cancelled, None).await.unwrap();
    assert_eq!(needed().await, 0);
    let second = store.add_download(revision).await.unwrap().id;
    store.set_download(second, DownloadState::Running, None).await.unwrap();
    store.finish_download(second, &checkpoint("/a", Some(revision))).await.unwrap();
    store.trash_model("Name").await.unwrap();
    assert_eq!(needed().await, 2);
    store.remove_model("Name").await.unwrap();
    assert_eq!(needed().await, 0);
    assert!(store.revision(revision).await.unwrap().is_some());
    store.forget_downloads_before(i64::MAX).await.unwrap();
    assert_eq!(needed().await, 0);
    assert!(store.revisions("Owner/Name").await.unwrap().is_empty());
}
