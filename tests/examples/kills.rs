//! A download of several files that is killed (SIGKILL) at random points, again and again, and how much of it was
//! fetched more than once. Then downloads that are killed after their last byte, while it is hashed, brought to the disk
//! and put in place. Whoever is root lets somebody else download, for whom files can be read-only. Fails if anything is
//! not whole afterwards, or more than one per cent was fetched more than once.
//!
//! ```text
//! cargo run --release -p tests --example kills -- [megabytes] [kills] [late kills] [seed]
//! ```

use std::{
    collections::BTreeSet,
    env, fs,
    ops::ControlFlow,
    os::unix::{fs::MetadataExt, fs::chown, process::CommandExt},
    path::{Path, PathBuf},
    process::{Child, Command},
    time::Duration,
};

use hub::{Limits, Verdict};
use tempfile::TempDir;
use tests::{
    Outcome,
    hub::{Client, Content, FakeHub, Pace, Repo},
    random::Random,
};

const ID: &str = "owner/name";

/// The size of a download that is killed late, bytes.
const LATE: u64 = 96 << 20;

/// Whoever is nobody, by most systems' custom.
const NOBODY: u32 = 65534;

fn main() -> Outcome {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let [endpoint, root] = &arguments[..]
        && endpoint.starts_with("http")
    {
        return download(endpoint, Path::new(root));
    }
    let number = |at: usize, usual: u64| arguments.get(at).and_then(|text| text.parse().ok()).unwrap_or(usual);
    let mut random = Random::new(u32::try_from(number(3, 1))?);
    let bench = Bench::new()?;
    let sent = bench.kill_while_it_arrives(number(0, 300) << 20, number(1, 50), &mut random);
    let late = bench.kill_late(number(2, 30), &mut random);
    sent.and(late)
}

/// A folder of whoever downloads, and the program there.
struct Bench {
    folder: TempDir,
    program: PathBuf,
    is_root: bool,
}

impl Bench {
    fn new() -> Outcome<Self> {
        let folder = tempfile::tempdir()?;
        let (program, is_root) = (folder.path().join("kills"), fs::metadata(folder.path())?.uid() == 0);
        fs::copy(env::current_exe()?, &program)?;
        if is_root {
            // Nobody may not read where this was built.
            for library in libraries() {
                fs::copy(&library, folder.path().join(library.file_name().unwrap_or_default()))?;
            }
            chown(folder.path(), Some(NOBODY), Some(NOBODY))?;
        }
        println!("downloads are by {}", if is_root { "nobody" } else { "this user" });
        Ok(Self { folder, program, is_root })
    }

    fn child(&self, endpoint: &str, root: &Path) -> Outcome<Child> {
        let mut command = Command::new(&self.program);
        command.arg(endpoint).arg(root);
        if self.is_root {
            command.uid(NOBODY).gid(NOBODY).env("LD_LIBRARY_PATH", self.folder.path());
        }
        Ok(command.spawn()?)
    }

    /// That a last run ends well, every file is in place and hashes to what is listed, and cleaning leaves nothing else.
    fn check(&self, fake: &FakeHub, repo: &Repo, root: &Path) -> Outcome {
        if !self.child(&fake.endpoint(), root)?.wait()?.success() {
            return Err("the last run failed".into());
        }
        let blobs = hub::Blobs::open(root)?;
        let folder = blobs.folder(&ID.parse()?, &repo.commit.parse()?);
        for file in &repo.files {
            let verdict =
                file.listed.hash(file.is_large).check(&folder.join(&file.path), |_| ControlFlow::Continue(()))?;
            if verdict != Verdict::Whole {
                return Err(format!("{}: {verdict:?}", file.path).into());
            }
        }
        blobs.remove_unreferenced(&repo.files.iter().map(|file| file.listed.hash(file.is_large)).collect())?;
        for folder in ["partial", "placing"] {
            if fs::read_dir(root.join(folder))?.next().is_some() {
                return Err(format!("something is left over in {folder}").into());
            }
        }
        Ok(())
    }

    fn kill_while_it_arrives(&self, total: u64, kills: u64, random: &mut Random) -> Outcome {
        let repo = repo(total);
        let fake = FakeHub::start(vec![repo.clone()])?;
        // A home connection, 6 kB a millisecond. At the full speed of loopback, what waits to be received would be lost
        // too.
        fake.pace(Some(Pace { bytes: 1024, pause: Duration::from_millis(1) }));
        let root = self.folder.path().join("store");
        for kill in 0..kills {
            // Random points that leave something for the kills that follow.
            let share = (total - fake.sent().min(total)) / (kills - kill + 1);
            let goal = fake.sent() + random.below(usize::try_from(share * 2)?.max(1)) as u64;
            let mut child = self.child(&fake.endpoint(), &root)?;
            while fake.sent() < goal && child.try_wait()?.is_none() {
                std::thread::sleep(Duration::from_micros(random.below(1500) as u64));
            }
            child.kill()?;
            child.wait()?;
        }
        let before = fake.sent();
        self.check(&fake, &repo, &root)?;
        println!("{kills} kills; the last run fetched {} of {total} bytes", fake.sent() - before);
        for file in &repo.files {
            let of_it = |seen: &&tests::hub::Seen| seen.target.contains(&file.path);
            let sent: u64 = fake.fetched().iter().filter(of_it).map(|seen| seen.sent).sum();
            println!("  {}: {} of {} bytes more than once", file.path, sent - file.listed.size(), file.listed.size());
        }
        let twice = fake.sent().saturating_sub(total);
        #[expect(clippy::cast_precision_loss, reason = "a few hundred megabytes")]
        let share = 100.0 * twice as f64 / total as f64;
        println!("{twice} bytes more than once, {share:.2} %");
        if twice > total / 100 { Err("more than one per cent was fetched more than once".into()) } else { Ok(()) }
    }

    fn kill_late(&self, kills: u64, random: &mut Random) -> Outcome {
        let repo = repo(LATE);
        let (mut on_their_way, mut kept, mut placed) = (0, 0, 0);
        for _ in 0..kills {
            let fake = FakeHub::start(vec![repo.clone()])?;
            let root = self.folder.path().join("late");
            let mut child = self.child(&fake.endpoint(), &root)?;
            while fake.sent() < LATE && child.try_wait()?.is_none() {
                std::thread::sleep(Duration::from_micros(200));
            }
            std::thread::sleep(Duration::from_millis(random.below(300) as u64));
            child.kill()?;
            child.wait()?;
            let count = |folder: &str| fs::read_dir(root.join(folder)).map_or(0, Iterator::count);
            match (count("repos"), count("blobs")) {
                (0, 0) => on_their_way += 1,
                (0, _) => kept += 1,
                _ => placed += 1,
            }
            self.check(&fake, &repo, &root)?;
            fs::remove_dir_all(&root)?;
        }
        println!("{kills} kills after the last byte: {on_their_way} before any content was kept, {kept} before the");
        println!("revision was begun to be placed, {placed} later; all whole in the end");
        Ok(())
    }
}

/// The libraries that this process uses, where the system tells.
fn libraries() -> BTreeSet<PathBuf> {
    let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let paths = maps.lines().filter_map(|line| line.split_whitespace().nth(5));
    paths.filter(|path| path.contains(".so")).map(PathBuf::from).collect()
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

/// What the child does.
#[tokio::main]
async fn download(endpoint: &str, root: &Path) -> Outcome {
    Client::new(endpoint, root, None, Limits { reserve: 0, ..Limits::default() })?.download(ID).await?;
    Ok(())
}
