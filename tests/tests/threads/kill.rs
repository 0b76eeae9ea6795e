//! Branches, kills, a search and an undo in one conversation.

use std::{
    env,
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

use app::{App, Error, Question, State, StoredMessage};
use tests::{
    Outcome,
    random::Random,
    talk::{Home, ask, end, first, say},
};
use tokio::time::sleep;

/// Names the home in which an answer is killed.
const HOME: &str = "SLIPSTREAM_KILLED";

/// What is killed: a window's process that answers the first question of the only conversation again.
#[tokio::test]
#[ignore = "another test starts it, and kills it"]
async fn an_answer_without_end() -> Outcome {
    let Some(home) = env::var_os(HOME) else { return Ok(()) };
    let app = App::open(home.as_ref()).await?;
    let conversation = app.conversations().await?.pop().ok_or("nothing was said")?;
    let message = app.messages(conversation.id).await?.first().ok_or("nothing was said")?.id;
    let said = app.say(say(Question::Again { message }, 500_000)).await?;
    end(&app, &said).await?;
    Ok(())
}

/// Starts an answer in another process and kills that once something of it is stored, and a moment later.
async fn killed(app: &App, home: &Path, conversation: i64, moment: Duration) -> Outcome {
    let mut child = Command::new(env::current_exe()?);
    child.args(["--exact", "kill::an_answer_without_end", "--ignored"]).env(HOME, home);
    let mut child = child.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    loop {
        let newest = app.messages(conversation).await?.pop().ok_or("nothing was said")?;
        if newest.state == State::Running && !newest.text.is_empty() {
            break;
        }
        if let Some(status) = child.try_wait()? {
            return Err(format!("it ended by itself: {status}").into());
        }
        sleep(Duration::from_millis(20)).await;
    }
    sleep(moment).await;
    child.kill()?;
    child.wait()?;
    Ok(())
}

fn is_found(found: &[app::Found], message: &StoredMessage) -> bool {
    found.iter().flat_map(|found| &found.passages).any(|passage| passage.message == Some(message.id))
}

#[tokio::test]
async fn a_kill_leaves_every_branch_and_what_is_left_is_found_removed_and_brought_back() -> Outcome {
    let home = Home::new().await?;
    let app = home.app().await?;
    let (one, answer) = ask(&app, first("How does moss grow?")).await?;
    let conversation = one.conversation;
    let (two, other) =
        ask(&app, Question::Next { conversation, text: "And ferns?".into(), attachments: vec![] }).await?;
    let mut all = vec![one.clone(), answer.clone(), two.clone(), other];
    let mut random = Random::new(8);
    for _ in 0..3 {
        let moment = u64::try_from(random.below(400))?;
        killed(&app, home.home.path(), conversation, Duration::from_millis(moment)).await?;
        let after = home.app().await?;
        after.interrupt_abandoned().await?;
        let shown = after.messages(conversation).await?;
        let [question, left] = &shown[..] else { return Err(format!("{} are shown", shown.len()).into()) };
        assert_eq!((question.id, left.state, left.text.is_empty()), (one.id, State::Interrupted, false));
        for before in &all {
            let siblings = after.message(before.id).await?.siblings;
            assert_eq!(after.message(before.id).await?, StoredMessage { siblings, ..before.clone() });
        }
        all.push(left.clone());
    }
    let left = all.last().ok_or("nothing is left")?;
    let siblings = all.iter().filter(|message| message.parent == Some(one.id)).map(|message| message.id);
    assert_eq!(left.siblings, siblings.collect::<Vec<_>>());

    // What was killed is found by its words, what was said on the other branch too.
    let words = left.text.split_whitespace().take(12).collect::<Vec<_>>().join(" ");
    assert_eq!(app.search(&words).await?.len(), 1, "{words}");
    assert!(is_found(&app.search("fern").await?, &two));
    app.remove_conversation(conversation).await?;
    assert!(app.search("fern").await?.is_empty() && app.conversations().await?.is_empty());
    let refused = app.say(say(Question::Again { message: two.id }, 16)).await.err();
    assert!(matches!(refused, Some(Error::NoSuchConversation(_))), "{refused:?}");
    app.restore_conversation(conversation).await?;
    assert!(is_found(&app.search("FERN").await?, &two));
    let shown = app.show_branch(two.id).await?;
    assert_eq!(
        shown.iter().map(|message| message.id).collect::<Vec<_>>(),
        all[..4].iter().map(|message| message.id).collect::<Vec<_>>()
    );
    // And it goes on.
    let (_, third) = ask(&app, Question::Next { conversation, text: "And trees?".into(), attachments: vec![] }).await?;
    assert_eq!(third.state, State::Complete);

    app.remove_conversation(conversation).await?;
    app.forget_conversation(conversation).await?;
    assert!(matches!(app.restore_conversation(conversation).await, Err(Error::NotRemoved(_))));
    assert!(matches!(app.message(left.id).await, Err(Error::NoSuchMessage(_))) && app.search("moss").await?.is_empty());
    Ok(())
}
