//! Calibrations of the app: a whole one, interrupted ones, which is in force, and what is refused.

use std::{fs, path::Path, time::Duration};

use app::{
    App, CalibrationOrder, CalibrationPhase, CalibrationRun, CalibrationStanding, CalibrationState, CalibrationWriting,
    Controls, DraftSource, Mode, Phase, Precision, Question, Sampling, Say, Speculation,
};
use tests::{Outcome, tiny};
use tokio::time::sleep;

/// A home with the tiny models, of which the drafter is as sure as 0.73 of every token, and a file of prompts in it.
struct Home {
    home: tempfile::TempDir,
    models: tempfile::TempDir,
}

impl Home {
    async fn new() -> Outcome<Self> {
        let (home, models) = (tempfile::tempdir()?, tiny::models().await?);
        tiny::be_sure(&models.path().join(tiny::DRAFTER), 1.0)?;
        tiny::register(home.path(), models.path(), 24).await?;
        fs::write(home.path().join("prompts.txt"), "Who?\nWhat?\nWhere?\nWhy?\nHow?\nWhen?\nWhose?\nWhich?\n")?;
        Ok(Self { home, models })
    }

    fn path(&self) -> &Path {
        self.home.path()
    }

    fn drafter(&self) -> std::path::PathBuf {
        self.models.path().join(tiny::DRAFTER)
    }

    fn order(&self, tokens: u32) -> CalibrationOrder {
        let file = Some(self.path().join("prompts.txt"));
        let precision = Precision::Float32;
        CalibrationOrder {
            suites: vec![],
            file,
            precision,
            tokens,
            ..CalibrationOrder::usual(tiny::TARGET, tiny::DRAFTER)
        }
    }
}

/// Waits until a calibration is as wanted.
async fn until(app: &App, id: i64, wanted: impl Fn(&CalibrationRun) -> bool) -> Outcome<CalibrationRun> {
    loop {
        let run = app.calibration(id).await?;
        if wanted(&run) {
            return Ok(run);
        }
        if !run.is_running() {
            return Err(format!("it is {:?}: {:?}", run.state, run.failure).into());
        }
        sleep(Duration::from_millis(2)).await;
    }
}

/// A whole calibration; returns its id.
async fn calibrated(app: &App, home: &Home) -> Outcome<i64> {
    let id = app.start_calibration(home.order(24)).await?.id;
    Ok(until(app, id, |run| run.state == CalibrationState::Done).await?.id)
}

/// The ids of a greedy answer in a chat, whether its confidences were scaled, and the confidences of its first round.
async fn chat(app: &App) -> Outcome<(Vec<u32>, bool, Vec<f32>)> {
    let sampling = Sampling { temperature: 0.0, ..Sampling::default() };
    let said = app.say(Say {
        question: Question::First { text: "Why?".into(), attachments: vec![], system: String::new() },
        target: tiny::TARGET.into(),
        drafter: Some(tiny::DRAFTER.into()),
        precision: Precision::Float32,
        controls: Controls { sampling, max_tokens: 24, ..Controls::default() },
        insist: false,
        observe: false,
    });
    let (mut reader, mut first) = (said.await?.answering.reader(), None);
    while let Some(frame) = reader.next().await {
        first = first.or(frame.rounds.into_iter().next());
        if let Phase::Ended(ended) = frame.phase {
            let answer = ended.map_err(|error| error.to_string())?;
            let scaled = matches!(answer.speculation, Speculation::On { calibrated: true, .. });
            return Ok((answer.ids.clone(), scaled, first.ok_or("no round")?.calibrated));
        }
    }
    Err("no end".into())
}

