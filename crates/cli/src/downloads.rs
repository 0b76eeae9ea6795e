//! `slipstream downloads`.

use std::process::ExitCode;

use app::{App, Download, DownloadState, size};
use serde_json::{Value, json};

use crate::args::DownloadsCommand;
use crate::failure::Failure;
use crate::fetch;
use crate::models::print;

/// Runs one of the commands.
pub(crate) async fn run(app: &App, command: DownloadsCommand, json: bool) -> Result<ExitCode, Failure> {
    let (value, text) = match command {
        DownloadsCommand::List => {
            let downloads = app.downloads().await?;
            (downloads.iter().map(value).collect(), list(&downloads))
        }
        DownloadsCommand::Pause { id } => one(&app.pause_download(id).await?),
        DownloadsCommand::Resume { id } => {
            let download = app.resume_download(id).await?;
            return fetch::bring(app, download, json).await;
        }
        DownloadsCommand::Cancel { id } => one(&app.cancel_download(id).await?),
        DownloadsCommand::Forget { id } => {
            app.forget_download(id).await?;
            (json!({ "forgotten": id }), format!("download {id} is off the list"))
        }
    };
    print(json, &value, &text)
}

fn one(download: &Download) -> (Value, String) {
    (value(download), line(download))
}

fn list(downloads: &[Download]) -> String {
    match downloads {
        [] => "no downloads; begin one with: slipstream models get OWNER/NAME".to_owned(),
        some => some.iter().map(line).collect::<Vec<_>>().join("\n"),
    }
}

fn line(download: &Download) -> String {
    let Download { id, repo, arrived, total, reason, .. } = download;
    let reason = reason.as_ref().map(|why| format!("  {why}")).unwrap_or_default();
    let state = state(download.state);
    format!("{id:>4}  {repo:<44}  {state:<9}  {} of {}{reason}", size(*arrived), size(*total))
}

fn value(download: &Download) -> Value {
    json!({
        "id": download.id,
        "repo": download.repo,
        "commit": download.commit,
        "state": state(download.state),
        "reason": download.reason,
        "arrived": download.arrived,
        "total": download.total,
        "model": download.model,
    })
}

fn state(state: DownloadState) -> &'static str {
    match state {
        DownloadState::Queued => "queued",
        DownloadState::Running => "running",
        DownloadState::Paused => "paused",
        DownloadState::Cancelled => "cancelled",
        DownloadState::Failed => "failed",
        DownloadState::Done => "done",
    }
}
