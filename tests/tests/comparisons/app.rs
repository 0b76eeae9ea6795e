//! Comparisons of the app: whole ones, interrupted ones, and what is streamed meanwhile.

use std::time::Duration;

use app::{App, ComparisonOrder, ComparisonRun, ComparisonState, Contender, LOOKUP, Likeness, Mode, Precision, Stage};
use tests::{Outcome, tiny};
use tokio::time::sleep;

/// A home with the tiny models.
async fn home() -> Outcome<(tempfile::TempDir, tempfile::TempDir)> {
    let (home, models) = (tempfile::tempdir()?, tiny::models().await?);
    tiny::register(home.path(), models.path(), 24).await?;
    Ok((home, models))
}

/// The tiny drafter in two ways, and lookup, for prompts of two suites.
fn order(temperature: f32) -> ComparisonOrder {
    let fixed = Contender { mode: Mode::Fixed { gamma: 3 }, ..Contender::auto(tiny::DRAFTER) };
    ComparisonOrder {
        target: tiny::TARGET.into(),
        contenders: vec![Contender::auto(tiny::DRAFTER), fixed, Contender::auto(LOOKUP)],
        precision: Precision::Float32,
        thinking: false,
        temperature,
        seed: 7,
        prompt: None,
        suites: vec!["chat".into(), "code".into()],
        prompts: 3,
        tokens: 24,
    }
}

/// Waits until a comparison is as wanted.
async fn until(app: &App, id: i64, wanted: impl Fn(&ComparisonRun) -> bool) -> Outcome<ComparisonRun> {
    loop {
        let run = app.comparison(id).await?;
        if wanted(&run) {
            return Ok(run);
        }
        if !run.is_running() {
            return Err(format!("it is {:?}: {:?}", run.state, run.failure).into());
        }
        sleep(Duration::from_millis(2)).await;
    }
}

fn is_done(run: &ComparisonRun) -> bool {
    run.state == ComparisonState::Done
}

#[tokio::test]
async fn all_columns_write_the_same_at_any_temperature_and_each_is_measured_by_workload() -> Outcome {
    let (home, _models) = home().await?;
    let app = App::open(home.path()).await?;
    for temperature in [0.0, 1.0] {
        let id = app.start_comparison(order(temperature)).await?.id;
        let done = until(&app, id, is_done).await?;
        assert_eq!((done.done, done.total, done.data.as_str()), (24, 24, "6 prompts: Chat, Code"));
        assert!(done.verdict.is_some_and(|verdict| verdict.starts_with("Identical")));

        let report = app.comparison_report(id).await?;
        let likeness = report.prompts.iter().flat_map(|prompt| &prompt.answers).filter_map(|answer| answer.likeness);
        assert_eq!(likeness.collect::<Vec<_>>(), [Likeness::Same { tokens: 24 }; 18]);
        let titles = report.workloads.iter().map(|workload| workload.title.as_str()).collect::<Vec<_>>();
        assert_eq!(titles, ["All prompts", "Chat", "Code"]);
        for (workload, prompts) in report.workloads.iter().zip([6, 3, 3]) {
            let columns = workload.columns.iter().map(|measured| (measured.column, measured.prompts));
            assert_eq!(columns.collect::<Vec<_>>(), [0, 1, 2, 3].map(|column| (column, prompts)));
            assert!(
                workload.columns.iter().all(|measured| measured.times_plain.is_some_and(|times| times.low.is_some()))
            );
        }
        let [plain, _, fixed, _] = &report.workloads[0].columns[..] else { unreachable!("there are four") };
        assert!((plain.tokens_per_round - 1.0).abs() < 1e-9 && plain.proposed_at.is_empty(), "{plain:?}");
        assert_eq!(fixed.proposed_at.len(), 3);

        assert_eq!(app.comparison_csv(id).await?.lines().count(), 25);
        let json = serde_json::from_str::<app::ComparisonReport>(&app.comparison_json(id).await?)?;
        assert_eq!((json.order, json.conditions, json.verdict), (report.order, report.conditions, report.verdict));
        assert!(app.comparison_card(id).await?.contains("## Chat, 3 prompts"));
    }
    Ok(())
}

