//! Trainings of the app: what a restart finds, what a stop keeps, and where a drafter says that it came from.

use std::{fs, path::Path, time::Duration};

use app::{
    App, CheckpointRole, Design, DesignKind, DesignSize, DraftSource, Precision, Prompt, Request, Source, Training,
    TrainingData, TrainingLength, TrainingOrder, TrainingState,
};
use store::{Store, TrainingPoint};
use tests::{Outcome, tiny};
use tokio::time::sleep;

/// An order for the tiny target, which learns from the prompts in a file.
fn order(file: &Path, name: &str, steps: usize) -> TrainingOrder {
    TrainingOrder {
        target: tiny::TARGET.into(),
        name: name.into(),
        design: Design { kind: DesignKind::DSpark, size: DesignSize::Small, gamma: 3 },
        data: TrainingData::File(file.to_owned()),
        length: TrainingLength::Steps(steps),
        precision: Precision::Float32,
        seed: 7,
    }
}

/// A home with the tiny models, and a file of prompts in it.
async fn home() -> Outcome<(tempfile::TempDir, tempfile::TempDir, std::path::PathBuf)> {
    let (home, models) = (tempfile::tempdir()?, tiny::models().await?);
    tiny::register(home.path(), models.path(), 8).await?;
    let file = home.path().join("prompts.txt");
    fs::write(&file, tiny::questions().collect::<Vec<_>>().join("\n"))?;
    Ok((home, models, file))
}

