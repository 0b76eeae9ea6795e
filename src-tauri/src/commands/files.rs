//! A model's files: whether they are whole, and the trash.

use std::time::Duration;

use app::Checking;
use tauri::ipc::Channel;
use tauri::{State, async_runtime};
use tokio::sync::watch;
use tokio::time::sleep;

use crate::opened::Opened;
use crate::wire::{self, Download, Failure, FilesProof, Model, Trashed};

/// The shortest time between two figures of progress.
const PACE: Duration = Duration::from_millis(100);

/// The files of a model that are not there, or not with their full size, by path.
#[tauri::command]
#[specta::specta]
pub(crate) async fn missing_files(opened: State<'_, Opened>, id: String) -> Result<Vec<String>, Failure> {
    let located = opened.app().await?.locate(&id).await?;
    Ok(located.map_or_else(Vec::new, |located| located.missing.into_iter().map(|file| file.path).collect()))
}

/// Reads a model's files again and holds them against their hashes.
#[tauri::command]
#[specta::specta]
pub(crate) async fn verify_files(
    opened: State<'_, Opened>,
    id: String,
    checking: Channel<wire::Checking>,
) -> Result<FilesProof, Failure> {
    let app = opened.app().await?;
    Ok(app.verify_files(&id, paced(checking)).await?.into())
}

/// Fetches again what is broken or missing of a downloaded model; null if nothing is.
#[tauri::command]
#[specta::specta]
pub(crate) async fn repair_model(
    opened: State<'_, Opened>,
    id: String,
    checking: Channel<wire::Checking>,
) -> Result<Option<Download>, Failure> {
    let app = opened.app().await?;
    Ok(app.repair_model(&id, paced(checking)).await?.map(Download::from))
}

/// What is in the trash, the latest first.
#[tauri::command]
#[specta::specta]
pub(crate) async fn trash(opened: State<'_, Opened>) -> Result<Vec<Trashed>, Failure> {
    Ok(opened.app().await?.trash().await?.into_iter().map(Trashed::from).collect())
}

/// Takes a model out of the trash.
#[tauri::command]
#[specta::specta]
pub(crate) async fn restore_model(opened: State<'_, Opened>, id: String) -> Result<Model, Failure> {
    Ok(opened.app().await?.restore_model(&id).await?.into())
}

/// Removes what is in the trash for good, and returns how many bytes that freed.
#[tauri::command]
#[specta::specta]
pub(crate) async fn empty_trash(opened: State<'_, Opened>) -> Result<u64, Failure> {
    Ok(opened.app().await?.empty_trash().await?)
}

/// Where progress is noted that the page hears of at its pace.
fn paced(page: Channel<wire::Checking>) -> watch::Sender<Checking> {
    let (noted, mut heard) = watch::channel(Checking::default());
    async_runtime::spawn(async move {
        while heard.changed().await.is_ok() {
            let now = *heard.borrow_and_update();
            if page.send(now.into()).is_err() {
                return; // the window is gone
            }
            sleep(PACE).await;
        }
    });
    noted
}
