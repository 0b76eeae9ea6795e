//! Searching the Hub for targets of the family and drafters for them.
//!
//! Names and tags only narrow the search down. What a repo holds is told by its files, in an [`Offer`](super::Offer).

use std::collections::BTreeSet;

use hub::{Found, Search};
use store::Gated;

use crate::{App, Result};

use super::offer::gated;

/// How many repos the Hub is asked for at a time.
const PAGE: u32 = 50;

/// How many pages are looked through for a first match.
const PAGES: usize = 4;

/// What is spelt in the names and tags of drafters.
const DRAFTERS: [&str; 7] = ["dspark", "dflash", "speculat", "assistant", "draft", "eagle", "mtp"];

/// What to look for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Targets.
    Targets,
    /// Drafters.
    Drafters,
    /// Both.
    All,
}

/// Some of what was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discovered {
    /// The repos, the most downloaded first.
    pub hits: Vec<Hit>,
    /// Where to go on, if there may be more.
    pub next: Option<String>,
}

/// A repo that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// `owner/name`.
    pub repo: String,
    /// Downloads in the last month.
    pub downloads: u64,
    /// How many people like it.
    pub likes: u64,
    /// The licence's identifier, if a tag names it.
    pub licence: Option<String>,
    /// Who gets its files.
    pub gated: Gated,
    /// When it last changed, as the Hub writes it (RFC 3339).
    pub updated: Option<String>,
    /// Whether its name or tags are those of a drafter; its files have the last word.
    pub looks_like_drafter: bool,
    /// The repos that its tags say it was made from, or for.
    pub base_models: Vec<String>,
    /// The id of the model that it is on this machine.
    pub model: Option<String>,
}

impl App {
    /// Searches the Hub for `text` among what looks like Gemma: the first page, or the one at `cursor`.
    ///
    /// # Errors
    /// The Hub cannot be reached, or the network is switched off.
    pub async fn discover(&self, text: &str, wanted: Wanted, cursor: Option<String>) -> Result<Discovered> {
        let hub = self.hub().await?;
        let models = self.models().await?;
        let mut search = Search { text: query(text), limit: PAGE, cursor };
        let mut hits = Vec::new();
        for _ in 0..PAGES {
            let page = hub.search(&search).await?;
            let found = page.items.into_iter().filter(is_gemma).map(Hit::from);
            hits.extend(found.filter(|hit| wanted.includes(hit.looks_like_drafter)));
            search.cursor = page.next;
            if !hits.is_empty() || search.cursor.is_none() {
                break;
            }
        }
        for hit in &mut hits {
            let here = models
                .iter()
                .find(|model| model.repo.as_ref().is_some_and(|repo| repo.eq_ignore_ascii_case(&hit.repo)));
            hit.model = here.map(|model| model.id.clone());
        }
        Ok(Discovered { hits, next: search.cursor })
    }
}

impl Wanted {
    fn includes(self, is_drafter: bool) -> bool {
        match self {
            Self::Targets => !is_drafter,
            Self::Drafters => is_drafter,
            Self::All => true,
        }
    }
}

impl From<Found> for Hit {
    fn from(found: Found) -> Self {
        let words = words(&found);
        Self {
            looks_like_drafter: DRAFTERS.iter().any(|part| words.contains(part)),
            licence: found.tags.iter().find_map(|tag| tag.strip_prefix("license:")).map(str::to_owned),
            base_models: base_models(&found.tags),
            repo: found.id.to_string(),
            downloads: found.downloads,
            likes: found.likes,
            gated: gated(found.gated),
            updated: found.updated,
            model: None,
        }
    }
}

/// The Hub repeats each with the kind of relation before it: `base_model:quantized:owner/name`.
fn base_models(tags: &[String]) -> Vec<String> {
    let named = tags.iter().filter_map(|tag| tag.strip_prefix("base_model:"));
    let repos: BTreeSet<_> = named.map(|named| named.rsplit(':').next().unwrap_or(named).to_owned()).collect();
    repos.into_iter().collect()
}

/// What the Hub is asked for.
fn query(text: &str) -> String {
    let text = text.trim();
    if text.to_lowercase().contains("gemma") { text.to_owned() } else { format!("gemma {text}").trim().to_owned() }
}

/// Whether names or tags mention the family, or its ancestor that is read too.
fn is_gemma(found: &Found) -> bool {
    let words = words(found);
    ["gemma-4", "gemma4", "gemma-3", "gemma3"].iter().any(|name| words.contains(name))
}

fn words(found: &Found) -> String {
    let mut words = found.id.to_string();
    for tag in &found.tags {
        words.push(' ');
        words.push_str(tag);
    }
    words.to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::base_models;

    #[test]
    fn a_base_model_that_is_named_twice_is_one() {
        let tags = ["gemma4", "base_model:google/gemma-4-E2B-it", "base_model:finetune:google/gemma-4-E2B-it"];
        assert_eq!(base_models(&tags.map(str::to_owned)), ["google/gemma-4-E2B-it"]);
    }
}
