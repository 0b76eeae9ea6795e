//! Models.

use app::CheckpointRole;
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

/// A registered folder.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Model {
    /// What commands and pickers call it.
    id: String,
    role: Role,
    /// The family or drafter kind.
    kind: String,
    folder: String,
    /// The size of its weights on disk.
    bytes: u64,
    /// What it is, in a few words.
    summary: String,
    /// The most tokens that a drafter proposes a round (γ).
    limit: Option<usize>,
    /// Whether a target has a chat template.
    chat_template: Option<bool>,
    /// Why it cannot be used at present, in a sentence.
    broken: Option<String>,
}

impl From<app::Model> for Model {
    fn from(model: app::Model) -> Self {
        Self {
            id: model.id,
            role: match model.role {
                CheckpointRole::Target => Role::Target,
                CheckpointRole::Drafter => Role::Drafter,
            },
            kind: model.kind,
            folder: model.folder.display().to_string(),
            bytes: model.bytes,
            summary: model.summary,
            limit: model.limit,
            chat_template: model.chat_template,
            broken: model.broken.as_deref().map(sentence),
        }
    }
}
