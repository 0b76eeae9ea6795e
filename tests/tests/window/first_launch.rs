//! The first launch: an empty home, no network, no account.

use app::App;
use tests::{Outcome, library::bare};

use crate::{alone, page::Window};

#[tokio::test]
async fn a_new_home_answers_at_once_with_the_models_that_come_with_the_app() -> Outcome {
    alone(async {
        let home = tempfile::tempdir()?;
        let window = Window::open(home.path()).await?;
        window.press("What is Slipstream?").await?;
        window.see("[data-testid=answer][data-state=complete]").await?;
        let said = window.answers().await?.remove(0).text;
        assert!(said.starts_with("Slipstream is a desktop app"), "{said}");
        let accepted = window.numbers("[data-testid=bar]", "data-accepted").await?;
        assert!(accepted.iter().sum::<u64>() > 0, "its drafter drafted: {accepted:?}");
        window.close().await
    })
    .await
}

#[tokio::test]
async fn whoever_removed_the_demo_models_gets_them_back_only_if_asked_for() -> Outcome {
    alone(async {
        let home = tempfile::tempdir()?;
        bare(&App::open(home.path()).await?).await?;
        let window = Window::open(home.path()).await?;
        window.text_of("h1", |title| title == "Add a target to begin").await?;
        window.press("Use the demo models").await?;
        window.see("ul[aria-labelledby=questions]").await?;
        window.close().await
    })
    .await
}
