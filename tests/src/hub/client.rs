//! Somebody who downloads.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use hub::{Access, Blobs, Control, Hub, Limits, Listing, Plan, Progress, RepoId};
use tokio::sync::watch;

use crate::Outcome;

/// A way to a Hub, and a folder for what comes from there.
#[derive(Debug, Clone)]
pub struct Client {
    /// The way.
    pub hub: Hub,
    /// The folder.
    pub blobs: Blobs,
}

/// Limits with which a test need not wait: small pieces, short pauses.
#[must_use]
pub fn hasty() -> Limits {
    Limits {
        connections: 6,
        alone: Duration::ZERO,
        piece: 64 << 10,
        attempts: 4,
        stall: Duration::from_millis(400),
        first_wait: Duration::from_millis(2),
        longest_wait: Duration::from_millis(20),
        reserve: 0,
    }
}

impl Client {
    /// Somebody with `token` and `limits` who keeps things in `root`.
    ///
    /// # Errors
    /// The folder cannot be made, or `endpoint` is no address.
    pub fn new(endpoint: &str, root: &Path, token: Option<&str>, limits: Limits) -> Outcome<Self> {
        let token = token.map(str::parse).transpose()?;
        let access = Access { endpoint: Access::endpoint(endpoint)?, token, offline: false };
        Ok(Self { hub: Hub::with(access, limits)?, blobs: Blobs::open(root)? })
    }

    /// What the repo `id` holds.
    ///
    /// # Errors
    /// Those of [`Hub::listing`].
    pub async fn listing(&self, id: &str) -> hub::Result<Listing> {
        self.hub.listing(&id.parse::<RepoId>()?, "main").await
    }

    /// Downloads all that a listing has, needed or not.
    ///
    /// # Errors
    /// Those of [`Hub::fetch`].
    pub async fn fetch(&self, listing: &Listing) -> hub::Result<PathBuf> {
        self.fetch_under(listing, &Control::new()).await
    }

    /// The same, for `control` to stop.
    ///
    /// # Errors
    /// Those of [`Hub::fetch`].
    pub async fn fetch_under(&self, listing: &Listing, control: &Control) -> hub::Result<PathBuf> {
        let progress = watch::Sender::new(Progress::new());
        self.hub.fetch(listing, &everything(listing), &self.blobs, control, &progress).await
    }

    /// Downloads what a plan needs.
    ///
    /// # Errors
    /// Those of [`Hub::fetch`].
    pub async fn fetch_planned(&self, listing: &Listing, plan: &Plan) -> hub::Result<PathBuf> {
        let progress = watch::Sender::new(Progress::new());
        self.hub.fetch(listing, plan, &self.blobs, &Control::new(), &progress).await
    }

    /// Lists and downloads the repo `id`.
    ///
    /// # Errors
    /// Those of [`Hub::listing`] and [`Hub::fetch`].
    pub async fn download(&self, id: &str) -> hub::Result<PathBuf> {
        self.fetch(&self.listing(id).await?).await
    }
}

/// A plan that leaves nothing out that can be placed.
#[must_use]
pub fn everything(listing: &Listing) -> Plan {
    Plan { needed: listing.files.clone(), skipped: Vec::new() }
}
