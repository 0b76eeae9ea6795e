//! Where the Hub is, and who asks.

use std::{
    ffi::OsString,
    fmt, fs,
    path::{Path, PathBuf},
    str::FromStr,
};

use url::Url;

use crate::{Error, Result};

/// The Hub that everybody means.
const USUAL_ENDPOINT: &str = "https://huggingface.co";

/// The largest token file that is read, bytes.
const TOKEN_FILE: u64 = 4096;

/// Where the Hub is, who asks, and whether it may be asked at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    /// The Hub's address: `http` or `https`.
    pub endpoint: Url,
    /// Sent to the endpoint's own origin (scheme, host and port), and nowhere else.
    pub token: Option<Token>,
    /// Nothing touches the network; whatever would fails at once.
    pub offline: bool,
}

impl Access {
    /// What this process' environment says: `HF_ENDPOINT`, `HF_HUB_OFFLINE`, and unless there is a `token`,
    /// [`Token::from_environment`].
    ///
    /// # Errors
    /// A variable holds no address, or no token.
    pub fn from_environment(token: Option<Token>) -> Result<Self> {
        Self::found(token, |name| std::env::var_os(name))
    }

    /// The same, with `variable` for the environment.
    ///
    /// # Errors
    /// As for [`Access::from_environment`].
    pub fn found(token: Option<Token>, variable: impl Fn(&str) -> Option<OsString>) -> Result<Self> {
        let token = if token.is_some() { token } else { Token::found(&variable)? };
        let endpoint = match text(variable("HF_ENDPOINT")) {
            Some(text) => Self::endpoint(&text)?,
            None => Self::endpoint(USUAL_ENDPOINT)?,
        };
        let offline = text(variable("HF_HUB_OFFLINE"));
        let offline = offline.is_some_and(|text| ["1", "on", "yes", "true"].contains(&text.to_lowercase().as_str()));
        Ok(Self { endpoint, token, offline })
    }

    /// The address that `text` spells.
    ///
    /// # Errors
    /// It is no address of a web server, or holds a password.
    pub fn endpoint(text: &str) -> Result<Url> {
        let bad = |why: &str| Error::BadEndpoint { text: text.to_owned(), why: why.to_owned() };
        let url = Url::parse(text.trim()).map_err(|error| bad(&error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(bad("it must begin with https:// or http://"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(bad("a token has its own place"));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(bad("it must end with the host or a path"));
        }
        Ok(url)
    }

    /// The address of what `parts` lead to, each one part of a path whatever it holds.
    pub(crate) fn address<'a>(&self, parts: impl IntoIterator<Item = &'a str>) -> Url {
        let mut url = self.endpoint.clone();
        // Every http address has a path.
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(parts);
        }
        url
    }

    /// Whether `url` belongs to the Hub itself, so that the token may go there.
    pub(crate) fn owns(&self, url: &Url) -> bool {
        url.origin() == self.endpoint.origin()
    }
}

/// A secret that says who asks. It shows itself to nobody.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// The token of this process' environment, where the Hub's own tools keep it: `HF_TOKEN`, else the file
    /// `HF_TOKEN_PATH`, `$HF_HOME/token` or `~/.cache/huggingface/token`; none if `HF_HUB_DISABLE_IMPLICIT_TOKEN` is set.
    ///
    /// # Errors
    /// The variable or the file holds something that is no token, or the file cannot be read.
    pub fn from_environment() -> Result<Option<Self>> {
        Self::found(|name| std::env::var_os(name))
    }

    /// The same, with `variable` for the environment.
    ///
    /// # Errors
    /// As for [`Token::from_environment`].
    pub fn found(variable: impl Fn(&str) -> Option<OsString>) -> Result<Option<Self>> {
        let variable = |name: &str| text(variable(name));
        if variable("HF_HUB_DISABLE_IMPLICIT_TOKEN").is_some_and(|text| text != "0") {
            return Ok(None);
        }
        if let Some(text) = variable("HF_TOKEN") {
            return text.parse().map(Some);
        }
        let home = || Some(Path::new(&variable("HOME")?).join(".cache"));
        let cache = || variable("XDG_CACHE_HOME").map(PathBuf::from).or_else(home);
        let hub = || variable("HF_HOME").map(PathBuf::from).or_else(|| Some(cache()?.join("huggingface")));
        let file = variable("HF_TOKEN_PATH").map(PathBuf::from).or_else(|| Some(hub()?.join("token")));
        file.map_or(Ok(None), |file| Self::in_file(&file))
    }

    fn in_file(path: &Path) -> Result<Option<Self>> {
        let failed = |source| Error::File { path: path.to_owned(), source };
        match fs::metadata(path) {
            Ok(found) if found.len() > TOKEN_FILE => return Err(Error::BadToken),
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
        }
        let text = fs::read_to_string(path).map_err(failed)?;
        if text.trim().is_empty() { Ok(None) } else { text.parse().map(Some) }
    }

    /// The secret, for the one header that carries it and for the keychain.
    #[must_use]
    pub fn secret(&self) -> &str {
        &self.0
    }
}

impl FromStr for Token {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let text = text.trim();
        if text.is_empty() || !text.chars().all(|char| char.is_ascii_graphic()) {
            return Err(Error::BadToken);
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("…")
    }
}

/// The text of a variable that is set to something.
fn text(value: Option<OsString>) -> Option<String> {
    let text = value?.into_string().ok()?;
    if text.trim().is_empty() { None } else { Some(text) }
}
