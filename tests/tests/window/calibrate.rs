//! One-click calibration of the pair that comes with the app, from an empty home.

use fantoccini::key::Key;
use tests::Outcome;

use crate::{alone, page::Window};

/// The drafter of the demo that says how sure it is.
const DRAFTER: &str = "slipstream-demo-dspark";

#[tokio::test]
async fn a_drafter_is_calibrated_put_in_force_and_reverted_and_no_answer_changes_a_word() -> Outcome {
    alone(async {
        let home = tempfile::tempdir()?;
        let window = Window::open(home.path()).await?;
        window.pick_named("Drafter", DRAFTER).await?;
        window.text_of(BADGE, |badge| badge == "Not calibrated").await?;
        let before = answer(&window).await?;

        window.click(BADGE).await?;
        let ten = format!("10{}", char::from(Key::Tab));
        window.fill("[data-testid=calibration-form] input[type=number]", &ten).await?;
        window.text_of("[data-testid=estimate]", |says| says.contains("10 prompts, 3 of them")).await?;
        window.click("[data-testid=start-calibration]").await?;
        window.see("[data-testid=calibration][data-state=running]").await?;
        window.click("nav li:first-child button").await?;
        let meanwhile = answer(&window).await?;

        window.click("nav li:nth-child(4) button").await?;
        window.see("[data-testid=calibration][data-state=done]").await?;
        window.text_of("[data-testid=advice]", |advice| advice.contains("× plain")).await?;
        window.see("[data-testid=report] svg").await?;
        window.press("Apply").await?;
        window.text_of("[data-testid=use]", |says| says.starts_with("in force since")).await?;
        window.click("nav li:first-child button").await?;
        window.text_of(BADGE, |badge| badge.starts_with("Calibrated on")).await?;
        let after = answer(&window).await?;

        window.click(BADGE).await?;
        window.press("Revert").await?;
        window.text_of("[data-testid=use]", |says| says.contains("reverted")).await?;
        assert_eq!((&meanwhile, &after), (&before, &before));
        window.close().await
    })
    .await
}

/// What the inspector says of the pair's calibration.
const BADGE: &str = "[data-testid=calibration-badge]";

/// Asks the same in a new chat and returns the answer.
async fn answer(window: &Window) -> Outcome<String> {
    window.click("nav > button.entry").await?;
    window.gone("[data-testid=answer]").await?;
    window.write("What is Slipstream?").await?;
    window.see("[data-testid=answer][data-state=complete]").await?;
    Ok(window.answers().await?.remove(0).text)
}
