//! The exact revision of a repo.

use std::{fmt, str::FromStr};

use crate::{Error, Result};

/// A commit: 40 hexadecimal digits in lower case. Unlike a branch, it never means other files later.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Commit(String);

impl FromStr for Commit {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if text.len() == 40 && text.bytes().all(is_digit) {
            Ok(Self(text.to_owned()))
        } else {
            Err(Error::BadCommit { text: text.to_owned() })
        }
    }
}

impl fmt::Display for Commit {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}
