//! Whether files are still what they were, and fetching again those that are not.

use std::fs;

use app::{Checking, DownloadState, Error, Verdict};
use tests::{
    Outcome,
    library::{Bench, TARGET, install, spoil},
    tiny,
};
use tokio::sync::watch;

const WEIGHTS: &str = "model.safetensors";

#[tokio::test]
async fn a_changed_byte_is_found_and_repaired_by_fetching_that_file_alone() -> Outcome {
    let bench = Bench::new().await?;
    let app = bench.app().await?;
    let id = install(&app, TARGET).await?;
    let progress = watch::Sender::new(Checking::default());
    let follows = progress.subscribe();
    let whole = app.verify_files(&id, progress).await?;
    assert!(whole.by_hash() && whole.wrong.is_none(), "{whole:?}");
    let Checking { done, total } = *follows.borrow();
    assert!(done == total && total > 0);
    assert_eq!(app.repair_model(&id, watch::Sender::default()).await?, None);

    let file = app.model(&id).await?.folder.join(WEIGHTS);
    let bytes = fs::metadata(&file)?.len();
    spoil(&file)?;
    let found = app.verify_files(&id, watch::Sender::default()).await?;
    let broken: Vec<_> = found.files.iter().filter(|file| file.verdict == Verdict::Broken).collect();
    assert!(broken.len() == 1 && broken[0].path == WEIGHTS && found.wrong.is_some(), "{found:?}");
    let before = bench.fake.sent();
    let job = app.repair_model(&id, watch::Sender::default()).await?.ok_or("nothing to repair")?;
    assert_eq!(app.run_download(job.id).await?.state, DownloadState::Done);
    assert_eq!(bench.fake.sent() - before, bytes);
    assert_eq!(app.verify_files(&id, watch::Sender::default()).await?.wrong, None);
    assert_eq!(app.models().await?.len(), 1);
    Ok(())
}

#[tokio::test]
async fn what_two_revisions_share_is_fetched_once_to_repair_both() -> Outcome {
    let bench = Bench::new().await?;
    let app = bench.app().await?;
    let first = install(&app, TARGET).await?;
    bench.fake.edit(|repos| repos[0].commit = "f".repeat(40));
    let second = install(&app, TARGET).await?;
    // Both are links to one content.
    spoil(&app.model(&first).await?.folder.join(WEIGHTS))?;
    for (id, is_fetched) in [(&second, true), (&first, false)] {
        assert!(app.verify_files(id, watch::Sender::default()).await?.wrong.is_some());
        let before = bench.fake.sent();
        let job = app.repair_model(id, watch::Sender::default()).await?.ok_or("nothing to repair")?;
        let done = app.run_download(job.id).await?;
        assert_eq!((done.state, done.reason), (DownloadState::Done, None));
        assert_eq!(bench.fake.sent() > before, is_fetched, "{id}");
        assert_eq!(app.verify_files(id, watch::Sender::default()).await?.wrong, None, "{id}");
    }
    Ok(())
}

#[tokio::test]
async fn a_missing_file_is_located_verified_and_repaired() -> Outcome {
    let bench = Bench::new().await?;
    let app = bench.app().await?;
    let id = install(&app, TARGET).await?;
    let folder = app.model(&id).await?.folder;
    fs::remove_file(folder.join("config.json"))?;
    let missing = app.locate(&id).await?.ok_or("it is nowhere")?.missing;
    assert_eq!(missing.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(), ["config.json"]);
    assert!(app.verify_files(&id, watch::Sender::default()).await?.wrong.is_some());
    let job = app.repair_model(&id, watch::Sender::default()).await?.ok_or("nothing to repair")?;
    app.run_download(job.id).await?;
    assert!(app.locate(&id).await?.ok_or("it is nowhere")?.is_whole());
    Ok(())
}

#[tokio::test]
async fn of_a_plain_folder_only_sizes_can_be_verified_and_nothing_is_repaired_in_it() -> Outcome {
    let bench = Bench::new().await?;
    let app = bench.app().await?;
    let folder = bench.made(tiny::TARGET);
    app.add_model(&folder, Some("mine"), None).await?;
    let whole = app.verify_files("mine", watch::Sender::default()).await?;
    assert!(!whole.by_hash() && whole.wrong.is_none(), "{whole:?}");
    let weights = folder.join(WEIGHTS);
    let bytes = fs::read(&weights)?;
    fs::write(&weights, &bytes[..bytes.len() - 1])?;
    assert!(app.verify_files("mine", watch::Sender::default()).await?.wrong.is_some());
    let refused = app.repair_model("mine", watch::Sender::default()).await;
    assert!(matches!(refused, Err(Error::NotOurs { .. })), "{refused:?}");
    Ok(())
}
