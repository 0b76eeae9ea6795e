use std::{io, path::PathBuf, time::Duration};

use crate::RepoId;

/// Why the Hub, or the folder of contents, did not do what was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Ids are part of addresses and paths, so they follow a strict grammar.
    #[error("{text:?} is no repo: write owner/name, each of letters, digits, '.', '-' and '_'")]
    BadId {
        /// What was given.
        text: String,
    },
    /// A branch, tag or commit that cannot be one.
    #[error("{text:?} is no revision: give a branch, a tag or a commit")]
    BadRevision {
        /// What was given.
        text: String,
    },
    /// Not 40 hexadecimal digits.
    #[error("{text:?} is no commit: 40 hexadecimal digits were expected")]
    BadCommit {
        /// What was given.
        text: String,
    },
    /// Neither a SHA-256 nor a git hash.
    #[error("{text:?} is no hash: 64 or 40 hexadecimal digits were expected")]
    BadHash {
        /// What was given.
        text: String,
    },
    /// A file of a repo would leave its folder, or be another file on some system.
    #[error("the repo's file {path:?} is refused, for {why}; tell its publisher")]
    BadPath {
        /// The path as listed.
        path: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// Two files of one repo would be one on a disk that ignores case or accents' composition.
    #[error("the repo's files {first:?} and {second:?} would overwrite each other; tell its publisher")]
    SamePath {
        /// One of them.
        first: String,
        /// The other.
        second: String,
    },
    /// Weights that could not be read, however much was fetched.
    #[error("{id} is not whole: its index names {name:?}, which the repo does not have; tell its publisher")]
    MissingShard {
        /// The repo.
        id: RepoId,
        /// The file, as the index names it.
        name: String,
    },
    /// Something that cannot be a token.
    #[error("this cannot be a token: it is empty or holds a space or a control character; paste it again")]
    BadToken,
    /// The address of the Hub is none.
    #[error("HF_ENDPOINT is {text:?}, which is no address: {why}")]
    BadEndpoint {
        /// What was given.
        text: String,
        /// What is wrong with it.
        why: String,
    },
    /// The network is switched off in the settings.
    #[error("offline: {what} needs the network, which is switched off")]
    Offline {
        /// What was wanted.
        what: String,
    },
    /// The Hub wants to know who asks, or another asker.
    #[error("{}", unauthorized(what, page, *login, message))]
    Unauthorized {
        /// What was wanted.
        what: String,
        /// Where tokens are made.
        page: String,
        /// What the Hub made of the token.
        login: Login,
        /// What the Hub said, if anything.
        message: String,
    },
    /// The publisher wants the licence to be accepted first.
    #[error("{id} is gated: {}{}", gated(page, *login), said(message))]
    Gated {
        /// The repo.
        id: RepoId,
        /// Where its licence is accepted.
        page: String,
        /// What the Hub made of the token.
        login: Login,
        /// What the Hub said, if anything.
        message: String,
    },
    /// There is no such thing.
    #[error("the Hub has no {what}; check the name")]
    NotFound {
        /// What was wanted.
        what: String,
    },
    /// The server refuses, and asking again would not help.
    #[error("the server refused {what} with status {status}{}", said(message))]
    Refused {
        /// What was wanted.
        what: String,
        /// The status.
        status: u16,
        /// What the server said, if anything.
        message: String,
    },
    /// All attempts failed.
    #[error("{what} could not be fetched: {reason}, {attempts} times in a row; try again later")]
    Unreachable {
        /// What was wanted.
        what: String,
        /// What happened the last time.
        reason: String,
        /// How often it was tried.
        attempts: u32,
    },
    /// An answer, or a file, is larger than is read into memory.
    #[error("{what} is larger than the {limit} bytes that are read")]
    TooLarge {
        /// What was wanted.
        what: String,
        /// The most that is read.
        limit: u64,
    },
    /// A redirect that is not followed.
    #[error("{what}: the server redirects {why}, which is refused")]
    Redirect {
        /// What was wanted.
        what: String,
        /// Where to, in words.
        why: &'static str,
    },
    /// An answer that does not follow the Hub's interface.
    #[error("{what}: the server's answer makes no sense, for {why}; try again later")]
    Odd {
        /// What was wanted.
        what: String,
        /// What is wrong with it.
        why: String,
    },
    /// Twice something else arrived than was listed.
    #[error("{what} did not arrive as it is listed, twice: {why}; list the repo again, it may have changed")]
    Content {
        /// The file and its repo.
        what: String,
        /// What arrived.
        why: String,
    },
    /// Too little room. Nothing that has arrived is lost.
    #[error("the disk is full: {free} bytes are left{}; free some space and go on", needs(*needed))]
    DiskFull {
        /// What is still to be written, with the reserve, bytes; unknown if a write failed.
        needed: Option<u64>,
        /// What is free, bytes.
        free: u64,
    },
    /// Files cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Something in the folder of contents leads out of it.
    #[error("{} is not the file or folder that was put there, but a link or something else; remove it", path.display())]
    Foreign {
        /// What was found.
        path: PathBuf,
    },
    /// The control's doing.
    #[error("the download is paused")]
    Paused,
    /// The control's doing.
    #[error("the download is cancelled")]
    Cancelled,
    /// A fault of this program, which ended one of its threads.
    #[error(
        "the download ended because of a fault in this program; start it again, and report it if that does not help"
    )]
    Crashed,
    /// No connection can be made at all.
    #[error("no secure connection can be made: {reason}")]
    Tls {
        /// What the library says.
        reason: String,
    },
}

impl Error {
    pub(crate) fn stalled(stall: Duration) -> String {
        format!("the server sent nothing for {} s", stall.as_secs_f32())
    }
}

/// What the Hub makes of the token when it refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Login {
    /// None was sent.
    Absent,
    /// It is one, and does not suffice.
    Known,
    /// It is none: mistyped, expired or revoked.
    Refused,
}

fn unauthorized(what: &str, page: &str, login: Login, message: &str) -> String {
    let said = said(message);
    match login {
        Login::Absent => format!(
            "the Hub does not show {what} to everybody: if it exists, enter a token that may read it (make one at {page}){said}"
        ),
        Login::Known => {
            format!("the token may not read {what}, if it exists at all: enter one that may (make one at {page}){said}")
        }
        Login::Refused => format!(
            "the Hub refused the token when asked for {what}: it is mistyped, expired or revoked; enter another (make one at {page}){said}"
        ),
    }
}

fn gated(page: &str, login: Login) -> String {
    match login {
        Login::Absent => format!("accept its licence at {page} and enter a token of the account that did"),
        Login::Known | Login::Refused => format!(
            "the account of the token has no access; accept its licence at {page}, or enter a token of an account that did"
        ),
    }
}

fn needs(needed: Option<u64>) -> String {
    needed.map_or_else(String::new, |needed| format!(", and {needed} are needed with the reserve"))
}

fn said(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(" (the server says: {message})") }
}

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;