#[tokio::test]
async fn an_interruption_keeps_what_was_measured_and_it_goes_on_there() -> Outcome {
    let (home, _models) = home().await?;
    let mut app = App::open(home.path()).await?;
    let id = app.start_comparison(ComparisonOrder { tokens: 64, ..order(0.0) }).await?.id;
    for done in [6, 14] {
        until(&app, id, |run| run.done >= done).await?;
        app.pause_comparisons().await;
        let paused = app.comparison(id).await?;
        assert_eq!((paused.state, paused.verdict), (ComparisonState::Paused, None));
        let kept = app.comparison_csv(id).await?;
        assert!(kept.lines().count() > done, "{kept}");
        // Another process finds the same, and does not answer anew what every column answered.
        drop(app);
        app = App::open(home.path()).await?;
        assert_eq!(app.comparison_csv(id).await?, kept);
        app.resume_comparison(id).await?;
        let first = kept.lines().nth(1).ok_or("nothing was kept")?.to_owned();
        until(&app, id, |run| run.done > done).await?;
        assert_eq!(app.comparison_csv(id).await?.lines().nth(1), Some(&*first));
    }
    let done = until(&app, id, is_done).await?;
    assert!(done.verdict.is_some_and(|verdict| verdict.starts_with("Identical")));
    assert_eq!(app.comparison_csv(id).await?.lines().count(), 25);
    assert!(app.resume_comparison(id).await.is_err(), "it is over");
    app.remove_comparison(id).await?;
    assert!(app.comparisons().await?.is_empty() && app.comparison_report(id).await.is_err());
    Ok(())
}

#[tokio::test]
async fn what_the_columns_write_can_be_watched_side_by_side() -> Outcome {
    let (home, _models) = home().await?;
    let app = App::open(home.path()).await?;
    let mut races = app.races();
    assert_eq!(races.next().await, None);
    let order = ComparisonOrder { prompt: Some(" Why? ".into()), suites: vec![], ..order(1.0) };
    let id = app.start_comparison(order).await?.id;
    let (mut last, mut texts) = (None, vec![String::new(); 4]);
    while let Some(race) = races.next().await {
        assert_eq!((race.comparison, race.question.as_str(), race.lanes.len()), (id, "Why?", 4));
        assert!(race.lanes.iter().filter(|lane| lane.stage == Stage::Writing).count() <= 1, "they take turns");
        for (text, lane) in texts.iter_mut().zip(&race.lanes) {
            if lane.anew {
                text.clear();
            }
            text.push_str(&lane.text);
        }
        last = Some(race);
    }
    let lanes = last.ok_or("there was no race")?.lanes;
    assert!(lanes.iter().all(|lane| lane.stage == Stage::Done && lane.tokens == 24));
    assert!(!texts[0].is_empty() && texts.iter().all(|text| *text == texts[0]), "{texts:?}");
    let done = until(&app, id, is_done).await?;
    assert_eq!((done.data.as_str(), done.total), ("“Why?”", 4));
    assert_eq!(app.comparison_report(id).await?.workloads[0].winner, None);
    Ok(())
}

#[tokio::test]
async fn models_that_are_not_what_they_were_end_a_comparison_that_is_interrupted() -> Outcome {
    let (home, models) = home().await?;
    let app = App::open(home.path()).await?;
    let id = app.start_comparison(order(0.0)).await?.id;
    until(&app, id, |run| run.done > 4).await?;
    assert!(app.remove_comparison(id).await.is_err(), "it runs");
    app.pause_comparisons().await;
    tiny::be_sure(&models.path().join(tiny::DRAFTER), 1.0)?;
    let refused = app.resume_comparison(id).await.err().ok_or("it went on")?.to_string();
    assert!(refused.contains("are not what they were"), "{refused}");
    Ok(())
}
