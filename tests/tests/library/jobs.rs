//! Downloads as jobs.

use std::{fs, path::Path, time::Duration};

use app::{App, DownloadState};
use store::Store;
use tests::{
    Outcome,
    hub::{Pace, Quirk},
    library::{Bench, DRAFTER, TARGET, install, job},
};
use tokio::{
    sync::watch::Sender,
    time::{sleep, timeout},
};

const WEIGHTS: &str = "model.safetensors";

/// Slow enough to be caught on its way.
const SLOWLY: Option<Pace> = Some(Pace { bytes: 2048, pause: Duration::from_millis(20) });

/// Surroundings in which a server that sends nothing is waited for.
async fn patient() -> Outcome<Bench> {
    let mut bench = Bench::new().await?;
    bench.limits.stall = Duration::from_mins(5);
    Ok(bench)
}

/// A job for the target of which a piece does not come to its end, and the task that runs it.
async fn begun(bench: &Bench, app: &App) -> Outcome<(i64, tokio::task::JoinHandle<app::Result<app::Download>>)> {
    let offer = app.offer(TARGET, "main").await?;
    bench.fake.next(WEIGHTS, [Quirk::Stall(10_000)]);
    let id = job(app, &offer).await?.id;
    let mut follows = app.follow_download(id).await?;
    let (app, before) = (app.clone(), bench.fake.sent());
    let task = tokio::spawn(async move { app.run_download(id).await });
    timeout(Duration::from_secs(20), follows.wait_for(|download| download.arrived > 100_000)).await??;
    assert!(bench.fake.sent() > before);
    Ok((id, task))
}

