//! Two drafters of the pair that comes with the app, side by side, from an empty home.

use tests::Outcome;

use crate::{alone, page::Window};

#[tokio::test]
async fn two_drafters_stream_side_by_side_write_the_same_and_are_held_against_plain_decoding() -> Outcome {
    alone(async {
        let home = tempfile::tempdir()?;
        let window = Window::open(home.path()).await?;
        window.click("nav li:nth-child(3) button").await?;
        window.text_of("[data-testid=obstacle]", |says| says.starts_with("Write a prompt")).await?;
        window.fill("[data-testid=comparison-form] textarea", "What is Slipstream?").await?;
        window.text_of("[data-testid=estimate]", |says| says.contains("1 prompt, 3 answers")).await?;
        window.click("[data-testid=start-comparison]").await?;
        window.text_of("[data-testid=lane]:nth-child(2)", |says| says.contains("Slipstream is")).await?;

        window.text_of("[data-testid=verdict]", |says| says.starts_with("Identical")).await?;
        window.text_of("[data-testid=winner]", |says| says.contains("too few prompts to be sure")).await?;
        window.text_of("[data-testid=measured]:nth-child(3) td:nth-child(3)", |times| times.contains('.')).await?;
        window.text_of("[data-testid=compared] summary", |says| says.contains("identical")).await?;
        window.close().await?;

        let window = Window::open(home.path()).await?;
        window.click("nav li:nth-child(3) button").await?;
        window.see("[data-testid=comparison][data-state=done] [data-testid=report]").await?;
        window.close().await
    })
    .await
}
