//! What the settings show and set beside preferences: the disk, the memory, and what this is.

use tauri::{State, WebviewWindow};

use crate::opened::Opened;
use crate::saving::{Saving, save};
use crate::wire::{About, Failure, MemoryReserve, Storage};

/// What models take of this machine's disks, and what is free.
#[tauri::command]
#[specta::specta]
pub(crate) async fn storage(opened: State<'_, Opened>) -> Result<Storage, Failure> {
    Ok(opened.app().await?.storage().await?.into())
}

/// The machine's memory, and what of it models leave alone.
#[tauri::command]
#[specta::specta]
pub(crate) async fn memory_reserve(opened: State<'_, Opened>) -> Result<MemoryReserve, Failure> {
    Ok(MemoryReserve::here(opened.app().await?.memory_reserve().await?))
}

/// Sets what models leave alone of the memory, bytes; null goes back to the usual.
#[tauri::command]
#[specta::specta]
pub(crate) async fn set_memory_reserve(
    opened: State<'_, Opened>,
    bytes: Option<u64>,
) -> Result<MemoryReserve, Failure> {
    let app = opened.app().await?;
    app.set_memory_reserve(bytes).await?;
    Ok(MemoryReserve::here(app.memory_reserve().await?))
}

/// What this is, and what it runs on.
#[tauri::command]
#[specta::specta]
pub(crate) async fn about() -> Result<About, Failure> {
    Ok(About::here())
}

/// Asks the user where to save what somebody who looks for a fault needs to know, and saves it there; null when the
/// dialog was dismissed.
#[tauri::command]
#[specta::specta]
pub(crate) async fn save_diagnostics(
    opened: State<'_, Opened>,
    window: WebviewWindow,
) -> Result<Option<String>, Failure> {
    let text = opened.app().await?.diagnostics().await?;
    let (name, kind, ending) = ("slipstream report".to_owned(), "JSON", "json");
    save(&window, Saving { title: "Save a report of this machine", name, kind, ending, text }).await
}
