//! Conversations: their branches, finding what was said, and what was deleted by mistake.

use fantoccini::key::Key;
use tests::Outcome;

use crate::{alone, page::Window};

const QUESTION: &str = "[data-testid=question]";
const SEARCH: &str = "nav [type=search]";

#[tokio::test]
async fn an_edited_question_begins_a_branch_and_what_was_said_before_is_found() -> Outcome {
    alone(async {
        let home = tempfile::tempdir()?;
        let window = Window::open(home.path()).await?;
        window.press("What is Slipstream?").await?;
        window.see("[data-testid=answer][data-state=complete]").await?;

        window.press("Edit").await?;
        window.fill("[aria-label='Edit the question']", "What is γ?").await?;
        window.press("Send").await?;
        window.text_of(QUESTION, |text| text.ends_with("What is γ?")).await?;
        window.see("[data-testid=answer][data-state=complete]").await?;
        window.click("[aria-label='Earlier question']").await?;
        window.text_of(QUESTION, |text| text.ends_with("What is Slipstream?")).await?;

        window.fill(SEARCH, "what is").await?;
        window.click_on("passage", "γ").await?;
        window.text_of(QUESTION, |text| text.ends_with("What is γ?")).await?;
        window.fill(SEARCH, &char::from(Key::Delete).to_string()).await?;

        window.click("[aria-label^='More on']").await?;
        window.press("Delete ⌫").await?;
        window.gone("[data-testid=answer]").await?;
        window.press("Undo").await?;
        window.text_of(QUESTION, |text| text.ends_with("What is γ?")).await?;
        window.close().await
    })
    .await
}
