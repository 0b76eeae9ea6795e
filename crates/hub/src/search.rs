//! Finding repos.

use serde::Deserialize;
use serde_json::Value;

use crate::{Gated, Hub, RepoId, Result, listing::texts, web::Errand};

/// The most that is read of one page, bytes.
const PAGE: u64 = 8 << 20;

/// What to look for among the Hub's models; the most downloaded come first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Search {
    /// Words of the repo's id.
    pub text: String,
    /// How many to a page; the Hub gives no more than 1000.
    pub limit: u32,
    /// The page to begin with: [`Page::next`] of the one before.
    pub cursor: Option<String>,
}

/// Some of what was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// In the Hub's order.
    pub items: Vec<T>,
    /// Where the next page begins, if there is one.
    pub next: Option<String>,
}

/// A repo that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The repo.
    pub id: RepoId,
    /// Downloads in the last month.
    pub downloads: u64,
    /// How many people like it.
    pub likes: u64,
    /// Whether its licence must be accepted first.
    pub gated: Gated,
    /// When it last changed, as the Hub writes it (RFC 3339).
    pub updated: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
}

#[derive(Deserialize)]
struct Item {
    id: String,
    #[serde(default)]
    downloads: u64,
    #[serde(default)]
    likes: u64,
    #[serde(default)]
    gated: Value,
    #[serde(rename = "lastModified")]
    updated: Option<String>,
    #[serde(default)]
    tags: Value,
}

impl Hub {
    /// One page of the models that match.
    ///
    /// # Errors
    /// The Hub cannot be reached, or does not answer as it should.
    pub async fn search(&self, search: &Search) -> Result<Page<Found>> {
        let errand = Errand { what: "the search".to_owned(), repo: None, gated: false };
        let mut address = self.web.access.address(["api", "models"]);
        {
            let mut query = address.query_pairs_mut();
            query.append_pair("search", &search.text).append_pair("limit", &search.limit.to_string());
            query.append_pair("sort", "downloads").append_pair("direction", "-1");
            // Without these, answers lack what gates a repo and when it changed.
            query
                .extend_pairs(["downloads", "likes", "gated", "lastModified", "tags"].map(|field| ("expand[]", field)));
        }
        let page = self.document::<Vec<Item>>(&errand, address, search.cursor.as_deref(), PAGE).await?;
        // A few repos of the Hub's first days have no owner; none of them is a Gemma.
        Ok(Page { items: page.document.into_iter().filter_map(Item::found).collect(), next: page.next })
    }
}

impl Item {
    fn found(self) -> Option<Found> {
        let id = self.id.parse().ok()?;
        let (gated, tags) = (Gated::of(&self.gated), texts(&self.tags));
        Some(Found { id, downloads: self.downloads, likes: self.likes, gated, updated: self.updated, tags })
    }
}
