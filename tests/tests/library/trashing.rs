//! Removing models, and taking it back.

use std::fs;

use app::{Error, Source};
use store::{Checkpoint, Role, Store};
use tests::{
    Outcome,
    library::{Bench, DRAFTER, TARGET, cached, install, job, of_folder},
    tiny,
};
use tokio::sync::watch::Sender;

#[tokio::test]
async fn what_is_removed_can_be_had_back_until_the_trash_is_emptied() -> Outcome {
    let bench = Bench::new().await?;
    let app = bench.app().await?;
    let id = install(&app, TARGET).await?;
    let model = app.model(&id).await?;
    app.remove_model(&id).await?;
    assert!(app.models().await?.is_empty() && model.folder.is_dir());
    let trash = app.trash().await?;
    assert_eq!(trash[0].model, model);
    assert_eq!(trash[0].until - trash[0].at, 7 * 24 * 3_600_000);
    // At the next start it is not a week old.
    bench.app().await?.start_library();
    assert_eq!(app.restore_model(&id).await?, model);
    assert!(matches!(app.restore_model(&id).await, Err(Error::NotInTrash(_))));

    app.remove_model(&id).await?;
    let freed = app.empty_trash().await?;
    assert!(freed >= model.bytes && !model.folder.exists(), "{freed}");
    assert!(app.trash().await?.is_empty() && app.locate(TARGET).await?.is_none());
    assert_eq!(install(&app, TARGET).await?, id);
    Ok(())
}

#[tokio::test]
async fn contents_that_another_revision_shares_stay() -> Outcome {
    let bench = Bench::new().await?;
    let app = bench.app().await?;
    let first = install(&app, TARGET).await?;
    bench.fake.edit(|repos| {
        repos[0].commit = "f".repeat(40);
        repos[0].files.retain(|file| file.path != "tokenizer_config.json");
    });
    let before = bench.fake.sent();
    let second = install(&app, TARGET).await?;
    assert!(bench.fake.sent() - before < 1 << 20 && second != first);
    app.remove_model(&first).await?;
    app.empty_trash().await?;
    assert!(app.locate(&second).await?.ok_or("it is nowhere")?.is_whole());
    assert_eq!(app.verify_files(&second, Sender::default()).await?.wrong, None);
    Ok(())
}

#[tokio::test]
async fn what_was_downloaded_goes_though_another_program_has_the_same() -> Outcome {
    let bench = Bench::new().await?;
    let app = bench.app().await?;
    let id = install(&app, TARGET).await?;
    let folder = app.model(&id).await?.folder;
    let snapshot = cached(&bench.user(), &of_folder(TARGET, &bench.made(tiny::TARGET))?, |_| true)?;
    let theirs = app.add_model(&snapshot, None, None).await?;
    assert_eq!(theirs.source, Source::HuggingFaceCache);
    app.remove_model(&id).await?;
    assert!(app.empty_trash().await? > 0 && !folder.exists());
    assert_eq!(app.verify_files(&theirs.id, Sender::default()).await?.wrong, None);
    Ok(())
}

#[tokio::test]
async fn a_repo_that_was_spelt_anew_leaves_no_files_behind() -> Outcome {
    let bench = Bench::new().await?;
    let app = bench.app().await?;
    let id = install(&app, TARGET).await?;
    let folder = app.model(&id).await?.folder;
    bench.fake.edit(|repos| (repos[0].id, repos[0].commit) = (TARGET.to_uppercase(), "f".repeat(40)));
    job(&app, &app.offer(TARGET, "main").await?).await?;
    assert!(folder.is_dir());
    app.remove_model(&id).await?;
    app.empty_trash().await?;
    assert!(!folder.exists());
    Ok(())
}

#[tokio::test]
async fn what_is_taken_out_of_the_trash_is_not_emptied_with_it() -> Outcome {
    let bench = Bench::new().await?;
    let app = bench.app().await?;
    let id = install(&app, TARGET).await?;
    for _ in 0..20 {
        app.remove_model(&id).await?;
        let other = bench.app().await?;
        let (restored, emptied) = tokio::join!(app.restore_model(&id), other.empty_trash());
        emptied?;
        match restored {
            Ok(model) => assert!(app.locate(&model.id).await?.ok_or("it is nowhere")?.is_whole()),
            Err(Error::NotInTrash(_)) => {
                assert!(app.locate(TARGET).await?.is_none());
                assert_eq!(install(&app, TARGET).await?, id);
            }
            Err(other) => return Err(other.into()),
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_foreign_folder_is_forgotten_and_nothing_in_it_is_touched() -> Outcome {
    let bench = Bench::new().await?;
    let app = bench.app().await?;
    let folder = bench.made(tiny::TARGET);
    let model = app.add_model(&folder, Some("mine"), None).await?;
    app.remove_model("mine").await?;
    // Adding it again is undoing, too.
    assert_eq!(app.add_model(&folder, None, None).await?, model);
    app.remove_model("mine").await?;
    app.empty_trash().await?;
    assert!(app.trash().await?.is_empty() && folder.join("model.safetensors").is_file());
    Ok(())
}

#[tokio::test]
async fn a_record_that_names_another_folder_removes_nothing_there() -> Outcome {
    let bench = Bench::new().await?;
    let app = bench.app().await?;
    let id = install(&app, TARGET).await?;
    let store = Store::open(&bench.home().join("slipstream.sqlite3")).await?;
    let revision = store.revisions(TARGET).await?[0].id;
    let dear = bench.folder.path().join("dear");
    fs::create_dir(&dear)?;
    fs::write(dear.join("dear.txt"), "dear")?;
    for (name, folder) in [("crafted", dear.clone()), ("root", bench.home().join("checkpoints"))] {
        let folder = folder.to_string_lossy().into_owned();
        let row = Checkpoint { folder, ..row(revision) };
        store.add_model(Some(name), &row).await?;
        app.remove_model(name).await?;
    }
    app.empty_trash().await?;
    assert_eq!(fs::read_to_string(dear.join("dear.txt"))?, "dear");
    assert!(bench.home().join("checkpoints/blobs").is_dir());
    assert_eq!(app.verify_files(&id, Sender::default()).await?.wrong, None);
    Ok(())
}

fn row(revision: i64) -> Checkpoint {
    Checkpoint {
        role: Role::Target,
        kind: String::new(),
        folder: String::new(),
        source: Source::Hub,
        revision_id: Some(revision),
        summary: String::new(),
        bytes: 0,
        draft_limit: None,
        draft_usual: None,
        draft_confident: None,
        chat_template: None,
    }
}

#[tokio::test]
async fn drafters_that_no_other_target_uses_are_offered_with_a_target() -> Outcome {
    let bench = Bench::new().await?;
    let app = bench.app().await?;
    let (target, drafter) = (install(&app, TARGET).await?, install(&app, DRAFTER).await?);
    let orphans = async |target: &str| {
        let orphans = app.orphans(target).await?;
        Ok::<_, app::Error>(orphans.into_iter().map(|model| model.id).collect::<Vec<_>>())
    };
    assert_eq!(orphans(&target).await?, [drafter.as_str()]);
    assert!(orphans(&drafter).await?.is_empty());
    // The same target in another folder suits it as well.
    app.add_model(&bench.made(tiny::TARGET), Some("other"), None).await?;
    assert!(orphans(&target).await?.is_empty());
    app.remove_model("other").await?;
    assert_eq!(orphans(&target).await?, [drafter]);
    Ok(())
}
