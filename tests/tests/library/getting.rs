//! What is offered, and getting it.

use std::fs;

use app::{CheckpointRole, Code, DownloadState, Error, Gated, Source, TokenSource};
use serde_json::json;
use tests::{
    Outcome,
    hub::{Content, TOKEN},
    library::{Bench, DRAFTER, TARGET, install, job, of_folder},
    tiny,
};

#[tokio::test]
async fn an_offer_says_what_the_engine_will_say_once_the_files_are_there() -> Outcome {
    let bench = Bench::new().await?;
    let app = bench.app().await?;
    for (repo, name) in [(TARGET, tiny::TARGET), (DRAFTER, tiny::DRAFTER)] {
        let offer = app.offer(repo, "main").await?;
        let judgement = offer.judgement?;
        assert_eq!(judgement.checkpoint, engine::inspect(&bench.made(name))?);
        let is_target = judgement.checkpoint.role == CheckpointRole::Target;
        assert_eq!(judgement.memory.is_some(), is_target);
        assert!(judgement.fits.is_empty() && offer.located.is_none());
        assert_eq!((offer.to_fetch, offer.to_write), (offer.bytes, offer.bytes));
        assert!(offer.free > 0 && offer.files.iter().all(|file| !file.is_here));
    }
    Ok(())
}

#[tokio::test]
async fn whether_a_target_fits_the_memory_is_known_before_it_is_downloaded() -> Outcome {
    let bench = Bench::new().await?;
    let app = bench.app().await?;
    let memory = app.offer(TARGET, "main").await?.judgement?.memory.ok_or("no figure")?;
    let plan = engine::Plan::of(&bench.made(tiny::TARGET), None, engine::Precision::AsStored)?;
    assert_eq!(memory, Ok(plan.need(app::USUAL_CONTEXT)));
    app.set_memory_reserve(Some(u64::MAX)).await?;
    let short = app.offer(TARGET, "main").await?.judgement?.memory.ok_or("no figure")?;
    assert!(short.is_err_and(|why| why.starts_with("this needs ")));
    Ok(())
}

#[tokio::test]
async fn a_tokenizer_too_large_for_a_look_does_not_hide_what_a_target_is() -> Outcome {
    let bench = Bench::new().await?;
    let path = bench.made(tiny::TARGET).join("tokenizer.json");
    let mut tokenizer = fs::read(&path)?;
    tokenizer.resize(3 << 20, b' ');
    fs::write(&path, &tokenizer)?;
    let repo = of_folder("Owner/Three", &bench.made(tiny::TARGET))?;
    bench.fake.edit(|repos| repos.push(repo));
    let checkpoint = bench.app().await?.offer("Owner/Three", "main").await?.judgement?.checkpoint;
    let wanted = engine::inspect(&bench.made(tiny::TARGET))?;
    assert_eq!(engine::Checkpoint { stop_ids: wanted.stop_ids.clone(), ..checkpoint }, wanted);
    assert!(bench.fake.fetched().iter().all(|seen| !seen.target.ends_with("tokenizer.json")));
    Ok(())
}

#[tokio::test]
async fn whether_a_drafter_suits_a_target_is_known_before_it_is_downloaded_with_both_numbers() -> Outcome {
    let bench = Bench::new().await?;
    let app = bench.app().await?;
    let target = install(&app, TARGET).await?;
    let fits = app.offer(DRAFTER, "main").await?.judgement?.fits;
    assert_eq!(fits.iter().map(|fit| (&fit.model, &fit.misfit)).collect::<Vec<_>>(), [(&target, &None)]);

    let drafters = tests::fixtures::drafters()?;
    let mut misfits = Vec::new();
    for (number, folder) in drafters.iter().enumerate() {
        let folder = folder.join("checkpoint");
        let repo = of_folder(&format!("Owner/Drafter-{number}"), &folder)?;
        let id = repo.id.clone();
        bench.fake.edit(|repos| repos.push(repo));
        let fit = app.offer(&id, "main").await?.judgement?.fits.remove(0);
        let (target, drafter) = (bench.made(tiny::TARGET), engine::DraftSource::Folder(folder));
        let wanted = engine::Plan::of(&target, Some(&drafter), engine::Precision::AsStored);
        assert_eq!(fit.misfit, wanted.err().map(|error| error.to_string()));
        misfits.extend(fit.misfit);
    }
    let sentence = "the drafter was made for a target whose hidden size is 64, this one's is 48";
    assert!(misfits.iter().any(|misfit| misfit == sentence), "{misfits:?}");
    Ok(())
}

#[tokio::test]
async fn what_is_downloaded_becomes_a_model_and_is_got_only_once() -> Outcome {
    let bench = Bench::new().await?;
    let app = bench.app().await?;
    let offer = app.offer(TARGET, "main").await?;
    let id = install(&app, TARGET).await?;
    let model = app.model(&id).await?;
    assert_eq!((model.id.as_str(), model.source, model.repo.as_deref()), ("One", Source::Hub, Some(TARGET)));
    assert_eq!(model.commit, Some(offer.commit));
    for entry in fs::read_dir(bench.made(tiny::TARGET))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default();
        assert!(fs::read(&path)? == fs::read(model.folder.join(name))?, "{}", path.display());
    }
    let located = app.locate(TARGET).await?.ok_or("it is nowhere")?;
    assert!(located.is_whole() && located.model == Some(id.clone()) && located.folder == model.folder);

    let before = bench.fake.fetched().len();
    let again = app.offer(TARGET, "main").await?;
    assert_eq!((again.to_fetch, again.to_write), (0, 0));
    assert_eq!(app.get(&again).await?, app::Got::Installed(app.model(&id).await?));
    let asked = bench.fake.fetched().split_off(before);
    assert!(asked.iter().all(|seen| seen.range.is_some() || seen.sent < (1 << 20)), "{asked:?}");
    Ok(())
}