/// Waits until a training is as wanted.
async fn until(app: &App, id: i64, wanted: impl Fn(&Training) -> bool) -> Outcome<Training> {
    loop {
        let training = app.training(id).await?;
        if wanted(&training) {
            return Ok(training);
        }
        if !training.is_running() {
            return Err(format!("it is {:?}: {:?}", training.state, training.failure).into());
        }
        sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_training_becomes_a_drafter_in_the_list_that_says_where_it_came_from() -> Outcome {
    let (home, _models, file) = home().await?;
    let app = App::open(home.path()).await?;
    let before = app.estimate_training(&order(&file, "mine", 40)).await?;
    assert!(before.prompts == 10 && before.memory > 0 && before.disk > 0, "{before:?}");
    let id = app.start_training(order(&file, "mine", 40)).await?.id;
    let done = until(&app, id, |training| training.state == TrainingState::Done).await?;
    assert_eq!((done.drafter.as_deref(), done.step, done.steps), (Some("mine"), 40, 40));
    assert_eq!((done.answers_done, done.answers_of, done.loss.len()), (10, 10, 40));
    assert!(done.at_best() > done.at_start(), "{:?}", done.tokens_per_round);

    let model = app.model("mine").await?;
    assert_eq!((model.role, model.source, model.broken.as_deref()), (CheckpointRole::Drafter, Source::Trained, None));
    let said = fs::read_to_string(model.folder.join("README.md"))?;
    assert!(!said.contains("prompts.txt"), "{said}");
    for fact in [tiny::TARGET, "10 prompts of a file", "40 of 40", "Seed: 7"] {
        assert!(said.contains(fact), "{said}");
    }
    let details = app.model_details("mine", None, Precision::AsStored, 64).await?;
    let pedigree = details.pedigree.ok_or("it does not know where it came from")?;
    assert!(pedigree.target.starts_with(tiny::TARGET), "{pedigree:?}");
    assert_eq!((pedigree.steps, pedigree.of, pedigree.data.as_str()), (40, 40, "10 prompts of a file"));
    assert_eq!((pedigree.at_start, pedigree.at_best), (done.at_start(), done.at_best()));
    assert!(!home.path().join("trainings").join(id.to_string()).exists());
    assert!(app.start_training(order(&file, "mine", 41)).await.is_err(), "the name is taken");
    app.remove_training(id).await?;
    assert!(app.trainings().await?.is_empty() && app.model("mine").await.is_ok());

    app.remove_model("mine").await?;
    assert!(model.folder.exists(), "the trash keeps it");
    assert!(app.empty_trash().await? >= model.bytes && !model.folder.exists());
    Ok(())
}

#[tokio::test]
async fn a_training_that_is_stopped_keeps_its_best_and_one_that_learnt_nothing_leaves_nothing() -> Outcome {
    let (home, _models, file) = home().await?;
    let app = App::open(home.path()).await?;
    let id = app.start_training(order(&file, "early", 5000)).await?.id;
    until(&app, id, |training| training.answers_done > 0).await?;
    app.stop_training(id).await?;
    let stopped = until(&app, id, |training| training.state == TrainingState::Stopped).await?;
    assert_eq!((stopped.drafter, stopped.failure), (None, None));

    let id = app.start_training(order(&file, "late", 120)).await?.id;
    until(&app, id, |training| training.at_best() > training.at_start()).await?;
    app.pause_training(id).await?;
    until(&app, id, |training| training.state == TrainingState::Paused).await?;
    let stopped = app.stop_training(id).await?;
    assert_eq!((stopped.state, stopped.drafter.as_deref()), (TrainingState::Stopped, Some("late")));
    assert!(app.resume_training(id).await.is_err(), "it is over");
    Ok(())
}

/// Trains `late` until it does better than at the start, and pauses it; returns its id and its folder.
async fn better(app: &App, home: &Path, file: &Path) -> Outcome<(i64, std::path::PathBuf)> {
    let id = app.start_training(order(file, "late", 500)).await?.id;
    until(app, id, |training| training.at_start().is_some() && training.at_best() > training.at_start()).await?;
    app.pause_trainings().await;
    Ok((id, home.join("trainings").join(id.to_string())))
}

#[tokio::test]
async fn a_stop_never_deletes_what_is_better_and_not_kept_yet() -> Outcome {
    let (home, _models, file) = home().await?;
    let app = App::open(home.path()).await?;
    let (id, folder) = better(&app, home.path(), &file).await?;
    fs::rename(folder.join("best"), home.path().join("away"))?;
    let refused = app.stop_training(id).await.err().ok_or("it was deleted")?;
    assert!(refused.to_string().contains("resume it, then stop it"), "{refused}");
    assert!(folder.join("trainer").exists() && app.model("late").await.is_err());
    fs::rename(home.path().join("away"), folder.join("best"))?;
    assert_eq!(app.stop_training(id).await?.drafter.as_deref(), Some("late"));
    Ok(())
}

#[tokio::test]
async fn what_is_worth_keeping_does_not_depend_on_the_chart() -> Outcome {
    let (home, _models, file) = home().await?;
    let app = App::open(home.path()).await?;
    let (id, _) = better(&app, home.path(), &file).await?;
    let before = app.training(id).await?;
    let store = Store::open(&home.path().join("slipstream.sqlite3")).await?;
    let astray = TrainingPoint { step: 0, loss: None, tokens_per_round: Some(99.0), best: true };
    store.add_training_point(id, astray).await?;
    let stopped = app.stop_training(id).await?;
    assert_eq!(stopped.drafter.as_deref(), Some("late"));
    assert_eq!((stopped.at_start(), stopped.at_best()), (before.at_start(), before.at_best()));
    Ok(())
}

/// Makes what was measured before the first step so good that nothing is better.
fn excel(training: &Path, at_start: f64) -> Outcome {
    let state = training.join("trainer/state.safetensors");
    let (mut bytes, old, new) = (fs::read(&state)?, at_start.to_bits().to_string(), 99f64.to_bits().to_string());
    let at = bytes.windows(old.len()).position(|part| part == old.as_bytes()).ok_or("it is not in the state")?;
    bytes[at..at + old.len()].copy_from_slice(new.as_bytes());
    Ok(fs::write(&state, bytes)?)
}

/// Lets the app remove what no training needs any more.
async fn tidied(app: &App, home: &Path) -> Outcome {
    let of_none = home.join("trainings/99");
    fs::create_dir_all(&of_none)?;
    app.start_library();
    while of_none.exists() {
        sleep(Duration::from_millis(5)).await;
    }
    Ok(())
}

#[tokio::test]
async fn one_that_never_did_better_learns_for_longer_from_the_same_answers() -> Outcome {
    let (home, _models, file) = home().await?;
    let app = App::open(home.path()).await?;
    let id = app.start_training(order(&file, "mine", 60)).await?.id;
    let measured = until(&app, id, |training| training.at_start().is_some()).await?;
    app.pause_trainings().await;
    excel(&home.path().join(format!("trainings/{id}")), measured.at_start().ok_or("it was not measured")?)?;
    app.resume_training(id).await?;
    let done = until(&app, id, |training| training.state == TrainingState::Done).await?;
    assert!(done.drafter.is_none() && done.keeps_answers, "{done:?}");
    let answers = home.path().join(format!("trainings/{id}/answers.txt"));
    let before = fs::read(&answers)?;
    tidied(&app, home.path()).await?;
    assert!(app.resume_training(id).await.is_err(), "it is over");

    let longer = app.train_longer(id, TrainingLength::Steps(70)).await?;
    assert_eq!((longer.answers_done, longer.step, longer.failure), (10, 0, None));
    let learns = until(&app, id, |training| training.step > 0).await?;
    assert_eq!((learns.steps, learns.at_start().map(f64::to_bits)), (70, measured.at_start().map(f64::to_bits)));
    app.pause_trainings().await;
    assert!(fs::read(&answers)? == before, "the target was asked again");
    app.remove_training(id).await?;
    assert!(!answers.exists());
    assert!(app.train_longer(id, TrainingLength::Steps(30)).await.is_err(), "it is off the list");
    Ok(())
}

#[tokio::test]
async fn what_trainings_that_are_over_left_behind_goes() -> Outcome {
    let (home, _models, file) = home().await?;
    let app = App::open(home.path()).await?;
    let (id, folder) = better(&app, home.path(), &file).await?;
    tidied(&app, home.path()).await?;
    assert!(folder.join("best").exists(), "that one can go on");
    app.remove_training(id).await?;
    Ok(())
}

#[tokio::test]
async fn a_start_that_is_refused_leaves_no_training() -> Outcome {
    let (home, models, file) = home().await?;
    let app = App::open(home.path()).await?;
    let trainings = home.path().join("trainings");
    fs::write(&trainings, "in the way")?;
    assert!(app.start_training(order(&file, "mine", 10)).await.is_err());
    assert!(app.trainings().await?.is_empty());
    fs::remove_file(&trainings)?;
    let id = app.start_training(order(&file, "mine", 10)).await?.id;
    app.stop_training(id).await?;
    drop(models);
    Ok(())
}

#[tokio::test]
async fn after_a_restart_a_training_has_paused_with_its_curve_and_goes_on() -> Outcome {
    let (home, _models, file) = home().await?;
    let app = App::open(home.path()).await?;
    let id = app.start_training(order(&file, "mine", 60)).await?.id;
    until(&app, id, |training| training.step > 10).await?;
    assert!(app.remove_training(id).await.is_err(), "it runs");
    app.pause_trainings().await;
    drop(app);

    let app = App::open(home.path()).await?;
    let paused = app.training(id).await?;
    assert_eq!(paused.state, TrainingState::Paused);
    assert!(paused.step > 10 && paused.loss.len() > 10 && paused.at_start().is_some(), "{paused:?}");
    let before = fs::read(&file)?;
    fs::write(&file, "Whose?\n")?;
    let refused = app.start_training(order(&file, "mine", 60)).await.err().ok_or("it went on")?;
    assert!(refused.to_string().contains("from what this file held then"), "{refused}");
    fs::write(&file, before)?;
    let resumed = app.start_training(order(&file, "mine", 60)).await?;
    assert_eq!(resumed.id, id, "the same order goes on");
    until(&app, id, |training| training.state == TrainingState::Done).await?;
    Ok(())
}

#[tokio::test]
async fn before_any_answer_was_timed_it_is_guessed_from_how_fast_the_target_wrote() -> Outcome {
    let (home, models, file) = home().await?;
    let app = App::open(home.path()).await?;
    let order = order(&file, "mine", 10);
    let before = app.estimate_training(&order).await?;
    assert_eq!((before.seconds_answers, before.guessed, before.seconds_steps), (None, false, None));
    let request = Request {
        drafter: Some(DraftSource::Lookup),
        precision: Precision::Float32,
        ..Request::new(models.path().canonicalize()?.join(tiny::TARGET), Prompt::Raw(String::new()))
    };
    app.keep_cost(&request, &serde_json::from_str(r#"{ "contexts": [{ "verify": [[0.5]] }] }"#)?).await?;
    let guessed = app.estimate_training(&order).await?;
    // 10 answers of 192 tokens at half a second each.
    assert_eq!((guessed.seconds_answers, guessed.guessed), (Some(960.0), true));
    Ok(())
}

#[tokio::test]
async fn too_few_prompts_are_refused_before_anything_is_answered() -> Outcome {
    let (home, _models, file) = home().await?;
    let app = App::open(home.path()).await?;
    fs::write(&file, "Who?\nWhat?\n")?;
    let order = order(&file, "mine", 10);
    for refused in [app.estimate_training(&order).await.err(), app.start_training(order.clone()).await.err()] {
        let refused = refused.ok_or("it was accepted")?.to_string();
        assert!(refused.contains("at least 10 prompts of up to 2048 tokens, and there are 2"), "{refused}");
    }
    assert!(app.trainings().await?.is_empty());
    Ok(())
}

#[tokio::test]
async fn conversations_are_prompts_and_without_any_that_is_said() -> Outcome {
    let (home, _models, _file) = home().await?;
    let app = App::open(home.path()).await?;
    let order = TrainingOrder { data: TrainingData::Conversations, ..order(home.path(), "mine", 10) };
    let refused = app.estimate_training(&order).await.err().ok_or("it was accepted")?;
    assert!(refused.to_string().contains("no questions in your conversations"), "{refused}");
    Ok(())
}
