//! `slipstream conversations`.

use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tests::{
    Outcome,
    program::program,
    talk::{Home, ask, first},
};

fn slipstream(home: &Home, words: &[&str]) -> Outcome<Output> {
    let mut command = Command::new(program("slipstream")?);
    command.env("SLIPSTREAM_KEYCHAIN", "off").arg("--home").arg(home.home.path()).arg("conversations").args(words);
    Ok(command.stdin(Stdio::null()).output()?)
}

/// What a command that goes well prints.
fn said(home: &Home, words: &[&str]) -> Outcome<String> {
    let output = slipstream(home, words)?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    if output.status.success() { Ok(String::from_utf8(output.stdout)?) } else { Err(complaint.into()) }
}

#[tokio::test]
async fn conversations_are_listed_shown_found_removed_and_brought_back() -> Outcome {
    let home = Home::new().await?;
    let app = home.app().await?;
    let (moss, _) = ask(&app, first("How does moss grow?")).await?;
    ask(&app, first("Why is the sky blue?")).await?;
    app.pin_conversation(moss.conversation, true).await?;
    app.tag_conversation(moss.conversation, &["garden".to_owned()]).await?;
    let listed = said(&home, &["list"])?;
    assert_eq!(listed, "   1  How does moss grow?  pinned  #garden\n   2  Why is the sky blue?\n");
    assert!(said(&home, &["show", "1"])?.starts_with("# How does moss grow?\n"));
    let all = serde_json::from_str::<Value>(&said(&home, &["show", "1", "--json"])?)?;
    assert_eq!(all["messages"].as_array().map(Vec::len), Some(2));

    let found = said(&home, &["search", "does", "MO"])?;
    assert_eq!(found, "   1  How does moss grow?  pinned  #garden\n      How ‹does› ‹moss› grow?\n");
    let found = serde_json::from_str::<Value>(&said(&home, &["--json", "search", "sky"])?)?;
    assert_eq!((&found[0]["id"], &found[0]["passages"][0]["pieces"][1]["text"]), (&2.into(), &"sky".into()));
    assert_eq!(said(&home, &["search", "volcano"])?, "nothing found\n");

    assert!(said(&home, &["remove", "2"])?.contains("it can come back for 30 days"));
    assert!(!slipstream(&home, &["remove", "2"])?.status.success());
    assert_eq!(said(&home, &["list", "--removed"])?, "   2  Why is the sky blue?\n");
    said(&home, &["restore", "2"])?;
    let refused = slipstream(&home, &["forget", "2"])?;
    let complaint = String::from_utf8(refused.stderr)?;
    assert!(complaint.contains("there is no conversation 2 among those that were removed"), "{complaint}");
    said(&home, &["remove", "2"])?;
    said(&home, &["forget", "2"])?;
    assert_eq!(said(&home, &["list", "--removed"])?, "no conversations\n");
    Ok(())
}
