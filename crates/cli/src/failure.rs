//! How a command ends when it does not do what was asked.

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;
use std::sync::Arc;

use app::Code;
use serde_json::json;

use crate::terminal::harmless;

/// Why a command gives up.
#[derive(Debug)]
pub(crate) enum Failure {
    /// One sentence for the user.
    Sentence(String),
    /// The command line makes no sense; one sentence.
    Usage(String),
    /// Whoever read our output has seen enough, which is nobody's fault.
    BrokenPipe,
}

impl Failure {
    /// Says it on stderr and, for programs, as the last line of stdout.
    pub(crate) fn report(self, json: bool) -> ExitCode {
        let (sentence, code) = match self {
            Self::BrokenPipe => return ExitCode::SUCCESS,
            Self::Sentence(sentence) => (sentence, 1),
            Self::Usage(sentence) => (sentence, 2),
        };
        // Nothing is left to do if even this cannot be written.
        if json {
            let _ = writeln!(io::stdout(), "{}", json!({ "event": "failed", "error": sentence }));
        }
        let _ = writeln!(io::stderr(), "slipstream: {}", harmless(&sentence));
        ExitCode::from(code)
    }
}

impl From<&app::Error> for Failure {
    fn from(error: &app::Error) -> Self {
        Self::Sentence(match error.code() {
            Some(Code::Insist) => format!("{error} (--over-memory)"),
            _ => error.to_string(),
        })
    }
}

impl From<app::Error> for Failure {
    fn from(error: app::Error) -> Self {
        Self::from(&error)
    }
}

impl From<Arc<app::Error>> for Failure {
    fn from(error: Arc<app::Error>) -> Self {
        Self::from(&*error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::BrokenPipe => Self::BrokenPipe,
            _ => Self::Sentence(error.to_string()),
        }
    }
}
