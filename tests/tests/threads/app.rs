//! What an answer reads, and what becomes of running it again.

use app::{Attachment, Code, Likeness, Question, Rerun, StoredMessage};
use tests::{
    Outcome,
    talk::{Home, ask, end, first, say},
    tiny,
};

/// The prompt of an answer, by ids, and its own ids.
fn ids(answer: &StoredMessage) -> Outcome<(Vec<u32>, Vec<u32>)> {
    let record = answer.record.as_ref().ok_or("it has no record")?;
    Ok((record.answer.prompt_ids.clone(), record.answer.ids.clone()))
}

fn next(to: &StoredMessage, text: &str) -> Question {
    Question::Next { conversation: to.conversation, text: text.into(), attachments: vec![] }
}

#[tokio::test]
async fn an_answer_reads_its_own_branch_and_no_other() -> Outcome {
    let home = Home::new().await?;
    let app = home.app().await?;
    let (one, first_answer) = ask(&app, first("One?")).await?;
    let (two, second) = ask(&app, next(&one, "Two?")).await?;
    let (uno, edited) = ask(&app, Question::Beside { message: one.id, text: "Uno?".into() }).await?;
    let (_, fresh) = ask(&app, first("Uno?")).await?;
    assert_eq!(ids(&edited)?, ids(&fresh)?);
    assert_eq!(uno.siblings, [one.id, uno.id]);

    // What goes on from there reads what was said there; another answer to an old question what was said before that.
    let (_, third) = ask(&app, next(&uno, "Two?")).await?;
    assert_ne!(ids(&third)?.0, ids(&second)?.0);
    let (_, again) = ask(&app, Question::Again { message: two.id }).await?;
    assert_eq!((ids(&again)?, again.siblings.clone()), (ids(&second)?, vec![second.id, again.id]));
    let shown = app.messages(one.conversation).await?.iter().map(|message| message.id).collect::<Vec<_>>();
    assert_eq!(shown, [one.id, first_answer.id, two.id, again.id]);
    let shown = app.show_branch(uno.id).await?;
    assert_eq!(shown.last().map(|message| message.id), Some(third.id));
    Ok(())
}

#[tokio::test]
async fn an_answer_that_is_run_again_has_the_same_ids_and_says_so() -> Outcome {
    let home = Home::new().await?;
    let app = home.app().await?;
    let (one, answer) = ask(&app, first("One?")).await?;
    let rerun = end(&app, &app.rerun(answer.id, false, false).await?).await?;
    let record = rerun.record.clone().ok_or("it has no record")?;
    assert_eq!(record.rerun, Some(Rerun { of: answer.id, likeness: Likeness::Same { tokens: 16 } }));
    assert_eq!((ids(&rerun)?, rerun.siblings), (ids(&answer)?, vec![answer.id, rerun.id]));

    app.set_system(one.conversation, "Be brief.").await?;
    let other = end(&app, &app.rerun(answer.id, false, false).await?).await?;
    assert!(ids(&other)?.0.len() > ids(&answer)?.0.len());
    assert_eq!(other.record.and_then(|record| record.rerun).map(|rerun| rerun.likeness), Some(Likeness::OtherPrompt));

    assert!(app.rerun(one.id, false, false).await.is_err_and(|refused| refused.to_string().contains("no record")));
    app.remove_model(tiny::DRAFTER).await?;
    let refused = app.rerun(answer.id, false, false).await.err().ok_or("it began")?;
    assert_eq!(refused.code(), Some(Code::PickDrafter), "{refused}");
    Ok(())
}

