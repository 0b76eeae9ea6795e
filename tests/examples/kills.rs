//! A download of several files that is killed (SIGKILL) at random points, again and again, and how much of it was
//! fetched more than once.
//!
//! ```text
//! cargo run --release -p tests --example kills -- [megabytes] [kills] [seed]
//! ```

use std::{
    env, fs,
    path::Path,
    process::{Child, Command},
    time::Duration,
};

use hub::{Limits, Verdict};
use tests::{
    Outcome,
    hub::{Client, Content, FakeHub, Pace, Repo},
    random::Random,
};

const ID: &str = "owner/name";

fn main() -> Outcome {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let [endpoint, root] = &arguments[..]
        && endpoint.starts_with("http")
    {
        return download(endpoint, Path::new(root));
    }
    let number = |at: usize, usual: u64| arguments.get(at).and_then(|text| text.parse().ok()).unwrap_or(usual);
    let (total, kills) = (number(0, 300) << 20, number(1, 50));
    let mut random = Random::new(u32::try_from(number(2, 1))?);
    let repo = repo(total);
    let fake = FakeHub::start(vec![repo.clone()])?;
    // A home connection, 6 kB a millisecond. At the full speed of loopback, what waits to be received would be lost too.
    fake.pace(Some(Pace { bytes: 1024, pause: Duration::from_millis(1) }));
    let folder = tempfile::tempdir()?;
    let root = folder.path().join("store");
    for kill in 0..kills {
        // Random points that leave something for the kills that follow.
        let share = (total - fake.sent().min(total)) / (kills - kill + 1);
        let goal = fake.sent() + random.below(usize::try_from(share * 2)?.max(1)) as u64;
        let mut child = child(&fake.endpoint(), &root)?;
        while fake.sent() < goal && child.try_wait()?.is_none() {
            std::thread::sleep(Duration::from_micros(random.below(1500) as u64));
        }
        child.kill()?;
        child.wait()?;
    }
    let before = fake.sent();
    let whole = child(&fake.endpoint(), &root)?.wait()?.success();
    println!("{kills} kills; the last run fetched {} of {total} bytes and ended well: {whole}", fake.sent() - before);
    check(&repo, &root)?;
    for file in &repo.files {
        let sent: u64 =
            fake.fetched().iter().filter(|seen| seen.target.contains(&file.path)).map(|seen| seen.sent).sum();
        println!("  {}: {} of {} bytes more than once", file.path, sent - file.listed.size(), file.listed.size());
    }
    report(total, fake.sent());
    Ok(())
}

/// Four large files of several pieces, and some small ones.
fn repo(total: u64) -> Repo {
    let large = |repo: Repo, (index, share): (u32, u64)| {
        repo.large(&format!("model-{index}.safetensors"), Content::noise(total * share / 100, index))
    };
    let repo = (0..4).zip([41, 30, 20, 8]).fold(Repo::new(ID), large);
    let rest = total - repo.files.iter().map(|file| file.listed.size()).sum::<u64>();
    repo.small("tokenizer.json", Content::noise(rest / 2, 9)).small("config.json", Content::noise(rest - rest / 2, 10))
}

/// That every file is in place and hashes to what is listed.
fn check(repo: &Repo, root: &Path) -> Outcome {
    let blobs = hub::Blobs::open(root)?;
    let folder = blobs.folder(&ID.parse()?, &repo.commit.parse()?);
    for file in &repo.files {
        let verdict = blobs.verify(&file.listed.hash(file.is_large))?;
        if verdict != Verdict::Whole || fs::metadata(folder.join(&file.path))?.len() != file.listed.size() {
            return Err(format!("{}: {verdict:?}", file.path).into());
        }
    }
    println!("all {} files are verified and in place", repo.files.len());
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "a few hundred megabytes")]
fn report(total: u64, sent: u64) {
    let twice = sent.saturating_sub(total);
    println!("sent {sent} bytes: {twice} more than once, {:.2} %", 100.0 * twice as f64 / total as f64);
}

fn child(endpoint: &str, root: &Path) -> Outcome<Child> {
    Ok(Command::new(env::current_exe()?).arg(endpoint).arg(root).spawn()?)
}

/// What the child does.
#[tokio::main]
async fn download(endpoint: &str, root: &Path) -> Outcome {
    Client::new(endpoint, root, None, Limits { reserve: 0, ..Limits::default() })?.download(ID).await?;
    Ok(())
}
