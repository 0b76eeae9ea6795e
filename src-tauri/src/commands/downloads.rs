//! Downloads as jobs.

use tauri::ipc::Channel;
use tauri::{State, Webview};

use crate::lists::Watched;
use crate::opened::Opened;
use crate::wire::{Download, Failure};

/// Streams all downloads, now and whenever one has changed.
#[tauri::command]
#[specta::specta]
pub(crate) async fn watch_downloads(
    opened: State<'_, Opened>,
    watched: State<'_, Watched<app::Download>>,
    page: Webview,
    lists: Channel<Vec<Download>>,
) -> Result<(), Failure> {
    watched.follow(opened.app().await?.clone(), page, lists);
    Ok(())
}

/// Lets a download wait until it is resumed.
#[tauri::command]
#[specta::specta]
pub(crate) async fn pause_download(opened: State<'_, Opened>, id: i64) -> Result<Download, Failure> {
    Ok(opened.app().await?.pause_download(id).await?.into())
}

/// Lets a download that is paused, or failed, go on in its turn.
#[tauri::command]
#[specta::specta]
pub(crate) async fn resume_download(opened: State<'_, Opened>, id: i64) -> Result<Download, Failure> {
    Ok(opened.app().await?.resume_download(id).await?.into())
}

/// Ends a download for good, and removes what had arrived of it.
#[tauri::command]
#[specta::specta]
pub(crate) async fn cancel_download(opened: State<'_, Opened>, id: i64) -> Result<Download, Failure> {
    Ok(opened.app().await?.cancel_download(id).await?.into())
}

/// Takes a download that is over off the list.
#[tauri::command]
#[specta::specta]
pub(crate) async fn forget_download(opened: State<'_, Opened>, id: i64) -> Result<(), Failure> {
    Ok(opened.app().await?.forget_download(id).await?)
}
