//! What the user chose last, and presets to choose.

use tauri::State;

use crate::opened::Opened;
use crate::wire::{Failure, Preferences, Preset};

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

/// System prompts with the settings that go with them, in the order in which they were first saved.
#[tauri::command]
#[specta::specta]
pub(crate) async fn presets(opened: State<'_, Opened>) -> Result<Vec<Preset>, Failure> {
    Ok(opened.app().await?.presets().await?.into_iter().map(Preset::from).collect())
}

/// Saves a preset in place of the one with the same name, if there is one, and returns all.
#[tauri::command]
#[specta::specta]
pub(crate) async fn save_preset(opened: State<'_, Opened>, preset: Preset) -> Result<Vec<Preset>, Failure> {
    Ok(opened.app().await?.save_preset(preset.into()).await?.into_iter().map(Preset::from).collect())
}

/// Removes a preset, if it is there, and returns the others.
#[tauri::command]
#[specta::specta]
pub(crate) async fn remove_preset(opened: State<'_, Opened>, name: String) -> Result<Vec<Preset>, Failure> {
    Ok(opened.app().await?.remove_preset(&name).await?.into_iter().map(Preset::from).collect())
}
