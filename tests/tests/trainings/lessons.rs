//! Lessons on the engine's thread: what they end with, wherever they were interrupted, and what comes between.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::mpsc,
};

use engine::{
    Answer, Controls, Design, DesignKind, DesignSize, DraftSource, Engine, Event, Lesson, LessonEvent, Memory, Message,
    Precision, Prompt, Request, Role, Sampling, Speculation, TrainingLength,
};
use tests::{Outcome, tiny};

/// A short lesson for the tiny target among `models`, which keeps its files in `folder`.
pub(crate) fn lesson(models: &Path, folder: &Path, kind: DesignKind) -> Lesson {
    Lesson {
        target: models.join(tiny::TARGET),
        precision: Precision::Float32,
        prompts: tiny::questions().map(|question| Prompt::Chat(vec![Message::new(Role::User, question)])).collect(),
        design: Design { kind, size: DesignSize::Small, gamma: 3 },
        length: TrainingLength::Steps(30),
        seed: 7,
        folder: folder.to_owned(),
        memory: Memory::default(),
    }
}

/// Teaches until the end, or until `interrupted_after` events; returns the last event.
pub(crate) fn teach(engine: &Engine, lesson: Lesson, interrupted_after: Option<usize>) -> Outcome<LessonEvent> {
    let (told, heard) = mpsc::channel();
    let cancel = engine.teach(lesson, move |event| drop(told.send(event)));
    let mut last = None;
    for (number, event) in heard.into_iter().enumerate() {
        if Some(number) == interrupted_after {
            cancel.cancel();
        }
        last = Some(event);
    }
    last.ok_or_else(|| "the lesson has no end".into())
}

/// Where the best drafter of a lesson lies.
fn kept(folder: &Path) -> Outcome<PathBuf> {
    Ok(Lesson::kept(folder)?.ok_or("none did better than at the start")?.drafter)
}

fn bytes(folder: &Path) -> Outcome<Vec<u8>> {
    Ok(fs::read(kept(folder)?.join("model.safetensors"))?)
}

fn request(models: &Path, drafter: Option<PathBuf>) -> Request {
    Request {
        drafter: drafter.map(DraftSource::Folder),
        precision: Precision::Float32,
        controls: Controls {
            max_tokens: 24,
            sampling: Sampling { temperature: 0.0, ..Sampling::default() },
            ..Controls::default()
        },
        ..Request::new(models.join(tiny::TARGET), Prompt::Chat(vec![Message::new(Role::User, "And then?")]))
    }
}

fn answer(engine: &Engine, request: Request) -> Outcome<Answer> {
    let (told, heard) = mpsc::channel();
    engine.answer(request, move |event| drop(told.send(event)));
    match heard.into_iter().last() {
        Some(Event::End(answer)) => Ok(*answer),
        Some(Event::Failed(error)) => Err(error.into()),
        other => Err(format!("an answer ended with {other:?}").into()),
    }
}

#[tokio::test]
async fn a_lesson_of_each_kind_ends_with_a_drafter_that_drafts_and_changes_no_word() -> Outcome {
    let (models, engine) = (tiny::models().await?, Engine::start());
    let plain = answer(&engine, request(models.path(), None))?;
    for kind in [DesignKind::DSpark, DesignKind::DSparkRecurrent, DesignKind::DFlash, DesignKind::DFlash2] {
        let folder = tempfile::tempdir()?;
        let end = teach(&engine, lesson(models.path(), folder.path(), kind), None)?;
        assert!(matches!(end, LessonEvent::Done), "{kind:?}: {end:?}");
        let drafted = answer(&engine, request(models.path(), Some(kept(folder.path())?)))?;
        assert!(matches!(drafted.speculation, Speculation::On { limit: 3, .. }), "{:?}", drafted.speculation);
        assert_eq!(drafted.ids, plain.ids, "{kind:?}");
    }
    Ok(())
}

#[tokio::test]
async fn a_lesson_that_goes_on_tells_again_what_was_measured() -> Outcome {
    let (models, engine, folder) = (tiny::models().await?, Engine::start(), tempfile::tempdir()?);
    let lesson = || lesson(models.path(), folder.path(), DesignKind::DSpark);
    let measured = || -> Outcome<Vec<(usize, u64, bool)>> {
        let (told, heard) = mpsc::channel();
        engine.teach(lesson(), move |event| drop(told.send(event)));
        let measured = heard.into_iter().filter_map(|event| match event {
            LessonEvent::Measured { step, tokens_per_round, best } => Some((step, tokens_per_round.to_bits(), best)),
            _ => None,
        });
        Ok(measured.collect())
    };
    let first = measured()?;
    assert_eq!(first.iter().map(|&(step, ..)| step).collect::<Vec<_>>(), [0, 25, 30]);
    assert_eq!(measured()?, first);
    let kept = Lesson::kept(folder.path())?.ok_or("none is kept")?;
    let best = first.iter().rfind(|(.., best)| *best).ok_or("none is best")?;
    assert_eq!((kept.step, kept.at_start.to_bits(), kept.at_best.to_bits()), (best.0, first[0].1, best.1));
    Ok(())
}

