//! The same from a terminal: `slipstream hub` and `slipstream models`.

use std::{
    io::Write,
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::Duration,
};

use serde_json::{Value, json};
use tests::{
    Outcome,
    hub::{Pace, TOKEN},
    library::{Bench, DRAFTER, TARGET},
    program::program,
};

/// A command in the bench's surroundings.
fn command(bench: &Bench, arguments: &[&str]) -> Outcome<Command> {
    let mut command = Command::new(program("slipstream")?);
    command.env_clear().env("HOME", bench.user()).env("HF_ENDPOINT", bench.fake.endpoint());
    command.env("SLIPSTREAM_KEYCHAIN", "off").arg("--json").arg("--home").arg(bench.home()).args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Ok(command)
}

/// What the program prints, and its exit code.
async fn run(bench: &Bench, arguments: &[&str]) -> Outcome<(Value, i32)> {
    let mut command = command(bench, arguments)?;
    let output = tokio::task::spawn_blocking(move || command.output()).await??;
    let value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    Ok((value, output.status.code().unwrap_or(-1)))
}

#[tokio::test]
async fn a_model_is_looked_at_got_verified_removed_and_restored() -> Outcome {
    let bench = Bench::new().await?;
    let (offer, _) = run(&bench, &["hub", "show", TARGET]).await?;
    assert_eq!(offer["checkpoint"]["role"], json!("target"));
    assert_eq!((&offer["memory"]["fits"], &offer["to_fetch"]), (&json!(true), &offer["bytes"]));
    let (target, _) = run(&bench, &["models", "get", TARGET]).await?;
    assert_eq!((&target["id"], &target["source"], &target["repo"]), (&json!("One"), &json!("hub"), &json!(TARGET)));
    run(&bench, &["models", "get", &format!("{DRAFTER}@main")]).await?;
    let (offer, _) = run(&bench, &["hub", "show", DRAFTER]).await?;
    assert_eq!((&offer["fits"], &offer["whole"]), (&json!([{ "model": "One", "misfit": null }]), &json!(true)));

    let (verified, code) = run(&bench, &["models", "verify", "one"]).await?;
    assert_eq!((&verified["by_hash"], &verified["wrong"], code), (&json!(true), &Value::Null, 0));
    let folder = PathBuf::from(target["folder"].as_str().ok_or("no folder")?);
    std::fs::remove_file(folder.join("config.json"))?;
    assert_eq!(run(&bench, &["models", "verify", "One"]).await?.1, 1);
    assert_eq!(run(&bench, &["models", "repair", "One"]).await?.0["id"], json!("One"));

    let (removed, _) = run(&bench, &["models", "remove", "One"]).await?;
    assert_eq!(removed, json!({ "removed": "One", "orphans": ["Two"], "trainings": [] }));
    assert_eq!(run(&bench, &["models", "trash"]).await?.0[0]["id"], json!("One"));
    assert_eq!(run(&bench, &["models", "restore", "One"]).await?.1, 0);
    run(&bench, &["models", "remove", "Two"]).await?;
    assert!(run(&bench, &["models", "trash", "--empty"]).await?.0["freed"].as_u64() > Some(0));
    assert_eq!(run(&bench, &["models", "list"]).await?.0.as_array().map(Vec::len), Some(1));
    Ok(())
}

