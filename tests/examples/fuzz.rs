//! Mutated listings, names, journals, safetensors headers and configurations: nothing may panic, nothing may be written
//! outside of the store, and no download may end without a reason. Enough of the listings must still be downloaded.
//!
//! ```text
//! cargo run --release -p tests --example fuzz -- [seconds] [seed]
//! ```

use std::{
    collections::HashSet,
    env, fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    time::{Duration, Instant},
};

use hub::{Commit, Error, Hash, Limits, RepoId, RepoPath, Search};
use serde_json::json;
use tests::{
    Outcome,
    hub::{Client, Content, FakeHub, File, Quirk, Repo, hasty},
    random::Random,
};

const ID: &str = "owner/name";

/// As the tests' limits, but for a machine that has other things to do too: nobody sends nothing here.
fn patient() -> Limits {
    Limits { stall: Duration::from_mins(1), ..hasty() }
}

fn main() -> Outcome {
    let number = |at: usize| env::args().nth(at).and_then(|text| text.parse().ok());
    let (seconds, seed) = (number(1).unwrap_or(600), number(2).unwrap_or(1));
    let until = Instant::now() + Duration::from_secs(seconds);
    let mut fuzz = Fuzz::new(u32::try_from(seed)?)?;
    // Each as often in a round as makes them take about the same time.
    let kinds: [(&str, u64, Try); 5] = [
        ("listings", 1, Fuzz::listing),
        ("names", 1000, Fuzz::names),
        ("journals", 1, Fuzz::journal),
        ("headers", 50, Fuzz::header),
        ("configurations", 20, Fuzz::config),
    ];
    let (mut rounds, mut panics) = ([0_u64; 5], 0);
    while Instant::now() < until {
        for (index, (kind, times, try_once)) in kinds.iter().enumerate() {
            for _ in 0..*times {
                let Ok(result) = catch_unwind(AssertUnwindSafe(|| try_once(&mut fuzz))) else {
                    panics += 1;
                    println!("a panic over {kind}, in round {}", rounds[index]);
                    continue;
                };
                result?;
                rounds[index] += 1;
            }
        }
    }
    for ((kind, ..), rounds) in kinds.iter().zip(rounds) {
        println!("{kind}: {rounds} rounds");
    }
    let Fuzz { escaped, placed, baseless, .. } = fuzz;
    println!(
        "{panics} panics, {escaped} files outside of the store, {placed} revisions placed, {baseless} baseless ends"
    );
    let enough = placed >= rounds[0] / 10 && placed > 0;
    if panics == 0 && escaped == 0 && baseless == 0 && enough { Ok(()) } else { Err("see above".into()) }
}

/// One round of one kind.
type Try = fn(&mut Fuzz) -> Outcome;

struct Fuzz {
    random: Random,
    runtime: tokio::runtime::Runtime,
    fake: FakeHub,
    folder: tempfile::TempDir,
    client: Client,
    escaped: u64,
    /// How many downloads ended well.
    placed: u64,
    /// How many ended as if somebody had stopped them, or by a fault.
    baseless: u64,
}

fn usual() -> Repo {
    let config = Content::of(*b"{\"model_type\":\"gemma4\"}");
    Repo::new(ID).large("model.safetensors", Content::noise(200_000, 1)).small("config.json", config)
}

impl Fuzz {
    fn new(seed: u32) -> Outcome<Self> {
        let fake = FakeHub::start(vec![usual()])?;
        let folder = tempfile::tempdir()?;
        let client = Client::new(&fake.endpoint(), &folder.path().join("store"), None, patient())?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        fs::create_dir(folder.path().join("checkpoint"))?;
        let random = Random::new(seed);
        Ok(Self { random, runtime, fake, folder, client, escaped: 0, placed: 0, baseless: 0 })
    }

