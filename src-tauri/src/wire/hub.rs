//! The Hub, and what it and other programs have.

use serde::{Deserialize, Serialize};
use specta::Type;

use super::model::{Role, Source};
use super::sentence;

/// Where the token comes from that is sent to the Hub. The token itself never comes here.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum TokenSource {
    None,
    Keychain,
    /// It was typed, and is forgotten when the app ends.
    ThisRun,
    /// The variable `HF_TOKEN`.
    Variable,
    /// The file of the Hub's own tools.
    File,
}

/// How the Hub is reached.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HubStatus {
    /// Its address.
    endpoint: String,
    /// Whether the network is left alone.
    offline: bool,
    /// Whether `HF_HUB_OFFLINE` decides so.
    kept_offline: bool,
    token: TokenSource,
    /// Why a token that is typed would not outlive the app, in a sentence.
    no_keychain: Option<String>,
}

impl From<app::HubStatus> for HubStatus {
    fn from(status: app::HubStatus) -> Self {
        Self {
            endpoint: status.endpoint,
            offline: status.offline,
            kept_offline: status.kept_offline,
            token: match status.token {
                app::TokenSource::None => TokenSource::None,
                app::TokenSource::Keychain => TokenSource::Keychain,
                app::TokenSource::ThisRun => TokenSource::ThisRun,
                app::TokenSource::Variable => TokenSource::Variable,
                app::TokenSource::File => TokenSource::File,
            },
            no_keychain: status.no_keychain.as_deref().map(sentence),
        }
    }
}

/// What to look for.
#[derive(Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Wanted {
    Targets,
    Drafters,
    All,
}

impl From<Wanted> for app::Wanted {
    fn from(wanted: Wanted) -> Self {
        match wanted {
            Wanted::Targets => Self::Targets,
            Wanted::Drafters => Self::Drafters,
            Wanted::All => Self::All,
        }
    }
}

/// Who gets a repo's files.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Gated {
    /// Everybody.
    No,
    /// Whoever accepts the licence.
    Auto,
    /// Whoever the publisher lets in.
    Manual,
}

impl From<app::Gated> for Gated {
    fn from(gated: app::Gated) -> Self {
        match gated {
            app::Gated::No => Self::No,
            app::Gated::Auto => Self::Auto,
            app::Gated::Manual => Self::Manual,
        }
    }
}

/// Some of what was found on the Hub.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Discovered {
    /// The repos, the most downloaded first.
    hits: Vec<Hit>,
    /// Where to go on, if there may be more.
    next: Option<String>,
}

/// A repo that was found.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Hit {
    /// `owner/name`.
    repo: String,
    /// Downloads in the last month.
    downloads: u64,
    /// The licence's identifier, if it is named.
    licence: Option<String>,
    gated: Gated,
    /// When it last changed (RFC 3339).
    updated: Option<String>,
    /// Whether its name or tags are those of a drafter; its files have the last word.
    looks_like_drafter: bool,
    /// The repos that its tags say it was made from, or for.
    base_models: Vec<String>,
}

impl From<app::Discovered> for Discovered {
    fn from(app::Discovered { hits, next }: app::Discovered) -> Self {
        let hits = hits.into_iter().map(|hit| Hit {
            repo: hit.repo,
            downloads: hit.downloads,
            licence: hit.licence,
            gated: hit.gated.into(),
            updated: hit.updated,
            looks_like_drafter: hit.looks_like_drafter,
            base_models: hit.base_models,
        });
        Self { hits: hits.collect(), next }
    }
}

/// A target, and a drafter that was made for it.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CataloguePair {
    /// The target's repo.
    target: String,
    /// The drafter's.
    drafter: String,
    /// The drafter's kind.
    kind: String,
    /// The most tokens that it proposes a round (γ), if its publisher names them.
    limit: Option<usize>,
    /// The drafter's licence, as far as it is known.
    licence: Option<String>,
    /// The size of its weights, about.
    bytes: Option<u64>,
    published: Option<Published>,
}

/// A figure that the publisher measured, and nobody here.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Published {
    /// Tokens per round (τ), the target's own token included.
    tokens_per_round: f64,
    /// On what, if that is said.
    on: Option<String>,
}

impl From<app::CataloguePair> for CataloguePair {
    fn from(pair: app::CataloguePair) -> Self {
        let published = |app::Published { tokens_per_round, on }| Published { tokens_per_round, on };
        Self {
            target: pair.target,
            drafter: pair.drafter,
            kind: pair.kind,
            limit: pair.limit,
            licence: pair.licence,
            bytes: pair.bytes,
            published: pair.published.map(published),
        }
    }
}

/// A checkpoint in another program's folder.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InPlace {
    source: Source,
    /// `owner/name`.
    repo: String,
    /// The commit, where that program notes it.
    commit: Option<String>,
    folder: String,
    /// The size of its files.
    bytes: u64,
    /// What it is for, if it can be used.
    role: Option<Role>,
    /// Why it cannot be used, in a sentence.
    unusable: Option<String>,
    /// The id of the model that it is in the list.
    model: Option<String>,
}

impl From<app::InPlace> for InPlace {
    fn from(place: app::InPlace) -> Self {
        Self {
            source: place.source.into(),
            repo: place.repo,
            commit: place.commit,
            folder: place.folder.display().to_string(),
            bytes: place.bytes,
            role: place.role.map(Role::from),
            unusable: place.unusable.as_deref().map(sentence),
            model: place.model,
        }
    }
}
