//! Why an attempt failed, and the sentence about it.

use std::time::Duration;

use reqwest::StatusCode;

use crate::{
    Error, RepoId,
    error::Login,
    web::{Errand, Web},
};

/// How much of what a server says is passed on, characters.
const SAID: usize = 300;

/// Why one attempt failed, told apart by what may help.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// It may pass. The server may have said after which time.
    Passing { reason: String, after: Option<Duration> },
    /// The server refuses.
    Refused { status: StatusCode, code: String, message: String, own: bool },
    /// Not what was asked for. What arrived before is as good as it was.
    Wrong(String),
    /// The content is another than what was listed, or than what has arrived of it.
    Changed(String),
    /// Nothing helps.
    Final(Error),
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Self::Final(error)
    }
}

impl Web {
    /// The sentence about a trouble that ended as many `attempts`.
    pub(crate) fn verdict(&self, errand: &Errand, trouble: Trouble, attempts: u32) -> Error {
        let what = errand.what.clone();
        match trouble {
            Trouble::Passing { reason, .. } => Error::Unreachable { what, reason, attempts },
            Trouble::Refused { status, code, message, own } => self.refused(errand, status, &code, message, own),
            Trouble::Wrong(why) => errand.odd(why),
            Trouble::Changed(why) => Error::Content { what, why },
            Trouble::Final(error) => error,
        }
    }

    fn refused(&self, errand: &Errand, status: StatusCode, code: &str, message: String, own: bool) -> Error {
        let what = errand.what.clone();
        let is_gated = errand.gated || code == "GatedRepo";
        // The Hub answers 401 both to a token that it does not know and to nobody who asks for what may not exist.
        let login = match (&self.access.token, status) {
            (None, _) => Login::Absent,
            (Some(_), StatusCode::UNAUTHORIZED) if code.is_empty() => Login::Refused,
            (Some(_), _) => Login::Known,
        };
        match (status, &errand.repo) {
            (StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN, Some(id))
                if own && is_gated && login != Login::Refused =>
            {
                let page = self.access.address([id.owner(), id.name()]).into();
                Error::Gated { id: id.clone(), page, login, message }
            }
            (StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN, _) if own => {
                Error::Unauthorized { what, page: self.access.address(["settings", "tokens"]).into(), login, message }
            }
            (StatusCode::NOT_FOUND | StatusCode::GONE, _) => Error::NotFound { what },
            _ => Error::Refused { what, status: status.as_u16(), message },
        }
    }
}

impl Errand {
    /// Something of the repo `id`.
    pub(crate) fn repo(id: &RepoId, what: String) -> Self {
        Self { what, repo: Some(id.clone()), gated: false }
    }

    pub(crate) fn odd(&self, why: impl Into<String>) -> Error {
        Error::Odd { what: self.what.clone(), why: why.into() }
    }

    pub(crate) fn redirect(&self, why: &'static str) -> Error {
        Error::Redirect { what: self.what.clone(), why }
    }
}

/// What the Hub's own error says, if this is one.
pub(crate) fn said(body: &[u8]) -> String {
    let json: Option<serde_json::Value> = serde_json::from_slice(body).ok();
    json.and_then(|json| json["error"].as_str().map(str::to_owned)).unwrap_or_default()
}

/// What a server said, as far as it may stand in a sentence of ours: one line, not too long, and read from left to right.
pub(crate) fn harmless(text: &str) -> String {
    let turns =
        |char: char| matches!(char, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let text: String = text.chars().map(|char| if char.is_control() { ' ' } else { char }).collect();
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    words.chars().filter(|char| !turns(*char)).take(SAID).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_says_is_one_short_line() {
        assert_eq!(harmless("Accept\r\n the\tlicence\0\u{202e}."), "Accept the licence .");
        assert_eq!(harmless(&"é".repeat(1000)).chars().count(), SAID);
    }
}
