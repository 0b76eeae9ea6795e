//! One kind of failure: a sentence that says what went wrong, where, and what to do.

use std::fmt;

/// Why a command stopped, in words for whoever typed it.
#[derive(Debug)]
pub(crate) struct Problem(String);

impl Problem {
    pub(crate) fn new(sentence: impl Into<String>) -> Self {
        Self(sentence.into())
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// Puts the sentence for a human before the reason that the system gave.
pub(crate) trait Explain<T> {
    fn explain(self, what: impl FnOnce() -> String) -> Result<T, Problem>;
}

impl<T, E: fmt::Display> Explain<T> for Result<T, E> {
    fn explain(self, what: impl FnOnce() -> String) -> Result<T, Problem> {
        self.map_err(|reason| Problem(format!("{}: {reason}", what())))
    }
}
