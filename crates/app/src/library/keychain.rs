//! The system's keychain, where the Hub's token lies.

use hub::Token;
use keyring::{Entry, Error};

/// Where a token is kept that somebody typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keychain {
    /// With the system's other secrets.
    System,
    /// Nowhere.
    Off,
}

impl Keychain {
    /// The token, or why the keychain cannot be used. Asking may show a dialog of the system's and wait for it.
    pub(super) fn token(self) -> Result<Option<Token>, String> {
        match self.entry()?.get_password() {
            Ok(secret) => Ok(secret.parse().ok()),
            Err(Error::NoEntry) => Ok(None),
            Err(error) => Err(unavailable(&error)),
        }
    }

    /// Keeps `token` in place of any other, or says why it cannot.
    pub(super) fn keep(self, token: &Token) -> Result<(), String> {
        self.entry()?.set_password(token.secret()).map_err(|error| unavailable(&error))
    }

    /// Forgets the token, or says why it cannot.
    pub(super) fn forget(self) -> Result<(), String> {
        match self.entry()?.delete_credential() {
            Ok(()) | Err(Error::NoEntry) => Ok(()),
            Err(error) => Err(unavailable(&error)),
        }
    }

    fn entry(self) -> Result<Entry, String> {
        match self {
            Self::System => Entry::new("slipstream", "huggingface.co").map_err(|error| unavailable(&error)),
            Self::Off => Err("the keychain is switched off".into()),
        }
    }
}

fn unavailable(error: &Error) -> String {
    format!("the system's keychain cannot be used: {error}")
}
