//! One request after the other: redirects followed by hand, the token for the Hub alone, failures told apart.

use std::{future::Future, time::Duration};

use bytes::Bytes;
use reqwest::{
    Client, Method, Response, StatusCode,
    header::{AUTHORIZATION, HeaderMap, HeaderValue, LOCATION, RETRY_AFTER},
    redirect::Policy,
};
use url::Url;

use crate::{Access, Error, Limits, RepoId, Result};

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

/// Why one attempt failed, told apart by what may help.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// It may pass. The server may have said after which time.
    Passing { reason: String, after: Option<Duration> },
    /// The server refuses.
    Refused { status: StatusCode, code: String, message: String, own: bool },
    /// Something arrived, but not what was listed.
    Wrong(String),
    /// Nothing helps.
    Final(Error),
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Self::Final(error)
    }
}

/// One step towards an answer.
pub(crate) enum Hop {
    Answer(Response),
    Redirect { to: Url, headers: HeaderMap },
}

impl Web {
    pub(crate) fn new(access: Access, limits: Limits) -> Result<Self> {
        let agent = concat!("slipstream/", env!("CARGO_PKG_VERSION"));
        let client = Client::builder().redirect(Policy::none()).user_agent(agent).connect_timeout(CONNECT).build();
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
            return Ok(Hop::Answer(response));
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
        let after = header(RETRY_AFTER.as_str()).and_then(|text| text.trim().parse().ok()).map(Duration::from_secs);
        if matches!(status.as_u16(), 408 | 429) || status.is_server_error() {
            return Trouble::Passing { reason: format!("the server answered {status}"), after };
        }
        let message = header("x-error-message");
        let message = match message {
            Some(message) => message,
            None => said(&self.beginning(response, usize::try_from(MESSAGE).unwrap_or(usize::MAX)).await),
        };
        Trouble::Refused { status, code, message: message.chars().take(300).collect(), own }
    }

    /// Tries until it works, for as long as the trouble may pass.
    pub(crate) async fn patiently<T, F: Future<Output = Result<T, Trouble>>>(
        &self,
        errand: &Errand,
        attempt: impl Fn() -> F,
    ) -> Result<T> {
        let mut failures = 0;
        loop {
            match attempt().await {
                Ok(value) => return Ok(value),
                Err(trouble) => {
                    failures += 1;
                    self.wait(errand, trouble, failures).await?;
                }
            }
        }
    }

    /// Waits after the `failures`th failure in a row, or says that there is no point in it.
    pub(crate) async fn wait(&self, errand: &Errand, trouble: Trouble, failures: u32) -> Result<()> {
        match trouble {
            Trouble::Passing { after, .. } if failures < self.limits.attempts => {
                let doubled = self.limits.first_wait.saturating_mul(1 << (failures.max(1) - 1).min(16));
                // Many connections that failed together must not come back together.
                let varied = doubled.mul_f64(0.5 + fastrand::f64() / 2.0);
                tokio::time::sleep(varied.max(after.unwrap_or_default()).min(self.limits.longest_wait)).await;
                Ok(())
            }
            trouble => Err(self.verdict(errand, trouble)),
        }
    }

    /// The sentence about a trouble that ended the attempts.
    pub(crate) fn verdict(&self, errand: &Errand, trouble: Trouble) -> Error {
        let what = errand.what.clone();
        match trouble {
            Trouble::Passing { reason, .. } => Error::Unreachable { what, reason, attempts: self.limits.attempts },
            Trouble::Refused { status, code, message, own } => self.refused(errand, status, &code, message, own),
            Trouble::Wrong(why) => errand.odd(why),
            Trouble::Final(error) => error,
        }
    }

    fn refused(&self, errand: &Errand, status: StatusCode, code: &str, message: String, own: bool) -> Error {
        let what = errand.what.clone();
        let gated = errand.gated || code == "GatedRepo";
        match (status, &errand.repo) {
            (StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN, Some(id)) if own && gated => {
                let page = self.access.address([id.owner(), id.name()]).into();
                Error::Gated { id: id.clone(), page }
            }
            (StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN, _) if own => {
                Error::Unauthorized { what, page: self.access.address(["settings", "tokens"]).into() }
            }
            (StatusCode::NOT_FOUND | StatusCode::GONE, _) => Error::NotFound { what },
            _ => Error::Refused { what, status: status.as_u16(), message },
        }
    }
}

impl Errand {
    pub(crate) fn odd(&self, why: impl Into<String>) -> Error {
        Error::Odd { what: self.what.clone(), why: why.into() }
    }

    pub(crate) fn redirect(&self, why: &'static str) -> Error {
        Error::Redirect { what: self.what.clone(), why }
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

/// What the Hub's own error says, if this is one.
fn said(body: &[u8]) -> String {
    let json: Option<serde_json::Value> = serde_json::from_slice(body).ok();
    json.and_then(|json| json["error"].as_str().map(str::to_owned)).unwrap_or_default()
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