#[tokio::test]
async fn a_calibration_says_what_it_fitted_on_what_and_what_drafting_is_worth() -> Outcome {
    let home = Home::new().await?;
    let app = App::open(home.path()).await?;
    let id = app.start_calibration(home.order(24)).await?.id;
    let done = until(&app, id, |run| run.state == CalibrationState::Done).await?;
    assert_eq!((done.data.as_str(), done.in_force, done.stale), ("8 prompts: prompts.txt", false, None));
    let report = app.calibration_report(id).await?;
    assert_eq!((report.fitted_on.prompts, report.held_out.prompts), (6, 2));
    assert_eq!(report.positions.len(), tiny::GAMMA);
    assert!(report.positions[0].samples >= 100 && report.positions[0].raw.bins.len() == 20, "{report:?}");
    // Of an untrained drafter nothing stands, so being as sure as 0.73 is wrong by as much.
    assert!(report.positions[0].raw.ece.is_some_and(|ece| (ece - 0.731).abs() < 0.05), "{report:?}");
    let modes = report.together.iter().map(|measured| measured.mode).collect::<Vec<_>>();
    assert_eq!(modes, Mode::all(tiny::GAMMA));
    assert!(report.together.iter().all(|measured| measured.prompts == 2 && measured.simulated.is_some()), "{report:?}");
    assert!(report.suites.is_empty());
    let rows = |row: &app::CostRow| row.verify_s.iter().map(|&(rows, _)| rows).collect::<Vec<_>>();
    // Of short contexts, as the prompts are, and of long ones.
    assert_eq!(report.cost.iter().map(rows).collect::<Vec<_>>(), [[1, 2, 3, 4, 5]; 2]);
    let drafts = |row: &app::CostRow| row.draft_s.iter().map(|&(tokens, _)| tokens).collect::<Vec<_>>();
    assert_eq!(report.cost.iter().map(drafts).collect::<Vec<_>>(), [[1, 2, 3, 4]; 2]);
    assert_eq!(report.advice.mode, Mode::Plain);

    let csv = app.calibration_samples(id).await?;
    let lines = csv.lines().collect::<Vec<_>>();
    assert!(lines[0].starts_with("prompt,suite,held_out,round,position,confidence,accepted"));
    assert!(lines[1].starts_with("1,\"prompts.txt\",false,1,1,0.73"), "{}", lines[1]);
    let drafted = report.fitted_on.rounds + report.held_out.rounds;
    assert!(lines.len() > drafted && lines.len() <= 1 + drafted * tiny::GAMMA);
    let json = serde_json::from_str::<serde_json::Value>(&app.calibration_json(id).await?)?;
    assert_eq!(json["report"], serde_json::to_value(&report)?);
    assert_eq!((&json["target"]["id"], &json["thinking"]), (&tiny::TARGET.into(), &false.into()));
    assert!(json["target"]["hash"].as_str().is_some_and(|hash| hash.len() == 64), "{json}");
    Ok(())
}

#[tokio::test]
async fn what_is_in_force_scales_confidences_and_changes_no_word_and_one_step_takes_it_back() -> Outcome {
    let home = Home::new().await?;
    let app = App::open(home.path()).await?;
    let (before, scaled, _) = chat(&app).await?;
    assert!(!scaled);
    // Enough rounds for a temperature.
    let order = CalibrationOrder { suites: vec!["chat".into(), "code".into()], file: None, ..home.order(24) };
    let mut ids = Vec::new();
    for tokens in [30, 31] {
        let id = app.start_calibration(CalibrationOrder { tokens, prompts: 6, ..order.clone() }).await?.id;
        until(&app, id, |run| run.state == CalibrationState::Done).await?;
        ids.push(id);
    }
    let [one, other] = ids[..] else { unreachable!("there are two") };
    assert_eq!(app.calibration_report(one).await?.suites.len(), 2);
    let temperature = app.calibration_report(one).await?.fitted.temperatures[0];
    assert!(temperature > 3.9, "nothing stands, so be as unsure as can be: {temperature}");

    assert!(app.apply_calibration(one).await?.in_force && app.apply_calibration(other).await?.in_force);
    assert!(!app.calibration(one).await?.in_force, "the latest is");
    let (after, scaled, confidences) = chat(&app).await?;
    assert_eq!((after, scaled), (before.clone(), true));
    // No round ever came to another position.
    assert!(confidences.first().is_none_or(|scaled| (0.5..0.6).contains(scaled)), "{confidences:?}");
    assert!(confidences.iter().skip(1).all(|&as_said| (0.7..0.8).contains(&as_said)), "{confidences:?}");

    app.revert_calibration(other).await?;
    assert!(app.calibration(one).await?.in_force);
    app.remove_calibration(one).await?;
    let (after, scaled, confidences) = chat(&app).await?;
    assert_eq!((after, scaled, confidences), (before, false, vec![]));
    Ok(())
}

