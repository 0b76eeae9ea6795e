//! `slipstream models get`, `verify` and `repair`: what takes a while, and says how far it is.

use std::convert::Infallible;
use std::process::ExitCode;

use app::{App, Checking, Download, DownloadState, Got, Verdict, Verification};
use serde_json::{Value, json};
use tokio::signal::ctrl_c;
use tokio::sync::watch;

use crate::failure::Failure;
use crate::models::{self, print};
use crate::progress::{self, Line};
use crate::{INTERRUPTED, offer};

/// Gets a repo, and ends once it is in the list.
pub(crate) async fn get(app: &App, repo: &str, copy: bool, json: bool) -> Result<ExitCode, Failure> {
    let (repo, revision) = offer::parts(repo);
    let offer = app.offer(repo, revision).await?;
    let got = if copy { Got::Coming(app.get_copy(&offer).await?) } else { app.get(&offer).await? };
    match got {
        Got::Installed(model) => {
            print(json, &models::value(&model), &format!("it is here already: {}", models::line(&model)))
        }
        Got::Coming(download) => bring(app, download, json).await,
    }
}

/// Verifies a model's files.
pub(crate) async fn verify(app: &App, id: &str, json: bool) -> Result<ExitCode, Failure> {
    let progress = watch::Sender::new(Checking::default());
    let heard = progress.subscribe();
    let verified = followed(app.verify_files(id, progress), heard, |checking| progress::checking(*checking)).await?;
    print(json, &value(&verified), &text(&verified))?;
    Ok(if verified.wrong.is_none() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Fetches what is wrong with a model.
pub(crate) async fn repair(app: &App, id: &str, json: bool) -> Result<ExitCode, Failure> {
    let progress = watch::Sender::new(Checking::default());
    let heard = progress.subscribe();
    match followed(app.repair_model(id, progress), heard, |checking| progress::checking(*checking)).await? {
        Some(download) => bring(app, download, json).await,
        None => print(json, &json!({ "model": id, "wrong": null }), &format!("nothing is wrong with {id}")),
    }
}

/// Runs a download to its end. Ctrl-C pauses it.
pub(crate) async fn bring(app: &App, download: Download, json: bool) -> Result<ExitCode, Failure> {
    let id = download.id;
    let heard = app.follow_download(id).await?;
    let interrupt = async {
        // Without a handler, Ctrl-C ends the program, and the next run goes on all the same.
        if ctrl_c().await.is_ok() {
            drop(app.pause_download(id).await);
        }
        std::future::pending::<Infallible>().await
    };
    let ended = tokio::select! {
        ended = followed(app.run_download(id), heard, progress::download) => ended?,
        never = interrupt => match never {},
    };
    let reason = || {
        ended
            .reason
            .clone()
            .unwrap_or_else(|| format!("{} is over; if its model is in the trash, restore it", ended.repo))
    };
    match (ended.state, &ended.model) {
        (DownloadState::Done, Some(model)) => {
            let model = app.model(model).await?;
            print(json, &models::value(&model), &format!("got {}", models::line(&model)))
        }
        (DownloadState::Paused, _) if ended.reason.is_none() => {
            let text = format!("{} is paused; the same command goes on with it", ended.repo);
            print(json, &json!({ "paused": ended.repo, "arrived": ended.arrived, "total": ended.total }), &text)?;
            Ok(ExitCode::from(INTERRUPTED))
        }
        (DownloadState::Running | DownloadState::Queued, _) => {
            let why = ended.reason.clone().unwrap_or_else(|| format!("{} waits for its turn", ended.repo));
            Err(Failure::Sentence(format!("{why}; the same command goes on")))
        }
        (DownloadState::Cancelled, _) => Err(Failure::Sentence(format!("{} was cancelled", ended.repo))),
        _ => Err(Failure::Sentence(reason())),
    }
}

/// Waits for `work`, and shows meanwhile what is `heard` of it.
async fn followed<T, M>(
    work: impl Future<Output = app::Result<T>>,
    mut heard: watch::Receiver<M>,
    text: impl Fn(&M) -> String,
) -> Result<T, Failure> {
    let (mut line, mut work) = (Line::new(), std::pin::pin!(work));
    loop {
        tokio::select! {
            done = &mut work => {
                line.end()?;
                return Ok(done?);
            }
            Ok(()) = heard.changed() => {
                let text = text(&heard.borrow_and_update());
                line.write(&text)?;
            }
        }
    }
}

fn value(verified: &Verification) -> Value {
    let verdict = |verdict| match verdict {
        Verdict::Whole => "whole",
        Verdict::Missing => "missing",
        Verdict::Broken => "broken",
    };
    let file =
        |file: &app::Checked| json!({ "path": file.path, "bytes": file.bytes, "verdict": verdict(file.verdict) });
    json!({
        "model": verified.model,
        "by_hash": verified.by_hash(),
        "files": verified.files.iter().map(file).collect::<Vec<_>>(),
        "unknown": verified.unknown,
        "wrong": verified.wrong,
    })
}

fn text(verified: &Verification) -> String {
    let Verification { model, files, unknown, wrong } = verified;
    match (wrong, verified.by_hash()) {
        (None, true) if unknown.is_empty() => format!("{model}: all {} files are what they were", files.len()),
        (None, true) => {
            format!(
                "{model}: {} files are what they were; nobody knows the hashes of {}",
                files.len(),
                unknown.join(", ")
            )
        }
        (None, false) => {
            format!(
                "{model}: the sizes agree with the files' headers; nobody knows their hashes, so no more can be said"
            )
        }
        (Some(wrong), _) => {
            let bad =
                files.iter().filter(|file| file.verdict != Verdict::Whole).map(|file| format!("\n  {}", file.path));
            format!("{model}: {wrong}{}", bad.collect::<String>())
        }
    }
}
