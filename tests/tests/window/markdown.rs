//! Answers as Markdown, where the page's policy and its address are the real ones.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::Path,
    time::{Duration, Instant},
};

use store::{Ask, State, Store, Written};
use tests::{Outcome, tiny};
use tokio::time::sleep;

use crate::{alone, page::Window};

const CODE: &str = "fn main() {\n\tlet x = 1; // why\n}";
const LINK: &str = "https://example.org/a?b=c&d=$(touch%20me)";
const OPEN_FILE: &str = "window.__TAURI_INTERNALS__.invoke('open_link', { url: 'file:///etc/passwd' })";

#[tokio::test]
async fn code_is_coloured_and_copied_a_formula_is_set_and_a_link_opens_outside() -> Outcome {
    alone(async {
        let home = tempfile::tempdir()?;
        let text = format!("See [there]({LINK}), and $x^2$:\n\n```rust\n{CODE}\n```\n");
        answered(home.path(), &text).await?;
        notes_what_it_opens(home.path())?;

        let window = Window::open(home.path()).await?;
        window.click("[data-testid=conversation]").await?;
        window.text_of("[data-testid=text] pre .keyword", |word| word == "fn").await?;
        assert_ne!(window.colour("pre .keyword").await?, window.colour("pre").await?);
        assert_eq!(window.text_of("[data-testid=text] pre", |_| true).await?, CODE);
        assert_eq!(window.copied("[aria-label='Copy code']").await?, CODE);
        window.text_of("[data-testid=text] math msup", |formula| formula == "x2").await?;

        let refusal = window.run(&format!("{OPEN_FILE}.catch(({{ message }}) => {{ throw message }})")).await?;
        assert!(refusal.contains("this is one of file"), "{refusal}");
        let address = window.address().await?;
        window.click("[data-testid=text] a").await?;
        assert_eq!(opened(home.path()).await?, LINK);
        assert_eq!(window.address().await?, address);
        window.close().await
    })
    .await
}

/// A home where somebody has asked a question and got this answer.
async fn answered(home: &Path, text: &str) -> Outcome {
    let models = tiny::models().await?;
    tiny::register(home, models.path(), 8).await?;
    let store = Store::open(&home.join("slipstream.sqlite3")).await?;
    let talk = store.add_conversation("Code").await?;
    let ask = Ask::Next { conversation: talk.id, text: "Show me.", attachments: &[] };
    let answer = store.ask(ask, tiny::TARGET, None).await?.answer;
    Ok(store.end_message(answer.id, Written { thought: "", text }, State::Complete, None, None).await?)
}

/// Puts a program in the place of the system's that opens addresses.
fn notes_what_it_opens(user: &Path) -> Outcome {
    let program = user.join("bin/xdg-open");
    fs::create_dir(user.join("bin"))?;
    fs::write(&program, "#!/bin/sh\nprintf %s \"$1\" > \"$HOME/opening\" && mv \"$HOME/opening\" \"$HOME/opened\"\n")?;
    Ok(fs::set_permissions(&program, fs::Permissions::from_mode(0o700))?)
}

/// The address that was opened.
async fn opened(user: &Path) -> Outcome<String> {
    let start = Instant::now();
    loop {
        match fs::read_to_string(user.join("opened")) {
            Ok(address) => return Ok(address),
            Err(_) if start.elapsed() < Duration::from_mins(1) => sleep(Duration::from_millis(20)).await,
            Err(reason) => return Err(format!("nothing was opened: {reason}").into()),
        }
    }
}
