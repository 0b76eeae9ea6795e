//! Models.

use app::{CheckpointRole, LOOKUP};
use serde::Serialize;
use specta::Type;

use super::sentence;

/// What a model is for.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Role {
    /// It answers.
    Target,
    /// It guesses ahead.
    Drafter,
}

/// Who keeps a model's files.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Source {
    /// Whoever made the folder.
    Folder,
    /// This app, which downloaded them.
    Downloaded,
    /// The Hub's own tools.
    HuggingFaceCache,
    /// LM Studio.
    LmStudio,
    /// This app, which trained it.
    Trained,
    /// This app, which came with it.
    Demo,
}

impl From<app::Source> for Source {
    fn from(source: app::Source) -> Self {
        match source {
            app::Source::Folder => Self::Folder,
            app::Source::Hub => Self::Downloaded,
            app::Source::HuggingFaceCache => Self::HuggingFaceCache,
            app::Source::LmStudio => Self::LmStudio,
            app::Source::Trained => Self::Trained,
            app::Source::Demo => Self::Demo,
        }
    }
}

impl From<CheckpointRole> for Role {
    fn from(role: CheckpointRole) -> Self {
        match role {
            CheckpointRole::Target => Self::Target,
            CheckpointRole::Drafter => Self::Drafter,
        }
    }
}

/// A registered folder, or the drafter that needs none.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Model {
    /// What commands and pickers call it.
    id: String,
    role: Role,
    /// The family or drafter kind.
    kind: String,
    /// Where it lies; null of the drafter that needs no files.
    folder: Option<String>,
    /// Who keeps its files; null of the drafter that needs none.
    source: Option<Source>,
    /// The repo that they came from, `owner/name`, if that is known.
    repo: Option<String>,
    /// The commit of that repo.
    commit: Option<String>,
    /// The size of its weights on disk.
    bytes: u64,
    /// What it is, in a few words.
    summary: String,
    /// How a drafter drafts.
    drafts: Option<Drafts>,
    /// Whether a target has a chat template.
    chat_template: Option<bool>,
    /// Why it cannot be used at present, in a sentence.
    broken: Option<String>,
}

/// How a drafter drafts.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Drafts {
    /// The most tokens that it proposes a round (γ).
    limit: usize,
    /// How many it is asked for when nobody says.
    usual: usize,
    /// Whether it has a confidence in each token.
    confident: bool,
}

impl From<app::Drafts> for Drafts {
    fn from(drafts: app::Drafts) -> Self {
        let app::Drafts { limit, usual, confident } = drafts;
        Self { limit, usual, confident }
    }
}

impl Model {
    /// The drafter that needs no files.
    pub(crate) fn lookup() -> Self {
        Self {
            id: LOOKUP.to_owned(),
            role: Role::Drafter,
            kind: LOOKUP.to_owned(),
            folder: None,
            source: None,
            repo: None,
            commit: None,
            bytes: 0,
            summary: "copies what followed the newest words where they stood before".to_owned(),
            drafts: Some(app::lookup().into()),
            chat_template: None,
            broken: None,
        }
    }
}

impl From<app::Model> for Model {
    fn from(model: app::Model) -> Self {
        Self {
            id: model.id,
            role: model.role.into(),
            kind: model.kind,
            folder: Some(model.folder.display().to_string()),
            source: Some(model.source.into()),
            repo: model.repo,
            commit: model.commit,
            bytes: model.bytes,
            summary: model.summary,
            drafts: model.drafts.map(Drafts::from),
            chat_template: model.chat_template,
            broken: model.broken.as_deref().map(sentence),
        }
    }
}

/// Some of the models.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Shelf {
    models: Vec<Model>,
    /// The ids of those whose records cannot be read. They can only be removed.
    damaged: Vec<String>,
    /// What to ask for next, if there may be more.
    next: Option<String>,
}

impl From<app::Shelf> for Shelf {
    fn from(app::Shelf { models, damaged, next }: app::Shelf) -> Self {
        let lookup = next.is_none().then(Model::lookup);
        Self { models: models.into_iter().map(Model::from).chain(lookup).collect(), damaged, next }
    }
}

/// A model in the trash.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Trashed {
    model: Model,
    /// From when on it is removed for good, at the next start; milliseconds since 1970.
    until: i64,
}

impl From<app::Trashed> for Trashed {
    fn from(app::Trashed { model, until, .. }: app::Trashed) -> Self {
        Self { model: model.into(), until }
    }
}
