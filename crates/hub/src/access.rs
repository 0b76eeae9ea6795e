//! Where the Hub is, and who asks.

use std::{
    ffi::OsString,
    fmt, fs,
    io::ErrorKind,
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
    /// What an environment says of which `variable` knows the variables: `HF_ENDPOINT`, `HF_HUB_OFFLINE`, and
    /// [`Token::found`] with where it was found.
    ///
    /// # Errors
    /// A variable holds no address, or no token.
    pub fn found(variable: impl Fn(&str) -> Option<OsString>) -> Result<(Self, Option<TokenPlace>)> {
        let (token, place) = Token::found(&variable)?.unzip();
        let endpoint = match text(variable("HF_ENDPOINT")) {
            Some(text) => Self::endpoint(&text)?,
            None => Self::endpoint(USUAL_ENDPOINT)?,
        };
        Ok((Self { endpoint, token, offline: Self::is_offline(variable) }, place))
    }

    /// Whether the environment says that the network is to be left alone.
    pub fn is_offline(variable: impl Fn(&str) -> Option<OsString>) -> bool {
        is_on(variable("HF_HUB_OFFLINE"))
    }

    /// The address that `text` spells.
    ///
    /// # Errors
    /// It is no address of a web server, or holds a password.
    pub fn endpoint(text: &str) -> Result<Url> {
        // A password may stand before the host, and secrets after a question mark.
        let shown = text.split(['?', '#']).next().unwrap_or_default();
        let shown = shown.rsplit_once('@').map_or_else(|| shown.to_owned(), |(_, host)| format!("…@{host}"));
        let bad = |why: &str| Error::BadEndpoint { text: shown.clone(), why: why.to_owned() };
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

/// Where a token was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenPlace {
    /// The variable `HF_TOKEN`.
    Variable,
    /// The file of the Hub's own tools.
    File,
}

impl Token {
    /// The token of an environment of which `variable` knows the variables, where the Hub's own tools keep it:
    /// `HF_TOKEN`, else the file `HF_TOKEN_PATH`, `$HF_HOME/token` or `~/.cache/huggingface/token`; none if
    /// `HF_HUB_DISABLE_IMPLICIT_TOKEN` is on.
    ///
    /// # Errors
    /// The variable or the file holds something that is no token, or the file cannot be read.
    pub fn found(variable: impl Fn(&str) -> Option<OsString>) -> Result<Option<(Self, TokenPlace)>> {
        if is_on(variable("HF_HUB_DISABLE_IMPLICIT_TOKEN")) {
            return Ok(None);
        }
        let variable = |name: &str| text(variable(name));
        if let Some(text) = variable("HF_TOKEN") {
            return Ok(Some((text.parse()?, TokenPlace::Variable)));
        }
        let home = || Some(Path::new(&variable("HOME")?).join(".cache"));
        let cache = || variable("XDG_CACHE_HOME").map(PathBuf::from).or_else(home);
        let hub = || variable("HF_HOME").map(PathBuf::from).or_else(|| Some(cache()?.join("huggingface")));
        let file = variable("HF_TOKEN_PATH").map(PathBuf::from).or_else(|| Some(hub()?.join("token")));
        let token = file.map_or(Ok(None), |file| Self::in_file(&file))?;
        Ok(token.map(|token| (token, TokenPlace::File)))
    }

    fn in_file(path: &Path) -> Result<Option<Self>> {
        let failed = |source| Error::File { path: path.to_owned(), source };
        match fs::metadata(path) {
            Ok(found) if found.len() > TOKEN_FILE => return Err(Error::BadToken),
            Ok(_) => {}
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
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

/// Whether a variable switches something on, as the Hub's own tools read it.
fn is_on(value: Option<OsString>) -> bool {
    text(value).is_some_and(|text| ["1", "on", "yes", "true"].contains(&text.trim().to_lowercase().as_str()))
}
