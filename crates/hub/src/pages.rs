//! Answers of the Hub's interface, page by page.

use reqwest::header::{HeaderMap, LINK};
use serde::de::DeserializeOwned;
use url::Url;

use crate::{Hub, Result, listing::impostor, trouble::Trouble, web::Errand};

/// One page of an answer.
pub(crate) struct Turned<T> {
    pub(crate) document: T,
    /// Where the next page begins, if there is one.
    pub(crate) next: Option<String>,
    /// How large it was.
    pub(crate) bytes: u64,
}

impl Hub {
    /// The JSON at `address` from `cursor` on, of which at most `limit` bytes are read.
    pub(crate) async fn document<T: DeserializeOwned>(
        &self,
        errand: &Errand,
        mut address: Url,
        cursor: Option<&str>,
        limit: u64,
    ) -> Result<Turned<T>> {
        if let Some(cursor) = cursor {
            address.query_pairs_mut().append_pair("cursor", cursor);
        }
        let fetch = || async {
            let response = self.web.get(errand, address.clone(), &HeaderMap::new()).await?;
            let next = next_cursor(response.url(), response.headers());
            let next = next.map_err(|()| errand.odd("its next page has no cursor"))?;
            let body = self.web.body(errand, response, limit).await?;
            Ok::<_, Trouble>((next, body))
        };
        let (next, body) = self.web.patiently(errand, fetch).await?;
        let document = serde_json::from_slice(&body).map_err(|error| {
            let found = impostor(&body).map_or_else(|| error.to_string(), |kind| format!("it is {kind}"));
            errand.odd(found)
        })?;
        Ok(Turned { document, next, bytes: body.len() as u64 })
    }
}

/// The cursor of the page that the `Link` headers call the next. Their address itself is never asked: behind a mirror it
/// may be the Hub's own, or anybody's.
fn next_cursor(here: &Url, headers: &HeaderMap) -> Result<Option<String>, ()> {
    let links = headers.get_all(LINK).into_iter().filter_map(|value| value.to_str().ok());
    let mut links = links.flat_map(|value| value.split('<')).filter_map(|link| link.split_once('>'));
    let is_next = |about: &str| about.split([';', ',']).any(|word| ["rel=\"next\"", "rel=next"].contains(&word.trim()));
    let Some((address, _)) = links.find(|(_, about)| is_next(about)) else { return Ok(None) };
    let address = here.join(address).map_err(drop)?;
    let cursor = address.query_pairs().find(|(key, _)| key == "cursor").map(|(_, cursor)| cursor.into_owned());
    cursor.ok_or(()).map(Some)
}
