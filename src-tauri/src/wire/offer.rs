//! What the Hub has of a repo.

use serde::Serialize;
use specta::Type;

use super::hub::Gated;
use super::model::{Role, Source};
use super::sentence;

/// A repo at one commit, as the Hub offers it to this machine.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Offer {
    /// `owner/name` as the Hub spells it.
    repo: String,
    /// The commit that the revision meant.
    commit: String,
    /// The licence's identifier.
    licence: Option<String>,
    gated: Gated,
    /// Its page on the Hub, where the licence is read and accepted.
    page: String,
    /// How many files a checkpoint needs.
    files: usize,
    /// The other files, each with the reason why it is not fetched.
    skipped: Vec<SkippedFile>,
    /// The size of what is needed, bytes.
    bytes: u64,
    /// What would have to be fetched of it, bytes.
    to_fetch: u64,
    /// What would be written to the disk, bytes.
    to_write: u64,
    /// What the disk has left, bytes.
    free: u64,
    /// Where this very revision is on this machine already, whole or in part.
    here: Option<Here>,
    /// What it holds.
    judgement: Option<Judgement>,
    /// Why that cannot be told, or does not run here, in a sentence.
    unknown: Option<String>,
    /// What the window can do about that, as of a [failure](super::Failure).
    code: Option<String>,
}

/// Where a revision is on this machine.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Here {
    folder: String,
    source: Source,
    /// Whether nothing is missing.
    whole: bool,
    /// The id of the model that it is in the list.
    model: Option<String>,
}

/// A file that is not fetched.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SkippedFile {
    path: String,
    why: String,
}

/// What a repo holds, as its files say.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Judgement {
    role: Role,
    /// The family or drafter kind.
    kind: String,
    /// What it is, in a few words.
    summary: String,
    /// What a target needs of memory for a conversation of the usual length, bytes.
    need: Option<u64>,
    /// Why this machine has too little memory for a target, in a sentence.
    shortage: Option<String>,
    /// Whether it suits each model on this machine that has the other role.
    fits: Vec<Fit>,
}

/// Whether two models belong together.
#[derive(Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Fit {
    /// The other model's id.
    model: String,
    /// Why not, in a sentence with both values; null if they do.
    misfit: Option<String>,
}

impl From<app::Located> for Here {
    fn from(located: app::Located) -> Self {
        let whole = located.is_whole();
        let folder = located.folder.display().to_string();
        Self { folder, source: located.source.into(), whole, model: located.model }
    }
}

impl From<app::Fit> for Fit {
    fn from(app::Fit { model, misfit }: app::Fit) -> Self {
        Self { model, misfit: misfit.as_deref().map(sentence) }
    }
}

impl From<app::Judgement> for Judgement {
    fn from(app::Judgement { checkpoint, memory, fits }: app::Judgement) -> Self {
        let (need, shortage) = match memory {
            Some(Ok(need)) => (Some(need.total()), None),
            Some(Err(why)) => (None, Some(sentence(&why))),
            None => (None, None),
        };
        Self {
            role: checkpoint.role.into(),
            kind: checkpoint.kind,
            summary: checkpoint.summary,
            need,
            shortage,
            fits: fits.into_iter().map(Fit::from).collect(),
        }
    }
}

impl From<app::Offer> for Offer {
    fn from(offer: app::Offer) -> Self {
        let (judgement, unknown) = match offer.judgement {
            Ok(judgement) => (Some(judgement.into()), None),
            Err(why) => (None, Some(sentence(&why))),
        };
        Self {
            repo: offer.repo,
            commit: offer.commit,
            licence: offer.licence,
            gated: offer.gated.into(),
            page: offer.page,
            files: offer.files.len(),
            skipped: offer.skipped.into_iter().map(|(path, why)| SkippedFile { path, why }).collect(),
            bytes: offer.bytes,
            to_fetch: offer.to_fetch,
            to_write: offer.to_write,
            free: offer.free,
            here: offer.located.map(Here::from),
            judgement,
            unknown,
            code: offer.code.map(|code| code.name().to_owned()),
        }
    }
}