#[tokio::test]
async fn two_spellings_of_a_repo_are_one() -> Outcome {
    let bench = Bench::new().await?;
    let app = bench.app().await?;
    let id = install(&app, "oWNER/oNE").await?;
    assert_eq!(app.model(&id).await?.repo.as_deref(), Some(TARGET));
    assert!(job(&app, &app.offer("OWNER/ONE", "main").await?).await.is_err());
    assert_eq!(app.locate("owner/one").await?.and_then(|located| located.model), Some(id));
    Ok(())
}

#[tokio::test]
async fn a_gated_repo_says_where_its_licence_is_accepted_and_comes_once_there_is_a_token() -> Outcome {
    let bench = Bench::new().await?;
    bench.fake.edit(|repos| repos[0].gated = json!("manual"));
    let app = bench.app().await?;
    assert_eq!(app.hub_status().await?.token, TokenSource::None);
    let offer = app.offer(TARGET, "main").await?;
    let page = format!("{}/{TARGET}", bench.fake.endpoint());
    assert_eq!((offer.gated, &offer.page), (Gated::Manual, &page));
    let why = offer.judgement.clone().err().ok_or("it was read")?;
    assert!(why.contains(&page) && why.contains("token"), "{why}");
    assert_eq!(offer.code, Some(Code::AcceptLicence));

    let job = job(&app, &offer).await?;
    let failed = app.run_download(job.id).await?;
    assert_eq!((failed.state, failed.code), (DownloadState::Failed, Some(Code::AcceptLicence)));
    assert!(failed.reason.ok_or("no reason")?.contains(&page));

    let status = app.log_in(TOKEN.parse()?).await?;
    assert_eq!(status.token, TokenSource::ThisRun);
    assert!(status.no_keychain.is_some());
    app.resume_download(job.id).await?;
    assert_eq!(app.run_download(job.id).await?.state, DownloadState::Done);
    assert!(bench.fake.seen().iter().all(|seen| !seen.authorised || seen.origin == tests::hub::Origin::Hub));
    assert!(!holds(&bench.home(), TOKEN)?, "the token was written down");
    assert_eq!(app.log_out().await?.token, TokenSource::None);
    Ok(())
}

/// Whether a file below `folder` holds `text`.
fn holds(folder: &std::path::Path, text: &str) -> Outcome<bool> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let found = if path.is_dir() {
            holds(&path, text)?
        } else {
            fs::read(&path)?.windows(text.len()).any(|bytes| bytes == text.as_bytes())
        };
        if found {
            return Ok(true);
        }
    }
    Ok(false)
}

#[tokio::test]
async fn offline_nothing_touches_the_network_and_a_sentence_says_so() -> Outcome {
    let bench = Bench::new().await?;
    let app = bench.app().await?;
    app.set_offline(true).await?;
    assert!(app.hub_status().await?.offline);
    let refused = app.offer(TARGET, "main").await.err().ok_or("it was asked")?;
    assert_eq!(refused.code(), Some(Code::GoOnline));
    assert!(refused.to_string().starts_with("offline: "), "{refused}");
    assert!(matches!(app.discover("", app::Wanted::All, None).await, Err(Error::Hub(_))));
    assert!(!app.catalogue().await?.is_empty() && bench.fake.seen().is_empty());
    // It is remembered.
    assert!(bench.app().await?.hub_status().await?.offline);
    Ok(())
}

#[tokio::test]
async fn sizes_that_no_disk_has_are_shown_and_not_added_up_past_the_end() -> Outcome {
    let bench = Bench::new().await?;
    let huge = tests::hub::Repo::new("Owner/Huge").small("config.json", Content::of(*b"{}"));
    let names = ["model-1.safetensors", "model-2.safetensors", "model-3.safetensors"];
    let huge = names.into_iter().fold(huge, |repo, name| repo.large(name, Content::claimed(u64::MAX)));
    bench.fake.edit(|repos| repos.push(huge));
    let app = bench.app().await?;
    match app.offer("Owner/Huge", "main").await {
        Err(refused) => assert!(refused.to_string().contains("Owner/Huge"), "{refused}"),
        Ok(offer) => {
            assert!(offer.to_write > offer.free);
            let job = job(&app, &offer).await?;
            assert!(app.downloads().await?.iter().any(|download| download.id == job.id && download.total > 1 << 60));
            assert_ne!(app.run_download(job.id).await?.state, DownloadState::Done);
        }
    }
    Ok(())
}

#[tokio::test]
async fn what_is_no_checkpoint_is_said_before_and_never_becomes_a_model() -> Outcome {
    let bench = Bench::new().await?;
    let repo = tests::hub::Repo::new("Owner/Odd").small("config.json", Content::of(*b"{}"));
    bench.fake.edit(|repos| repos.push(repo.large("model.safetensors", Content::noise(9000, 1))));
    let app = bench.app().await?;
    let offer = app.offer("Owner/Odd", "main").await?;
    assert!(offer.judgement.is_err());
    let job = job(&app, &offer).await?;
    assert_eq!(app.run_download(job.id).await?.state, DownloadState::Failed);
    assert!(app.models().await?.is_empty());
    Ok(())
}
