//! The system's keychain, where tokens lie that somebody typed: one for each Hub.

use std::fmt::Debug;

use hub::Token;
use keyring::{Entry, Error};

/// A place where the token of a Hub is kept. What it cannot do it says in a sentence.
pub trait Keychain: Debug + Send + Sync {
    /// The token of the Hub at `origin`. Asking may show a dialog of the system's and wait for it.
    ///
    /// # Errors
    /// It cannot be asked.
    fn token(&self, origin: &str) -> Result<Option<Token>, String>;

    /// Keeps `token` in place of any other.
    ///
    /// # Errors
    /// It cannot keep it.
    fn keep(&self, origin: &str, token: &Token) -> Result<(), String>;

    /// Forgets the token.
    ///
    /// # Errors
    /// It cannot let it go.
    fn forget(&self, origin: &str) -> Result<(), String>;
}

/// With the system's other secrets.
#[derive(Debug)]
pub(super) struct SystemKeychain;

/// Nowhere.
#[derive(Debug)]
pub(super) struct NoKeychain;

impl Keychain for SystemKeychain {
    fn token(&self, origin: &str) -> Result<Option<Token>, String> {
        match entry(origin)?.get_password() {
            Ok(secret) => Ok(secret.parse().ok()),
            Err(Error::NoEntry) => Ok(None),
            Err(error) => Err(unavailable(&error)),
        }
    }

    fn keep(&self, origin: &str, token: &Token) -> Result<(), String> {
        entry(origin)?.set_password(token.secret()).map_err(|error| unavailable(&error))
    }

    fn forget(&self, origin: &str) -> Result<(), String> {
        match entry(origin)?.delete_credential() {
            Ok(()) | Err(Error::NoEntry) => Ok(()),
            Err(error) => Err(unavailable(&error)),
        }
    }
}

impl Keychain for NoKeychain {
    fn token(&self, _: &str) -> Result<Option<Token>, String> {
        off()
    }

    fn keep(&self, _: &str, _: &Token) -> Result<(), String> {
        off()
    }

    fn forget(&self, _: &str) -> Result<(), String> {
        Ok(())
    }
}

fn entry(origin: &str) -> Result<Entry, String> {
    Entry::new("slipstream", origin).map_err(|error| unavailable(&error))
}

fn unavailable(error: &Error) -> String {
    format!("the system's keychain cannot be used: {error}")
}

fn off<T>() -> Result<T, String> {
    Err("the keychain is switched off".into())
}
