//! Why a command did not do what was asked.

use app::Error;
use serde::Serialize;
use specta::Type;

/// Why a command did not do what was asked.
#[derive(Debug, Clone, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Failure {
    /// What the window can do about it: `pickTarget`, `pickDrafter`, `insist`, `acceptLicence`, `enterToken`,
    /// `freeSpace`, `goOnline`, `overwrite`.
    code: Option<String>,
    /// One sentence to show as it is.
    message: String,
}

impl Failure {
    /// What is wrong with the system around the window.
    pub(crate) fn new(message: &str) -> Self {
        Self { code: None, message: sentence(message) }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self { code: code(&error), message: sentence(&error.to_string()) }
    }
}

/// What the window can do about an error.
pub(crate) fn code(error: &Error) -> Option<String> {
    error.code().map(|code| code.name().to_owned())
}

/// An error's message as a sentence that stands by itself: errors begin in lower case, because a terminal puts words
/// before them.
pub(crate) fn sentence(message: &str) -> String {
    let mut letters = message.chars();
    let Some(first) = letters.next() else { return String::new() };
    let end = if message.ends_with(['.', '!', '?', '…', ':']) { "" } else { "." };
    first.to_uppercase().chain(letters).chain(end.chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_becomes_a_sentence_once() {
        let said = "There is no folder here.";
        assert_eq!(sentence("there is no folder here"), said);
        assert_eq!(sentence(said), said);
        assert_eq!(sentence(""), "");
    }

    #[test]
    fn the_window_learns_what_it_can_do() {
        let role = app::CheckpointRole::Drafter;
        let failure = Failure::from(Error::Unusable { role, id: "d".into(), why: "it is not in the list".into() });
        assert_eq!(failure.code.as_deref(), Some("pickDrafter"));
        assert_eq!(failure.message, "The drafter “d” cannot be used: it is not in the list.");
        assert_eq!(Failure::from(Error::Busy).code, None);
    }
}
