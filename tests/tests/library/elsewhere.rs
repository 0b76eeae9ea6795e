//! The folders of other programs.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use app::{CheckpointRole, DownloadState, Error, Got, Source};
use tests::{
    Outcome,
    library::{Bench, TARGET, cached, install, job, of_folder, spoil},
    tiny,
};
use tokio::sync::watch::Sender;

const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

/// The content of a file, when it was written, and whether it can be.
type State = (Vec<u8>, std::time::SystemTime, bool);

/// Everything below a folder.
fn state(folder: &Path) -> Outcome<BTreeMap<PathBuf, State>> {
    let mut state = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let found = fs::symlink_metadata(&path)?;
        if found.is_dir() {
            state.extend(self::state(&path)?);
        } else {
            state.insert(path.clone(), (fs::read(&path)?, found.modified()?, found.permissions().readonly()));
        }
    }
    Ok(state)
}

#[tokio::test]
async fn of_what_another_program_has_in_part_the_rest_is_fetched() -> Outcome {
    let bench = Bench::new().await?;
    let repo = of_folder(TARGET, &bench.made(tiny::TARGET))?;
    cached(&bench.user(), &repo, |path| path != "tokenizer.json")?;
    let app = bench.app().await?;
    let offer = app.offer(TARGET, "main").await?;
    let located = offer.located.as_ref().ok_or("it is nowhere")?;
    assert_eq!(located.missing.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(), ["tokenizer.json"]);
    let job = job(&app, &offer).await?;
    let before = bench.fake.sent();
    assert_eq!(app.run_download(job.id).await?.model.as_deref(), Some("One"));
    assert_eq!(bench.fake.sent() - before, offer.to_fetch);
    Ok(())
}

#[tokio::test]
async fn a_copy_of_ones_own_takes_over_what_another_program_has_and_no_more_than_is_whole() -> Outcome {
    let bench = Bench::new().await?;
    let snapshot = cached(&bench.user(), &of_folder(TARGET, &bench.made(tiny::TARGET))?, |_| true)?;
    let app = bench.app().await?;
    let offer = app.offer(TARGET, "main").await?;
    let Got::Installed(theirs) = app.get(&offer).await? else { return Err("it is fetched".into()) };
    spoil(&snapshot.join("model.safetensors").canonicalize()?)?;
    assert!(app.verify_files(&theirs.id, Sender::default()).await?.wrong.is_some());
    let refused = app.repair_model(&theirs.id, Sender::default()).await.err().ok_or("it was repaired")?;
    assert!(refused.to_string().contains("--copy"), "{refused}");
    let job = app.get_copy(&offer).await?;
    let done = app.run_download(job.id).await?;
    let mine = app.model(&done.model.ok_or("it became no model")?).await?;
    assert_eq!(mine.source, Source::Hub);
    assert_eq!(app.verify_files(&mine.id, Sender::default()).await?.wrong, None);
    // From now on that is the one that is meant.
    for located in [app.locate(TARGET).await?, app.offer(TARGET, "main").await?.located] {
        assert_eq!(located.and_then(|located| located.model).as_ref(), Some(&mine.id));
    }
    Ok(())
}

#[tokio::test]
async fn a_copy_on_its_way_comes_though_the_other_programs_is_taken_off_the_list() -> Outcome {
    let bench = Bench::new().await?;
    cached(&bench.user(), &of_folder(TARGET, &bench.made(tiny::TARGET))?, |_| true)?;
    let app = bench.app().await?;
    let offer = app.offer(TARGET, "main").await?;
    let Got::Installed(theirs) = app.get(&offer).await? else { return Err("it is fetched".into()) };
    let job = app.get_copy(&offer).await?;
    app.remove_model(&theirs.id).await?;
    assert_eq!(app.run_download(job.id).await?.state, DownloadState::Done);
    Ok(())
}

#[tokio::test]
async fn files_whose_hashes_nobody_knows_are_named() -> Outcome {
    let bench = Bench::new().await?;
    let snapshot = cached(&bench.user(), &of_folder(TARGET, &bench.made(tiny::TARGET))?, |_| true)?;
    fs::write(snapshot.join("notes.txt"), "mine")?;
    let app = bench.app().await?;
    let model = app.add_model(&snapshot, None, None).await?;
    let verified = app.verify_files(&model.id, Sender::default()).await?;
    assert!(verified.wrong.is_none() && verified.unknown == ["notes.txt"], "{verified:?}");
    Ok(())
}

