//! The real app in its real window, used as a person would: a tiny model answers, and nothing is scripted.
//!
//! Linux only: the web view of macOS cannot be driven.
#![cfg(target_os = "linux")]

mod calibrate;
mod compare;
mod conversations;
mod driver;
mod first_launch;
mod library;
mod markdown;
mod page;
mod shell;

use std::{fs, future::Future, net::TcpListener, path::Path, time::Duration};

use app::{App, Controls, LOOKUP, Preferences, Sampling};
use page::{Answer, Window};
use serde_json::json;
use tempfile::TempDir;
use tests::{
    Outcome,
    fluent::{self, THINKING},
    library::bare,
    tiny,
};
use tokio::{
    sync::Mutex,
    time::{sleep, timeout},
};

/// One window at a time has the keyboard.
static SCREEN: Mutex<()> = Mutex::const_new(());

#[tokio::test]
async fn a_first_chat_and_finding_it_again_after_a_restart() -> Outcome {
    alone(async {
        let (home, models) = (tempfile::tempdir()?, tiny::plain_models().await?);
        bare(&App::open(home.path()).await?).await?;
        let window = Window::open(home.path()).await?;
        add_models(&window, &models).await?;
        watch_an_answer_stream(&window).await?;
        draft_less(&window).await?;
        stop_a_long_answer(&window).await?;
        verify_what_was_looked_up(&window).await?;

        let before = window.answers().await?;
        let states: Vec<_> = before.iter().map(|answer| answer.state.as_str()).collect();
        assert_eq!(states, ["complete", "complete", "stopped", "complete"]);
        let copied = window.copied(COPY).await?;
        assert_eq!(copied.trim(), before[0].text, "what is shown is what was written");
        window.close().await?;

        let window = Window::open(home.path()).await?;
        window.text_of("[data-testid=conversation]", |title| title.starts_with("What does the wind say?")).await?;
        window.click("[data-testid=conversation]").await?;
        window.see("[data-testid=answer]").await?;
        assert_eq!(window.answers().await?, before);
        assert_eq!(window.copied(COPY).await?, copied);
        window.close().await
    })
    .await
}

#[tokio::test]
async fn killing_the_app_costs_only_the_end_of_a_running_answer() -> Outcome {
    alone(async {
        let (home, models) = (tempfile::tempdir()?, tiny::plain_models().await?);
        tiny::register(home.path(), models.path(), ENDLESS).await?;
        let window = Window::open(home.path()).await?;
        window.write("Tell me everything.").await?;
        let early = window.text_of("[data-testid=text] .markdown", |text| text.len() > 20).await?;
        // What is older than this has been stored.
        sleep(Duration::from_secs(3)).await;
        window.kill().await;

        let window = Window::open(home.path()).await?;
        window.see("[data-testid=answer][data-state=interrupted]").await?;
        let kept = window.answers().await?.remove(0).text;
        assert!(kept.starts_with(&early), "{early:?} was shown and {kept:?} is kept");
        window.write("Go on.").await?;
        window.see("[data-testid=answer][data-state=running]").await?;
        window.click("[aria-label=Stop]").await?;
        window.see("[data-testid=answer][data-state=stopped]").await?;
        window.close().await
    })
    .await
}

#[tokio::test]
async fn killing_the_app_keeps_what_was_thought() -> Outcome {
    alone(async {
        let (home, target) = (tempfile::tempdir()?, fluent::muser("gemma4/31b-dense", 40, THINKING)?);
        target.configure("max_position_embeddings", &json!(1 << 20))?;
        let app = App::open(home.path()).await?;
        let id = app.add_model(target.path(), None, None).await?.id;
        let sampling = Sampling { temperature: 0.0, ..Sampling::default() };
        let controls = Controls { thinking: true, max_tokens: ENDLESS, sampling, ..Controls::default() };
        app.set_preferences(&Preferences { target: Some(id), controls, ..Preferences::default() }).await?;

        let window = Window::open(home.path()).await?;
        window.write("what is zulu").await?;
        let early = window.text_of("[data-testid=thought] .markdown", |thought| thought.len() > 20).await?;
        // What is older than this has been stored.
        sleep(Duration::from_secs(3)).await;
        window.kill().await;

        let window = Window::open(home.path()).await?;
        window.see("[data-testid=answer][data-state=interrupted]").await?;
        let kept = window.text_of("[data-testid=thought] .markdown", |_| true).await?;
        assert!(kept.starts_with(&early), "{early:?} was thought and {kept:?} is kept");
        assert!(window.see("[data-testid=thought]").await?.attr("open").await?.is_none());
        window.close().await
    })
    .await
}

#[tokio::test]
async fn a_database_that_cannot_be_opened_is_a_sentence_and_can_be_tried_again() -> Outcome {
    alone(async {
        let home = tempfile::tempdir()?;
        let database = home.path().join("slipstream.sqlite3");
        fs::write(&database, "this is no database, and long enough to be sure of it. ".repeat(100))?;
        let window = Window::launch(home.path()).await?;
        window
            .text_of("[role=alert]", |reason| reason.contains(&text(&database)) && reason.contains("Try again"))
            .await?;
        fs::remove_file(&database)?;
        window.press("Try again").await?;
        window.see("nav").await?;
        window.close().await
    })
    .await
}

