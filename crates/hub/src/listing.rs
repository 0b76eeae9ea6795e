//! What a repo holds at one commit.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;

use crate::{Commit, Error, Hash, Hub, RepoId, RepoPath, Result, web::Errand};

/// The most that is read of a listing, all pages together, bytes.
const LISTING: u64 = 32 << 20;

/// The most pages of a listing.
const PAGES: usize = 1000;

/// The files of a repo at one commit, and what its card says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// The repo as the Hub spells it, whatever was asked for.
    pub id: RepoId,
    /// The commit that the revision meant.
    pub commit: Commit,
    /// The files.
    pub files: Vec<RemoteFile>,
    /// Files whose paths some system cannot have, each with the reason. A plan that needs one of them is refused.
    pub refused: Vec<(String, &'static str)>,
    /// The licence's identifier, such as `apache-2.0`.
    pub licence: Option<String>,
    /// Whether its licence must be accepted first.
    pub gated: Gated,
}

/// A file of a repo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteFile {
    /// Where it lies in the repo.
    pub path: RepoPath,
    /// Its length, bytes.
    pub size: u64,
    /// What its content hashes to.
    pub hash: Hash,
}

/// Who gets a repo's files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gated {
    /// Everybody.
    No,
    /// Whoever accepts the licence.
    Auto,
    /// Whomever the publisher lets in.
    Manual,
}

/// What the Hub says of a repo. Everything but the first two is free text of whoever published it.
#[derive(Deserialize)]
struct Repo {
    id: String,
    sha: String,
    #[serde(default)]
    gated: Value,
    #[serde(default)]
    tags: Value,
    #[serde(default, rename = "cardData")]
    card: Value,
}

/// An entry of a repo's tree.
#[derive(Deserialize)]
struct Entry {
    #[serde(rename = "type")]
    kind: String,
    path: String,
    #[serde(default)]
    oid: String,
    #[serde(default)]
    size: u64,
    lfs: Option<Large>,
}

/// What stands in for a large file's content in git.
#[derive(Deserialize)]
struct Large {
    oid: String,
    size: u64,
}

impl Hub {
    /// What `id` holds at `revision`: a branch, a tag or a commit.
    ///
    /// # Errors
    /// There is no such repo or revision; it is gated or private; the listing holds a path that leads out of a folder, or
    /// one content with two lengths.
    pub async fn listing(&self, id: &RepoId, revision: &str) -> Result<Listing> {
        check_revision(revision)?;
        let mut errand = Errand::repo(id, format!("repo {id} at the revision {revision}"));
        let address = self.web.access.address(["api", "models", id.owner(), id.name(), "revision", revision]);
        let repo: Repo = self.document(&errand, address, None, LISTING).await?.document;
        let gated = Gated::of(&repo.gated);
        errand.gated = gated != Gated::No;
        let id: RepoId = repo.id.parse()?;
        let commit: Commit = repo.sha.parse()?;
        let (files, refused) = self.tree(&errand, &id, &commit).await?;
        let tagged = |tag: String| tag.strip_prefix("license:").map(str::to_owned);
        let of_tags = || texts(&repo.tags).into_iter().find_map(tagged);
        let licence = texts(&repo.card["license"]).into_iter().next().or_else(of_tags);
        Ok(Listing { id, commit, files, refused, licence, gated })
    }

    async fn tree(&self, errand: &Errand, id: &RepoId, commit: &Commit) -> Result<Tree> {
        let commit = commit.to_string();
        let mut address = self.web.access.address(["api", "models", id.owner(), id.name(), "tree", &commit]);
        address.query_pairs_mut().append_pair("recursive", "true").append_pair("expand", "false");
        let (mut files, mut refused, mut sizes) = (Vec::new(), Vec::new(), HashMap::new());
        let (mut left, mut cursor) = (LISTING, None);
        for _ in 0..PAGES {
            let page = self.document::<Vec<Entry>>(errand, address.clone(), cursor.as_deref(), left).await?;
            for entry in page.document.into_iter().filter(|entry| entry.kind == "file") {
                let (path, size, hash) = entry.read()?;
                if *sizes.entry(hash).or_insert(size) != size {
                    return Err(errand.odd(format!("it lists {path:?} with the hash of a file of another length")));
                }
                match path.parse() {
                    Ok(path) => files.push(RemoteFile { path, size, hash }),
                    Err(Error::BadPath { why, .. }) if RepoPath::stays_inside(&path) => refused.push((path, why)),
                    Err(error) => return Err(error),
                }
            }
            cursor = page.next;
            if cursor.is_none() {
                return Ok((files, refused));
            }
            left = left.saturating_sub(page.bytes);
        }
        Err(errand.odd(format!("it has more than {PAGES} pages")))
    }
}

/// The files of a repo, and those that are refused.
type Tree = (Vec<RemoteFile>, Vec<(String, &'static str)>);

impl Errand {
    /// The file at `path`.
    pub(crate) fn file(listing: &Listing, path: &RepoPath) -> Self {
        let what = format!("{path} of {}", listing.id);
        Self { what, repo: Some(listing.id.clone()), gated: listing.gated != Gated::No }
    }
}

impl Listing {
    /// The file at `path`.
    #[must_use]
    pub fn file(&self, path: &RepoPath) -> Option<&RemoteFile> {
        self.files.iter().find(|file| file.path == *path)
    }
}

impl Entry {
    /// The path, the length and the hash.
    fn read(self) -> Result<(String, u64, Hash)> {
        let (oid, size) = match self.lfs {
            Some(large) => (large.oid, large.size),
            None => (self.oid, self.size),
        };
        // Some servers name the algorithm, as a pointer file does.
        Ok((self.path, size, oid.strip_prefix("sha256:").unwrap_or(&oid).parse()?))
    }
}

impl Gated {
    /// As the Hub spells it: `false`, `"auto"` or `"manual"`.
    pub(crate) fn of(value: &Value) -> Self {
        match value {
            Value::String(text) if text == "auto" => Self::Auto,
            Value::String(_) | Value::Bool(true) => Self::Manual,
            _ => Self::No,
        }
    }
}

/// One text or a list of them; anything else is none.
pub(crate) fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(list) => list.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

/// What the bytes are that came instead of something else.
pub(crate) fn impostor(bytes: &[u8]) -> Option<&'static str> {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(512)]).trim_start().to_lowercase();
    if text.starts_with("<!doctype html") || text.starts_with("<html") {
        Some("an HTML page")
    } else if text.starts_with("version https://git-lfs") {
        Some("a Git LFS pointer, not the file that it stands for")
    } else if text.starts_with("{\"error\"") {
        Some("a message about an error")
    } else {
        None
    }
}

fn check_revision(revision: &str) -> Result<()> {
    let is_fine = |char: char| !char.is_control() && !char.is_whitespace() && !"\\?*[~^:".contains(char);
    if revision.is_empty()
        || revision.len() > 255
        || revision.contains("..")
        || revision == "."
        || !revision.chars().all(is_fine)
    {
        return Err(Error::BadRevision { text: revision.to_owned() });
    }
    Ok(())
}
