//! `slipstream calibrate`, killed at random points: it goes on, and what it recorded is as if nothing had been.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Command, Output, Stdio},
};

use serde_json::Value;
use tests::{Outcome, program::program, random::Random, tiny};

fn slipstream(home: &Path, words: &[&str]) -> Outcome<Command> {
    let mut command = Command::new(program("slipstream")?);
    command.env("SLIPSTREAM_KEYCHAIN", "off").arg("--home").arg(home).args(words);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Ok(command)
}

fn calibrate(home: &Path, prompts: &Path) -> Outcome<Command> {
    let pair = ["--target", tiny::TARGET, "--drafter", tiny::DRAFTER, "--dtype", "float32"];
    let mut command = slipstream(home, &[&["--json", "calibrate", "--max-tokens", "60"], &pair[..]].concat())?;
    command.arg("--prompts").arg(prompts);
    Ok(command)
}

/// What a command that goes well prints.
fn said(output: Output) -> Outcome<String> {
    let said = String::from_utf8(output.stdout)?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    if output.status.success() { Ok(said) } else { Err(format!("{said}{complaint}").into()) }
}

/// The last line of a calibration that came to its end.
fn ended(lines: &str) -> Outcome<Value> {
    let last = serde_json::from_str::<Value>(lines.lines().last().unwrap_or_default())?;
    if last["event"] == "ended" { Ok(last) } else { Err(format!("it ended with {last}").into()) }
}

/// What a calibration does, in order.
const PHASES: [&str; 4] = ["collect", "fit", "cost", "measure"];

/// Runs it and kills it once it says that it has come to `done` prompts of `phase`, or further.
fn kill_at(mut command: Command, (phase, done): (&str, u64)) -> Outcome {
    let place = |phase: &str| PHASES.iter().position(|known| *known == phase);
    let mut child = command.stderr(Stdio::null()).spawn()?;
    for line in BufReader::new(child.stdout.take().ok_or("it has no output")?).lines() {
        let line = serde_json::from_str::<Value>(&line?)?;
        let now = line["phase"].as_str().map(place);
        if now.is_some_and(|now| (now, line["done"].as_u64()) >= (place(phase), Some(done))) {
            child.kill()?;
            child.wait()?;
            return Ok(());
        }
    }
    Err(format!("it ended before it came to {done} prompts of {phase}").into())
}

#[tokio::test]
async fn a_calibration_that_is_killed_at_random_points_records_and_fits_the_same() -> Outcome {
    let (models, [whole, broken]) = (tiny::models().await?, [tempfile::tempdir()?, tempfile::tempdir()?]);
    tiny::be_sure(&models.path().join(tiny::DRAFTER), 1.0)?;
    let prompts = models.path().join("prompts.txt");
    fs::write(&prompts, "Who?\nWhat?\nWhere?\nWhy?\nHow?\nWhen?\nWhose?\nWhich?\n")?;
    for home in [&whole, &broken] {
        tiny::register(home.path(), models.path(), 8).await?;
    }
    let expected = ended(&said(calibrate(whole.path(), &prompts)?.output()?)?)?;
    assert_eq!(expected["report"]["held_out"]["prompts"], 2);

    let mut random = Random::new(5);
    // Far enough from the end that it cannot come there before it is killed.
    for (phase, most) in [("collect", 3), ("collect", 5), ("measure", 6), ("measure", 10)] {
        kill_at(calibrate(broken.path(), &prompts)?, (phase, random.below(most) as u64))?;
    }
    let found = ended(&said(calibrate(broken.path(), &prompts)?.output()?)?)?;
    assert_eq!(found["id"], 1, "it went on with the one that was killed");
    assert_eq!(found["report"]["fitted"], expected["report"]["fitted"]);
    let samples = |home: &Path| said(slipstream(home, &["calibrations", "export", "1"])?.output()?);
    assert_eq!(samples(broken.path())?, samples(whole.path())?);
    Ok(())
}

#[tokio::test]
async fn what_was_calibrated_is_listed_applied_written_and_taken_back() -> Outcome {
    let (models, home) = (tiny::models().await?, tempfile::tempdir()?);
    let prompts = models.path().join("prompts.txt");
    fs::write(&prompts, "Who?\nWhat?\n")?;
    tiny::register(home.path(), models.path(), 8).await?;
    ended(&said(calibrate(home.path(), &prompts)?.output()?)?)?;
    let run = |words: &[&str]| said(slipstream(home.path(), &[&["calibrations"], words].concat())?.output()?);
    assert!(run(&["list"])?.contains("done"));
    assert!(run(&["apply", "1"])?.contains("in force"));
    let shown = run(&["show", "1"])?;
    assert!(shown.contains("fitted on") && shown.contains("γ 4") && shown.contains("Decode plainly"), "{shown}");
    run(&["write", "1"])?;
    assert!(run(&["take-back", "1"])?.contains("what it was before"));
    let refused = slipstream(home.path(), &["calibrations", "take-back", "1"])?.output()?;
    let complaint = String::from_utf8(refused.stderr)?;
    assert!(!refused.status.success() && complaint.contains("nothing to take back"), "{complaint}");
    assert!(run(&["revert", "1"])?.contains("done"));
    run(&["forget", "1"])?;
    assert!(run(&["list"])?.contains("no calibrations"));
    Ok(())
}
