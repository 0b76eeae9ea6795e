//! `slipstream drafter train`, killed at random points: it goes on, and ends as if nothing had been.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Command, Stdio},
};

use store::Store;
use tests::{Outcome, program::program, random::Random, tiny};

fn train(home: &Path, prompts: &Path) -> Outcome<Command> {
    let mut command = Command::new(program("slipstream")?);
    command.env("SLIPSTREAM_KEYCHAIN", "off").arg("--json").arg("--home").arg(home).args(["drafter", "train"]);
    command.args(["--target", tiny::TARGET, "--name", "mine", "--gamma", "3", "--steps", "80", "--dtype", "float32"]);
    command.arg("--prompts").arg(prompts).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Ok(command)
}

/// What came of the training: the drafter, where it says that it came from, and each measurement.
async fn outcome(home: &Path) -> Outcome<(Vec<u8>, String, Vec<(u32, f64, bool)>)> {
    let folder = home.join("drafters/1/mine");
    let store = Store::open(&home.join("slipstream.sqlite3")).await?;
    let points = store.training_points(1).await?.into_iter();
    let measured = points.filter_map(|point| Some((point.step, point.tokens_per_round?, point.best))).collect();
    Ok((fs::read(folder.join("model.safetensors"))?, fs::read_to_string(folder.join("README.md"))?, measured))
}

#[tokio::test]
async fn a_training_that_is_killed_at_random_points_ends_with_the_same_drafter() -> Outcome {
    let (models, [whole, broken]) = (tiny::models().await?, [tempfile::tempdir()?, tempfile::tempdir()?]);
    let prompts = models.path().join("prompts.txt");
    fs::write(&prompts, tiny::questions().collect::<Vec<_>>().join("\n"))?;
    for home in [&whole, &broken] {
        tiny::register(home.path(), models.path(), 8).await?;
    }
    let output = train(whole.path(), &prompts)?.output()?;
    let lines = String::from_utf8(output.stdout)?;
    assert!(output.status.success(), "{lines}{}", String::from_utf8_lossy(&output.stderr));
    let last: serde_json::Value = serde_json::from_str(lines.lines().last().unwrap_or_default())?;
    assert_eq!((&last["event"], &last["drafter"]), (&"ended".into(), &"mine".into()));

    let (mut random, mut kills) = (Random::new(11), 0);
    // Each tells what none before it told, so there are fewer runs than lines.
    for _ in 0..lines.lines().count() {
        let mut child = train(broken.path(), &prompts)?.stderr(Stdio::null()).spawn()?;
        let told = BufReader::new(child.stdout.take().ok_or("it has no output")?).lines();
        let (patience, mut last) = (1 + random.below(30), None);
        for line in told.take(patience) {
            last = Some(line?);
        }
        if last.is_none_or(|line| line.contains("\"ended\"")) {
            assert!(child.wait()?.success());
            break;
        }
        kills += 1;
        child.kill()?;
        child.wait()?;
    }
    println!("killed {kills} times");
    let [whole, broken] = [outcome(whole.path()).await?, outcome(broken.path()).await?];
    assert!(kills > 0 && whole.0 == broken.0, "{kills} kills, another drafter");
    assert_eq!((whole.1, whole.2), (broken.1, broken.2));
    Ok(())
}
