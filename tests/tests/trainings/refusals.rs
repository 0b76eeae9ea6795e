//! What cannot be taught is refused in a sentence.

use std::fs;

use engine::{DesignKind, Engine, Lesson, LessonEvent, Memory, Message, Prompt, Role, TrainingLength};
use tests::{Outcome, tiny};

use super::lessons::{lesson, teach};

/// What is said to a lesson that `change` has made impossible.
async fn refused(change: impl FnOnce(&mut Lesson)) -> Outcome<String> {
    let (models, folder) = (tiny::models().await?, tempfile::tempdir()?);
    let mut lesson = lesson(models.path(), folder.path(), DesignKind::DSpark);
    change(&mut lesson);
    match teach(&Engine::start(), lesson, None)? {
        LessonEvent::Failed(error) => Ok(error.to_string()),
        other => Err(format!("it ended with {other:?}").into()),
    }
}

#[tokio::test]
async fn a_lesson_with_too_little_to_learn_from_or_to_measure_with_is_refused() -> Outcome {
    let said = |found: usize| {
        format!(
            "a training needs at least 10 prompts of up to 2048 tokens, and there are {found}; choose more, or shorter ones"
        )
    };
    assert_eq!(refused(|lesson| lesson.prompts.clear()).await?, said(0));
    let long = "word ".repeat(3000);
    let one_long =
        refused(|lesson| lesson.prompts[0] = Prompt::Chat(vec![Message::new(Role::User, long.as_str())])).await?;
    assert_eq!(one_long, said(9));
    let alike = refused(|lesson| lesson.prompts = vec![lesson.prompts[0].clone(); 12]).await?;
    assert!(alike.starts_with("every prompt is of one conversation"), "{alike}");
    Ok(())
}

#[tokio::test]
async fn measures_that_make_no_drafter_are_refused() -> Outcome {
    for gamma in [0, 1, 17] {
        let said = refused(|lesson| lesson.design.gamma = gamma).await?;
        assert_eq!(said, format!("γ is {gamma}; it must be between 2 and 16"));
    }
    let said = refused(|lesson| lesson.length = TrainingLength::Steps(0)).await?;
    assert_eq!(said, "the number of steps is 0; it must be at least 1");
    Ok(())
}

#[tokio::test]
async fn a_target_that_is_not_there_or_does_not_fit_is_refused() -> Outcome {
    let said = refused(|lesson| lesson.target = lesson.folder.join("nothing")).await?;
    assert!(said.starts_with("there is no folder"), "{said}");
    let said = refused(|lesson| lesson.memory = Memory { reserve: Some(1 << 60), insist: false }).await?;
    assert!(said.contains("of memory, and 0 B can be had"), "{said}");
    Ok(())
}

#[tokio::test]
async fn a_lesson_does_not_go_on_with_another_target_in_the_same_folder() -> Outcome {
    let (models, folder, engine) = (tiny::models().await?, tempfile::tempdir()?, Engine::start());
    let lesson = || lesson(models.path(), folder.path(), DesignKind::DSpark);
    assert!(matches!(teach(&engine, lesson(), Some(0))?, LessonEvent::Paused));
    let config = models.path().join(tiny::TARGET).join("config.json");
    let text = fs::read_to_string(&config)?;
    fs::write(&config, format!("{text} "))?;
    let LessonEvent::Failed(error) = teach(&engine, lesson(), None)? else { return Err("it went on".into()) };
    assert!(error.to_string().contains("is not what it was when this training began"), "{error}");
    fs::write(&config, text)?;
    assert!(matches!(teach(&engine, lesson(), None)?, LessonEvent::Done));
    Ok(())
}

#[tokio::test]
async fn what_a_lesson_wrote_and_is_damaged_is_named() -> Outcome {
    let said =
        refused(|lesson| fs::write(lesson.folder.join("answers.txt"), "1 2 three\n").unwrap_or_default()).await?;
    assert!(said.contains("answers.txt is damaged"), "{said}");
    Ok(())
}
