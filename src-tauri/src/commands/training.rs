//! Training of drafters.

use app::TrainingLength;
use tauri::ipc::Channel;
use tauri::{State, Webview, WebviewWindow};
use tauri_plugin_dialog::DialogExt;
use tokio::sync::oneshot;

use crate::chosen::Chosen;
use crate::lists::Watched;
use crate::opened::Opened;
use crate::wire::{Failure, Training, TrainingChoices, TrainingEstimate, TrainingOrder};

/// What there is to choose from for a training, and what is chosen until somebody does.
#[tauri::command]
#[specta::specta]
pub(crate) async fn training_choices() -> Result<TrainingChoices, Failure> {
    Ok(TrainingChoices::here())
}

/// Asks the user for a file of prompts in the system's dialog; null when it was dismissed.
#[tauri::command]
#[specta::specta]
pub(crate) async fn choose_prompts(files: State<'_, Chosen>, window: WebviewWindow) -> Result<Option<String>, Failure> {
    let (chosen, file) = oneshot::channel();
    let dialog = window.dialog().file().set_parent(&window).set_title("Choose a file of prompts");
    let dialog = dialog.add_filter("Prompts, one in each line", &["txt", "jsonl"]);
    // Nobody waits any more if the send fails: the window is gone.
    dialog.pick_file(move |file| drop(chosen.send(file)));
    let file = file.await.ok().flatten().map(|file| file.to_string());
    if let Some(file) = &file {
        files.put(file.into());
    }
    Ok(file)
}

/// What a training would take.
#[tauri::command]
#[specta::specta]
pub(crate) async fn estimate_training(
    opened: State<'_, Opened>,
    files: State<'_, Chosen>,
    order: TrainingOrder,
) -> Result<TrainingEstimate, Failure> {
    let app = opened.app().await?;
    let order = order.with(app.preferences().await?.precision, &files)?;
    Ok(app.estimate_training(&order).await?.into())
}

/// Begins a training in the number type that is chosen, or puts it behind the one that runs; returns its id.
#[tauri::command]
#[specta::specta]
pub(crate) async fn start_training(
    opened: State<'_, Opened>,
    files: State<'_, Chosen>,
    order: TrainingOrder,
) -> Result<i64, Failure> {
    let app = opened.app().await?;
    let order = order.with(app.preferences().await?.precision, &files)?;
    Ok(app.start_training(order).await?.id)
}

/// All trainings, the latest first.
#[tauri::command]
#[specta::specta]
pub(crate) async fn trainings(opened: State<'_, Opened>) -> Result<Vec<Training>, Failure> {
    Ok(opened.app().await?.trainings().await?.into_iter().map(Training::from).collect())
}

/// Streams all trainings, now and whenever one has changed.
#[tauri::command]
#[specta::specta]
pub(crate) async fn watch_trainings(
    opened: State<'_, Opened>,
    watched: State<'_, Watched<app::Training>>,
    page: Webview,
    lists: Channel<Vec<Training>>,
) -> Result<(), Failure> {
    watched.follow(opened.app().await?.clone(), page, lists);
    Ok(())
}

/// Lets a training wait until it is resumed; a step that is being done is finished first.
#[tauri::command]
#[specta::specta]
pub(crate) async fn pause_training(opened: State<'_, Opened>, id: i64) -> Result<Training, Failure> {
    Ok(opened.app().await?.pause_training(id).await?.into())
}

/// Lets a training that is paused, or failed, go on.
#[tauri::command]
#[specta::specta]
pub(crate) async fn resume_training(opened: State<'_, Opened>, id: i64) -> Result<Training, Failure> {
    Ok(opened.app().await?.resume_training(id).await?.into())
}

/// Lets a training whose drafter never did better take so many steps from the answers that there are.
#[tauri::command]
#[specta::specta]
pub(crate) async fn train_longer(opened: State<'_, Opened>, id: i64, steps: usize) -> Result<Training, Failure> {
    Ok(opened.app().await?.train_longer(id, TrainingLength::Steps(steps)).await?.into())
}

/// Ends a training; the best drafter so far is kept if it does better than at the start.
#[tauri::command]
#[specta::specta]
pub(crate) async fn stop_training(opened: State<'_, Opened>, id: i64) -> Result<Training, Failure> {
    Ok(opened.app().await?.stop_training(id).await?.into())
}

/// Takes a training that does not run off the list; the drafter that came of it stays.
#[tauri::command]
#[specta::specta]
pub(crate) async fn remove_training(opened: State<'_, Opened>, id: i64) -> Result<(), Failure> {
    Ok(opened.app().await?.remove_training(id).await?)
}
