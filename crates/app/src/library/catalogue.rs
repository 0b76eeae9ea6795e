//! Pairs of targets and drafters that are known to exist. The list ships with the app, so it is there without a network.

use serde::Deserialize;

use crate::{App, Result};

const CATALOGUE: &str = include_str!("catalogue.json");

/// A target, and a drafter that was made for it.
#[derive(Debug, Clone, PartialEq)]
pub struct CataloguePair {
    /// The target's repo.
    pub target: String,
    /// The drafter's.
    pub drafter: String,
    /// The drafter's kind.
    pub kind: String,
    /// The most tokens that it proposes a round (γ), if its publisher names them.
    pub limit: Option<usize>,
    /// The drafter's licence, as far as it is known.
    pub licence: Option<String>,
    /// The size of its weights, about.
    pub bytes: Option<u64>,
    /// What its publisher measured.
    pub published: Option<Published>,
    /// The id of the model that the target is on this machine.
    pub target_here: Option<String>,
    /// The same of the drafter.
    pub drafter_here: Option<String>,
}

/// A figure that the publisher measured, and nobody here.
#[derive(Debug, Clone, PartialEq)]
pub struct Published {
    /// Tokens per round (τ), the target's own token included.
    pub tokens_per_round: f64,
    /// On what, if that is said.
    pub on: Option<String>,
}

#[derive(Deserialize)]
struct Entry {
    target: String,
    drafter: String,
    kind: String,
    gamma: Option<usize>,
    licence: Option<String>,
    bytes: Option<u64>,
    tau: Option<f64>,
    on: Option<String>,
}

impl App {
    /// All pairs of the catalogue, and which of them are on this machine.
    ///
    /// # Errors
    /// The database fails.
    pub async fn catalogue(&self) -> Result<Vec<CataloguePair>> {
        let models = self.models().await?;
        let here = |repo: &str| {
            let of_repo = |name: &String| name.eq_ignore_ascii_case(repo);
            models.iter().find(|model| model.repo.as_ref().is_some_and(of_repo)).map(|model| model.id.clone())
        };
        Ok(entries().into_iter().map(|entry| entry.pair(&here)).collect())
    }
}

impl Entry {
    fn pair(self, here: &impl Fn(&str) -> Option<String>) -> CataloguePair {
        CataloguePair {
            target_here: here(&self.target),
            drafter_here: here(&self.drafter),
            published: self.tau.map(|tokens_per_round| Published { tokens_per_round, on: self.on }),
            target: self.target,
            drafter: self.drafter,
            kind: self.kind,
            limit: self.gamma,
            licence: self.licence,
            bytes: self.bytes,
        }
    }
}

fn entries() -> Vec<Entry> {
    // It was read in a test.
    serde_json::from_str(CATALOGUE).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use hub::RepoId;

    use super::entries;

    #[test]
    fn the_catalogue_can_be_read_and_names_every_drafter_once() {
        let entries = entries();
        assert!(!entries.is_empty());
        for repo in entries.iter().flat_map(|entry| [&entry.target, &entry.drafter]) {
            assert!(repo.parse::<RepoId>().is_ok(), "{repo}");
        }
        let drafters: HashSet<_> = entries.iter().map(|entry| &entry.drafter).collect();
        assert_eq!(drafters.len(), entries.len());
    }
}
