//! The name of a repo.

use std::{fmt, str::FromStr};

use crate::{Error, Result};

/// The longest owner or name.
const LONGEST: usize = 96;

/// `owner/name`. Parts are made of ASCII letters, digits, `.`, `-` and `_`, so an id is a safe pair of folder names.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RepoId {
    owner: String,
    name: String,
}

impl RepoId {
    /// Who publishes it.
    #[must_use]
    pub fn owner(&self) -> &str {
        &self.owner
    }

    /// Its name at its owner.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl FromStr for RepoId {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text.split_once('/') {
            Some((owner, name)) if is_part(owner) && is_part(name) => {
                Ok(Self { owner: owner.to_owned(), name: name.to_owned() })
            }
            _ => Err(Error::BadId { text: text.to_owned() }),
        }
    }
}

fn is_part(text: &str) -> bool {
    text.len() <= LONGEST
        && text.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '_')
        && text.ends_with(|last: char| last.is_ascii_alphanumeric() || last == '_')
        && text.chars().all(|char| char.is_ascii_alphanumeric() || ".-_".contains(char))
        && !text.contains("..")
        && !text.contains("--")
        && !text.to_ascii_lowercase().ends_with(".git")
}

impl fmt::Display for RepoId {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}/{}", self.owner, self.name)
    }
}