    /// A few bytes of `bytes` changed, moved, repeated or cut.
    fn mutate(&mut self, mut bytes: Vec<u8>) -> Vec<u8> {
        const TOKENS: &[&str] = &[
            "../",
            "\\",
            "\0",
            "\u{ff}",
            "null",
            "-1",
            "1e999",
            "18446744073709551616",
            "{",
            "}",
            "[",
            "\"",
            "C:",
            "é",
            "9223372036854775807",
            "true",
            "..",
            "%2e",
            "\\u0000",
            "\\ud800",
        ];
        for _ in 0..=self.random.below(4) {
            let at = self.random.below(bytes.len() + 1);
            let end = (at + self.random.below(40)).min(bytes.len());
            match self.random.below(6) {
                0 => bytes.truncate(at),
                1 => drop(bytes.drain(at..end)),
                2 => drop(bytes.splice(at..at, self.random.pick(TOKENS).bytes())),
                3 => drop(bytes.splice(at..end, self.random.pick(TOKENS).bytes())),
                4 => bytes.extend_from_within(at..end),
                _ => bytes[at..end].iter_mut().take(3).for_each(|byte| *byte ^= 1 << (at % 8)),
            }
        }
        bytes
    }

    /// Files at mutated paths, with the hashes that they have; in half of the rounds the answers of the interface are
    /// mutated too. Whatever is still a listing is downloaded.
    fn listing(&mut self) -> Outcome {
        let mut repo = usual();
        for seed in 0..=self.random.below(2) {
            let (path, content) = (self.path(), Content::noise(3, u32::try_from(seed)?));
            repo = if self.random.below(2) == 0 { repo.small(&path, content) } else { repo.large(&path, content) };
        }
        self.fake.heal();
        if self.random.below(2) == 0 {
            self.mutate_answers(&repo);
        }
        let search = Search { text: self.path(), limit: 3, cursor: Some(self.path()) };
        self.fake.edit(|repos| repos[0] = repo);
        let ended = self.runtime.block_on(async {
            drop(self.client.hub.search(&search).await);
            let listing = self.client.listing(ID).await?;
            drop(self.client.hub.plan(&listing).await);
            self.client.fetch(&listing).await
        });
        self.placed += u64::from(ended.is_ok());
        self.baseless += u64::from(matches!(ended, Err(Error::Paused | Error::Cancelled | Error::Crashed)));
        if self.random.below(50) == 0 {
            self.client.blobs.remove_unreferenced(&HashSet::new())?;
        }
        self.count_escaped()
    }

    fn mutate_answers(&mut self, repo: &Repo) {
        let about = json!({ "id": ID, "sha": repo.commit, "gated": "auto", "tags": ["license:mit"], "cardData": { "base_model": ["a/b"] } });
        let entries: Vec<_> = repo.files.iter().map(File::entry).collect();
        let (about, entries) = (self.mutate(about.to_string().into()), self.mutate(json!(entries).to_string().into()));
        let answer = |bytes: Vec<u8>| Quirk::Status(200, Vec::new(), String::from_utf8_lossy(&bytes).into_owned());
        self.fake.next("search", [answer(entries.clone())]);
        if self.random.below(2) == 0 {
            self.fake.next("repo", [answer(about)]);
        }
        self.fake.next("tree", [answer(entries)]);
    }

    fn path(&mut self) -> String {
        let seed = self.random.pick(&["config.json", "a/b/c.txt", "../../x", "nul.txt", "ü/ä.bin", "a//b"]);
        String::from_utf8_lossy(&self.mutate(seed.as_bytes().to_vec())).into_owned()
    }

    /// Names: what is accepted stays inside, and means the same when it is read again.
    fn names(&mut self) -> Outcome {
        let folder = Path::new("store").join("repo");
        if let Ok(path) = self.path().parse::<RepoPath>() {
            let below = path.below(&folder);
            let mut parts = below.strip_prefix(&folder)?.components();
            self.escaped += u64::from(!parts.all(|part| matches!(part, std::path::Component::Normal(_))));
        }
        let id = String::from_utf8_lossy(&self.mutate(b"google/gemma-4-E2B-it".to_vec())).into_owned();
        if let Ok(id) = id.parse::<RepoId>() {
            assert_eq!(id.to_string().parse::<RepoId>()?, id);
        }
        drop(id.parse::<Hash>());
        drop(id.parse::<Commit>());
        Ok(())
    }

