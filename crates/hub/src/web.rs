//! One request after the other: redirects followed by hand, the token for the Hub alone, failures told apart.

use std::{
    future::Future,
    ops::Range,
    time::{Duration, SystemTime},
};

use bytes::Bytes;
use reqwest::{
    Client, Method, Response, StatusCode,
    header::{
        ACCEPT_ENCODING, AUTHORIZATION, CONTENT_ENCODING, CONTENT_RANGE, HeaderMap, HeaderValue, LOCATION, RETRY_AFTER,
    },
    redirect::Policy,
};
use url::Url;

use crate::{
    Access, Error, Limits, RepoId, Result,
    patience::retry_after,
    trouble::{Trouble, harmless, said},
};

/// The most redirects on the way to an answer.
const HOPS: usize = 5;

/// The most that is read of an answer that says what went wrong, bytes.
pub(crate) const MESSAGE: u64 = 64 << 10;

/// How long a connection may take to come about.
const CONNECT: Duration = Duration::from_secs(15);

#[derive(Debug, Clone)]
pub(crate) struct Web {
    client: Client,
    pub(crate) access: Access,
    pub(crate) limits: Limits,
}

/// What is wanted, for the sentence that says why it did not come.
#[derive(Debug, Clone)]
pub(crate) struct Errand {
    /// "the listing of owner/name".
    pub(crate) what: String,
    /// The repo that it belongs to.
    pub(crate) repo: Option<RepoId>,
    /// Whether the repo is known to be gated.
    pub(crate) gated: bool,
}

/// One step towards an answer.
pub(crate) enum Hop {
    Answer(Response),
    Redirect { to: Url, headers: HeaderMap },
}

impl Web {
    pub(crate) fn new(access: Access, limits: Limits) -> Result<Self> {
        let agent = concat!("slipstream/", env!("CARGO_PKG_VERSION"));
        // Hashes and ranges are those of the content itself.
        let plain = HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static("identity"))]);
        let client = Client::builder().redirect(Policy::none()).user_agent(agent).default_headers(plain);
        let client = client.connect_timeout(CONNECT).build();
        let client = client.map_err(|error| Error::Tls { reason: chain(&error) })?;
        Ok(Self { client, access, limits })
    }

    /// The first answer that is no redirect.
    pub(crate) async fn get(&self, errand: &Errand, url: Url, headers: &HeaderMap) -> Result<Response, Trouble> {
        let mut url = url;
        for _ in 0..=HOPS {
            match self.hop(errand, Method::GET, &url, headers).await? {
                Hop::Answer(response) => return Ok(response),
                Hop::Redirect { to, .. } => url = to,
            }
        }
        Err(errand.redirect("in circles").into())
    }

    /// Where `url` leads without leaving the Hub, and the headers that the Hub gave on the way, later ones first.
    pub(crate) async fn resolve(&self, errand: &Errand, url: Url) -> Result<(Url, Vec<HeaderMap>), Trouble> {
        let (mut url, mut seen) = (url, Vec::new());
        for _ in 0..=HOPS {
            match self.hop(errand, Method::HEAD, &url, &HeaderMap::new()).await? {
                Hop::Answer(response) => {
                    seen.insert(0, response.headers().clone());
                    return Ok((url, seen));
                }
                Hop::Redirect { to, headers } => {
                    seen.insert(0, headers);
                    url = to;
                }
            }
            if !self.access.owns(&url) {
                return Ok((url, seen));
            }
        }
        Err(errand.redirect("in circles").into())
    }

    async fn hop(&self, errand: &Errand, method: Method, url: &Url, headers: &HeaderMap) -> Result<Hop, Trouble> {
        if self.access.offline {
            return Err(Error::Offline { what: errand.what.clone() }.into());
        }
        let own = self.access.owns(url);
        let mut request = self.client.request(method, url.clone()).headers(headers.clone());
        if let Some(token) = self.access.token.as_ref().filter(|_| own) {
            // A token is printable ASCII, so it is a header's value.
            if let Ok(mut value) = HeaderValue::from_str(&format!("Bearer {}", token.secret())) {
                value.set_sensitive(true);
                request = request.header(AUTHORIZATION, value);
            }
        }
        let response = self.in_time(request.send()).await?;
        let status = response.status();
        if status.is_success() {
            return match response.headers().get(CONTENT_ENCODING) {
                Some(encoding) if encoding != "identity" => {
                    Err(Trouble::Wrong("it is compressed, which was not asked for".to_owned()))
                }
                _ => Ok(Hop::Answer(response)),
            };
        }
        if !matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308) {
            return Err(self.refusal(response, own).await);
        }
        let to = response.headers().get(LOCATION).and_then(|to| url.join(to.to_str().ok()?).ok());
        let to = to.ok_or_else(|| errand.odd("it redirects to no address"))?;
        match refused_step(url, &to) {
            Some(why) => Err(errand.redirect(why).into()),
            None => Ok(Hop::Redirect { to, headers: response.headers().clone() }),
        }
    }

    /// What `answer` gives, unless nothing comes for too long.
    async fn in_time<T>(&self, answer: impl Future<Output = reqwest::Result<T>>) -> Result<T, Trouble> {
        let passing = |reason| Trouble::Passing { reason, after: None };
        match tokio::time::timeout(self.limits.stall, answer).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => Err(passing(chain(&error.without_url()))),
            Err(_) => Err(passing(Error::stalled(self.limits.stall))),
        }
    }

    /// The next bytes of a body, `None` at its end.
    pub(crate) async fn chunk(&self, response: &mut Response) -> Result<Option<Bytes>, Trouble> {
        self.in_time(response.chunk()).await
    }

    /// A whole body of at most `limit` bytes.
    pub(crate) async fn body(&self, errand: &Errand, mut response: Response, limit: u64) -> Result<Vec<u8>, Trouble> {
        let too_large = || Error::TooLarge { what: errand.what.clone(), limit };
        let mut body = Vec::new();
        while let Some(chunk) = self.chunk(&mut response).await? {
            body.extend_from_slice(&chunk);
            if body.len() as u64 > limit {
                return Err(too_large().into());
            }
        }
        Ok(body)
    }

    /// What stands at the beginning of a body.
    pub(crate) async fn beginning(&self, mut response: Response, length: usize) -> Vec<u8> {
        let mut body = Vec::new();
        while body.len() < length {
            let Ok(Some(chunk)) = self.chunk(&mut response).await else { break };
            body.extend_from_slice(&chunk);
        }
        body.truncate(length);
        body
    }

    async fn refusal(&self, response: Response, own: bool) -> Trouble {
        let status = response.status();
        let header = |name: &str| response.headers().get(name)?.to_str().ok().map(str::to_owned);
        let code = header("x-error-code").unwrap_or_default();
        let after = header(RETRY_AFTER.as_str()).and_then(|text| retry_after(&text, SystemTime::now()));
        if matches!(status.as_u16(), 408 | 429) || status.is_server_error() {
            return Trouble::Passing { reason: format!("the server answered {status}"), after };
        }
        let message = header("x-error-message");
        let message = match message {
            Some(message) => message,
            None => said(&self.beginning(response, usize::try_from(MESSAGE).unwrap_or(usize::MAX)).await),
        };
        Trouble::Refused { status, code, message: harmless(&message), own }
    }
}

