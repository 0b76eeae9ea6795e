//! Models on this machine.

use std::path::PathBuf;

use app::USUAL_CONTEXT;
use tauri::{AppHandle, Manager, State, WebviewWindow};
use tauri_plugin_dialog::DialogExt;
use tokio::sync::oneshot;

use crate::checks::Checks;
use crate::opened::Opened;
use crate::wire::{BandwidthCeiling, Details, Failure, Fit, Model, Precision, Shelf};

/// Some of the models, by id: the first, or those behind `after`. The drafter that is none comes last.
#[tauri::command]
#[specta::specta]
pub(crate) async fn models(opened: State<'_, Opened>, after: Option<String>) -> Result<Shelf, Failure> {
    Ok(opened.app().await?.shelf(after.as_deref()).await?.into())
}

/// What a model's files say of it, and what a target needs of memory for a conversation of the usual length, in the
/// number type that is chosen.
#[tauri::command]
#[specta::specta]
pub(crate) async fn model_details(opened: State<'_, Opened>, id: String) -> Result<Details, Failure> {
    let app = opened.app().await?;
    let precision = app.preferences().await?.precision;
    Ok(app.model_details(&id, None, precision, USUAL_CONTEXT).await?.into())
}

/// Whether each drafter suits a target, as their files say.
#[tauri::command]
#[specta::specta]
pub(crate) async fn drafter_fits(opened: State<'_, Opened>, target: String) -> Result<Vec<Fit>, Failure> {
    Ok(opened.app().await?.drafter_fits(&target).await?.into_iter().map(Fit::from).collect())
}

/// How fast a target could decode plainly at most behind so many tokens; null where this machine cannot be measured now, and
/// where the target reads so little that its processor may keep it to itself.
#[tauri::command]
#[specta::specta]
pub(crate) async fn bandwidth_ceiling(
    opened: State<'_, Opened>,
    target: String,
    precision: Precision,
    context: usize,
) -> Result<Option<BandwidthCeiling>, Failure> {
    let ceiling = opened.app().await?.bandwidth_ceiling(&target, precision.into(), context).await?;
    Ok(ceiling.map(BandwidthCeiling::from))
}

/// Registers a folder where it lies; its files are looked at, not copied.
#[tauri::command]
#[specta::specta]
pub(crate) async fn add_model(handle: AppHandle, opened: State<'_, Opened>, folder: String) -> Result<Model, Failure> {
    let folder = typed(&folder, handle.path().home_dir().ok());
    Ok(opened.app().await?.add_model(&folder, None, None).await?.into())
}

/// Adds the models that come with the app, and returns all of them: the target, and then its drafters.
#[tauri::command]
#[specta::specta]
pub(crate) async fn add_demo(opened: State<'_, Opened>) -> Result<Vec<Model>, Failure> {
    Ok(opened.app().await?.add_demo().await?.into_iter().map(Model::from).collect())
}

/// Puts a model into the trash; its files stay until that is emptied.
#[tauri::command]
#[specta::specta]
pub(crate) async fn remove_model(
    opened: State<'_, Opened>,
    checks: State<'_, Checks>,
    id: String,
) -> Result<(), Failure> {
    checks.stop(&id);
    Ok(opened.app().await?.remove_model(&id).await?)
}

/// The drafters that nothing uses since a target was removed.
#[tauri::command]
#[specta::specta]
pub(crate) async fn orphans(opened: State<'_, Opened>, id: String) -> Result<Vec<Model>, Failure> {
    Ok(opened.app().await?.orphans(&id).await?.into_iter().map(Model::from).collect())
}

/// Asks the user for a folder in the system's dialog; null when it was dismissed.
#[tauri::command]
#[specta::specta]
pub(crate) async fn choose_folder(window: WebviewWindow) -> Result<Option<String>, Failure> {
    let (chosen, folder) = oneshot::channel();
    let dialog = window.dialog().file().set_parent(&window).set_title("Choose the folder of a model");
    // Nobody waits any more if the send fails: the window is gone.
    dialog.pick_folder(move |folder| drop(chosen.send(folder)));
    Ok(folder.await.ok().flatten().map(|folder| folder.to_string()))
}

/// The folder that somebody typed or pasted: a `~` is their home, as in a terminal.
fn typed(folder: &str, home: Option<PathBuf>) -> PathBuf {
    let folder = folder.trim();
    match (folder.strip_prefix('~'), home) {
        (Some(""), Some(home)) => home,
        (Some(rest), Some(home)) if rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
        _ => folder.into(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::typed;

    #[test]
    fn a_typed_folder_may_begin_with_the_home() {
        let home = || Some("/users/ada".into());
        assert_eq!(typed(" ~/models/gemma \n", home()), Path::new("/users/ada/models/gemma"));
        assert_eq!(typed("~", home()), Path::new("/users/ada"));
        assert_eq!(typed("~gemma", home()), Path::new("~gemma"));
        assert_eq!(typed("/models/~", home()), Path::new("/models/~"));
        assert_eq!(typed("~/models", None), Path::new("~/models"));
    }
}
