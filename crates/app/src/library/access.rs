//! The way to the Hub: where it is, who asks, and whether it may be asked.

use hub::{Access, Hub, Token};

use crate::{App, Result};

use super::blocking;

/// The setting's key; its value is a boolean.
const OFFLINE: &str = "offline";

/// Where the token comes from that is sent to the Hub.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenSource {
    /// There is none.
    None,
    /// It was typed once, and lies in the system's keychain.
    Keychain,
    /// It was typed, and is forgotten when the app ends.
    ThisRun,
    /// The variable `HF_TOKEN`.
    Variable,
    /// The file of the Hub's own tools.
    File,
}

/// How the Hub is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HubStatus {
    /// Its address.
    pub endpoint: String,
    /// Whether the network is left alone.
    pub offline: bool,
    /// Where the token comes from.
    pub token: TokenSource,
    /// Why a token that is typed would not outlive the app, in a sentence.
    pub no_keychain: Option<String>,
}

/// A way to the Hub that was found once.
#[derive(Debug, Clone)]
pub(super) struct Way {
    hub: Hub,
    status: HubStatus,
}

impl App {
    /// How the Hub is reached. Nothing is asked of it.
    ///
    /// # Errors
    /// The environment names an address or a token that is none, or the database fails.
    pub async fn hub_status(&self) -> Result<HubStatus> {
        Ok(self.way().await?.status)
    }

    /// Keeps a token that somebody typed: in the keychain, or if there is none until the app ends.
    ///
    /// # Errors
    /// The environment names an address that is none, or the database fails.
    pub async fn log_in(&self, token: Token) -> Result<HubStatus> {
        let keychain = self.library.around.keychain();
        let kept = token.clone();
        // Whether that went well shows when the keychain is asked for it.
        drop(blocking(move || Ok(keychain.keep(&kept))).await?);
        *self.library.typed.lock().await = Some(token);
        self.forget_way().await;
        self.hub_status().await
    }

    /// Forgets the token that was typed. Those of the environment and of the Hub's own tools stay.
    ///
    /// # Errors
    /// The environment names an address or a token that is none, or the database fails.
    pub async fn log_out(&self) -> Result<HubStatus> {
        let keychain = self.library.around.keychain();
        drop(blocking(move || Ok(keychain.forget())).await?);
        *self.library.typed.lock().await = None;
        self.forget_way().await;
        self.hub_status().await
    }

    /// Leaves the network alone from now on, or no longer. `HF_HUB_OFFLINE` has the last word.
    ///
    /// # Errors
    /// The database fails.
    pub async fn set_offline(&self, offline: bool) -> Result<()> {
        self.choose(OFFLINE, &offline).await?;
        self.forget_way().await;
        Ok(())
    }

    pub(super) async fn hub(&self) -> Result<Hub> {
        Ok(self.way().await?.hub)
    }

    async fn forget_way(&self) {
        *self.library.way.lock().await = None;
    }

    async fn way(&self) -> Result<Way> {
        let mut known = self.library.way.lock().await;
        if let Some(way) = &*known {
            return Ok(way.clone());
        }
        let way = self.find_way().await?;
        *known = Some(way.clone());
        Ok(way)
    }

    async fn find_way(&self) -> Result<Way> {
        let around = &self.library.around;
        let offline: bool = self.chosen(OFFLINE).await?;
        let (keychain, typed) = (around.keychain(), self.library.typed.lock().await.clone());
        let (kept, no_keychain) = match blocking(move || Ok(keychain.token())).await? {
            Ok(kept) => (kept, None),
            Err(why) => (None, Some(why)),
        };
        let mine = kept.clone().or_else(|| typed.clone());
        let mut access = Access::found(mine, |name| around.variable(name))?;
        access.offline |= offline;
        let token = match &access.token {
            None => TokenSource::None,
            Some(_) if kept.is_some() => TokenSource::Keychain,
            Some(_) if typed.is_some() => TokenSource::ThisRun,
            Some(_) if around.variable("HF_TOKEN").is_some() => TokenSource::Variable,
            Some(_) => TokenSource::File,
        };
        let endpoint = access.endpoint.to_string();
        let status = HubStatus { endpoint, offline: access.offline, token, no_keychain };
        Ok(Way { hub: Hub::with(access, around.limits().clone())?, status })
    }
}