/// The program while it downloads the target, of which some has arrived, and most has not for a while yet.
async fn begun(bench: &Bench) -> Outcome<Child> {
    bench.fake.pace(Some(Pace { bytes: 16 << 10, pause: Duration::from_millis(500) }));
    let child = command(bench, &["models", "get", TARGET])?.spawn()?;
    let app = bench.app().await?;
    for _ in 0..2400 {
        if app.downloads().await?.first().is_some_and(|job| job.arrived > 0) {
            return Ok(child);
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    Err("nothing arrives".into())
}

#[tokio::test]
async fn after_a_kill_the_same_command_goes_on() -> Outcome {
    let bench = Bench::new().await?;
    let mut child = begun(&bench).await?;
    child.kill()?;
    child.wait()?;
    bench.fake.pace(None);
    let (sent, arrived) = (bench.fake.sent(), bench.app().await?.downloads().await?[0].arrived);
    let (offer, _) = run(&bench, &["hub", "show", TARGET]).await?;
    let looked = bench.fake.sent() - sent;
    assert_eq!(run(&bench, &["models", "get", TARGET]).await?.0["id"], json!("One"));
    // What is read to look at the offer is read twice: by `show`, and by `get`.
    let fetched = bench.fake.sent() - sent - 2 * looked;
    assert!(fetched <= offer["bytes"].as_u64().unwrap_or_default() - arrived, "{fetched} after {arrived}");
    let (verified, _) = run(&bench, &["models", "verify", "One"]).await?;
    assert_eq!(verified["wrong"], Value::Null);
    Ok(())
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn control_c_pauses_a_download_and_the_same_command_goes_on_with_it() -> Outcome {
    let bench = Bench::new().await?;
    let child = begun(&bench).await?;
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT)?;
    let output = tokio::task::spawn_blocking(move || child.wait_with_output()).await??;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let paused: Value = serde_json::from_slice(&output.stdout)?;
    assert_eq!((&paused["paused"], output.status.code()), (&json!(TARGET), Some(130)), "{said}");
    let (listed, _) = run(&bench, &["downloads", "list"]).await?;
    assert_eq!((&listed[0]["state"], &listed[0]["repo"]), (&json!("paused"), &json!(TARGET)));
    assert!(listed[0]["arrived"].as_u64() > Some(0));
    bench.fake.pace(None);
    assert_eq!(run(&bench, &["models", "get", TARGET]).await?.0["id"], json!("One"));
    Ok(())
}

#[tokio::test]
async fn a_download_is_paused_resumed_cancelled_and_forgotten_by_its_number() -> Outcome {
    let bench = Bench::new().await?;
    let job = tests::library::job(&bench.app().await?, &bench.app().await?.offer(TARGET, "main").await?).await?.id;
    let id = job.to_string();
    assert_eq!(run(&bench, &["downloads", "pause", &id]).await?.0["state"], json!("paused"));
    assert_eq!(run(&bench, &["downloads", "resume", &id]).await?.0["id"], json!("One"));
    assert_eq!(run(&bench, &["downloads", "forget", &id]).await?.1, 0);
    let (other, _) = run(&bench, &["models", "get", TARGET, "--copy"]).await?;
    assert_eq!(other["id"], json!("One"));
    run(&bench, &["models", "remove", "One"]).await?;
    assert_ne!(run(&bench, &["downloads", "pause", "999"]).await?.1, 0);
    let job = tests::library::job(&bench.app().await?, &bench.app().await?.offer(DRAFTER, "main").await?).await?.id;
    assert_eq!(run(&bench, &["downloads", "cancel", &job.to_string()]).await?.0["state"], json!("cancelled"));
    assert_eq!(run(&bench, &["models", "list"]).await?.0, json!([]));
    Ok(())
}

#[tokio::test]
async fn a_search_the_pairs_and_the_way_to_the_hub_are_shown() -> Outcome {
    let bench = Bench::new().await?;
    let lab = tests::hub::Repo::new("lab/gemma-4-dflash");
    bench.fake.edit(|repos| repos.push(lab));
    let (found, _) = run(&bench, &["hub", "search", "gemma-4", "--only", "drafters"]).await?;
    assert_eq!(found["hits"][0]["repo"], json!("lab/gemma-4-dflash"));
    let (status, _) = run(&bench, &["hub", "offline", "on"]).await?;
    assert_eq!((&status["offline"], &status["token"]), (&json!(true), &json!("none")));
    assert_ne!(run(&bench, &["hub", "search"]).await?.1, 0);
    assert!(run(&bench, &["hub", "pairs"]).await?.0.as_array().is_some_and(|pairs| pairs.len() > 9));
    assert_eq!(run(&bench, &["models", "found"]).await?.0, json!([]));
    assert_ne!(run(&bench, &["models", "import", "owner/nothing"]).await?.1, 0);
    Ok(())
}

#[tokio::test]
async fn a_token_that_is_piped_in_is_never_printed() -> Outcome {
    let bench = Bench::new().await?;
    let mut child = command(&bench, &["hub", "login"])?.stdin(Stdio::piped()).spawn()?;
    child.stdin.take().ok_or("no stdin")?.write_all(TOKEN.as_bytes())?;
    let output = child.wait_with_output()?;
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8(said)?;
    // There is no keychain here, and what is forgotten at once is not kept.
    assert!(!output.status.success() && said.contains("set HF_TOKEN") && !said.contains(TOKEN), "{said}");
    Ok(())
}