#[tokio::test]
async fn a_script_in_the_page_has_the_named_commands_and_nothing_else() -> Outcome {
    alone(async {
        let home = tempfile::tempdir()?;
        let window = Window::open(home.path()).await?;
        let invoke = |command: &str| format!("window.__TAURI_INTERNALS__.invoke('{command}', {{ options: {{}} }})");
        assert_eq!(window.run(&invoke("conversations")).await?, "done");
        for command in ["plugin:dialog|open", "plugin:window|close", "plugin:event|listen", "plugin:app|version"] {
            let refusal = window.run(&invoke(command)).await?;
            assert!(refusal.contains("not allowed"), "{command}: {refusal}");
        }
        let elsewhere = TcpListener::bind("127.0.0.1:0")?;
        elsewhere.set_nonblocking(true)?;
        let url = format!("http://{}/", elsewhere.local_addr()?);
        let address = window.address().await?;
        window.run(&format!("fetch('{url}')")).await?;
        window.run(&format!("{{ new Image().src = '{url}'; open('{url}'); location.href = '{url}' }}")).await?;
        sleep(Duration::from_secs(2)).await;
        assert!(elsewhere.accept().is_err(), "the page has reached another server");
        assert_eq!(window.address().await?, address);
        window.see("nav").await?;
        window.close().await
    })
    .await
}

/// Copies the first answer.
const COPY: &str = "li:nth-of-type(2) [aria-label='Copy the answer']";

/// More tokens than any of these answers gets to write.
const ENDLESS: usize = 100_000;

/// What is typed into the field of a folder, and what the window says of it.
async fn add_models(window: &Window, models: &TempDir) -> Outcome {
    window.press("Add a model folder…").await?;
    window.fill("#folder", "a folder that is not there").await?;
    window.press("Add").await?;
    window.text_of("[data-testid=add-failure]", |reason| reason.contains("a folder that is not there")).await?;
    for (name, role) in [(tiny::TARGET, "target"), (tiny::DRAFTER, "drafter")] {
        window.fill("#folder", &text(&models.path().join(name))).await?;
        window.press("Add").await?;
        window.see(&format!("[data-testid=model][data-role={role}]")).await?;
    }
    window.click("nav li:first-child button").await?;
    window.pick("Target", tiny::TARGET).await?;
    window.pick("Drafter", tiny::DRAFTER).await
}

/// The text grows while the answer runs, a reload of the page shows it again, and the chart counts its rounds.
async fn watch_an_answer_stream(window: &Window) -> Outcome {
    window.limit(400).await?;
    window.write("What does the wind say?").await?;
    let running = "[data-testid=answer][data-state=running] [data-testid=text] .markdown";
    let early = window.text_of(running, |text| !text.is_empty()).await?;
    let later = window.text_of(running, |text| text.len() > early.len()).await?;
    assert!(later.starts_with(&early), "{early:?} became {later:?}");

    window.reload().await?;
    let resumed = window.text_of("[data-testid=text] .markdown", |text| text.len() >= later.len()).await?;
    assert!(resumed.starts_with(&later), "{later:?} became {resumed:?}");
    window.see("[data-testid=answer][data-state=complete]").await?;

    let rounds = window.number("[data-testid=acceptance]", "data-rounds").await?;
    assert!(rounds > 0, "the chart counts the rounds");
    assert_eq!(window.number("[data-testid=tokens-per-round]", "data-rounds").await?, rounds);
    let proposed = window.numbers("[data-testid=bar]", "data-proposed").await?;
    // How many tokens are worth drafting is left to the machine.
    assert!((1..=tiny::GAMMA).contains(&proposed.len()), "a bar for each position: {proposed:?}");
    assert!(proposed[0] > 0 && proposed.is_sorted_by(|a, b| a >= b), "{proposed:?}");
    Ok(())
}

/// A smaller γ is a shorter draft in the very next message.
async fn draft_less(window: &Window) -> Outcome {
    for _ in 0..tiny::GAMMA - 2 {
        window.lower("γ").await?;
    }
    window.limit(40).await?;
    window.write("And more calmly?").await?;
    window.see("li:nth-of-type(4) [data-testid=answer][data-state=complete]").await?;
    assert_eq!(window.numbers("[data-testid=bar]", "data-proposed").await?.len(), 2);
    Ok(())
}

async fn stop_a_long_answer(window: &Window) -> Outcome {
    window.limit(ENDLESS).await?;
    window.write("Tell me everything.").await?;
    let running = "[data-testid=answer][data-state=running] [data-testid=text] .markdown";
    window.text_of(running, |text| !text.is_empty()).await?;
    window.click("[aria-label=Stop]").await?;
    window.see("[data-testid=answer][data-state=stopped]").await?;
    let Some(Answer { text, .. }) = window.answers().await?.pop() else { return Err("the answer is gone".into()) };
    assert!(!text.is_empty(), "what was written before the stop is kept");
    Ok(())
}

/// A drafter that is no model is picked like one, and its answer is what the target alone would have written.
async fn verify_what_was_looked_up(window: &Window) -> Outcome {
    window.pick("Drafter", LOOKUP).await?;
    window.limit(40).await?;
    window.write("And once more, and once more?").await?;
    let answer = "li:nth-of-type(8) [data-testid=answer][data-state=complete]";
    window.text_of(answer, |text| text.contains("fixed, γ 2")).await?;
    window.click("li:nth-of-type(8) [data-testid=verify]").await?;
    window
        .text_of("[data-testid=proof][data-holds=true]", |proof| proof == "Identical to plain decoding: 40 tokens.")
        .await?;
    Ok(())
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

/// Runs a test while no other one has the screen, and not for ever.
async fn alone(test: impl Future<Output = Outcome>) -> Outcome {
    let _screen = SCREEN.lock().await;
    timeout(Duration::from_mins(4), test).await?
}
