//! The repos that this machine knows, by the page.

use store::{DownloadState, Gated};

use crate::{App, Error, Result};

/// Some repos.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shelf {
    /// Their names, `owner/name`, in order.
    pub repos: Vec<String>,
    /// Where the next page begins, if there may be one.
    pub next: Option<String>,
}

/// A revision that this machine has, or is to have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision {
    /// `owner/name` as the Hub spells it.
    pub repo: String,
    /// The commit.
    pub commit: String,
    /// The licence's identifier.
    pub licence: Option<String>,
    /// Who gets its files.
    pub gated: Gated,
    /// The size of its files.
    pub bytes: u64,
    /// How many files it has.
    pub files: usize,
    /// The ids of the models that are this revision.
    pub models: Vec<String>,
    /// The job that brings it, if one is open or failed.
    pub download: Option<(i64, DownloadState)>,
}

/// Repos on a page.
const PAGE: u32 = 100;

impl App {
    /// Some of the repos that this machine knows whose name holds `text`, by name: the first, or those behind `after`.
    ///
    /// # Errors
    /// The database fails.
    pub async fn repos(&self, text: &str, after: Option<&str>) -> Result<Shelf> {
        let page = self.store.repos(text, after.unwrap_or_default(), PAGE).await?;
        let repos: Vec<String> = page.into_iter().map(|repo| repo.name).collect();
        let next = repos.last().filter(|_| repos.len() == PAGE as usize).cloned();
        Ok(Shelf { repos, next })
    }

    /// The revisions of a repo that this machine has, or is to have, the latest first.
    ///
    /// # Errors
    /// The repo is not known here, or the database fails.
    pub async fn revisions(&self, repo: &str) -> Result<Vec<Revision>> {
        let mut revisions = Vec::new();
        for row in self.store.revisions(repo).await? {
            let (files, models) = (self.store.files(row.id).await?, self.store.models_of(row.id).await?);
            let download = self.store.download_of(row.id).await?;
            revisions.push(Revision {
                repo: row.repo,
                commit: row.commit_hash,
                licence: row.licence,
                gated: row.gated,
                bytes: files.iter().fold(0_u64, |sum, file| sum.saturating_add(file.bytes)),
                files: files.len(),
                models: models.into_iter().map(|model| model.id).collect(),
                download: download.map(|download| (download.id, download.state)),
            });
        }
        if revisions.is_empty() { Err(Error::NoSuchRepo(repo.to_owned())) } else { Ok(revisions) }
    }
}
