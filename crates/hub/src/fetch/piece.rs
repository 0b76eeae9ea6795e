//! Fetching one piece of a content.

use std::ops::Range;

use reqwest::{
    Response, StatusCode,
    header::{CONTENT_RANGE, HeaderMap, HeaderValue, IF_RANGE, RANGE},
};
use url::Url;

use super::{
    journal::Validator,
    partial::{Partial, Place},
    source::{Source, guard, name_at},
};
use crate::{
    listing::impostor,
    meter::Meter,
    web::{Errand, Trouble, Web},
};

/// How much of a wrong answer is read to say what it is, bytes.
const GLANCE: usize = 512;

/// One content on its way, as the pieces see it.
pub(crate) struct Errands<'a> {
    pub(crate) web: &'a Web,
    pub(crate) meter: &'a Meter,
    pub(crate) errand: &'a Errand,
    pub(crate) partial: &'a Partial,
    pub(crate) source: &'a Source,
}

impl Errands<'_> {
    /// Fetches what the piece at `index` lacks, in as many requests as it takes.
    pub(crate) async fn piece(&self, index: usize) -> Result<(), Trouble> {
        let (mut failures, mut renewed) = (0, None);
        loop {
            let (before, rest) = self.partial.rest(index);
            if rest.is_empty() {
                return Ok(());
            }
            let tried = self.try_once(index, &mut renewed).await;
            if self.partial.rest(index).0.offset > before.offset {
                failures = 0;
            }
            match tried {
                Ok(()) => {}
                Err(trouble @ Trouble::Passing { .. }) => {
                    failures += 1;
                    self.web.wait(self.errand, trouble, failures).await?;
                }
                Err(other) => return Err(other),
            }
        }
    }

    /// `renewed` is how much of the content had arrived when its address was last renewed for this piece.
    async fn try_once(&self, index: usize, renewed: &mut Option<u64>) -> Result<(), Trouble> {
        let found = self.source.current(self.web, self.errand, self.partial).await?;
        match self.request(index, &found.address).await {
            Err(Trouble::Refused { status: StatusCode::RANGE_NOT_SATISFIABLE, .. }) => {
                Err(Trouble::Wrong("the server has fewer bytes".to_owned()))
            }
            // Signed addresses expire; but one that never served anybody is refused for another reason.
            Err(Trouble::Refused { own: false, .. }) if *renewed != Some(self.partial.done()) => {
                *renewed = Some(self.partial.done());
                self.source.renew(self.web, self.errand, self.partial, &found).await
            }
            other => other,
        }
    }

    async fn request(&self, index: usize, address: &Url) -> Result<(), Trouble> {
        let (place, range) = self.partial.rest(index);
        let is_whole = range == (0..self.partial.remote().size);
        let headers = if is_whole { HeaderMap::new() } else { self.headers(&range, address) };
        let response = self.web.get(self.errand, address.clone(), &headers).await?;
        let announced = announced(&response, self.partial.remote().size);
        let fits = if is_whole {
            response.status() == StatusCode::OK && announced.is_none_or(|announced| announced == range)
        } else {
            response.status() == StatusCode::PARTIAL_CONTENT && announced == Some(range.clone())
        };
        if !fits {
            return Err(Trouble::Wrong(self.describe(response, &range).await));
        }
        if let Some(name) = name_at(response.url(), response.headers())
            && !self.is_still(response.url(), &name)?
        {
            return Err(Trouble::Wrong("it changed while it was fetched".to_owned()));
        }
        self.receive(response, place, range).await
    }

    /// A name that another server gave says nothing about this one's.
    fn is_still(&self, address: &Url, name: &str) -> Result<bool, Trouble> {
        let host = address.host_str().unwrap_or_default();
        let known = self.partial.name(Validator::Server);
        let is_of_here = known.is_none_or(|known| known.split(' ').next() == Some(host));
        Ok(!is_of_here || self.partial.is_still(Validator::Server, name)?)
    }

    fn headers(&self, range: &Range<u64>, address: &Url) -> HeaderMap {
        let name = self.partial.name(Validator::Server);
        let guard = name.as_deref().and_then(|name| guard(address, name)).map(str::to_owned);
        let range = format!("bytes={}-{}", range.start, range.end - 1);
        let headers = [(RANGE, Some(range)), (IF_RANGE, guard)].into_iter();
        headers.filter_map(|(name, text)| Some((name, HeaderValue::from_str(&text?).ok()?))).collect()
    }

    async fn receive(&self, mut response: Response, mut place: Place, range: Range<u64>) -> Result<(), Trouble> {
        let mut left = range.end - range.start;
        while let Some(bytes) = self.web.chunk(&mut response).await? {
            let count = bytes.len() as u64;
            if count > left {
                return Err(Trouble::Wrong("more bytes arrived than it has".to_owned()));
            }
            // This waits for the disk, on a thread that has nothing else to do.
            self.partial.write(place, bytes)?;
            self.meter.arrived(count);
            left -= count;
            place.offset = place.offset.saturating_add(u32::try_from(count).unwrap_or(u32::MAX));
        }
        if left == 0 {
            return Ok(());
        }
        Err(Trouble::Passing { reason: format!("the connection ended {left} bytes early"), after: None })
    }

    /// What is wrong with an answer that is not the range that was asked for.
    async fn describe(&self, response: Response, range: &Range<u64>) -> String {
        let (status, length) = (response.status(), response.content_length());
        let beginning = self.web.beginning(response, GLANCE).await;
        if let Some(kind) = impostor(&beginning) {
            return format!("it is {kind}");
        }
        let wanted = range.end - range.start;
        match length {
            Some(length) if length != wanted => format!("{wanted} bytes were asked for, and {length} are announced"),
            _ => format!("the bytes from {} on were asked for, and the answer ({status}) holds others", range.start),
        }
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