#[tokio::test]
async fn an_interruption_in_any_phase_costs_one_prompt_and_leaves_what_is_in_force() -> Outcome {
    let home = Home::new().await?;
    let mut app = App::open(home.path()).await?;
    let in_force = calibrated(&app, &home).await?;
    app.apply_calibration(in_force).await?;
    let id = app.start_calibration(home.order(64)).await?.id;
    let mut phases = Vec::new();
    for (phase, done) in
        [(CalibrationPhase::Collect, 3), (CalibrationPhase::Collect, 6), (CalibrationPhase::Measure, 1)]
    {
        until(&app, id, |run| run.phase > phase || run.phase == phase && run.done >= done).await?;
        app.pause_calibrations().await;
        let paused = app.calibration(id).await?;
        assert_eq!((paused.state, paused.advice.is_some()), (CalibrationState::Paused, false));
        phases.push(paused.phase);
        let lines = app.calibration_samples(id).await?.lines().count();
        assert!(lines > 1 && app.calibration(in_force).await?.in_force);
        // Another process finds the same.
        drop(app);
        app = App::open(home.path()).await?;
        assert_eq!(app.calibration(id).await?.state, CalibrationState::Paused);
        assert_eq!(app.calibration_samples(id).await?.lines().count(), lines);
        assert_eq!(app.start_calibration(home.order(64)).await?.id, id, "the same order goes on");
        assert!(app.calibration_samples(id).await?.lines().count() >= lines);
    }
    assert_eq!((phases[0], phases[2]), (CalibrationPhase::Collect, CalibrationPhase::Measure));
    until(&app, id, |run| run.state == CalibrationState::Done).await?;
    assert!(app.resume_calibration(id).await.is_err(), "it is over");

    // What was recorded in pieces is what is recorded at once.
    let again = app.start_calibration(home.order(64)).await?.id;
    assert_ne!(again, id);
    until(&app, again, |run| run.state == CalibrationState::Done).await?;
    assert_eq!(app.calibration_samples(again).await?, app.calibration_samples(id).await?);
    assert_eq!(app.calibration_report(again).await?.fitted, app.calibration_report(id).await?.fitted);
    Ok(())
}

#[tokio::test]
async fn other_prompts_under_the_same_name_are_another_calibration() -> Outcome {
    let home = Home::new().await?;
    let app = App::open(home.path()).await?;
    let id = app.start_calibration(home.order(64)).await?.id;
    app.pause_calibrations().await;
    assert_eq!(app.start_calibration(home.order(64)).await?.id, id);
    app.pause_calibrations().await;
    fs::write(home.path().join("prompts.txt"), "Whether?\nWhence?\n")?;
    assert_ne!(app.start_calibration(home.order(64)).await?.id, id);
    app.pause_calibrations().await;
    Ok(())
}

#[tokio::test]
async fn a_deleted_conversation_takes_its_questions_along() -> Outcome {
    let home = Home::new().await?;
    let app = App::open(home.path()).await?;
    chat(&app).await?;
    let order = CalibrationOrder { conversations: true, ..home.order(24) };
    let id = app.start_calibration(order).await?.id;
    app.pause_calibration(id).await?;
    until(&app, id, |run| run.state == CalibrationState::Paused).await?;
    let conversation = app.conversations().await?[0].id;
    app.remove_conversation(conversation).await?;
    app.forget_conversation(conversation).await?;
    app.resume_calibration(id).await?;
    until(&app, id, |run| run.state == CalibrationState::Done).await?;
    assert!(!app.calibration_samples(id).await?.contains("Your conversations"));
    Ok(())
}

