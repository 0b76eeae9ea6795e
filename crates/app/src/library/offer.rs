//! What the Hub has of a repo, looked at before anything is downloaded.

use hub::{Listing, Plan, RepoId};
use store::Gated;

use crate::{App, Code, Error, Result};

use super::blocking;
use super::judging::Judgement;
use super::locate::Located;

/// A repo at one commit, as the Hub offers it to this machine.
#[derive(Debug, Clone)]
pub struct Offer {
    /// `owner/name` as the Hub spells it.
    pub repo: String,
    /// The commit that the revision meant.
    pub commit: String,
    /// The licence's identifier.
    pub licence: Option<String>,
    /// Who gets its files.
    pub gated: Gated,
    /// Its page on the Hub, where the licence is read and accepted.
    pub page: String,
    /// The files that a checkpoint needs.
    pub files: Vec<OfferedFile>,
    /// The others, by path, each with the reason why it is not fetched.
    pub skipped: Vec<(String, String)>,
    /// The size of what is needed, bytes.
    pub bytes: u64,
    /// What would have to be fetched of it: neither the app's own nor another program's folders hold it, bytes.
    pub to_fetch: u64,
    /// What would be written to the disk, bytes.
    pub to_write: u64,
    /// What the disk has left, bytes.
    pub free: u64,
    /// Where this very revision is on this machine already, whole or in part.
    pub located: Option<Located>,
    /// What it holds; or why that cannot be told, or does not run here, in a sentence.
    pub judgement: Result<Judgement, String>,
    /// What can be done about a judgement that failed.
    pub code: Option<Code>,
    pub(super) listing: Listing,
    pub(super) plan: Plan,
}

/// A file that a checkpoint needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferedFile {
    /// Its path.
    pub path: String,
    /// Its length.
    pub bytes: u64,
    /// Whether its content is on this machine.
    pub is_here: bool,
}

impl App {
    /// What the Hub has of a repo at a revision: a branch, a tag or a commit.
    ///
    /// # Errors
    /// There is no such repo or revision for this user; the Hub cannot be reached, or the network is switched off; the
    /// listing is refused.
    pub async fn offer(&self, repo: &str, revision: &str) -> Result<Offer> {
        let id: RepoId = repo.parse()?;
        let hub = self.hub().await?;
        let listing = hub.listing(&id, revision).await?;
        let plan = hub.plan(&listing).await?;
        let judgement = self.judge(&hub, &listing, &plan.needed).await;
        let code = judgement.as_ref().err().and_then(Error::code);
        let (repo, commit) = (listing.id.to_string(), listing.commit.to_string());
        let located = self.locate_offered(&repo, &commit, &plan).await?;
        let (app, needed, name) = (self.clone(), plan.needed.clone(), repo.clone());
        let (ours, theirs, free) = blocking(move || {
            let blobs = app.library.blobs()?;
            let ours = needed.iter().map(|file| blobs.has(file)).collect::<Vec<_>>();
            let theirs = app.library.elsewhere(&name, &needed);
            Ok((ours, theirs, blobs.free_space()?))
        })
        .await?;
        let is_theirs = |file: &hub::RemoteFile| theirs.iter().any(|(other, _)| other.hash == file.hash);
        let (mut files, mut to_fetch, mut to_write) = (Vec::new(), 0_u64, 0_u64);
        for (file, ours) in plan.needed.iter().zip(ours) {
            let is_here = ours || is_theirs(file);
            to_write = to_write.saturating_add(if ours { 0 } else { file.size });
            to_fetch = to_fetch.saturating_add(if is_here { 0 } else { file.size });
            files.push(OfferedFile { path: file.path.to_string(), bytes: file.size, is_here });
        }
        Ok(Offer {
            page: self.page(&repo).await?,
            licence: listing.licence.clone(),
            gated: gated(listing.gated),
            skipped: plan.skipped.iter().map(|(path, why)| (path.clone(), why.to_string())).collect(),
            bytes: plan.bytes(),
            repo,
            commit,
            files,
            to_fetch,
            to_write,
            free,
            located,
            judgement: judgement.map_err(|error| error.to_string()),
            code,
            listing,
            plan,
        })
    }

    /// The address of a repo's page on the Hub, whether there is such a repo or not.
    ///
    /// # Errors
    /// It can be no repo, or the way to the Hub is not known.
    pub async fn page(&self, repo: &str) -> Result<String> {
        let (id, status) = (repo.parse::<RepoId>()?, self.hub_status().await?);
        Ok(format!("{}/{id}", status.endpoint.trim_end_matches('/')))
    }
}

pub(super) fn gated(gated: hub::Gated) -> Gated {
    match gated {
        hub::Gated::No => Gated::No,
        hub::Gated::Auto => Gated::Auto,
        hub::Gated::Manual => Gated::Manual,
    }
}
