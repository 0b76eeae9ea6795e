//! `slipstream chat --drafter lookup`: a drafter without files, and what cannot be asked of it.

use std::path::Path;

use serde_json::{Value, json};

use crate::home::{Outcome, home, slipstream};

/// Arguments of a greedy answer of 40 tokens to a prompt that repeats itself.
const CHAT: [&str; 11] = [
    "chat",
    "w5 w6 w7 w5 w6",
    "--target",
    "model",
    "--raw",
    "--temperature",
    "0",
    "--max-tokens",
    "40",
    "--dtype",
    "float32",
];

/// The events of an answer.
fn events(home: &Path, options: &[&str]) -> Outcome<Vec<Value>> {
    let lines = slipstream(home, &[&CHAT, options, &["--json"]].concat())?;
    Ok(lines.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

#[test]
fn lookup_drafts_without_files_and_changes_no_token() -> Outcome {
    let home = home("e-series")?;
    let plain = events(home.path(), &[])?;
    let drafted = events(home.path(), &["--drafter", "lookup", "--schedule", "fixed", "--gamma", "4", "--verify"])?;
    let end = |events: &[Value]| events.iter().find(|event| event["event"] == "end").cloned().unwrap_or_default();
    let (plain, made) = (end(&plain), end(&drafted));
    assert_eq!(made["ids"], plain["ids"]);
    assert_eq!(
        made["speculation"],
        json!({ "speculation": "on", "limit": 4, "schedule": "fixed", "calibrated": false })
    );
    assert!(made["stats"]["accepted"].as_u64() > Some(0), "{}", made["stats"]);
    assert_eq!(drafted.last().map(|proof| &proof["proof"]), Some(&json!("identical")));
    Ok(())
}

#[test]
fn what_lookup_cannot_do_is_refused_in_a_sentence() -> Outcome {
    let home = home("e-series")?;
    for options in [&["--min-conf", "0.5"][..], &["--schedule", "gate"], &["--schedule", "thresholds"]] {
        let refused = events(home.path(), &[&["--drafter", "lookup"], options].concat());
        let sentence = refused.err().ok_or("it was accepted")?.to_string();
        assert!(sentence.contains("needs a confidence in each token"), "{sentence}");
    }
    Ok(())
}

#[test]
fn no_model_may_be_called_lookup() -> Outcome {
    let home = home("e-series")?;
    let folder = home.path().join("checkpoint");
    let again = slipstream(home.path(), &["models", "add", &folder.to_string_lossy(), "--id", "lookup"]);
    assert!(again.err().ok_or("it was accepted")?.to_string().contains("in the list already"));
    slipstream(home.path(), &["models", "remove", "model"])?;
    let taken = slipstream(home.path(), &["models", "add", &folder.to_string_lossy(), "--id", "lookup"]);
    assert!(taken.err().ok_or("it was accepted")?.to_string().contains("the id “lookup” is taken already"));
    Ok(())
}
