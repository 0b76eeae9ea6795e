//! A model's files: whether they are whole, and the trash.

use tauri::State;
use tauri::ipc::Channel;

use crate::checks::Checks;
use crate::opened::Opened;
use crate::wire::{self, Check, Checked, Failure, MissingFiles, Model, Trashed, Work};

/// The files of these models that are not there, or not with their full size. Of a model that is not in the list nothing
/// is missing.
#[tauri::command]
#[specta::specta]
pub(crate) async fn missing_files(opened: State<'_, Opened>, ids: Vec<String>) -> Result<Vec<MissingFiles>, Failure> {
    let app = opened.app().await?;
    let mut missing = Vec::new();
    for model in ids {
        let located = app.locate(&model).await?;
        let files = located.map_or_else(Vec::new, |located| located.missing);
        missing.push(MissingFiles { model, files: files.into_iter().map(|file| file.path).collect() });
    }
    Ok(missing)
}

/// Reads a model's files again, to verify or to repair them; or follows the check that does so already, whatever it was
/// asked for. Null if it is stopped.
#[tauri::command]
#[specta::specta]
pub(crate) async fn check_files(
    opened: State<'_, Opened>,
    checks: State<'_, Checks>,
    id: String,
    work: Work,
    checking: Channel<wire::Checking>,
) -> Result<Option<Checked>, Failure> {
    checks.follow(opened.app().await?, id, work, checking).await
}

/// The checks that run.
#[tauri::command]
#[specta::specta]
pub(crate) async fn running_checks(checks: State<'_, Checks>) -> Result<Vec<Check>, Failure> {
    Ok(checks.now())
}

/// Stops the check of a model, if one runs.
#[tauri::command]
#[specta::specta]
pub(crate) async fn stop_checking(checks: State<'_, Checks>, id: String) -> Result<(), Failure> {
    checks.stop(&id);
    Ok(())
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