#[tokio::test]
async fn the_best_drafter_is_written_again_where_a_kill_came_before_it_was() -> Outcome {
    let (models, engine, folder) = (tiny::models().await?, Engine::start(), tempfile::tempdir()?);
    let lesson = || lesson(models.path(), folder.path(), DesignKind::DSpark);
    teach(&engine, lesson(), None)?;
    let whole = bytes(folder.path())?;
    let best = folder.path().join("best");
    let step = Lesson::kept(folder.path())?.ok_or("none is kept")?.step;
    fs::rename(best.join(step.to_string()), best.join(format!("{step}.unfinished")))?;
    assert_eq!(Lesson::kept(folder.path())?, None, "what is not whole does not count");
    assert!(matches!(teach(&engine, lesson(), None)?, LessonEvent::Done));
    assert!(bytes(folder.path())? == whole, "another drafter");
    Ok(())
}

#[tokio::test]
async fn a_lesson_that_is_paused_anywhere_ends_with_the_same_bytes() -> Outcome {
    let (models, engine) = (tiny::models().await?, Engine::start());
    let [whole, broken] = [tempfile::tempdir()?, tempfile::tempdir()?];
    teach(&engine, lesson(models.path(), whole.path(), DesignKind::DSpark), None)?;
    let mut paused = 0;
    for interrupted_after in [0, 1, 2, 1, 4, 9, 3, 1] {
        let lesson = lesson(models.path(), broken.path(), DesignKind::DSpark);
        match teach(&engine, lesson, Some(interrupted_after))? {
            LessonEvent::Paused => paused += 1,
            LessonEvent::Done => break,
            other => return Err(format!("it ended with {other:?}").into()),
        }
    }
    assert!(paused > 3, "it paused {paused} times");
    let end = teach(&engine, lesson(models.path(), broken.path(), DesignKind::DSpark), None)?;
    assert!(matches!(end, LessonEvent::Done), "{end:?}");
    assert!(bytes(whole.path())? == bytes(broken.path())?, "another drafter");
    Ok(())
}

#[tokio::test]
async fn a_lesson_goes_on_by_what_it_began_with_whatever_would_be_chosen_now() -> Outcome {
    let (models, engine) = (tiny::models().await?, Engine::start());
    let [whole, broken] = [tempfile::tempdir()?, tempfile::tempdir()?];
    let lesson = |folder: &tempfile::TempDir| lesson(models.path(), folder.path(), DesignKind::DSpark);
    teach(&engine, lesson(&whole), None)?;
    // It stops among the steps, when everything is settled.
    teach(&engine, lesson(&broken), Some(tiny::questions().count() + 3))?;
    let other = Lesson {
        design: Design { kind: DesignKind::DSpark, size: DesignSize::Medium, gamma: 4 },
        length: TrainingLength::Steps(31),
        ..lesson(&broken)
    };
    assert!(matches!(teach(&engine, other, None)?, LessonEvent::Done));
    assert!(bytes(whole.path())? == bytes(broken.path())?, "another drafter");
    Ok(())
}

#[tokio::test]
async fn answers_come_while_a_lesson_lasts_and_neither_changes_the_other() -> Outcome {
    let (models, engine) = (tiny::models().await?, Engine::start());
    let alone = answer(&engine, request(models.path(), None))?;
    let [quiet, busy] = [tempfile::tempdir()?, tempfile::tempdir()?];
    teach(&engine, lesson(models.path(), quiet.path(), DesignKind::DSpark), None)?;

    let (told, heard) = mpsc::channel();
    engine.teach(lesson(models.path(), busy.path(), DesignKind::DSpark), move |event| drop(told.send(event)));
    let (mut answers, mut ended) = (0, false);
    // One while it answers itself, and some between its steps; one cannot be made, which is nobody else's fault.
    while let Ok(event) = heard.recv() {
        ended |= matches!(event, LessonEvent::Done);
        let is_time = match event {
            LessonEvent::Answering { done, .. } => done == 1,
            LessonEvent::Step { step, .. } => step == 1 || step == 10,
            _ => false,
        };
        if is_time {
            assert_eq!(answer(&engine, request(models.path(), None))?.ids, alone.ids);
            assert!(answer(&engine, request(&busy.path().join("nothing"), None)).is_err());
            answers += usize::from(!ended);
        }
    }
    assert!(ended && answers == 3, "{answers} answers, ended: {ended}");
    assert!(bytes(quiet.path())? == bytes(busy.path())?, "another drafter");
    Ok(())
}

#[tokio::test]
async fn a_lesson_waits_for_the_one_before_it_and_leaves_the_queue_at_once_when_it_is_not_wanted() -> Outcome {
    let (models, engine) = (tiny::models().await?, Engine::start());
    let [one, two, three] = [tempfile::tempdir()?, tempfile::tempdir()?, tempfile::tempdir()?];
    let (told, heard) = mpsc::channel();
    let teach = |folder: &Path, number| {
        let told = told.clone();
        engine.teach(lesson(models.path(), folder, DesignKind::DSpark), move |event| drop(told.send((number, event))))
    };
    let _first = teach(one.path(), 1);
    let second = teach(two.path(), 2);
    let _third = teach(three.path(), 3);
    second.cancel();
    drop(told);
    let ends = heard.into_iter().filter_map(|(number, event)| match event {
        LessonEvent::Done => Some((number, "done")),
        LessonEvent::Paused => Some((number, "paused")),
        LessonEvent::Failed(_) => Some((number, "failed")),
        _ => None,
    });
    assert_eq!(ends.collect::<Vec<_>>(), [(2, "paused"), (1, "done"), (3, "done")]);
    assert!(bytes(one.path())? == bytes(three.path())?, "the same lesson, another drafter");
    Ok(())
}
