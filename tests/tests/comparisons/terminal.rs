//! `slipstream compare`, and what can be done with what came of it.

use std::{path::Path, process::Command};

use serde_json::Value;
use tests::{Outcome, program::program, tiny};

fn slipstream(home: &Path, words: &[&str]) -> Outcome<(bool, String)> {
    let mut command = Command::new(program("slipstream")?);
    command.env("SLIPSTREAM_KEYCHAIN", "off").arg("--home").arg(home).args(words);
    let output = command.output()?;
    let said = [output.stdout, output.stderr].concat();
    Ok((output.status.success(), String::from_utf8(said)?))
}

#[tokio::test]
async fn drafters_are_compared_listed_exported_and_forgotten() -> Outcome {
    let (models, home) = (tiny::models().await?, tempfile::tempdir()?);
    tiny::register(home.path(), models.path(), 8).await?;
    let run = |words: &[&str]| -> Outcome<String> {
        let (is_well, said) = slipstream(home.path(), words)?;
        if is_well { Ok(said) } else { Err(said.into()) }
    };
    let drafter = format!("{}=2", tiny::DRAFTER);
    let pair = ["compare", tiny::TARGET, &drafter, "lookup", "--dtype", "float32", "--max-tokens", "16"];
    let said = run(&[&["--json"], &pair[..], &["--prompt", "Why?", "--temperature", "1"]].concat())?;
    let ended = serde_json::from_str::<Value>(said.lines().last().unwrap_or_default())?;
    assert_eq!((&ended["event"], &ended["state"]), (&"ended".into(), &"done".into()));
    assert!(ended["verdict"].as_str().is_some_and(|verdict| verdict.starts_with("Identical")), "{ended}");

    let card = run(&[&pair[..], &["--suite", "maths", "--most", "3"]].concat())?;
    assert!(card.contains("## Maths, 3 prompts") && card.contains("tiny-drafter, γ 2"), "{card}");
    assert!(run(&["comparisons", "list"])?.contains("“Why?”"));
    assert!(card.contains(run(&["comparisons", "show", "2"])?.trim()));
    assert_eq!(run(&["comparisons", "export", "2"])?.lines().count(), 10);
    serde_json::from_str::<Value>(&run(&["comparisons", "export", "2", "--as", "json"])?)?;
    assert!(run(&["comparisons", "export", "1", "--as", "markdown"])?.starts_with("# Drafters for tiny-target"));
    for id in ["1", "2"] {
        run(&["comparisons", "forget", id])?;
    }
    assert!(run(&["comparisons", "list"])?.contains("no comparisons"));
    let (is_well, complaint) = slipstream(home.path(), &["compare", tiny::TARGET, "lookup", "lookup"])?;
    assert!(!is_well && complaint.contains("chosen twice"), "{complaint}");
    Ok(())
}