/// Waits until a job that runs somewhere has ended.
async fn ended(app: &App, id: i64) -> Outcome<app::Download> {
    let mut follows = app.follow_download(id).await?;
    let is_over = |download: &app::Download| !matches!(download.state, DownloadState::Queued | DownloadState::Running);
    let over = timeout(Duration::from_secs(30), follows.wait_for(is_over)).await??;
    Ok(over.clone())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_download_whose_app_dies_goes_on_at_the_next_start_and_fetches_little_twice() -> Outcome {
    let bench = patient().await?;
    let app = bench.app().await?;
    let (id, task) = begun(&bench, &app).await?;
    task.abort();
    drop(task.await);
    let before = bench.fake.sent();
    let next = bench.app().await?;
    assert_eq!(next.downloads().await?[0].state, DownloadState::Running);
    next.start_library();
    let done = ended(&next, id).await?;
    assert_eq!((done.state, done.model.as_deref()), (DownloadState::Done, Some("One")));
    assert!(bench.fake.sent() - before < done.total - 50_000, "{} of {}", bench.fake.sent() - before, done.total);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_paused_download_stays_paused_over_a_restart_and_goes_on_when_it_may() -> Outcome {
    let bench = patient().await?;
    let app = bench.app().await?;
    let (id, task) = begun(&bench, &app).await?;
    app.pause_download(id).await?;
    assert_eq!(task.await??.state, DownloadState::Paused);
    let next = bench.app().await?;
    next.start_library();
    sleep(Duration::from_millis(1500)).await;
    let paused = next.downloads().await?.remove(0);
    assert!(paused.state == DownloadState::Paused && paused.arrived > 0);
    next.resume_download(id).await?;
    assert_eq!(ended(&next, id).await?.state, DownloadState::Done);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pause_reaches_the_process_that_downloads() -> Outcome {
    let bench = patient().await?;
    let (window, terminal) = (bench.app().await?, bench.app().await?);
    let (id, task) = begun(&bench, &window).await?;
    // It runs there, so it is not run here too; how far it is shows here all the same.
    let mut follows = terminal.follow_download(id).await?;
    let waiting = terminal.clone();
    let waiting = tokio::spawn(async move { waiting.run_download(id).await });
    timeout(Duration::from_secs(20), follows.wait_for(|download| download.arrived > 100_000)).await??;
    assert!(terminal.downloads().await?[0].arrived > 100_000);
    terminal.pause_download(id).await?;
    assert_eq!(task.await??.state, DownloadState::Paused);
    assert_eq!(waiting.await??.state, DownloadState::Paused);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn offline_is_offline_at_once_in_all_processes_and_what_waits_goes_on_afterwards() -> Outcome {
    let bench = patient().await?;
    let (window, terminal) = (bench.app().await?, bench.app().await?);
    let (id, task) = begun(&bench, &window).await?;
    terminal.set_offline(true).await?;
    let waits = task.await??;
    assert_eq!(waits.state, DownloadState::Queued);
    assert!(waits.reason.is_some_and(|why| why.contains("switched off")));
    let before = bench.fake.seen().len();
    window.start_library();
    sleep(Duration::from_millis(1500)).await;
    assert_eq!(bench.fake.seen().len(), before, "the network was used");
    terminal.set_offline(false).await?;
    assert_eq!(ended(&window, id).await?.state, DownloadState::Done);
    Ok(())
}

#[tokio::test]
async fn a_hub_out_of_reach_puts_a_download_off_and_ends_nothing() -> Outcome {
    let bench = Bench::new().await?;
    let app = bench.app().await?;
    let id = job(&app, &app.offer(TARGET, "main").await?).await?.id;
    bench.fake.edit(|repos| repos[0].gated = "manual".into());
    let refused = app.run_download(id).await?;
    assert!(refused.state == DownloadState::Failed && refused.code.is_some(), "{refused:?}");
    bench.fake.edit(|repos| repos[0].gated = false.into());
    app.resume_download(id).await?;

    bench.fake.next(WEIGHTS, vec![Quirk::status(503); 100]);
    let waits = app.run_download(id).await?;
    assert_eq!((waits.state, waits.code), (DownloadState::Queued, None));
    assert!(waits.reason.is_some_and(|why| why.contains(WEIGHTS)));
    assert_eq!(app.resume_download(id).await?.reason, None, "whoever resumes it does not wait");
    bench.fake.heal();
    assert_eq!(app.run_download(id).await?.state, DownloadState::Done);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancel_hits_its_own_job_and_not_the_next_one_for_the_same_repo() -> Outcome {
    let bench = patient().await?;
    let app = bench.app().await?;
    let (first, task) = begun(&bench, &app).await?;
    app.cancel_download(first).await?;
    // Told or not, the wish is stored already.
    let second = job(&app, &app.offer(TARGET, "main").await?).await?.id;
    assert!(second > first);
    assert_eq!(task.await??.state, DownloadState::Cancelled);
    let next = bench.app().await?;
    next.start_library();
    assert_eq!(ended(&next, second).await?.state, DownloadState::Done);
    let states = next.downloads().await?.into_iter().map(|job| (job.id, job.state)).collect::<Vec<_>>();
    assert_eq!(states.len(), 2);
    assert!(states.contains(&(first, DownloadState::Cancelled)), "{states:?}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_cancelled_download_nothing_is_left() -> Outcome {
    let bench = patient().await?;
    let app = bench.app().await?;
    let (id, task) = begun(&bench, &app).await?;
    app.cancel_download(id).await?;
    assert_eq!(task.await??.state, DownloadState::Cancelled);
    for folder in ["blobs", "partial", "repos"] {
        assert_eq!(files(&bench.home().join("checkpoints").join(folder))?, 0, "{folder}");
    }
    app.forget_download(id).await?;
    let store = Store::open(&bench.home().join("slipstream.sqlite3")).await?;
    assert!(app.downloads().await?.is_empty() && store.revisions(TARGET).await?.is_empty());
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_is_removed_while_it_is_repaired_is_not_brought_back() -> Outcome {
    let bench = Bench::new().await?;
    let app = bench.app().await?;
    let id = install(&app, TARGET).await?;
    fs::remove_file(app.model(&id).await?.folder.join(WEIGHTS))?;
    let blobs = fs::read_dir(bench.home().join("checkpoints/blobs"))?.flatten();
    let largest = blobs.max_by_key(|blob| blob.metadata().map_or(0, |found| found.len())).ok_or("no weights")?;
    fs::remove_file(largest.path())?;
    bench.fake.pace(SLOWLY);
    let repair = app.repair_model(&id, Sender::default()).await?.ok_or("nothing to repair")?.id;
    let mut follows = app.follow_download(repair).await?;
    let runner = app.clone();
    let task = tokio::spawn(async move { runner.run_download(repair).await });
    follows.wait_for(|download| download.rate.is_some()).await?;
    app.remove_model(&id).await?;
    assert_eq!(task.await??.state, DownloadState::Cancelled);
    assert!(app.models().await?.is_empty());
    assert_eq!(app.trash().await?.len(), 1);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn downloads_come_one_at_a_time_in_their_order() -> Outcome {
    let bench = Bench::new().await?;
    let app = bench.app().await?;
    let first = job(&app, &app.offer(TARGET, "main").await?).await?.id;
    let second = job(&app, &app.offer(DRAFTER, "main").await?).await?.id;
    let mut follows = app.follow_download(second).await?;
    app.start_library();
    follows.wait_for(|download| download.state == DownloadState::Running).await?;
    let states = app.downloads().await?.into_iter().find(|job| job.id == first).map(|job| job.state);
    assert_eq!(states, Some(DownloadState::Done));
    assert_eq!(ended(&app, second).await?.state, DownloadState::Done);
    Ok(())
}

#[tokio::test]
async fn half_a_model_is_in_no_list_and_a_failed_download_can_go_on() -> Outcome {
    let bench = Bench::new().await?;
    let app = bench.app().await?;
    let id = job(&app, &app.offer(TARGET, "main").await?).await?.id;
    bench.fake.next("config.json", [Quirk::status(404)]);
    let failed = app.run_download(id).await?;
    assert_eq!(failed.state, DownloadState::Failed);
    assert!(failed.reason.as_deref().is_some_and(|why| why.contains("config.json")), "{failed:?}");
    assert!(app.models().await?.is_empty());
    assert!(!app.locate(TARGET).await?.ok_or("it is nowhere")?.is_whole());
    app.resume_download(id).await?;
    assert_eq!(app.run_download(id).await?.state, DownloadState::Done);
    Ok(())
}

#[tokio::test]
async fn a_full_disk_pauses_a_download_and_says_so() -> Outcome {
    let mut bench = Bench::new().await?;
    bench.limits.reserve = u64::MAX / 2;
    let app = bench.app().await?;
    let id = job(&app, &app.offer(TARGET, "main").await?).await?.id;
    let paused = app.run_download(id).await?;
    assert_eq!(paused.state, DownloadState::Paused);
    assert!(paused.reason.as_deref().is_some_and(|why| why.contains("free some space")), "{paused:?}");
    Ok(())
}

/// How many files lie below a folder.
fn files(folder: &Path) -> Outcome<usize> {
    let mut count = 0;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        count += if path.is_dir() { files(&path)? } else { 1 };
    }
    Ok(count)
}
