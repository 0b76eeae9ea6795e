//! The way to the Hub: where it is, who asks, and whether it may be asked.

use hub::{Access, Hub, Token, TokenPlace};

use crate::{App, Error, Result};

use super::blocking;

/// The setting's key; its value is a boolean.
const OFFLINE: &str = "offline";

/// How often anybody logged in or out, in any process; a number.
const LOGINS: &str = "logins";

/// Where the token comes from that is sent to the Hub.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenSource {
    /// There is none.
    None,
    /// It was typed, and is forgotten when the app ends.
    ThisRun,
    /// The variable `HF_TOKEN`.
    Variable,
    /// It was typed once, and lies in the system's keychain.
    Keychain,
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
    /// Whether `HF_HUB_OFFLINE` decides so, whatever is chosen.
    pub kept_offline: bool,
    /// Where the token comes from.
    pub token: TokenSource,
    /// Why a token that is typed would not outlive the app, in a sentence.
    pub no_keychain: Option<String>,
}

/// What was found out of the way to the Hub.
#[derive(Debug, Default)]
pub(super) struct Way {
    /// The token that was typed and that the keychain would not keep, for as long as the app runs.
    typed: Option<Token>,
    /// What the keychain said, and after how many log-ins.
    kept: Option<(u64, Kept)>,
    /// The Hub that was asked last, with its open connections.
    hub: Option<(Access, Hub)>,
}

/// What a keychain said when it was asked for the token.
type Kept = Result<Option<Token>, String>;

impl App {
    /// How the Hub is reached. Nothing is asked of it.
    ///
    /// # Errors
    /// The environment names an address or a token that is none, or the database fails.
    pub async fn hub_status(&self) -> Result<HubStatus> {
        Ok(self.way().await?.1)
    }

    /// Keeps a token that somebody typed: in the keychain, or if that fails until the app ends.
    ///
    /// # Errors
    /// The environment names an address that is none, or the database fails.
    pub async fn log_in(&self, token: Token) -> Result<HubStatus> {
        let (keychain, origin, kept) = (self.library.around.keychain(), self.origin_of_hub()?, token.clone());
        let kept = blocking(move || Ok(keychain.keep(&origin, &kept))).await?;
        // The latest token is the one that is meant, whatever an older one in the keychain says.
        self.library.way.lock().await.typed = kept.is_err().then_some(token);
        self.count_login().await?;
        let status = self.hub_status().await?;
        Ok(HubStatus { no_keychain: kept.err().or(status.no_keychain), ..status })
    }

    /// Forgets the token that was typed. Those of the environment and of the Hub's own tools stay.
    ///
    /// # Errors
    /// The keychain does not let it go; the environment names an address or a token that is none, or the database fails.
    pub async fn log_out(&self) -> Result<HubStatus> {
        let (keychain, origin) = (self.library.around.keychain(), self.origin_of_hub()?);
        self.library.way.lock().await.typed = None;
        let forgotten = blocking(move || Ok(keychain.forget(&origin))).await?;
        self.count_login().await?;
        forgotten.map_err(Error::Keychain)?;
        self.hub_status().await
    }

    /// Leaves the network alone from now on, in all processes, or no longer: a download that runs waits. What
    /// `HF_HUB_OFFLINE` says has the last word.
    ///
    /// # Errors
    /// The database fails.
    pub async fn set_offline(&self, offline: bool) -> Result<()> {
        self.choose(OFFLINE, &offline).await?;
        self.library.changed.send_replace(());
        Ok(())
    }

    pub(super) async fn is_offline(&self) -> Result<bool> {
        Ok(Access::is_offline(|name| self.library.around.variable(name)) || self.chosen(OFFLINE).await?)
    }

    pub(super) async fn hub(&self) -> Result<Hub> {
        Ok(self.way().await?.0)
    }

    /// What the environment says of the Hub.
    fn environment(&self) -> Result<(Access, Option<TokenPlace>)> {
        let around = &self.library.around;
        Ok(Access::found(|name| around.variable(name))?)
    }

    /// Scheme, host and port of the Hub: its token is of no use anywhere else.
    fn origin_of_hub(&self) -> Result<String> {
        Ok(self.environment()?.0.endpoint.origin().ascii_serialization())
    }

    /// The address of the Hub without a name or a password, and every token that is known here, whichever is used.
    ///
    /// # Errors
    /// The environment names an address or a token that is none, or the database fails.
    pub(crate) async fn way_and_secrets(&self) -> Result<(String, Vec<Token>)> {
        let (typed, kept) = self.kept().await?;
        let found = self.environment()?.0.token;
        let tokens = [typed, kept.ok().flatten(), found].into_iter().flatten().collect();
        Ok((self.origin_of_hub()?, tokens))
    }

    async fn count_login(&self) -> Result<()> {
        let before: u64 = self.chosen(LOGINS).await?;
        self.choose(LOGINS, &before.wrapping_add(1)).await
    }

    /// What the keychain says. Asking may wait for a dialog, so it is asked once, and again after anybody logged in or
    /// out.
    async fn kept(&self) -> Result<(Option<Token>, Kept)> {
        let logins = self.chosen(LOGINS).await?;
        let mut way = self.library.way.lock().await;
        let kept = match &way.kept {
            Some((then, kept)) if *then == logins => kept.clone(),
            _ => {
                let (keychain, origin) = (self.library.around.keychain(), self.origin_of_hub()?);
                let kept = blocking(move || Ok(keychain.token(&origin))).await?;
                way.kept = Some((logins, kept.clone()));
                kept
            }
        };
        Ok((way.typed.clone(), kept))
    }

    async fn way(&self) -> Result<(Hub, HubStatus)> {
        let around = &self.library.around;
        let (typed, kept) = self.kept().await?;
        let (kept, no_keychain) = kept.map_or_else(|why| (None, Some(why)), |kept| (kept, None));
        let (mut access, place) = self.environment()?;
        let kept_offline = access.offline;
        access.offline = self.is_offline().await?;
        let found = access.token.take();
        let sources = [
            (TokenSource::ThisRun, typed),
            (TokenSource::Variable, found.clone().filter(|_| place == Some(TokenPlace::Variable))),
            (TokenSource::Keychain, kept),
            (TokenSource::File, found),
        ];
        let used = sources.into_iter().find_map(|(source, token)| Some((source, token?)));
        let token = used.as_ref().map_or(TokenSource::None, |(source, _)| *source);
        access.token = used.map(|(_, token)| token);
        let (endpoint, offline) = (access.endpoint.to_string(), access.offline);
        let status = HubStatus { endpoint, offline, kept_offline, token, no_keychain };
        let mut way = self.library.way.lock().await;
        let hub = match &way.hub {
            Some((same, hub)) if *same == access => hub.clone(),
            _ => Hub::with(access.clone(), around.limits().clone())?,
        };
        way.hub = Some((access, hub.clone()));
        Ok((hub, status))
    }
}
