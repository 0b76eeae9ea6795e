//! Hugging Face: what to fetch, fetching it, proving that it arrived whole.
//!
//! What this crate does **not** know: databases, engines, windows, and what a checkpoint means beyond the names of its
//! files. A [`Hub`] lists and fetches; [`Blobs`] is the folder where contents lie, each once, by their hash. Which of
//! them are still wanted, its user knows: [`Blobs::remove_unreferenced`] removes the others, also what a cancelled
//! download had begun.
//!
//! The `hf-hub` crate is not used: its 1.0 hides the hash of large files in listings, starts interrupted files again
//! from nothing, checks neither sizes nor hashes, takes paths as they come, and brings Xet's whole stack along.

mod access;
mod adopt;
mod blobs;
mod cleaning;
mod commit;
mod control;
mod error;
mod fetch;
mod hash;
mod limits;
mod listing;
mod meter;
mod pages;
mod patience;
mod placing;
mod plan;
mod repo_id;
mod repo_path;
mod search;
mod small;
mod space;
mod trouble;
mod web;

pub use access::{Access, Token, TokenPlace};
pub use adopt::Verdict;
pub use blobs::Blobs;
pub use commit::Commit;
pub use control::Control;
pub use error::{Error, Login, Result};
pub use hash::{Hash, Hasher};
pub use limits::Limits;
pub use listing::{Gated, Listing, RemoteFile};
pub use meter::{Phase, Progress};
pub use plan::{Plan, Why};
pub use repo_id::RepoId;
pub use repo_path::RepoPath;
pub use search::{Found, Page, Search};

use web::Web;

/// The Hub, as one user reaches it. Clones share its connections.
#[derive(Debug, Clone)]
pub struct Hub {
    web: Web,
}

impl Hub {
    /// The Hub that `access` leads to. Nothing is asked yet.
    ///
    /// # Errors
    /// The system's certificates cannot be read.
    pub fn with(access: Access, limits: Limits) -> Result<Self> {
        Ok(Self { web: Web::new(access, limits)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: Send>(_: &T) {}

    /// Compiles only if what a download awaits may move from thread to thread, as a server's or a window's tasks do.
    #[expect(dead_code, reason = "it is compiled, never called")]
    fn every_task_may_change_its_thread(hub: &Hub, listing: &Listing, plan: &Plan, blobs: &Blobs) {
        let (control, progress) = (Control::new(), tokio::sync::watch::Sender::new(Progress::new()));
        check(&hub.fetch(listing, plan, blobs, &control, &progress));
        check(&hub.listing(&listing.id, "main"));
    }
}
