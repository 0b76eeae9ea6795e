//! Where a content comes from.

use reqwest::header::{ETAG, HeaderMap};
use tokio::sync::Mutex;
use url::Url;

use super::{journal::Validator, partial::Partial};
use crate::{
    Hash,
    trouble::Trouble,
    web::{Errand, Web},
};

/// Where one content comes from. Large ones lie on another server, whose address the Hub signs for a while.
pub(crate) struct Source {
    hub: Url,
    found: Mutex<Option<Url>>,
}

impl Source {
    /// The content that the Hub gives at `hub`. If it is `direct`, it is fetched there without asking first.
    pub(crate) fn new(hub: Url, direct: bool) -> Self {
        let found = direct.then(|| hub.clone());
        Self { hub, found: Mutex::new(found) }
    }

    /// Where the content is, as far as is known; asks the Hub if nothing is.
    pub(crate) async fn current(&self, web: &Web, errand: &Errand, partial: &Partial) -> Result<Url, Trouble> {
        let mut found = self.found.lock().await;
        if let Some(address) = &*found {
            return Ok(address.clone());
        }
        let address = self.ask(web, errand, partial).await?;
        *found = Some(address.clone());
        Ok(address)
    }

    /// That `address` is refused, so that the Hub is asked again; unless somebody else already did.
    pub(crate) async fn forget(&self, address: &Url) {
        let mut found = self.found.lock().await;
        if found.as_ref() == Some(address) {
            *found = None;
        }
    }

    async fn ask(&self, web: &Web, errand: &Errand, partial: &Partial) -> Result<Url, Trouble> {
        let (address, answers) = web.resolve(errand, self.hub.clone()).await?;
        let remote = partial.remote();
        let header = |name: &str| answers.iter().find_map(|headers| headers.get(name)?.to_str().ok());
        if let Some(size) = header("x-linked-size").and_then(|size| size.parse::<u64>().ok())
            && size != remote.size
        {
            return Err(Trouble::Changed(format!("it has {size} bytes now and is listed with {}", remote.size)));
        }
        if let Some(name) = header("x-linked-etag").or_else(|| header(ETAG.as_str())).map(bare) {
            let renamed = matches!(
                (name.parse(), remote.hash),
                (Ok(Hash::Sha256(now)), Hash::Sha256(listed)) if now != listed
            );
            if renamed || !partial.is_still(Validator::Hub, name)? {
                return Err(Trouble::Changed("the Hub has another content there now".to_owned()));
            }
        }
        Ok(address)
    }
}

/// The name that a server gives to a content, with the server's own; two servers may call one content differently.
pub(crate) fn name_at(address: &Url, headers: &HeaderMap) -> Option<String> {
    let tag = headers.get(ETAG)?.to_str().ok()?;
    Some(format!("{} {tag}", address.host_str().unwrap_or_default()))
}

/// The tag of a [`name_at`] that may guard a range: strong, and of this server.
pub(crate) fn guard<'a>(address: &Url, name: &'a str) -> Option<&'a str> {
    let (host, tag) = name.split_once(' ')?;
    (address.host_str() == Some(host) && tag.starts_with('"')).then_some(tag)
}

/// A tag without its quotes and its mark of weakness.
fn bare(tag: &str) -> &str {
    tag.trim_start_matches("W/").trim_matches('"')
}
