//! What the Hub holds.

use serde_json::{Value, json};

use super::Content;

/// A repo.
#[derive(Debug, Clone)]
pub struct Repo {
    /// `owner/name`, as the Hub spells it.
    pub id: String,
    /// The commit of `main`.
    pub commit: String,
    /// Its files.
    pub files: Vec<File>,
    /// `false`, `"auto"` or `"manual"`.
    pub gated: Value,
    /// The head of its card.
    pub card: Value,
    /// Its tags.
    pub tags: Value,
}

/// A file of a repo.
#[derive(Debug, Clone)]
pub struct File {
    /// Its path.
    pub path: String,
    /// What is listed.
    pub listed: Content,
    /// What is sent.
    pub served: Content,
    /// Whether it lies on the other server, with a pointer in git.
    pub is_large: bool,
}

impl Repo {
    /// A repo without files that anybody may read.
    #[must_use]
    pub fn new(id: &str) -> Self {
        let commit = "0123456789abcdef0123456789abcdef01234567".to_owned();
        let (files, gated) = (Vec::new(), json!(false));
        Self { id: id.to_owned(), commit, files, gated, card: json!({}), tags: json!([]) }
    }

    /// With a file that lies in git itself.
    #[must_use]
    pub fn small(self, path: &str, content: Content) -> Self {
        self.file(path, content, false)
    }

    /// With a file that lies on the other server.
    #[must_use]
    pub fn large(self, path: &str, content: Content) -> Self {
        self.file(path, content, true)
    }

    fn file(mut self, path: &str, content: Content, is_large: bool) -> Self {
        self.files.push(File { path: path.to_owned(), listed: content.clone(), served: content, is_large });
        self
    }
}

impl File {
    /// Its entry in a listing.
    #[must_use]
    pub fn entry(&self) -> Value {
        let (size, hash) = (self.listed.size(), self.listed.hash(self.is_large).to_string());
        if !self.is_large {
            return json!({ "type": "file", "path": self.path, "size": size, "oid": hash });
        }
        let pointer = "f".repeat(40);
        let lfs = json!({ "oid": hash, "size": size, "pointerSize": 134 });
        json!({ "type": "file", "path": self.path, "size": size, "oid": pointer, "lfs": lfs, "xetHash": hash })
    }
}