#[tokio::test]
async fn the_rounds_of_an_answer_are_kept_and_tell_how_probable_its_tokens_were_if_it_was_observed() -> Outcome {
    let home = Home::new().await?;
    let app = home.app().await?;
    let (one, answer) = ask(&app, first("One?")).await?;
    let observed = end(&app, &app.rerun(answer.id, false, true).await?).await?;
    assert_eq!(ids(&observed)?, ids(&answer)?);
    for (message, tells) in [(answer, false), (observed, true)] {
        let answer = message.record.ok_or("it has no record")?.answer;
        let rounds = app.rounds(message.id).await?.ok_or("none are kept")?;
        assert_eq!(rounds.len(), answer.stats.rounds);
        assert_eq!(rounds.iter().map(|round| round.pieces.concat()).collect::<String>(), answer.raw);
        assert!(rounds.iter().all(|round| round.own_p.is_some() == tells && round.p.len() == round.q.len()));
        assert_eq!(
            rounds.iter().map(|round| round.p.len()).sum::<usize>(),
            if tells { answer.stats.proposed } else { 0 }
        );
    }
    assert_eq!(app.rounds(one.id).await?, None);
    assert!(app.rounds(one.id + 99).await.is_err());
    Ok(())
}

#[tokio::test]
async fn what_the_models_are_told_before_is_read_first_and_exported_with_the_rest() -> Outcome {
    let home = Home::new().await?;
    let app = home.app().await?;
    let attachments = vec![Attachment { name: "a.txt".into(), text: "moss\n".into() }];
    let told = Question::First { text: "One?".into(), attachments, system: " Be brief. ".into() };
    let (one, answer) = ask(&app, told).await?;
    let (_, untold) = ask(&app, first("One?")).await?;
    assert!(ids(&answer)?.0.len() > ids(&untold)?.0.len());
    let (_, edited) = ask(&app, Question::Beside { message: one.id, text: "Two?".into() }).await?;

    let markdown = app.conversation_markdown(one.conversation).await?;
    assert!(
        markdown.starts_with("# One?\n")
            && markdown.contains("\n## System\n\nBe brief.\n\n## You\n\na.txt:\n```\nmoss\n```\n\nTwo?\n")
    );
    assert!(markdown.contains("16 tokens") && !markdown.contains("\nOne?"), "{markdown}");
    let json = serde_json::from_str::<serde_json::Value>(&app.conversation_json(one.conversation).await?)?;
    let messages = json["messages"].as_array().ok_or("no messages")?;
    assert_eq!((messages.len(), &json["conversation"]["shown"]), (4, &edited.id.into()));
    assert_eq!((&messages[1]["parent"], &messages[1]["id"]), (&one.id.into(), &answer.id.into()));
    assert_eq!(messages[0]["attachments"][0]["text"], "moss\n");
    assert_eq!(serde_json::from_value::<app::Record>(messages[1]["record"].clone())?, answer.record.ok_or("none")?);
    Ok(())
}

#[tokio::test]
async fn an_answer_goes_on_in_its_message_as_if_it_had_never_stopped() -> Outcome {
    let home = Home::new().await?;
    let app = home.app().await?;
    let short = end(&app, &app.say(say(first("One?"), 5)).await?).await?;
    let (_, whole) = ask(&app, first("One?")).await?;
    // Whatever it is told by now, it goes on behind what it was told then.
    app.set_system(short.conversation, "Be brief.").await?;
    let said = app.go_on(short.id, 11, false, false).await?;
    assert_eq!((said.answer.id, said.answer.text.clone()), (short.id, short.text.clone()));
    let rest = end(&app, &said).await?;
    assert_eq!((ids(&rest)?, &rest.text, rest.state), (ids(&whole)?, &whole.text, whole.state));
    let record = rest.record.clone().ok_or("it has no record")?;
    assert_eq!((record.answer.controls.max_tokens, record.answer.stats.written), (16, 5));
    assert_eq!(app.messages(short.conversation).await?.len(), 2);

    let refused =
        app.go_on(rest.parent.ok_or("it answers nothing")?, 9, false, false).await.err().ok_or("it went on")?;
    assert!(refused.to_string().contains("no record"), "{refused}");
    ask(&app, next(&rest, "Two?")).await?;
    let refused = app.go_on(rest.id, 9, false, false).await.err().ok_or("it went on")?;
    assert!(refused.to_string().contains("cannot go on"), "{refused}");
    Ok(())
}
