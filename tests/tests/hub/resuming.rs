//! Going on after an end.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use hub::Error;
use tests::{
    Outcome,
    hub::{Client, Content, Pace, Quirk, Repo, hasty},
    random::Random,
};

use crate::bench::{Bench, ID, SIZE, WEIGHTS, check_whole, in_turn, usual};

/// A download that stopped after about half, and how much had been sent.
async fn half(bench: &Bench) -> Outcome<u64> {
    bench.fake.next(WEIGHTS, [Quirk::Fine, Quirk::Fine, Quirk::Drop(30_000)]);
    bench.fake.next(WEIGHTS, vec![Quirk::status(500); 100]);
    let failed = bench.client.download(ID).await;
    assert!(matches!(failed, Err(Error::Unreachable { .. })), "{failed:?}");
    bench.fake.heal();
    Ok(bench.fake.sent())
}

#[tokio::test]
async fn a_later_download_fetches_only_what_is_missing() -> Outcome {
    let bench = Bench::usual()?;
    let before = half(&bench).await?;
    assert!(before > SIZE / 4);
    let again = bench.another("store", None)?;
    check_whole(&again.download(ID).await?, &usual())?;
    assert_eq!(bench.fake.sent(), SIZE + 2);
    Ok(())
}

#[tokio::test]
async fn a_validator_that_changed_starts_the_file_again() -> Outcome {
    let bench = Bench::usual()?;
    let before = half(&bench).await?;
    // The same content has another name at the Hub for a moment.
    bench.fake.next("resolve", [Quirk::Renamed]);
    check_whole(&bench.client.download(ID).await?, &usual())?;
    assert!(bench.fake.sent() > SIZE + before / 2, "what had arrived was used");
    Ok(())
}

#[tokio::test]
async fn bytes_of_before_count_for_the_hash() -> Outcome {
    // The first piece is among those that arrive.
    let bench = Bench::limited(vec![usual()], in_turn())?;
    half(&bench).await?;
    let hash = Content::noise(SIZE, 1).hash(true).to_string();
    let partial = bench.root().join("partial").join(hash);
    let mut bytes = fs::read(&partial)?;
    bytes[17] ^= 1;
    fs::write(&partial, bytes)?;
    check_whole(&bench.client.download(ID).await?, &usual())?;
    assert!(bench.fake.sent() > SIZE + 2);
    Ok(())
}

#[tokio::test]
async fn a_journal_of_nonsense_means_nothing_has_arrived() -> Outcome {
    let mut random = Random::new(5);
    for round in 0..40 {
        let bench = Bench::usual()?;
        half(&bench).await?;
        let hash = Content::noise(SIZE, 1).hash(true).to_string();
        let journal = bench.root().join("partial").join(format!("{hash}.journal"));
        let mut bytes = fs::read(&journal)?;
        match round % 4 {
            0 => bytes.truncate(random.below(bytes.len())),
            1 => bytes[random.below(24)] ^= 1 << random.below(8),
            2 => bytes.iter_mut().skip(1024).for_each(|byte| *byte = 0xFF),
            _ => (0..20).for_each(|_| bytes[random.below(1048)] = 0xA5),
        }
        fs::write(&journal, bytes)?;
        check_whole(&bench.client.download(ID).await?, &usual())?;
    }
    Ok(())
}

#[tokio::test]
async fn a_killed_process_loses_almost_nothing() -> Outcome {
    const TOTAL: u64 = 20 << 20;
    let (big, medium) = (Content::noise(TOTAL - (3 << 20), 7), Content::noise(3 << 20, 8));
    let repo = Repo::new(ID).large("a.safetensors", big).large("b.safetensors", medium);
    let bench = Bench::of(vec![repo.clone()])?;
    bench.fake.pace(Some(Pace { bytes: 1024, pause: Duration::from_millis(1) }));
    let mut random = Random::new(11);
    for _ in 0..5 {
        let goal = bench.fake.sent() + 1000 * random.below(3000) as u64;
        let mut child = child(&bench.fake.endpoint(), &bench.root())?;
        while bench.fake.sent() < goal && child.try_wait()?.is_none() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        // SIGKILL.
        child.kill()?;
        child.wait()?;
    }
    bench.fake.pace(None);
    check_whole(&bench.client.download(ID).await?, &repo)?;
    let twice = bench.fake.sent() - TOTAL;
    assert!(twice <= TOTAL / 100, "{twice} bytes were fetched more than once");
    Ok(())
}

fn child(endpoint: &str, root: &Path) -> Outcome<std::process::Child> {
    let mut command = Command::new(env::current_exe()?);
    command.args(["--exact", "resuming::the_process_that_is_killed", "--ignored"]);
    command.env("KILLED_ENDPOINT", endpoint).env("KILLED_ROOT", root);
    Ok(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?)
}

#[tokio::test]
#[ignore = "started by a_killed_process_loses_almost_nothing"]
async fn the_process_that_is_killed() -> Outcome {
    let root = PathBuf::from(env::var("KILLED_ROOT")?);
    Client::new(&env::var("KILLED_ENDPOINT")?, &root, None, hasty())?.download(ID).await?;
    Ok(())
}