#[tokio::test]
async fn a_repo_in_the_cache_of_the_hubs_tools_is_used_there_and_not_downloaded_again() -> Outcome {
    let bench = Bench::new().await?;
    let repo = of_folder(TARGET, &bench.made(tiny::TARGET))?;
    let snapshot = cached(&bench.user(), &repo, |_| true)?;
    let before = state(&bench.user())?;
    let app = bench.app().await?;
    let found = app.found().await?;
    assert_eq!((found.len(), found[0].source, found[0].repo.as_str()), (1, Source::HuggingFaceCache, TARGET));
    assert_eq!((found[0].commit.as_deref(), found[0].role), (Some(COMMIT), Some(CheckpointRole::Target)));
    assert!(found[0].unusable.is_none() && found[0].model.is_none());
    assert!(app.locate("owner/one").await?.ok_or("it is nowhere")?.is_whole());

    let offer = app.offer(TARGET, "main").await?;
    assert_eq!(offer.to_fetch, 0);
    let Got::Installed(model) = app.get(&offer).await? else { return Err("it is fetched".into()) };
    assert_eq!((model.id.as_str(), model.folder), ("One", snapshot.canonicalize()?));
    assert_eq!((model.source, model.commit.as_deref()), (Source::HuggingFaceCache, Some(COMMIT)));
    assert_eq!(app.found().await?[0].model.as_deref(), Some("One"));

    let verified = app.verify_files("One", Sender::default()).await?;
    assert!(verified.by_hash() && verified.wrong.is_none(), "{verified:?}");
    let repaired = app.repair_model("One", Sender::default()).await;
    assert!(matches!(repaired, Err(Error::NotOurs { .. })), "{repaired:?}");
    app.remove_model("One").await?;
    app.empty_trash().await?;
    assert!(state(&bench.user())? == before, "something was written there");
    Ok(())
}

#[tokio::test]
async fn contents_that_lie_elsewhere_are_copied_and_only_the_rest_is_fetched() -> Outcome {
    let bench = Bench::new().await?;
    let repo = of_folder(TARGET, &bench.made(tiny::TARGET))?;
    cached(&bench.user(), &repo, |path| path == "model.safetensors")?;
    let before = state(&bench.user())?;
    let app = bench.app().await?;
    let found = app.found().await?;
    assert_eq!(found[0].unusable.as_deref(), Some("config.json is missing"));
    let offer = app.offer(TARGET, "main").await?;
    let weights = offer.files.iter().find(|file| file.path == "model.safetensors").ok_or("no weights")?;
    assert!(weights.is_here && offer.to_fetch == offer.bytes - weights.bytes && offer.to_write == offer.bytes);
    let sent = bench.fake.sent();
    let id = job(&app, &offer).await?.id;
    let done = app.run_download(id).await?;
    assert_eq!(bench.fake.sent() - sent, offer.to_fetch);
    assert_eq!(app.model(&done.model.ok_or("it became no model")?).await?.source, Source::Hub);
    assert!(state(&bench.user())? == before, "something was written there");
    Ok(())
}

#[tokio::test]
async fn a_content_that_is_not_what_it_is_called_is_fetched_after_all() -> Outcome {
    let bench = Bench::new().await?;
    let repo = of_folder(TARGET, &bench.made(tiny::TARGET))?;
    let snapshot = cached(&bench.user(), &repo, |path| path == "model.safetensors")?;
    let blob = snapshot.join("model.safetensors").canonicalize()?;
    let mut bytes = fs::read(&blob)?;
    bytes[5000] ^= 1;
    fs::write(&blob, bytes)?;
    let app = bench.app().await?;
    let id = install(&app, TARGET).await?;
    assert_eq!(app.verify_files(&id, Sender::default()).await?.wrong, None);
    Ok(())
}

#[tokio::test]
async fn a_link_that_leads_out_of_the_repos_folder_is_not_followed() -> Outcome {
    let bench = Bench::new().await?;
    let repo = of_folder(TARGET, &bench.made(tiny::TARGET))?;
    let snapshot = cached(&bench.user(), &repo, |path| path != "config.json")?;
    symlink(bench.made(tiny::TARGET).join("config.json"), snapshot.join("config.json"))?;
    let app = bench.app().await?;
    let found = app.found().await?;
    assert!(found[0].unusable.as_deref().is_some_and(|why| why.contains("config.json")), "{found:?}");
    let refused = app.add_model(&snapshot, None, None).await;
    assert!(matches!(refused, Err(Error::Astray { .. })), "{refused:?}");
    assert!(app.locate(TARGET).await?.is_none());
    Ok(())
}

#[tokio::test]
async fn a_model_of_lm_studio_is_found_and_used_where_it_lies() -> Outcome {
    let bench = Bench::new().await?;
    let models = bench.user().join(".lmstudio/models");
    let folder = models.join("Owner/One");
    fs::create_dir_all(&folder)?;
    for entry in fs::read_dir(bench.made(tiny::TARGET))? {
        let path = entry?.path();
        fs::copy(&path, folder.join(path.file_name().unwrap_or_default()))?;
    }
    fs::create_dir_all(models.join("Owner/Packed"))?;
    fs::write(models.join("Owner/Packed/model.gguf"), "GGUF")?;
    let before = state(&bench.user())?;
    let app = bench.app().await?;
    let found = app.found().await?;
    assert_eq!((found.len(), found[0].source, found[0].role), (1, Source::LmStudio, Some(CheckpointRole::Target)));
    let model = app.add_model(&found[0].folder, None, None).await?;
    assert_eq!((model.id.as_str(), model.source), ("One", Source::LmStudio));
    assert!(!app.verify_files("One", Sender::default()).await?.by_hash());
    // Its files spare a download of the same repo, once their hashes agree.
    let offer = app.offer(TARGET, "main").await?;
    assert_eq!(offer.to_fetch, 0);
    let sent = bench.fake.sent();
    let id = job(&app, &offer).await?.id;
    assert_eq!(app.run_download(id).await?.model.as_deref(), Some("One-2"));
    assert_eq!(bench.fake.sent(), sent);
    assert!(state(&bench.user())? == before, "something was written there");
    Ok(())
}
