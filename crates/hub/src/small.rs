//! Reading a file, or its beginning, without downloading the repo.

use reqwest::header::{HeaderMap, HeaderValue, RANGE};
use url::Url;

use crate::{
    Error, Hub, Listing, RemoteFile, RepoPath, Result,
    listing::impostor,
    trouble::Trouble,
    web::{Errand, Web, holds},
};

/// The largest file, and the longest beginning, that is read into memory, bytes.
const SMALL: u64 = 16 << 20;

impl Hub {
    /// The content of a small file, such as a configuration. It is what was listed, by its hash.
    ///
    /// # Errors
    /// There is no such file, it has more than 16 MiB, or something else arrived.
    pub async fn small(&self, listing: &Listing, path: &RepoPath) -> Result<Vec<u8>> {
        let (errand, file) = listed(listing, path)?;
        if file.size > SMALL {
            return Err(Error::TooLarge { what: errand.what, limit: SMALL });
        }
        let fetch = || async {
            let response = self.web.get(&errand, self.web.content(listing, path), &HeaderMap::new()).await?;
            self.web.body(&errand, response, SMALL).await
        };
        let content = self.web.patiently(&errand, fetch).await?;
        if file.hash.is_of(&content) {
            return Ok(content);
        }
        let why = impostor(&content).map(|kind| format!("it is {kind}"));
        Err(errand.odd(why.unwrap_or_else(|| "it has another hash than the repo lists".to_owned())))
    }

    /// The first `bytes` bytes of a file, or all if it is shorter: the header of weights. Nothing proves what they
    /// are, so they serve to judge, never to compute.
    ///
    /// # Errors
    /// There is no such file, more than 16 MiB are asked for, or the server does not give parts of files.
    pub async fn head_of(&self, listing: &Listing, path: &RepoPath, bytes: u64) -> Result<Vec<u8>> {
        let (errand, file) = listed(listing, path)?;
        let wanted = bytes.min(file.size);
        if wanted > SMALL {
            return Err(Error::TooLarge { what: errand.what, limit: SMALL });
        }
        if wanted == 0 {
            return Ok(Vec::new());
        }
        let mut headers = HeaderMap::new();
        if let Ok(range) = HeaderValue::from_str(&format!("bytes=0-{}", wanted - 1)) {
            headers.insert(RANGE, range);
        }
        let fetch = || async {
            let response = self.web.get(&errand, self.web.content(listing, path), &headers).await?;
            if !holds(&response, &(0..wanted), file.size) {
                return Err(Trouble::Wrong("a part was asked for, and it is the whole or something else".to_owned()));
            }
            self.web.body(&errand, response, wanted).await
        };
        let head = self.web.patiently(&errand, fetch).await?;
        if head.len() as u64 == wanted {
            Ok(head)
        } else {
            Err(errand.odd(format!("{wanted} bytes were asked for, and {} arrived", head.len())))
        }
    }
}

impl Web {
    /// Where the Hub gives the content of `path`.
    pub(crate) fn content(&self, listing: &Listing, path: &RepoPath) -> Url {
        let commit = listing.commit.to_string();
        let fixed = [listing.id.owner(), listing.id.name(), "resolve", &commit];
        self.access.address(fixed.into_iter().chain(path.parts()))
    }
}

fn listed<'a>(listing: &'a Listing, path: &RepoPath) -> Result<(Errand, &'a RemoteFile)> {
    let errand = Errand::file(listing, path);
    match listing.file(path) {
        Some(file) => Ok((errand, file)),
        None => Err(Error::NotFound { what: errand.what }),
    }
}
