//! The cache of the Hub's own tools, which is only read:
//!
//! ```text
//! models--<owner>--<name>/blobs/<hash>
//! models--<owner>--<name>/refs/<branch>                  a commit
//! models--<owner>--<name>/snapshots/<commit>/<path…>     links to ../../blobs/<hash>
//! ```

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use hub::{Commit, Hash, RepoId, RepoPath};

use super::surroundings::Surroundings;

/// How deep below a snapshot files are looked for: nothing that a checkpoint needs lies deeper.
const DEEPEST: usize = 3;

/// A revision in the cache.
#[derive(Debug, Clone)]
pub(super) struct Snapshot {
    pub(super) repo: RepoId,
    pub(super) commit: Commit,
    pub(super) folder: PathBuf,
    pub(super) files: Vec<Linked>,
    /// A link that leads nowhere, or out of the repo's folder.
    pub(super) astray: Option<PathBuf>,
}

/// A file of a snapshot.
#[derive(Debug, Clone)]
pub(super) struct Linked {
    pub(super) path: RepoPath,
    pub(super) bytes: u64,
    /// What its content is called, which is its hash.
    pub(super) hash: Option<Hash>,
}

/// Where the cache lies, by the variables that the Hub's tools obey.
pub(super) fn root(around: &Surroundings) -> Option<PathBuf> {
    let named = around.folder("HF_HUB_CACHE").or_else(|| around.folder("HUGGINGFACE_HUB_CACHE"));
    let home = || Some(around.folder("HF_HOME")?.join("hub"));
    let cache = || around.folder("XDG_CACHE_HOME").or_else(|| Some(around.folder("HOME")?.join(".cache")));
    named.or_else(home).or_else(|| Some(cache()?.join("huggingface/hub"))).and_then(|root| root.canonicalize().ok())
}

/// All revisions in the cache.
pub(super) fn snapshots(root: &Path) -> Vec<Snapshot> {
    let folders = repos(root).into_iter().flat_map(|(_, repo)| folders(&repo.join("snapshots")));
    folders.filter_map(|folder| snapshot(root, &folder)).collect()
}

/// The revision whose folder this is, if it is one of the cache's.
pub(super) fn snapshot(root: &Path, folder: &Path) -> Option<Snapshot> {
    let parts: Vec<_> = folder.strip_prefix(root).ok()?.iter().map(|part| part.to_str()).collect::<Option<_>>()?;
    let [repo, "snapshots", commit] = parts[..] else { return None };
    let mut snapshot = Snapshot {
        repo: id(repo)?,
        commit: commit.parse().ok()?,
        folder: folder.to_owned(),
        files: Vec::new(),
        astray: None,
    };
    snapshot.gather(&root.join(repo), "", DEEPEST);
    snapshot.files.sort_by(|one, other| one.path.cmp(&other.path));
    Some(snapshot)
}

/// Where the cache's contents lie.
pub(super) fn contents(root: &Path) -> HashMap<Hash, PathBuf> {
    let blobs = repos(root).into_iter().flat_map(|(_, repo)| entries(&repo.join("blobs")));
    let hashed = blobs.filter_map(|path| Some((path.file_name()?.to_str()?.parse().ok()?, path)));
    hashed.filter(|(_, path)| fs::symlink_metadata(path).is_ok_and(|found| found.is_file())).collect()
}

impl Snapshot {
    fn gather(&mut self, repo: &Path, below: &str, deep: usize) {
        for path in entries(&self.folder.join(below)) {
            let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
            let name = if below.is_empty() { name.to_owned() } else { format!("{below}/{name}") };
            let Ok(found) = fs::symlink_metadata(&path) else { continue };
            if found.is_dir() && deep > 0 {
                self.gather(repo, &name, deep - 1);
            } else if let Ok(relative) = name.parse::<RepoPath>()
                && !found.is_dir()
            {
                self.take(repo, &path, relative);
            }
        }
    }

    fn take(&mut self, repo: &Path, path: &Path, relative: RepoPath) {
        let real = path.canonicalize().ok().filter(|real| real.starts_with(repo) && real.is_file());
        let Some(real) = real else {
            self.astray = Some(path.to_owned());
            return;
        };
        let hash = real.file_name().and_then(|name| name.to_str()?.parse().ok());
        let hash = hash.filter(|_| real.parent() == Some(&repo.join("blobs")));
        let bytes = fs::metadata(&real).map_or(0, |found| found.len());
        self.files.push(Linked { path: relative, bytes, hash });
    }
}

/// The repos in the cache and their folders. A link in the place of one is passed over.
fn repos(root: &Path) -> Vec<(RepoId, PathBuf)> {
    let named = folders(root).into_iter().filter_map(|path| Some((id(path.file_name()?.to_str()?)?, path)));
    named.collect()
}

/// `models--owner--name`.
fn id(folder: &str) -> Option<RepoId> {
    let (owner, name) = folder.strip_prefix("models--")?.split_once("--")?;
    format!("{owner}/{name}").parse().ok()
}

/// The real folders in a folder, by name.
pub(super) fn folders(folder: &Path) -> Vec<PathBuf> {
    let mut folders = entries(folder);
    folders.retain(|path| fs::symlink_metadata(path).is_ok_and(|found| found.is_dir()));
    folders
}

/// What is in a folder, by name; nothing if it cannot be read.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}
