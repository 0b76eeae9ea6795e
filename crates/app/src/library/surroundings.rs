//! What lies around the app: the environment, the keychain, and how hard downloads try.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use hub::Limits;

use super::keychain::{Keychain, NoKeychain, SystemKeychain};

/// What lies around the app.
#[derive(Clone)]
pub struct Surroundings {
    variables: Arc<HashMap<OsString, OsString>>,
    limits: Limits,
    keychain: Arc<dyn Keychain>,
}

impl Surroundings {
    /// This process' environment, and the system's keychain unless `SLIPSTREAM_KEYCHAIN` is `off`.
    #[must_use]
    pub fn here() -> Self {
        let variables: HashMap<_, _> = std::env::vars_os().collect();
        let off = variables.get(&OsString::from("SLIPSTREAM_KEYCHAIN")).is_some_and(|text| text == "off");
        let keychain: Arc<dyn Keychain> = if off { Arc::new(NoKeychain) } else { Arc::new(SystemKeychain) };
        Self { variables: Arc::new(variables), limits: Limits::default(), keychain }
    }

    /// These variables alone, no keychain, and these limits: for tests.
    pub fn of<'a>(variables: impl IntoIterator<Item = (&'a str, OsString)>, limits: Limits) -> Self {
        let variables = variables.into_iter().map(|(name, value)| (name.into(), value)).collect();
        Self { variables: Arc::new(variables), limits, keychain: Arc::new(NoKeychain) }
    }

    /// The same with this keychain.
    #[must_use]
    pub fn with_keychain(self, keychain: Arc<dyn Keychain>) -> Self {
        Self { keychain, ..self }
    }

    pub(super) fn variable(&self, name: &str) -> Option<OsString> {
        let value = self.variables.get(&OsString::from(name))?;
        Some(value.clone()).filter(|value| value.to_str().is_none_or(|text| !text.trim().is_empty()))
    }

    /// The folder that a variable names.
    pub(super) fn folder(&self, name: &str) -> Option<PathBuf> {
        self.variable(name).map(PathBuf::from)
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(super) fn keychain(&self) -> Arc<dyn Keychain> {
        Arc::clone(&self.keychain)
    }
}

/// The environment may hold a token.
impl fmt::Debug for Surroundings {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Surroundings")
            .field("limits", &self.limits)
            .field("keychain", &self.keychain)
            .finish_non_exhaustive()
    }
}
