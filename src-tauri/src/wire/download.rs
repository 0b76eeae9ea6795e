//! Downloads.

use serde::Serialize;
use specta::Type;

use super::{Model, sentence};

/// How far a download is.
#[derive(Clone, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum DownloadState {
    /// It waits for its turn.
    Queued,
    Running,
    Paused,
    Cancelled,
    Failed,
    /// All of it is here, verified.
    Done,
}

impl From<app::DownloadState> for DownloadState {
    fn from(state: app::DownloadState) -> Self {
        match state {
            app::DownloadState::Queued => Self::Queued,
            app::DownloadState::Running => Self::Running,
            app::DownloadState::Paused => Self::Paused,
            app::DownloadState::Cancelled => Self::Cancelled,
            app::DownloadState::Failed => Self::Failed,
            app::DownloadState::Done => Self::Done,
        }
    }
}

/// What a running download is doing.
#[derive(Clone, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum DownloadPhase {
    /// Contents are taken over from other programs' folders.
    Copying,
    Fetching,
    Verifying,
    Placing,
}

impl From<app::DownloadPhase> for DownloadPhase {
    fn from(phase: app::DownloadPhase) -> Self {
        match phase {
            app::DownloadPhase::Copying => Self::Copying,
            app::DownloadPhase::Fetching => Self::Fetching,
            app::DownloadPhase::Verifying => Self::Verifying,
            app::DownloadPhase::Placing => Self::Placing,
        }
    }
}

/// A job that brings a revision here.
#[derive(Clone, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Download {
    id: i64,
    /// `owner/name`.
    repo: String,
    commit: String,
    state: DownloadState,
    /// Why it stands, in a sentence.
    reason: Option<String>,
    /// What the window can do about that, as of a [failure](super::Failure).
    code: Option<String>,
    /// The size of what is needed, bytes.
    total: u64,
    /// What has arrived, or was here already, bytes.
    arrived: u64,
    /// What it is doing while it runs.
    phase: Option<DownloadPhase>,
    /// Bytes per second, averaged over about five seconds.
    rate: Option<f64>,
    /// How long the rest takes at this rate.
    remaining_seconds: Option<f64>,
    /// The id of the model that it became.
    model: Option<String>,
}

impl From<app::Download> for Download {
    fn from(download: app::Download) -> Self {
        Self {
            id: download.id,
            repo: download.repo,
            commit: download.commit,
            state: download.state.into(),
            reason: download.reason.as_deref().map(sentence),
            code: download.code.map(|code| code.name().to_owned()),
            total: download.total,
            arrived: download.arrived,
            phase: download.phase.map(DownloadPhase::from),
            rate: download.rate,
            remaining_seconds: download.remaining.map(|rest| rest.as_secs_f64()),
            model: download.model,
        }
    }
}

/// What came of asking for a revision.
#[derive(Serialize, Type)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub(crate) enum Got {
    /// It was on this machine, and is in the list.
    Installed { model: Box<Model> },
    /// It is on its way.
    Coming { download: Download },
}

impl From<app::Got> for Got {
    fn from(got: app::Got) -> Self {
        match got {
            app::Got::Installed(model) => Self::Installed { model: Box::new(model.into()) },
            app::Got::Coming(download) => Self::Coming { download: download.into() },
        }
    }
}