#[tokio::test]
async fn a_chat_comes_between_two_answers_of_a_calibration() -> Outcome {
    let home = Home::new().await?;
    let app = App::open(home.path()).await?;
    let id = app.start_calibration(home.order(64)).await?.id;
    until(&app, id, |run| run.done > 0).await?;
    assert_eq!(chat(&app).await?.0.len(), 24);
    assert!(app.calibration(id).await?.is_running());
    assert!(app.remove_calibration(id).await.is_err(), "it runs");
    app.pause_calibration(id).await?;
    until(&app, id, |run| run.state == CalibrationState::Paused).await?;
    app.remove_calibration(id).await?;
    assert!(app.calibrations().await?.is_empty());
    Ok(())
}

/// How calibration stands for the tiny target and this drafter.
async fn standing(app: &App, drafter: &str) -> Outcome<CalibrationStanding> {
    Ok(app.calibration_standing(tiny::TARGET, drafter, Precision::Float32, false).await?)
}

#[tokio::test]
async fn what_is_written_into_a_drafters_file_can_be_taken_back() -> Outcome {
    let home = Home::new().await?;
    let app = App::open(home.path()).await?;
    let id = calibrated(&app, &home).await?;
    app.apply_calibration(id).await?;
    let document = home.drafter().join("dspark.json");
    let before = serde_json::from_str::<serde_json::Value>(&fs::read_to_string(&document)?)?;
    app.write_calibration(id, false).await?;
    let mut written = serde_json::from_str::<serde_json::Value>(&fs::read_to_string(&document)?)?;
    assert_eq!(written["config"]["sts"]["thresholds"].as_array().map(Vec::len), Some(tiny::GAMMA));
    written["config"].as_object_mut().ok_or("no config")?.remove("sts");
    assert_eq!(written.to_string(), before.to_string());
    app.write_calibration(id, false).await?;
    app.take_back_calibration(id).await?;

    let mut others = before.clone();
    others["config"]["sts"] = serde_json::json!({ "thresholds": [0.5] });
    fs::write(&document, others.to_string())?;
    let refused = app.write_calibration(id, false).await.err().ok_or("it was written over")?;
    assert_eq!(refused.code(), Some(app::Code::Overwrite), "{refused}");
    assert_eq!(app.calibration(id).await?.writing, CalibrationWriting::Possible);
    app.write_calibration(id, true).await?;
    assert!(app.calibration(id).await?.in_force);

    assert_eq!(standing(&app, tiny::DRAFTER).await?, CalibrationStanding::InForce(id));
    app.revert_calibration(id).await?;
    assert_eq!(standing(&app, tiny::DRAFTER).await?, CalibrationStanding::InFiles);
    assert_eq!(app.calibration(id).await?.writing, CalibrationWriting::Done);
    app.take_back_calibration(id).await?;
    let taken_back = serde_json::from_str::<serde_json::Value>(&fs::read_to_string(&document)?)?;
    assert_eq!(taken_back.to_string(), others.to_string());
    fs::write(&document, before.to_string())?;
    assert!(app.take_back_calibration(id).await.is_err(), "it is not there");
    assert_eq!(standing(&app, tiny::DRAFTER).await?, CalibrationStanding::NotApplied(id));
    let run = app.apply_calibration(id).await?;
    assert_eq!((run.writing, run.reverted_at), (CalibrationWriting::Possible, None));
    Ok(())
}