    /// A journal of half a download, mutated: the download ends well, whatever it says.
    fn journal(&mut self) -> Outcome {
        let work = tempfile::tempdir_in(self.folder.path())?;
        let client = Client::new(&self.fake.endpoint(), &work.path().join("store"), None, patient())?;
        self.fake.edit(|repos| repos[0] = usual());
        self.fake.heal();
        self.fake.next("model.safetensors", [Quirk::Fine, Quirk::Drop(1000), Quirk::status(404), Quirk::status(404)]);
        drop(self.runtime.block_on(client.download(ID)));
        for entry in fs::read_dir(work.path().join("store/partial"))? {
            let path = entry?.path();
            let bytes = self.mutate(fs::read(&path)?);
            fs::write(&path, bytes)?;
        }
        self.fake.heal();
        self.runtime.block_on(client.download(ID))?;
        Ok(())
    }

    /// A file of weights, mutated, for whoever reads its header.
    fn header(&mut self) -> Outcome {
        let header = json!({
            "__metadata__": { "format": "pt" },
            "model.embed_tokens.weight": { "dtype": "BF16", "shape": [4, 4], "data_offsets": [0, 32] },
            "b": { "dtype": "F32", "shape": [2], "data_offsets": [32, 40] },
        });
        let header = header.to_string().into_bytes();
        let mut file = (header.len() as u64).to_le_bytes().to_vec();
        file.extend(&header);
        file.extend([0; 40]);
        let (file, index) =
            (self.mutate(file), self.mutate(b"{\"weight_map\":{\"b\":\"model.safetensors\"}}".to_vec()));
        let folder = self.folder.path().join("checkpoint");
        fs::write(folder.join("model.safetensors"), file)?;
        if self.random.below(3) == 0 {
            fs::write(folder.join("model.safetensors.index.json"), index)?;
        } else {
            drop(fs::remove_file(folder.join("model.safetensors.index.json")));
        }
        drop(nn::Inventory::read(&folder));
        drop(engine::inspect(&folder));
        Ok(())
    }

    /// The configurations of the fixtures, mutated.
    fn config(&mut self) -> Outcome {
        let folder = self.folder.path().join("checkpoint");
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
        let source = self.checkpoint(&fixtures)?;
        let work = tempfile::tempdir_in(self.folder.path())?;
        for entry in fs::read_dir(&source)? {
            let path = entry?.path();
            let (Some(name), true) = (path.file_name(), path.is_file()) else { continue };
            if path.extension().is_some_and(|ending| ending == "json") {
                let bytes = self.mutate(fs::read(&path)?);
                fs::write(work.path().join(name), bytes)?;
            } else {
                std::os::unix::fs::symlink(&path, work.path().join(name))?;
            }
        }
        drop(engine::inspect(work.path()));
        drop(engine::inspect(&folder));
        Ok(())
    }

    /// Some folder of the fixtures that has a configuration.
    fn checkpoint(&mut self, fixtures: &Path) -> Outcome<std::path::PathBuf> {
        let mut folder = fixtures.to_owned();
        for _ in 0..20 {
            if folder.join("config.json").is_file() {
                return Ok(folder);
            }
            let folders =
                fs::read_dir(&folder)?.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.is_dir());
            let folders: Vec<_> = folders.collect();
            folder = if folders.is_empty() { fixtures.to_owned() } else { self.random.pick(&folders).clone() };
        }
        Ok(folder)
    }

    /// What lies beside the store and the checkpoint.
    fn count_escaped(&mut self) -> Outcome {
        let beside = fs::read_dir(self.folder.path())?.filter_map(|entry| Some(entry.ok()?.file_name()));
        self.escaped += beside.filter(|name| name != "store" && name != "checkpoint").count() as u64;
        let ours = ["blobs", "partial", "repos", "placing"];
        let inside = fs::read_dir(self.folder.path().join("store"))?.filter_map(|entry| Some(entry.ok()?.file_name()));
        self.escaped += inside.filter(|name| !ours.iter().any(|ours| name == ours)).count() as u64;
        Ok(())
    }
}
