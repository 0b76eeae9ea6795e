//! A Hub, somebody who downloads from it, and a folder that goes away.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use hub::{Limits, RemoteFile};
use tempfile::TempDir;
use tests::{
    Outcome,
    hub::{Client, Content, FakeHub, Quirk, Repo, hasty},
};

pub(crate) const ID: &str = "owner/name";
pub(crate) const WEIGHTS: &str = "model.safetensors";

/// More than five pieces, the last of them short.
pub(crate) const SIZE: u64 = 5 * (64 << 10) + 4321;

pub(crate) struct Bench {
    pub(crate) fake: FakeHub,
    pub(crate) client: Client,
    pub(crate) folder: TempDir,
}

impl Bench {
    pub(crate) fn of(repos: Vec<Repo>) -> Outcome<Self> {
        Self::limited(repos, hasty())
    }

    pub(crate) fn limited(repos: Vec<Repo>, limits: Limits) -> Outcome<Self> {
        let (fake, folder) = (FakeHub::start(repos)?, tempfile::tempdir()?);
        let client = Client::new(&fake.endpoint(), &folder.path().join("store"), None, limits)?;
        Ok(Self { fake, client, folder })
    }

    /// A repo with one large file and a small one.
    pub(crate) fn usual() -> Outcome<Self> {
        Self::of(vec![usual()])
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("store")
    }

    /// Somebody else with a folder of their own, or with the same.
    pub(crate) fn another(&self, root: &str, token: Option<&str>) -> Outcome<Client> {
        Client::new(&self.fake.endpoint(), &self.folder.path().join(root), token, hasty())
    }

    /// How the download ends if the requests for the weights go wrong like this.
    pub(crate) async fn after(&self, quirks: impl IntoIterator<Item = Quirk>) -> hub::Result<PathBuf> {
        self.fake.next(WEIGHTS, quirks);
        self.client.download(ID).await
    }
}

/// Pieces that come one after the other.
pub(crate) fn in_turn() -> Limits {
    Limits { connections: 1, ..hasty() }
}

pub(crate) fn usual() -> Repo {
    Repo::new(ID).large(WEIGHTS, Content::noise(SIZE, 1)).small("config.json", Content::of(*b"{}"))
}

/// The weights of the usual repo, as they are listed.
pub(crate) fn weights() -> Outcome<RemoteFile> {
    Ok(RemoteFile { path: WEIGHTS.parse()?, size: SIZE, hash: Content::noise(SIZE, 1).hash(true) })
}

/// What lies in `folder`, by path.
pub(crate) fn tree(folder: &Path) -> Outcome<BTreeMap<String, Vec<u8>>> {
    let (mut found, mut folders) = (BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.insert(path.strip_prefix(folder)?.display().to_string(), fs::read(path)?);
            }
        }
    }
    Ok(found)
}

/// That `folder` holds what `repo` lists, and nothing else.
pub(crate) fn check_whole(folder: &Path, repo: &Repo) -> Outcome {
    let wanted = repo.files.iter().map(|file| (file.path.clone(), file.listed.bytes())).collect();
    assert!(tree(folder)? == wanted, "{} is not what {} lists", folder.display(), repo.id);
    Ok(())
}

/// The names of what is in the store's folder `name`.
pub(crate) fn names(root: &Path, name: &str) -> Outcome<Vec<String>> {
    Ok(tree(&root.join(name))?.into_keys().collect())
}