#[tokio::test]
async fn other_files_make_it_stale_and_another_place_does_not() -> Outcome {
    let home = Home::new().await?;
    let app = App::open(home.path()).await?;
    let id = calibrated(&app, &home).await?;
    app.apply_calibration(id).await?;
    // A copy elsewhere is the same drafter.
    let copy = home.path().join("copy");
    fs::create_dir(&copy)?;
    for name in ["dspark.json", "model.safetensors"] {
        fs::copy(home.drafter().join(name), copy.join(name))?;
    }
    let twin = app.add_model(&copy, None, None).await?.id;
    assert_ne!(twin, tiny::DRAFTER);
    assert_eq!(standing(&app, &twin).await?, CalibrationStanding::InForce(id));
    let target = home.models.path().join(tiny::TARGET);
    let fitted = app.calibration_for(&target, Some(&DraftSource::Folder(copy)), Precision::Float32, false).await?;
    assert_eq!(fitted, Some(app.calibration_report(id).await?.fitted));
    let own = DraftSource::Folder(home.drafter());
    for (drafter, precision) in [(&own, Precision::AsStored), (&DraftSource::Lookup, Precision::Float32)] {
        assert_eq!(app.calibration_for(&target, Some(drafter), precision, false).await?, None);
    }
    // This target cannot think, so whoever asks it to is answered as without.
    assert_eq!(app.calibration_for(&target, Some(&own), Precision::Float32, true).await?, fitted);

    // Whoever has the files has the calibration, whatever becomes of those that it was made with.
    tiny::be_sure(&home.drafter(), 1.5)?;
    let kept = app.calibration(id).await?;
    assert_eq!((kept.stale, kept.in_force), (None, true));
    assert_eq!(standing(&app, &twin).await?, CalibrationStanding::InForce(id));
    app.remove_model(&twin).await?;
    let stale = app.calibration(id).await?;
    let why = stale.stale.ok_or("it holds")?;
    assert!(why.contains(tiny::DRAFTER) && why.contains("not what they were") && !stale.in_force, "{why}");
    assert_eq!(standing(&app, tiny::DRAFTER).await?, CalibrationStanding::Stale { id, why });
    for refused in [app.apply_calibration(id).await.err(), app.write_calibration(id, true).await.err()] {
        assert!(refused.is_some_and(|refused| refused.to_string().contains("does not hold any more")));
    }
    assert!(!chat(&app).await?.1);
    app.remove_model(tiny::DRAFTER).await?;
    assert!(app.calibration(id).await?.stale.is_some_and(|why| why.contains("not in the list")));
    Ok(())
}

#[tokio::test]
async fn what_cannot_be_calibrated_is_refused_in_a_sentence_and_leaves_nothing() -> Outcome {
    let home = Home::new().await?;
    let app = App::open(home.path()).await?;
    let usual = home.order(24);
    fs::write(home.path().join("one.txt"), "Who?")?;
    let one = Some(home.path().join("one.txt"));
    for (order, said) in [
        (CalibrationOrder { drafter: "nobody".into(), ..usual.clone() }, "it is not in the list"),
        (CalibrationOrder { drafter: app::LOOKUP.into(), ..usual.clone() }, "has no confidence in its tokens"),
        (CalibrationOrder { target: tiny::DRAFTER.into(), ..usual.clone() }, "it is a drafter"),
        (CalibrationOrder { thinking: true, ..usual.clone() }, "cannot think before it answers"),
        (CalibrationOrder { suites: vec!["poems".into()], ..usual.clone() }, "there is no suite “poems”"),
        (CalibrationOrder { file: one, ..usual.clone() }, "two prompts of one kind at least"),
        (CalibrationOrder { file: None, ..usual.clone() }, "two prompts of one kind at least"),
        (CalibrationOrder { conversations: true, ..usual.clone() }, "no questions in your conversations"),
    ] {
        let refused = app.start_calibration(order).await.err().ok_or("it began")?.to_string();
        assert!(refused.contains(said), "{refused}");
    }
    assert!(app.calibrations().await?.is_empty());
    assert!(app.apply_calibration(7).await.is_err() && app.calibration_report(7).await.is_err());

    // One token is the target's own, so nothing is drafted.
    let id = app.start_calibration(home.order(1)).await?.id;
    let failed = until(&app, id, |run| run.state == CalibrationState::Failed).await?;
    assert!(failed.failure.is_some_and(|why| why.starts_with("nothing was drafted")));
    let refused = app.calibration_report(id).await.err().ok_or("there is one")?.to_string();
    assert!(refused.contains("is not done"), "{refused}");
    Ok(())
}
