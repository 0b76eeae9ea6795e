//! The path of a file in a repo.

use std::{
    collections::HashMap,
    fmt,
    path::{Path, PathBuf},
    str::FromStr,
};

use unicode_normalization::UnicodeNormalization;

use crate::{Error, Result};

/// The longest part, in bytes: what the usual file systems allow.
const LONGEST_PART: usize = 255;

/// The longest path, in bytes.
const LONGEST: usize = 1024;

/// What Windows takes for a device, with any extension.
const DEVICES: &[&str] = &["con", "prn", "aux", "nul", "conin$", "conout$"];

/// A relative path with `/` between its parts that stays in the folder it is joined to, on every system.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RepoPath(String);

impl RepoPath {
    /// The path as the repo spells it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The parts between the slashes; there is at least one.
    pub fn parts(&self) -> impl Iterator<Item = &str> {
        self.0.split('/')
    }

    /// The last part.
    #[must_use]
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }

    /// Where the file lies below `folder`.
    #[must_use]
    pub fn below(&self, folder: &Path) -> PathBuf {
        folder.join(&self.0)
    }

    /// Refuses paths that some file system takes for the same file, and a file where another path needs a folder.
    pub(crate) fn check_distinct<'a>(paths: impl Iterator<Item = &'a Self> + Clone) -> Result<()> {
        let mut seen = HashMap::new();
        for path in paths.clone() {
            if let Some(other) = seen.insert(path.folded(), path) {
                return Err(Error::SamePath { first: other.0.clone(), second: path.0.clone() });
            }
        }
        for path in paths {
            let folded = path.folded();
            let mut folders = folded.match_indices('/').map(|(at, _)| &folded[..at]);
            if let Some(file) = folders.find_map(|folder| seen.get(folder)) {
                return Err(Error::SamePath { first: file.0.clone(), second: path.0.clone() });
            }
        }
        Ok(())
    }

    /// Whether a path that is refused is merely one that some system cannot have: no repo that means well lists others.
    pub(crate) fn stays_inside(text: &str) -> bool {
        !text.starts_with('/') && text.split('/').all(|part| leads_astray(part).is_none())
    }

    /// Equal for two paths that differ in case or in how accents are composed.
    fn folded(&self) -> String {
        self.0.nfkd().collect::<String>().to_uppercase().to_lowercase()
    }
}

impl FromStr for RepoPath {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let refused = |why| Err(Error::BadPath { path: text.to_owned(), why });
        if text.len() > LONGEST {
            return refused("it is longer than 1024 bytes");
        }
        if text.starts_with('/') {
            return refused("it is absolute");
        }
        match text.split('/').find_map(what_is_wrong) {
            Some(why) => refused(why),
            None => Ok(Self(text.to_owned())),
        }
    }
}

/// Why `part` is no safe name of a file or folder.
fn what_is_wrong(part: &str) -> Option<&'static str> {
    if let Some(why) = leads_astray(part) {
        return Some(why);
    }
    if part.len() > LONGEST_PART {
        return Some("a part of it is longer than 255 bytes");
    }
    if part.contains(':') {
        return Some("it holds a colon, which names a drive on Windows");
    }
    if part.ends_with(['.', ' ']) {
        return Some("a part of it ends with a dot or a space");
    }
    is_device(part).then_some("it names a device on Windows")
}

/// How `part` could lead out of its folder.
fn leads_astray(part: &str) -> Option<&'static str> {
    match part {
        "" => Some("a part of it is empty"),
        "." | ".." => Some("it steps out of its folder"),
        _ if part.chars().any(char::is_control) => Some("it holds a control character"),
        _ if part.contains('\\') => Some("it holds a backslash"),
        _ => None,
    }
}

fn is_device(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or_default().trim_end().to_lowercase();
    let is_port = |stem: &str| {
        let number = stem.strip_prefix("com").or_else(|| stem.strip_prefix("lpt"));
        number.is_some_and(|number| {
            matches!(number, "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "¹" | "²" | "³")
        })
    };
    DEVICES.contains(&stem.as_str()) || is_port(&stem)
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}
