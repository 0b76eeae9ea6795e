//! What surrounds the views: the palette, the settings, and a window that comes back as it was.

use std::time::{Duration, Instant};

use app::App;
use fantoccini::key::Key;
use tests::{Outcome, library::bare, tiny};
use tokio::time::sleep;

use crate::{ENDLESS, alone, page::Window};

const SETTINGS: &str = "main[aria-label=Settings]";
const RESERVE: &str = "main[aria-label=Settings] input[type=number]";
const APPEARANCE: &str = "main[aria-label=Settings] select";

/// What `--page` is in the dark.
const DARK: &str = "rgb(28, 28, 30)";

#[tokio::test]
async fn what_the_palette_found_is_set_and_is_still_there_after_a_restart() -> Outcome {
    alone(async {
        let home = tempfile::tempdir()?;
        bare(&App::open(home.path()).await?).await?;
        let window = Window::open(home.path()).await?;
        window.press_with_ctrl('k').await?;
        window.see("dialog[open] input:focus").await?;
        window.type_keys("setings").await?;
        window.text_of("[role=option][aria-selected=true]", |title| title.starts_with("Settings")).await?;
        window.type_keys(&char::from(Key::Enter).to_string()).await?;
        window.see(SETTINGS).await?;
        window.gone("dialog").await?;
        window.fill(RESERVE, &format!("3{}", char::from(Key::Tab))).await?;
        window.text_of(SETTINGS, |text| text.contains("Use the usual")).await?;
        window.pick("Light or dark", "dark").await?;
        window.close().await?;

        let window = Window::open(home.path()).await?;
        window.see(SETTINGS).await?;
        assert_eq!(window.value(RESERVE).await?, "3");
        assert_eq!(window.value(APPEARANCE).await?, "dark");
        assert_eq!(window.ground("body").await?, DARK);
        window.close().await
    })
    .await
}

#[tokio::test]
async fn what_is_typed_and_not_sent_is_there_again_after_a_reload_and_after_a_kill() -> Outcome {
    alone(async {
        let home = tempfile::tempdir()?;
        let window = Window::open(home.path()).await?;
        window.see("textarea:not([disabled])").await?;
        window.fill("textarea", "Half a thought").await?;
        let (app, start) = (App::open(home.path()).await?, Instant::now());
        while app.unsent_messages().await?.first().is_none_or(|message| message.text != "Half a thought") {
            assert!(start.elapsed() < Duration::from_mins(1), "it is not kept");
            sleep(Duration::from_millis(20)).await;
        }
        window.reload().await?;
        window.holds("textarea", "Half a thought").await?;
        window.kill().await;

        let window = Window::open(home.path()).await?;
        window.holds("textarea", "Half a thought").await?;
        window.close().await
    })
    .await
}

#[tokio::test]
async fn a_page_whose_process_is_killed_is_loaded_again_and_the_answer_goes_on() -> Outcome {
    alone(async {
        let (home, models) = (tempfile::tempdir()?, tiny::plain_models().await?);
        tiny::register(home.path(), models.path(), ENDLESS).await?;
        let window = Window::open(home.path()).await?;
        window.write("Tell me everything.").await?;
        let early = window.text_of("[data-testid=text] .markdown", |text| text.len() > 20).await?;
        window.kill_page().await?;

        let app = App::open(home.path()).await?;
        let [conversation] = &app.conversations().await?[..] else { return Err("there is one conversation".into()) };
        let start = Instant::now();
        // More than was there when the page died: the answer goes on, and what is written is kept.
        while app.messages(conversation.id).await?.last().is_none_or(|answer| answer.text.len() < 2 * early.len()) {
            assert!(start.elapsed() < Duration::from_mins(1), "the answer stands still");
            sleep(Duration::from_millis(100)).await;
        }
        window.kill().await;
        Ok(())
    })
    .await
}
