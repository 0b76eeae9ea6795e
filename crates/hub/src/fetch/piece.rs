//! Fetching one piece of a content.

use std::ops::Range;

use reqwest::{
    Response, StatusCode,
    header::{HeaderMap, HeaderValue, IF_RANGE, RANGE},
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
    trouble::Trouble,
    web::{Errand, Web, holds},
};

/// How often, at most, an address is renewed that a server refuses, while nothing arrives.
const RENEWALS: u32 = 3;

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

/// How often an address was renewed since the content last grew.
#[derive(Default)]
struct Renewals {
    done: u64,
    count: u32,
}

impl Renewals {
    /// Counts one more, while `done` bytes are there.
    fn next(&mut self, done: u64) -> u32 {
        if done != self.done {
            *self = Self { done, count: 0 };
        }
        self.count += 1;
        self.count
    }
}

impl Errands<'_> {
    /// Fetches what the piece at `index` lacks, in as many requests as it takes.
    pub(crate) async fn piece(&self, index: usize) -> Result<(), Trouble> {
        let (mut failures, mut renewals) = (0, Renewals::default());
        loop {
            let (before, rest) = self.partial.rest(index);
            if rest.is_empty() {
                return Ok(());
            }
            let tried = self.try_once(index, &mut renewals).await;
            if self.partial.rest(index).0.offset > before.offset {
                failures = 0;
            }
            match tried {
                Ok(()) => {}
                Err(trouble @ Trouble::Changed(_)) => return Err(trouble),
                Err(trouble) => {
                    failures += 1;
                    self.web.wait(self.errand, trouble, failures).await?;
                }
            }
        }
    }

    async fn try_once(&self, index: usize, renewals: &mut Renewals) -> Result<(), Trouble> {
        let address = self.source.current(self.web, self.errand, self.partial).await?;
        let refused = match self.request(index, &address).await {
            Err(Trouble::Refused { status: StatusCode::RANGE_NOT_SATISFIABLE, .. }) => {
                return Err(Trouble::Wrong("the server has fewer bytes".to_owned()));
            }
            // Signed addresses expire.
            Err(
                refused @ Trouble::Refused {
                    status: StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN, own: false, ..
                },
            ) => refused,
            other => return other,
        };
        let count = renewals.next(self.partial.done());
        if count > RENEWALS {
            return Err(refused);
        }
        tokio::time::sleep(self.web.limits.wait(count, None)).await;
        self.source.forget(&address).await;
        Ok(())
    }

    async fn request(&self, index: usize, address: &Url) -> Result<(), Trouble> {
        let (place, range) = self.partial.rest(index);
        let size = self.partial.remote().size;
        let headers = if range == (0..size) { HeaderMap::new() } else { self.headers(&range, address) };
        let response = self.web.get(self.errand, address.clone(), &headers).await?;
        let holds_it = holds(&response, &range, size);
        // Instead of a part, a server sends the whole of what has changed (RFC 9110, 13.1.5). Others may send anything.
        let is_whole = response.status() == StatusCode::OK && response.content_length() == Some(size);
        let is_known = self.partial.name(Validator::Server).is_some();
        if let Some(name) = name_at(response.url(), response.headers())
            && (holds_it || is_whole && is_known)
            && !self.is_still(response.url(), &name)?
        {
            return Err(Trouble::Changed("it changed while it was fetched".to_owned()));
        }
        if !holds_it {
            return Err(Trouble::Wrong(self.describe(response, &range).await));
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
            self.partial.write(place, &bytes)?;
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
