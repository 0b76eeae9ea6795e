//! What the user chose last.

use tauri::State;

use crate::opened::Opened;
use crate::wire::{Failure, Preferences};

/// What the user chose last.
#[tauri::command]
#[specta::specta]
pub(crate) async fn preferences(opened: State<'_, Opened>) -> Result<Preferences, Failure> {
    Ok(opened.app().await?.preferences().await?.into())
}

/// Remembers what the user chose.
#[tauri::command]
#[specta::specta]
pub(crate) async fn save_preferences(opened: State<'_, Opened>, preferences: Preferences) -> Result<(), Failure> {
    Ok(opened.app().await?.set_preferences(&preferences.into()).await?)
}