/// Why a redirect from one address to another is not followed.
fn refused_step(from: &Url, to: &Url) -> Option<&'static str> {
    match (from.scheme(), to.scheme()) {
        ("https", "https") | ("http", "http" | "https") => None,
        ("https", "http") => Some("from a secure connection to one that is not"),
        _ => Some("to something that is no web server"),
    }
}

/// Whether an answer says that it holds the bytes of `range` of a content of `size` bytes.
pub(crate) fn holds(response: &Response, range: &Range<u64>, size: u64) -> bool {
    let announced = announced(response, size);
    match response.status() {
        StatusCode::PARTIAL_CONTENT => announced.as_ref() == Some(range),
        StatusCode::OK => *range == (0..size) && announced.is_none_or(|announced| announced == *range),
        _ => false,
    }
}

/// Which bytes of a content of `size` bytes an answer says that it holds.
fn announced(response: &Response, size: u64) -> Option<Range<u64>> {
    let length = response.content_length();
    if response.status() != StatusCode::PARTIAL_CONTENT {
        return Some(0..length?);
    }
    let range = response.headers().get(CONTENT_RANGE)?.to_str().ok()?.strip_prefix("bytes ")?;
    let (range, whole) = range.split_once('/')?;
    let (start, last) = range.split_once('-')?;
    let range = start.parse().ok()?..last.parse::<u64>().ok()?.checked_add(1)?;
    let count = range.end.checked_sub(range.start)?;
    let fits = (whole == "*" || whole.parse() == Ok(size)) && length.is_none_or(|length| length == count);
    fits.then_some(range)
}

/// An error and its causes, for most say nothing by themselves.
fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the redirect is followed.
    fn follows(from: &str, to: &str) -> bool {
        matches!((Url::parse(from), Url::parse(to)), (Ok(from), Ok(to)) if refused_step(&from, &to).is_none())
    }

    #[test]
    fn a_secure_connection_is_never_left_for_one_that_is_not() {
        assert!(follows("https://hub.example", "https://cdn.example/x"));
        assert!(follows("http://hub.example", "https://cdn.example/x"));
        assert!(follows("http://hub.example", "http://cdn.example/x"));
        assert!(!follows("https://hub.example", "http://cdn.example/x"));
        assert!(!follows("https://hub.example", "http://hub.example/x"));
        assert!(!follows("https://hub.example", "ftp://hub.example/x"));
    }
}
