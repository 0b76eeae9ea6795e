//! Calibration of drafters' confidence.

use tauri::ipc::Channel;
use tauri::{State, Webview, WebviewWindow};

use crate::chosen::Chosen;
use crate::lists::Watched;
use crate::opened::Opened;
use crate::saving::{Saving, save};
use crate::wire::{
    Calibration, CalibrationChoices, CalibrationEstimate, CalibrationExport, CalibrationOrder, CalibrationReport,
    CalibrationStanding, Failure, Precision,
};

/// What a calibration can ask, and what it does unless somebody chooses.
#[tauri::command]
#[specta::specta]
pub(crate) async fn calibration_choices() -> Result<CalibrationChoices, Failure> {
    Ok(CalibrationChoices::here())
}

/// What a calibration would take, about.
#[tauri::command]
#[specta::specta]
pub(crate) async fn estimate_calibration(
    opened: State<'_, Opened>,
    files: State<'_, Chosen>,
    order: CalibrationOrder,
) -> Result<CalibrationEstimate, Failure> {
    let app = opened.app().await?;
    let order = order.with(app.preferences().await?.precision, &files)?;
    Ok(app.estimate_calibration(&order).await?.into())
}

/// Begins a calibration in the number type that is chosen, or puts it behind the one that runs; returns its id. One that
/// was ordered likewise and is not over goes on.
#[tauri::command]
#[specta::specta]
pub(crate) async fn start_calibration(
    opened: State<'_, Opened>,
    files: State<'_, Chosen>,
    order: CalibrationOrder,
) -> Result<i64, Failure> {
    let app = opened.app().await?;
    let order = order.with(app.preferences().await?.precision, &files)?;
    Ok(app.start_calibration(order).await?.id)
}

/// All calibrations, the latest first.
#[tauri::command]
#[specta::specta]
pub(crate) async fn calibrations(opened: State<'_, Opened>) -> Result<Vec<Calibration>, Failure> {
    Ok(opened.app().await?.calibrations().await?.into_iter().map(Calibration::from).collect())
}

/// Streams all calibrations, now and whenever one has changed.
#[tauri::command]
#[specta::specta]
pub(crate) async fn watch_calibrations(
    opened: State<'_, Opened>,
    watched: State<'_, Watched<app::CalibrationRun>>,
    page: Webview,
    lists: Channel<Vec<Calibration>>,
) -> Result<(), Failure> {
    watched.follow(opened.app().await?.clone(), page, lists);
    Ok(())
}

/// What came of a calibration that is done.
#[tauri::command]
#[specta::specta]
pub(crate) async fn calibration_report(opened: State<'_, Opened>, id: i64) -> Result<CalibrationReport, Failure> {
    Ok(opened.app().await?.calibration_report(id).await?.into())
}

/// Lets a calibration wait until it is resumed; what was recorded stays, and what is in force as well.
#[tauri::command]
#[specta::specta]
pub(crate) async fn pause_calibration(opened: State<'_, Opened>, id: i64) -> Result<Calibration, Failure> {
    Ok(opened.app().await?.pause_calibration(id).await?.into())
}

/// Lets a calibration that is paused, or failed, go on.
#[tauri::command]
#[specta::specta]
pub(crate) async fn resume_calibration(opened: State<'_, Opened>, id: i64) -> Result<Calibration, Failure> {
    Ok(opened.app().await?.resume_calibration(id).await?.into())
}

/// Takes a calibration that does not run off the list, with what was recorded for it, and out of force.
#[tauri::command]
#[specta::specta]
pub(crate) async fn remove_calibration(opened: State<'_, Opened>, id: i64) -> Result<(), Failure> {
    Ok(opened.app().await?.remove_calibration(id).await?)
}

/// Puts a calibration in force for its target and drafter.
#[tauri::command]
#[specta::specta]
pub(crate) async fn apply_calibration(opened: State<'_, Opened>, id: i64) -> Result<Calibration, Failure> {
    Ok(opened.app().await?.apply_calibration(id).await?.into())
}

/// Takes a calibration out of force: the one that was in force before it is again.
#[tauri::command]
#[specta::specta]
pub(crate) async fn revert_calibration(opened: State<'_, Opened>, id: i64) -> Result<Calibration, Failure> {
    Ok(opened.app().await?.revert_calibration(id).await?.into())
}

/// Writes a calibration into the drafter's own files; over one that is there only if `force` says so.
#[tauri::command]
#[specta::specta]
pub(crate) async fn write_calibration(opened: State<'_, Opened>, id: i64, force: bool) -> Result<(), Failure> {
    Ok(opened.app().await?.write_calibration(id, force).await?)
}

/// Takes a calibration out of the drafter's own files: what was there before is there again.
#[tauri::command]
#[specta::specta]
pub(crate) async fn take_back_calibration(opened: State<'_, Opened>, id: i64) -> Result<(), Failure> {
    Ok(opened.app().await?.take_back_calibration(id).await?)
}

/// How calibration stands for a target and a drafter, by what their files contain.
#[tauri::command]
#[specta::specta]
pub(crate) async fn calibration_standing(
    opened: State<'_, Opened>,
    target: String,
    drafter: String,
    precision: Precision,
    thinking: bool,
) -> Result<CalibrationStanding, Failure> {
    let app = opened.app().await?;
    Ok(app.calibration_standing(&target, &drafter, precision.into(), thinking).await?.into())
}

/// Asks the user where to save a part of a calibration, and saves it there; null when the dialog was dismissed.
#[tauri::command]
#[specta::specta]
pub(crate) async fn export_calibration(
    opened: State<'_, Opened>,
    window: WebviewWindow,
    id: i64,
    what: CalibrationExport,
) -> Result<Option<String>, Failure> {
    let app = opened.app().await?;
    let (text, name, kind, ending) = match what {
        CalibrationExport::Samples => (app.calibration_samples(id).await?, "samples", "CSV", "csv"),
        CalibrationExport::Report => (app.calibration_json(id).await?, "report", "JSON", "json"),
    };
    let name = format!("calibration-{id}-{name}");
    save(&window, Saving { title: "Save the calibration", name, kind, ending, text }).await
}
